#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tool/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct picture p = { 0 };
	void *copy = malloc(size); /* so that a byte too far is seen */

	if (!copy && size)
		return 0;
	if (size)
		memcpy(copy, data, size);
	if (picture_read(copy, size, &p))
		assert(p.name && p.mime && p.width <= UINT32_MAX);
	free(copy);
	return 0;
}
