/* A journal of any bytes: no crash, and no path that leads out of the project. */
#include <assert.h>
#include <string.h>

#include "rootfs/review/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_journal_ struct journal j = JOURNAL_NONE;

	if (buf_add(&j.text, data, size) < 0 || journal_parse(&j) < 0)
		return 0;
	journal_take_log(&j, (const char *)data, size);
	for (size_t i = 0; i < j.n; i++) {
		const char *path = j.steps[i].path;

		assert(*path && *path != '/' && !strstr(path, "//"));
		assert(strcmp(path, "..") != 0 && strncmp(path, "../", 3) != 0 &&
		       !strstr(path, "/../"));
	}
	return 0;
}
