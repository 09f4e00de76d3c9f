#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "runtime/init/skillhead.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct skillhead h;

	if (skillhead_read((const char *)data, size, &h) < 0)
		return 0;
	assert(h.body <= size && *h.description);
	assert(strlen(h.description) <= SKILLHEAD_SAYS);
	assert(strlen(h.name) < SKILLHEAD_NAME);
	return 0;
}
