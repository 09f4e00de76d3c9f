#include "rootfs/git/userconf.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"

struct reader {
	git_config_fn *fn;
	void *ctx;
	unsigned left; /* files */
	int *failed;   /* borrowed */
	const char *file;
};

static void read_file(const struct reader *up, const char *path, unsigned *left);

/* "~/x" is below the home; an include is relative to the file that has it. */
static bool real_value(const struct reader *rd, bool include,
		       struct git_config_item *it)
{
	const char *home = getenv("HOME"), *v = it->value, *slash;
	char path[sizeof(it->value)];
	int n;

	if (text_starts(v, "~/") && home)
		n = snprintf(path, sizeof(path), "%s%s", home, v + 1);
	else if (include && *v != '/' && (slash = strrchr(rd->file, '/')))
		n = snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - rd->file),
			     rd->file, v);
	else
		return true;
	if (n >= (int)sizeof(path))
		return false;
	memcpy(it->value, path, (size_t)n + 1);
	return true;
}

static int one(void *ctx, const struct git_config_item *given)
{
	struct reader *rd = ctx;
	struct git_config_item it = *given;
	bool include =
		(!strcmp(it.section, "include") || !strcmp(it.section, "includeif")) &&
		!strcmp(it.key, "path");
	int r;

	if (!real_value(rd, include, &it))
		return 0;
	r = rd->fn(rd->ctx, &it);
	if (r >= 0 && include)
		read_file(rd, it.value, &rd->left);
	return r;
}

static void read_file(const struct reader *up, const char *path, unsigned *left)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_CONFIG_MAX);
	struct err ignored = ERR_NONE;
	struct reader rd = *up;
	int r = 0;

	if (!*left)
		return;
	rd.left = --*left;
	rd.file = path;
	if (file_read(AT_FDCWD, path, &text, &ignored) >= 0)
		r = git_config_parse(buf_cstr(&text), text.len, one, &rd);
	if (r < 0)
		*rd.failed = r;
	*left = rd.left;
}

int git_userconf_each(git_config_fn *fn, void *ctx)
{
	const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
	const char *system = getenv("GIT_CONFIG_SYSTEM");
	const char *global = getenv("GIT_CONFIG_GLOBAL");
	int failed = 0;
	struct reader rd = { .fn = fn, .ctx = ctx, .failed = &failed, .file = "" };
	unsigned left = GIT_USERCONF_FILES;
	char path[PATH_MAX];

	read_file(&rd, system ? system : "/etc/gitconfig", &left);
	if (global) {
		read_file(&rd, global, &left);
		return failed;
	}
	if (config && *config)
		snprintf(path, sizeof(path), "%s/git/config", config);
	else
		snprintf(path, sizeof(path), "%s/.config/git/config", home ? home : "");
	read_file(&rd, path, &left);
	snprintf(path, sizeof(path), "%s/.gitconfig", home ? home : "");
	read_file(&rd, path, &left);
	return failed;
}
