/* Where a ".git" file of any bytes leads: an absolute path without a way up, or nowhere. */
#include <assert.h>
#include <string.h>

#include "rootfs/git/outside.h"
#include "rootfs/git/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char to[PATH_MAX], path[PATH_MAX];

	if (git_text_link((const char *)data, size, to) < 0 ||
	    git_outside_path("/home/u/project", to, path) < 0)
		return 0;
	assert(*path == '/' && path[1] && strlen(path) < PATH_MAX);
	assert(!strstr(path, "//") && !strstr(path, "/../") && !strstr(path, "/./"));
	assert(*to != '/' || strcmp(path, to) == 0);
	return 0;
}
