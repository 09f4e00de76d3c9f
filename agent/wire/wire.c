#include "agent/wire/wire.h"

#include <errno.h>

#include "base/json.h"

int wire_json_text(struct buf *out, const char *s)
{
	_cleanup_json_ struct json *j = json_string(s);

	return j ? json_print(j, false, out) : -ENOMEM;
}
