#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A schema and a value on two lines: any that is taken can be compared with any; whether it
 * is one at all is found out in bounded time. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nl = size ? memchr(data, '\n', size) : NULL;
	_cleanup_json_ struct json *schema = NULL, *value = NULL;
	size_t head = nl ? (size_t)(nl - data) : size;
	struct err e = ERR_NONE;
	char why[SCHEMA_WHY] = "";

	if (!nl || json_parse((const char *)data, head, &schema, &e) < 0 ||
	    json_parse((const char *)nl + 1, size - head - 1, &value, &e) < 0)
		return 0;
	if (schema_sound(schema, &e) < 0)
		assert(e.code == -EINVAL);
	e = ERR_NONE;
	if (schema_check(schema, &e) < 0) {
		assert(e.code == -EINVAL);
		return 0;
	}
	if (!schema_fits(schema, value, why))
		assert(*why && strlen(why) < SCHEMA_WHY);
	return 0;
}
