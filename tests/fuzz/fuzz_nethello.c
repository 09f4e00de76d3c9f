#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "runtime/gate/hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_names(const struct gate_hello *h)
{
	assert(h->n <= GATE_HELLO_NAMES);
	for (unsigned i = 0; i < h->n; i++)
		assert(memchr(h->names[i].host, '\0', GATE_HELLO_NAME));
}

/* What is decided stays decided, whatever follows; what follows only adds names. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gate_hello all, part;
	enum gate_hello_verdict v = gate_hello_parse(data, size, &all);

	assert(v <= GATE_HELLO_BAD);
	assert(v != GATE_HELLO_MORE || size < GATE_HELLO_MAX);
	check_names(&all);
	for (size_t len = 0; len < size && len < 512; len++) {
		enum gate_hello_verdict before = gate_hello_parse(data, len, &part);

		check_names(&part);
		if (before == GATE_HELLO_MORE)
			continue;
		assert(before == v);
		assert(part.n == all.n);
	}
	return 0;
}
