#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/json_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the scan accepts cJSON must parse, print and parse again to the same text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf one = BUF_INIT(16 << 20);
	_cleanup_buf_ struct buf two = BUF_INIT(16 << 20);
	_cleanup_json_ struct json *j = NULL, *again = NULL;
	struct err e = ERR_NONE;
	size_t bad_at;

	if (json_scan_check((const char *)data, size, &bad_at) < 0) {
		assert(bad_at <= size);
		return 0;
	}
	assert(!json_parse((const char *)data, size, &j, &e));
	assert(!json_print(j, false, &one));
	assert(!json_parse(one.data, one.len, &again, &e));
	assert(!json_print(again, false, &two));
	assert(one.len == two.len && !memcmp(one.data, two.data, one.len));
	return 0;
}
