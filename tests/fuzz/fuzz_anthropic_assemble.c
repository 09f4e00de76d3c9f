#include "agent/wire/anthropic_assemble.h"
#include "tests/fuzz/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_answers(&anthropic_assemble_ops, &anthropic_assemble_ops, data, size);
	return 0;
}
