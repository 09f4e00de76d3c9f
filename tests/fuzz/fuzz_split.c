/* The splitter of a text into commands: every byte is in one piece, and none is empty. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/session/split.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1); /* exact: what reads beyond is seen */
	size_t at = 0, pieces = 0;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	while (at < size) {
		size_t len = split_next(text + at, size - at);

		assert(len > 0 && len <= size - at);
		at += len;
		pieces++;
	}
	assert((split_count(text, size) == 2) == (pieces > 1));
	free(text);
	return 0;
}
