/* fuzz_procfs - a program writes a part of these texts, its name: whatever they are, nothing is
 * read outside of them, and what is found in one is in it. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/mountinfo.h"
#include "base/procfs.h"
#include "base/scope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);
	struct procfs_stat st = { .state = '\0' };
	const char *all, *at;
	struct mountinfo m;
	uint64_t n;

	if (buf_add(&text, data, size) < 0)
		return 0;
	all = at = buf_cstr(&text);
	assert(procfs_stat_parse(all, &st) == 0 ? st.state : !st.state);
	if (procfs_number(all, "CapEff", 16, &n))
		assert(procfs_value(all, "CapEff"));
	(void)procfs_inner(all);
	while (mountinfo_next(&at, "", &m))
		assert(*m.root == '/' && *m.point == '/' &&
		       strlen(m.options) < sizeof(m.options));
	assert(!*at);
	return 0;
}
