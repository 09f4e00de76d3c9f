#include "rootfs/git/named.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/def.h"
#include "base/sys/sys.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/userconf.h"

/* Settings whose value is a path that git runs or reads more settings from. */
static bool names_path(const struct git_config_item *it)
{
	static const struct {
		const char *section, *key;
	} rows[] = {
		{ "core", "hookspath" },      { "core", "fsmonitor" },
		{ "core", "attributesfile" }, { "core", "sshcommand" },
		{ "core", "editor" },	      { "core", "pager" },
		{ "include", "path" },	      { "includeif", "path" },
		{ "filter", "clean" },	      { "filter", "smudge" },
		{ "filter", "process" },      { "diff", "command" },
		{ "diff", "textconv" },	      { "merge", "driver" },
		{ "gpg", "program" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].section, it->section) == 0 &&
		    strcmp(rows[i].key, it->key) == 0)
			return true;
	return false;
}

/* Always a path; what is a program is one of PATH unless it has a slash. */
static bool is_path(const struct git_config_item *it)
{
	return strncmp(it->section, "include", 7) == 0 ||
	       strcmp(it->key, "hookspath") == 0 ||
	       strcmp(it->key, "attributesfile") == 0;
}

/* Relative ones mean the worktree, those of an include the git directory. Only the first
 * word can be a file: what else a program is told is its own affair. */
bool git_named_path(const struct git_config_item *it, const char *root, const char *git,
		    char ret[PATH_MAX])
{
	const char *v = it->value;
	bool include = strncmp(it->section, "include", 7) == 0;
	size_t len = strlen(root), up = strlen(git);

	if (!names_path(it) || up < 4 ||
	    (!is_path(it) && !memchr(v, '/', strcspn(v, " "))))
		return false;
	if (strncmp(v, root, len) == 0 && v[len] == '/')
		snprintf(ret, PATH_MAX, "%s", v + len + 1);
	else if (*v == '/' || *v == '~' || *v == '!')
		return false;
	else {
		if (snprintf(ret, PATH_MAX, "%.*s%s%s", (int)(include ? up : up - 4),
			     git, include ? "/" : "", v) >= PATH_MAX)
			return false;
	}
	if (!include)
		ret[strcspn(ret, " ")] = '\0';
	while (strncmp(ret, ".git/../", 8) == 0)
		memmove(ret, ret + 8, strlen(ret + 8) + 1);
	return *ret && strcmp(ret, ".") != 0;
}

struct search {
	const char *root, *git;
	git_named_fn *fn;
	void *ctx;
	bool any;
};

static int look(void *ctx, const struct git_config_item *it)
{
	struct search *s = ctx;
	char path[PATH_MAX];

	if (git_named_path(it, s->root, s->git, path)) {
		s->any = true;
		s->fn(s->ctx, path);
	}
	return 0;
}

void git_named_in(const char *root, const char *git, int dir, bool apart,
		  git_named_fn *fn, void *ctx)
{
	static const char *const files[] = { "config", "config.worktree" };
	struct search s = { root, git, fn, ctx, false };

	for (size_t i = 0; i < (apart ? 2 : 1); i++) {
		_cleanup_buf_ struct buf text = BUF_INIT(GIT_CONFIG_MAX);

		if (takeover_read(dir, files[i], &text) == 0)
			(void)git_config_parse(buf_cstr(&text), text.len, look, &s);
	}
}

bool git_named_user(const char *root, const char *git, git_named_fn *fn, void *ctx)
{
	struct search s = { root, git, fn, ctx, false };

	git_userconf_each(look, &s);
	return s.any;
}

bool git_named_changed(int project, const char *path, ino_t ino, char ret[PATH_MAX])
{
	struct stat st;

	for (const char *p = path;; p++) {
		p = strchrnul(p, '/');
		snprintf(ret, PATH_MAX, "%.*s", (int)(p - path), path);
		if (sys_fstatat(project, ret, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return false;
		if (!*p)
			return st.st_ino != ino;
		if (S_ISLNK(st.st_mode))
			return true;
	}
}
