/* Names and targets of links are whatever a box made: they are judged within their bounds,
 * and a directory that is held holds all that lies in it. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "runtime/spec/effects.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = (const char *)data;
	const char *end = memchr(path, '\n', size);
	size_t len = end ? (size_t)(end - path) : size;
	struct effect x = effects_of_path(path, len);

	assert(!x.why == (x.class == EFFECTS_PLAIN));
	if (!end)
		return 0;
	if (effects_leaves(path, len, end + 1, size - len - 1))
		assert(memchr(end + 1, '/', size - len - 1) ||
		       (size - len - 1 == 2 && !memcmp(end + 1, "..", 2)));
	return 0;
}
