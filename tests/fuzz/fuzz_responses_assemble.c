#include "agent/wire/responses_assemble.h"
#include "tests/fuzz/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_answers(&responses_assemble_ops, &responses_assemble_ops, data, size);
	return 0;
}
