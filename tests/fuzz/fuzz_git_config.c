/* A git configuration of any bytes: no crash, and what is called harmless names no program
 * in a way that the table does not know. */
#include <assert.h>
#include <string.h>

#include "rootfs/git/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int look(void *ctx, const struct git_config_item *it)
{
	(void)ctx;
	assert(*it->section && *it->key);
	assert(strlen(it->value) < GIT_CONFIG_TEXT);
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
