#include <assert.h>
#include <stdint.h>

#include "agent/turn/args.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted is an object, and is accepted again when it is printed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_json_ struct json *j = NULL, *again = NULL;
	_cleanup_buf_ struct buf text = BUF_INIT(64 << 20);
	struct err e = ERR_NONE;
	int r = args_parse((const char *)data, size, &j, &e);

	if (r < 0) {
		assert(e.code == r && e.msg[0]);
		return 0;
	}
	assert(json_type(j) == JSON_OBJECT);
	r = json_print(j, false, &text);
	assert(r == 0);
	r = args_parse(text.data, text.len, &again, &e);
	assert(r == 0);
	return 0;
}
