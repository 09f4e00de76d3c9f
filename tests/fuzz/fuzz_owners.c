/* The attribute that records an owner comes from inside a box: what is accepted is
 * within bounds and reads the same when it is written again. */
#include <assert.h>
#include <string.h>

#include "rootfs/archive/owners.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct owners_stat st, again;
	char text[OWNERS_VALUE];

	if (owners_parse((const char *)data, size, &st) < 0)
		return 0;
	assert(st.uid != UINT32_MAX && st.gid != UINT32_MAX && st.mode <= 07777);
	owners_format(text, &st);
	assert(owners_parse(text, strlen(text), &again) == 0);
	assert(st.uid == again.uid && st.gid == again.gid && st.mode == again.mode);
	return 0;
}
