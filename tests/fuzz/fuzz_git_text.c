/* Links, values and packed refs of any bytes: what is accepted is a good name or sum. */
#include <assert.h>
#include <string.h>

#include "rootfs/git/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int look(void *, const char *name, const char *sum)
{
	assert(git_text_is_ref(name, strlen(name)) && !strstr(name, ".."));
	assert(git_text_is_sum(sum, strlen(sum)));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	char path[PATH_MAX], value[GIT_TEXT_VALUE];

	if (git_text_link(text, size, path) == 0)
		assert(*path && !strchr(path, '\n'));
	if (git_text_value(text, size, value) == 0 && strncmp(value, "ref: ", 5) == 0)
		assert(git_text_is_ref(value + 5, strlen(value + 5)));
	(void)git_text_packed(text, size, look, NULL);
	return 0;
}
