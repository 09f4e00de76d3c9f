#include "rootfs/git/userconf.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"
#include "rootfs/git/condition.h"

struct reader {
	git_config_fn *fn;
	void *ctx;
	unsigned left; /* files */
	int *failed;   /* borrowed */
	const char *file;
	const char *project; /* whose settings are wanted; NULL = all there are */
	bool maybe;	     /* of those of a project: what it may be that counts */
	bool under_maybe;    /* this file is such a one */
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
	const enum git_condition when =
		rd->project && include && *it.subsection
			? git_condition_holds(it.subsection, rd->file, rd->project)
			: GIT_CONDITION_YES;
	struct reader next = *rd;
	int r = 0;

	if (when == GIT_CONDITION_NO || !real_value(rd, include, &it))
		return 0;
	if (!rd->project || rd->maybe == rd->under_maybe)
		r = rd->fn(rd->ctx, &it);
	next.under_maybe |= when == GIT_CONDITION_MAYBE;
	if (r >= 0 && include)
		read_file(&next, it.value, &rd->left);
	return r;
}

static void read_file(const struct reader *up, const char *path, unsigned *left)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_CONFIG_MAX);
	struct reader rd = *up;
	int r = 0;

	if (!*left)
		return;
	rd.left = --*left;
	rd.file = path;
	if (file_read(AT_FDCWD, path, &text, ERR_IGNORED) >= 0)
		r = git_config_parse(buf_cstr(&text), text.len, one, &rd);
	if (r < 0)
		*rd.failed = r;
	*left = rd.left;
}

void git_userconf_places(git_userconf_place_fn *fn, void *ctx)
{
	const char *home = getenv("HOME") ?: "", *config = getenv("XDG_CONFIG_HOME");
	const char *system = getenv("GIT_CONFIG_SYSTEM");
	const char *global = getenv("GIT_CONFIG_GLOBAL");
	const char *below = config && *config ? "" : "/.config";
	char path[PATH_MAX];

	config = *below ? home : config;
	fn(ctx, system ? system : "/etc/gitconfig", false);
	fn(ctx, "/etc/gitattributes", true);
	snprintf(path, sizeof(path), "%s%s/git/attributes", config, below);
	fn(ctx, path, true);
	if (global) {
		fn(ctx, global, false);
		return;
	}
	snprintf(path, sizeof(path), "%s%s/git/config", config, below);
	fn(ctx, path, false);
	snprintf(path, sizeof(path), "%s/.gitconfig", home);
	fn(ctx, path, false);
}

struct reading {
	struct reader rd;
	unsigned left;
};

static void read_place(void *ctx, const char *path, bool attributes)
{
	struct reading *x = ctx;

	if (!attributes)
		read_file(&x->rd, path, &x->left);
}

int git_userconf_of(const char *project, bool maybe, git_config_fn *fn, void *ctx)
{
	int failed = 0;
	struct reading x = { .rd = { .fn = fn,
				     .ctx = ctx,
				     .failed = &failed,
				     .file = "",
				     .project = project,
				     .maybe = maybe },
			     .left = GIT_USERCONF_FILES };

	git_userconf_places(read_place, &x);
	return failed;
}

int git_userconf_each(git_config_fn *fn, void *ctx)
{
	return git_userconf_of(NULL, false, fn, ctx);
}
