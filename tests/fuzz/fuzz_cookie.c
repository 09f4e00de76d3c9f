#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/server/http/cookie.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is found stands in the field behind its name; put in front, it is what is found. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *field = calloc(1, size + 9), value[COOKIE_VALUE], again[COOKIE_VALUE];

	assert(field);
	if (size)
		memcpy(field, data, size);
	cookie_value(field, "_xsrf", value);
	assert(strlen(value) < sizeof(value) && !strchr(value, ';'));
	assert(strstr(field, value));
	memmove(field + 7, field, strlen(field) + 1);
	memcpy(field, "_xsrf=x", 7);
	if (field[7])
		field[7] = ';';
	cookie_value(field, "_xsrf", again);
	assert(strcmp(again, "x") == 0);
	free(field);
	return 0;
}
