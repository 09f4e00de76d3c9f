/* A condition, the file that it stands in and a project, a line each: who does not fold case
 * includes no more than who does, and of a project that is not known nothing is said. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rootfs/git/condition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[16384], folds[16400], *file, *project;
	enum git_condition is;

	if (size >= sizeof(text) || memchr(data, 0, size))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	file = strchr(text, '\n');
	project = file ? strchr(file + 1, '\n') : NULL;
	if (!project)
		return 0;
	*file++ = *project++ = '\0';
	setenv("HOME", "/", 1);
	is = git_condition_holds(text, file, project);
	if (!*project)
		assert(is == GIT_CONDITION_MAYBE);
	if (strncmp(text, "gitdir:", 7) != 0) {
		if (strncmp(text, "gitdir/i:", 9) != 0)
			assert(is == GIT_CONDITION_MAYBE);
		return 0;
	}
	snprintf(folds, sizeof(folds), "gitdir/i:%s", text + 7);
	if (is == GIT_CONDITION_YES && !strchr(text, '[')) /* "[^a]" */
		assert(git_condition_holds(folds, file, project) == GIT_CONDITION_YES);
	return 0;
}
