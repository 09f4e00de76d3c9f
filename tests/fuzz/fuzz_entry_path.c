/* A clean name is below the root, within the limits, and its own clean form. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "rootfs/archive/entry_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct untar_limits limits = { .path = 100, .component = 20, .depth = 8 };

static void check(const char *path)
{
	char copy[ENTRY_PATH], *part, *rest = copy;
	size_t depth = 0;

	assert(strlen(path) <= limits.path);
	strncpy(copy, path, sizeof(copy));
	while (*path && (part = strsep(&rest, "/"))) {
		assert(*part && strcmp(part, ".") != 0 && strcmp(part, "..") != 0);
		assert(strlen(part) <= limits.component);
		assert(++depth <= limits.depth);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char raw[512], clean[ENTRY_PATH], again[ENTRY_PATH];
	const char *last, *removed = NULL;
	struct err e = ERR_NONE;

	if (size >= sizeof(raw))
		return 0;
	memcpy(raw, data, size);
	raw[size] = '\0';
	if (entry_path_clean(raw, &limits, clean, &e) < 0) {
		assert(e.code == -EINVAL || e.code == -E2BIG);
		return 0;
	}
	check(clean);
	if (*clean) {
		assert(entry_path_clean(clean, &limits, again, &e) == 0);
		assert(strcmp(clean, again) == 0);
	}
	last = strrchr(clean, '/');
	if (entry_path_whiteout(last ? last + 1 : clean, &removed) == ENTRY_REMOVE)
		assert(*removed && strcmp(removed, ".") != 0 &&
		       strcmp(removed, "..") != 0);
	return 0;
}
