#include "rootfs/git/named.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/def.h"
#include "base/dirscan.h"
#include "base/scope.h"
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

/* ---- what the host has made a link ------------------------------------------------------ */

/* Where the link @at leads, by its text: below the project, as @at is. */
static bool leads_to(const char *root, const char *at, const char *to,
		     char ret[PATH_MAX])
{
	const size_t len = strlen(root);
	char all[2 * PATH_MAX], *save = NULL, *slash;
	size_t n = 0;

	*ret = '\0';
	if (*to != '/')
		snprintf(all, sizeof(all), "%.*s/%s", (int)(strrchr(at, '/') - at), at,
			 to);
	else if (strncmp(to, root, len) == 0 && to[len] == '/')
		snprintf(all, sizeof(all), "%s", to + len);
	else
		return false;
	for (char *p = strtok_r(all, "/", &save); p; p = strtok_r(NULL, "/", &save)) {
		if (strcmp(p, "..") == 0) {
			if (!n)
				return false;
			slash = strrchr(ret, '/');
			n = slash ? (size_t)(slash - ret) : 0;
			ret[n] = '\0';
		} else if (strcmp(p, ".") != 0) {
			n += (size_t)snprintf(ret + n, PATH_MAX - n, "%s%s",
					      n ? "/" : "", p);
			if (n >= PATH_MAX)
				return false;
		}
	}
	return n > 0;
}

/* What lies in the git directory itself is guarded with it. */
static bool look_at_link(const struct git_named_at *a, struct search *s,
			 const char *name, char ret[PATH_MAX])
{
	const size_t up = strlen(a->git);
	char to[PATH_MAX], at[2 * PATH_MAX];
	ssize_t n = sys_readlinkat(a->dir, name, to, sizeof(to) - 1);

	if (n <= 0 || (a->elsewhere && *to != '/'))
		return false;
	to[n] = '\0';
	snprintf(at, sizeof(at), "%s/%s", a->git, name);
	if (!leads_to(a->root, at, to, ret) ||
	    (strncmp(ret, a->git, up) == 0 && (!ret[up] || ret[up] == '/')))
		return false;
	s->fn(s->ctx, ret);
	return true;
}

static void look_at_hooks(const struct git_named_at *a, struct search *s)
{
	_cleanup_close_ int hooks =
		takeover_open(a->dir, "hooks", O_RDONLY | O_DIRECTORY);
	_cleanup_free_ struct dirscan *scan = malloc(sizeof(*scan));
	struct err ignored = ERR_NONE;
	struct dirscan_entry x;
	char path[PATH_MAX], name[NAME_MAX + 8];

	if (hooks < 0 || !scan || dirscan_start(scan, hooks, &ignored) < 0)
		return;
	while (dirscan_next(scan, &x, &ignored) > 0) {
		snprintf(name, sizeof(name), "hooks/%s", x.name);
		look_at_link(a, s, name, path);
	}
}

void git_named_in(const struct git_named_at *a, git_named_fn *fn, void *ctx)
{
	static const char *const files[] = { "config", "config.worktree" };
	static const char *const links[] = { "hooks", "info", "info/attributes" };
	struct search s = { a->root, a->git, fn, ctx, false };
	char path[PATH_MAX];

	for (size_t i = 0; i < (a->apart ? 2 : 1); i++) {
		_cleanup_buf_ struct buf text = BUF_INIT(GIT_CONFIG_MAX);
		bool link = look_at_link(a, &s, files[i], path);

		if (takeover_read(link ? a->project : a->dir, link ? path : files[i],
				  &text) == 0)
			(void)git_config_parse(buf_cstr(&text), text.len, look, &s);
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		look_at_link(a, &s, links[i], path);
	look_at_hooks(a, &s);
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
