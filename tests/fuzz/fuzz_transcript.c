#include <assert.h>
#include <stdint.h>

#include "agent/task/resume.h"
#include "agent/turn/transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A transcript is read back into a history, whose open calls are found. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_resume_ struct resume r = { 0 };
	struct err e = ERR_NONE;
	const char *name;
	int failed = transcript_parse((const char *)data, size, resume_record, &r, &e);

	assert(failed == 0 || (e.code == failed && e.msg[0]));
	if (failed == 0) {
		history_open_call(&r.history, &name);
		resume_reduce(&r, &e);
	}
	return 0;
}
