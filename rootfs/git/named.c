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

/* Settings whose value is a path that git reads, or a command that it runs by itself; what runs
 * only when a person asks for it by its name (an alias, a tool of git gui) is left out. */
enum kind { NOTHING, PATH_ALWAYS, PATH_INCLUDED, COMMAND };

/* clang-format off */
static const struct {
	const char *section, *key; /* key: NULL = any */
	enum kind kind;
} settings[] = {
	{ "core",	 "hookspath",		 PATH_ALWAYS },
	{ "core",	 "attributesfile",	 PATH_ALWAYS },
	{ "init",	 "templatedir",		 PATH_ALWAYS }, /* with hooks */
	{ "include",	 "path",		 PATH_INCLUDED },
	{ "includeif",	 "path",		 PATH_INCLUDED },
	{ "core",	 "fsmonitor",		 COMMAND },
	{ "core",	 "sshcommand",		 COMMAND },
	{ "core",	 "editor",		 COMMAND },
	{ "core",	 "pager",		 COMMAND },
	{ "core",	 "askpass",		 COMMAND },
	{ "core",	 "gitproxy",		 COMMAND },
	{ "core",	 "alternaterefscommand", COMMAND },
	{ "sequence",	 "editor",		 COMMAND },
	{ "pager",	 NULL,			 COMMAND },
	{ "interactive", "difffilter",		 COMMAND },
	{ "filter",	 "clean",		 COMMAND },
	{ "filter",	 "smudge",		 COMMAND },
	{ "filter",	 "process",		 COMMAND },
	{ "diff",	 "command",		 COMMAND },
	{ "diff",	 "textconv",		 COMMAND },
	{ "diff",	 "external",		 COMMAND },
	{ "difftool",	 "cmd",			 COMMAND },
	{ "difftool",	 "path",		 COMMAND },
	{ "merge",	 "driver",		 COMMAND },
	{ "mergetool",	 "cmd",			 COMMAND },
	{ "mergetool",	 "path",		 COMMAND },
	{ "gpg",	 "program",		 COMMAND },
	{ "gpg",	 "defaultkeycommand",	 COMMAND },
	{ "credential",	 "helper",		 COMMAND },
	{ "hook",	 "command",		 COMMAND },
	{ "trailer",	 "command",		 COMMAND },
	{ "trailer",	 "cmd",			 COMMAND },
	{ "tar",	 "command",		 COMMAND },
	{ "man",	 "cmd",			 COMMAND },
	{ "man",	 "path",		 COMMAND },
	{ "browser",	 "cmd",			 COMMAND },
	{ "browser",	 "path",		 COMMAND },
	{ "remote",	 "uploadpack",		 COMMAND },
	{ "remote",	 "receivepack",		 COMMAND },
	{ "uploadpack",	 "packobjectshook",	 COMMAND },
	{ "submodule",	 "update",		 COMMAND },
	{ "sendemail",	 "smtpserver",		 COMMAND },
	{ "sendemail",	 "sendmailcmd",		 COMMAND },
	{ "sendemail",	 "tocmd",		 COMMAND },
	{ "sendemail",	 "cccmd",		 COMMAND },
	{ "sendemail",	 "headercmd",		 COMMAND },
};
/* clang-format on */

static enum kind kind_of(const struct git_config_item *it)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (strcmp(settings[i].section, it->section) == 0 &&
		    (!settings[i].key || strcmp(settings[i].key, it->key) == 0))
			return settings[i].kind;
	return NOTHING;
}

/* Word @n of a command, apart by whatever no plain word of a shell has, and by the '=' of an
 * option or a variable. NULL: there are less. */
static const char *word_of(const char *value, size_t n, size_t *len)
{
	static const char apart[] = " \t\n'\"`;&|()<>=!";

	do {
		value += strspn(value, apart);
		*len = strcspn(value, apart);
		if (!n || !*len)
			break;
		value += *len;
	} while (n--);
	return *len ? value : NULL;
}

static void drop(char *path, size_t n)
{
	memmove(path, path + n, strlen(path + n) + 1);
}

/* What is relative stays so, however many slashes somebody has written. */
static void simplify(char *path)
{
	static const char up[] = ".git/../";

	for (;;) {
		if (*path == '/')
			drop(path, 1);
		else if (strncmp(path, "./", 2) == 0)
			drop(path, 2);
		else if (strncmp(path, up, sizeof(up) - 1) == 0)
			drop(path, sizeof(up) - 1);
		else
			break;
	}
	if (strcmp(path, ".") == 0)
		*path = '\0';
}

/* Relative ones mean the worktree, those of an include the git directory. */
bool git_named_path(const struct git_config_item *it, size_t n, const char *root,
		    const char *git, char ret[PATH_MAX])
{
	const enum kind kind = kind_of(it);
	const char *v = it->value;
	size_t len = strlen(v), top = strlen(root), up = strlen(git);

	if (kind == NOTHING || up < 4 || (kind != COMMAND && n))
		return false;
	*ret = '\0';
	if (kind == COMMAND && !(v = word_of(v, n, &len)))
		return false;
	if (kind == COMMAND && !n && !memchr(v, '/', len))
		return true; /* one of PATH */
	if (strncmp(v, root, top) == 0 && v[top] == '/')
		snprintf(ret, PATH_MAX, "%.*s", (int)(len - top), v + top);
	else if (*v != '/' && *v != '~' &&
		 snprintf(ret, PATH_MAX, "%.*s%s%.*s",
			  (int)(kind == PATH_INCLUDED ? up : up - 4), git,
			  kind == PATH_INCLUDED ? "/" : "", (int)len, v) >= PATH_MAX)
		*ret = '\0';
	simplify(ret);
	return true;
}

struct search {
	const char *root, *git;
	int tree; /* borrowed: @root */
	git_named_fn *fn;
	void *ctx;
	bool any;
};

/* A word that is a file there, or what may become another by a link. */
static bool is_file(int tree, const char *path)
{
	_cleanup_close_ int fd = takeover_open(tree, path, O_PATH);
	struct stat st;

	return fd == -ELOOP ||
	       (fd >= 0 && sys_fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode));
}

/* What a command runs or reads may be any of its words. */
static int look(void *ctx, const struct git_config_item *it)
{
	struct search *s = ctx;
	char path[PATH_MAX];

	for (size_t i = 0; git_named_path(it, i, s->root, s->git, path); i++) {
		s->any = true;
		if (*path && (!i || is_file(s->tree, path)))
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
	struct search s = { a->root, a->git, a->project, fn, ctx, false };
	char path[PATH_MAX];

	for (size_t i = 0; i < (a->apart ? 2 : 1); i++) {
		_cleanup_buf_ struct buf text = BUF_INIT(GIT_CONFIG_MAX);
		bool link = look_at_link(a, &s, files[i], path);

		if (takeover_read(link ? a->project : a->dir, link ? path : files[i],
				  &text) == 0 &&
		    git_config_parse(buf_cstr(&text), text.len, look, &s) < 0)
			fn(ctx, NULL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		look_at_link(a, &s, links[i], path);
	look_at_hooks(a, &s);
}

bool git_named_user(const struct git_named_at *a, git_named_fn *fn, void *ctx)
{
	struct search s = { a->root, a->git, a->project, fn, ctx, false };

	if (git_userconf_each(look, &s) < 0)
		fn(ctx, NULL);
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
