#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "runtime/nethello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_names(const struct nethello *h)
{
	assert(h->n <= NETHELLO_NAMES);
	for (unsigned i = 0; i < h->n; i++)
		assert(memchr(h->names[i].host, '\0', NETHELLO_NAME));
}

/* What is decided stays decided, whatever follows; what follows only adds names. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nethello all, part;
	enum nethello_verdict v = nethello_parse(data, size, &all);

	assert(v <= NETHELLO_BAD);
	assert(v != NETHELLO_MORE || size < NETHELLO_MAX);
	check_names(&all);
	for (size_t len = 0; len < size && len < 512; len++) {
		enum nethello_verdict before = nethello_parse(data, len, &part);

		check_names(&part);
		if (before == NETHELLO_MORE)
			continue;
		assert(before == v);
		assert(part.n == all.n);
	}
	return 0;
}
