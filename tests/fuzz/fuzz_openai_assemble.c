/* With and without the short way for words. */
#include "agent/wire/openai_assemble.h"
#include "tests/fuzz/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void slow_init(void *a)
{
	openai_assemble_ops.init(a);
	((struct openai_assemble *)a)->slow = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answer_ops slow = openai_assemble_ops;

	slow.init = slow_init;
	fuzz_answers(&slow, &openai_assemble_ops, data, size);
	return 0;
}
