/* A git configuration of any bytes: no crash, and what is called harmless names no program
 * in a way that the table does not know. The words of a command end, and name a path that is
 * relative, or none. */
#include <assert.h>
#include <string.h>

#include "rootfs/git/config.h"
#include "rootfs/git/named.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void name(const struct git_config_item *it)
{
	static const struct git_named_at at = { .root = "/p",
						.git = "a/.git",
						.project = -1 };
	char path[PATH_MAX];

	for (size_t i = 0; git_named_path(it, i, &at, "/p/a/.git", path); i++) {
		assert(i < GIT_CONFIG_TEXT);
		assert(*path != '/');
	}
}

static int look(void *, const struct git_config_item *it)
{
	assert(*it->section && *it->key);
	assert(strlen(it->value) < GIT_CONFIG_TEXT);
	name(it);
	if (git_config_harmless(it)) {
		assert(strcmp(it->section, "include") != 0);
		assert(strcmp(it->section, "alias") != 0);
		assert(strcmp(it->key, "url") != 0 || !strstr(it->value, "::"));
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)git_config_parse((const char *)data, size, look, NULL);
	return 0;
}
