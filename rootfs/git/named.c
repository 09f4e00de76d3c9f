#include "rootfs/git/named.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/def.h"
#include "base/dirscan.h"
#include "base/file.h"
#include "base/inroot.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/userconf.h"

/* Settings whose value is a path that git reads, or a command that it runs by itself. What
 * runs only when a person asks for it by its name is OF_PERSON, what is only shown or looked
 * up in DATA. Of those that are not known here nor harmless (config.h) each word may be a
 * program, so that what git or a tool of its learns tomorrow is no way round the table. */
enum kind { PATH_ALWAYS, PATH_INCLUDED, COMMAND, DATA, OF_PERSON, UNKNOWN };

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
	{ "lfs",	 "path",		 COMMAND }, /* of a custom transfer */
	{ "lfs",	 "clean",		 COMMAND }, /* of an extension */
	{ "lfs",	 "smudge",		 COMMAND },
	{ "alias",	 NULL,			 OF_PERSON },
	{ "guitool",	 NULL,			 OF_PERSON },
	{ "blame",	 "ignorerevsfile",	 DATA },
	{ "commit",	 "template",		 DATA },
	{ "core",	 "excludesfile",	 DATA },
	{ "format",	 "signaturefile",	 DATA },
	{ "mailmap",	 "file",		 DATA },
};
/* clang-format on */

static enum kind kind_of(const struct git_config_item *it)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (strcmp(settings[i].section, it->section) == 0 &&
		    (!settings[i].key || strcmp(settings[i].key, it->key) == 0))
			return settings[i].kind;
	return git_config_harmless(it) ? DATA : UNKNOWN;
}

enum { INCLUDES = 32, LINKS = 8, LONG_PATH = 2 * PATH_MAX + 2 };

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

static bool path_of(int fd, char ret[PATH_MAX])
{
	return procfs_fd_name(fd, ret, PATH_MAX) > 0 && *ret == '/';
}

/* A link whose target is not there: that takes its place in @path. */
static bool take_link(char path[LONG_PATH], const char *name)
{
	char up[LONG_PATH], dir[PATH_MAX], to[PATH_MAX];
	_cleanup_close_ int fd = -1;
	ssize_t n;

	snprintf(up, sizeof(up), "%.*s/", (int)(name - path - 1), path);
	fd = sys_open(up, O_PATH | O_DIRECTORY);
	n = fd < 0 ? fd : sys_readlinkat(fd, name, to, sizeof(to) - 1);
	if (n <= 0 || !path_of(fd, dir))
		return false;
	to[n] = '\0';
	snprintf(path, LONG_PATH, "%s/%s", *to == '/' ? "" : dir, to);
	return true;
}

/* Without links: where a path leads, also if there is nothing yet. */
static bool real_path(const char *path, char ret[PATH_MAX])
{
	char at[LONG_PATH], real[PATH_MAX], rest[LONG_PATH] = "", more[LONG_PATH];
	int links = 0;

	snprintf(at, sizeof(at), "%s", path);
	while (links < LINKS) {
		_cleanup_close_ int fd = sys_open(*at ? at : "/", O_PATH);
		char *slash = strrchr(at, '/');

		if (fd >= 0)
			return path_of(fd, real) &&
			       snprintf(ret, PATH_MAX, "%s%s", real, rest) < PATH_MAX;
		if (!slash)
			return false;
		if (take_link(at, slash + 1)) {
			links++;
			continue;
		}
		snprintf(more, sizeof(more), "%s%s", slash, rest);
		memcpy(rest, more, sizeof(rest));
		*slash = '\0';
	}
	return false;
}

/* Of the user's dotfiles, say, which lie in the project and are linked to from the home. */
static bool below_by_links(const struct git_named_at *a, const char *path,
			   char ret[PATH_MAX])
{
	char project[PATH_MAX], real[PATH_MAX];

	return a->project >= 0 && path_of(a->project, project) &&
	       real_path(path, real) && text_is_below(real, project) &&
	       inroot_settle(real + strlen(project), ret);
}

/* An absolute path, below the project: behind its own, or behind a directory on the way that
 * is the project by another name (a link to a home, say). */
static bool below(const struct git_named_at *a, const char *path, char ret[PATH_MAX])
{
	struct stat project, st;
	const bool known = a->project >= 0 && sys_fstat(a->project, &project) == 0;
	char dir[LONG_PATH];

	for (const char *p = path + strspn(path, "/"); *p; p += strspn(p, "/")) {
		p += strcspn(p, "/");
		snprintf(dir, sizeof(dir), "%.*s", (int)(p - path), path);
		if (strcmp(dir, a->root) != 0 &&
		    (!known || sys_fstatat(AT_FDCWD, dir, &st, 0) < 0 ||
		     st.st_dev != project.st_dev || st.st_ino != project.st_ino))
			continue;
		if (inroot_settle(p, ret))
			return true;
		if (!p[strspn(p, "/")]) {
			memcpy(ret, GIT_NAMED_PROJECT, sizeof(GIT_NAMED_PROJECT));
			return true;
		}
	}
	if (below_by_links(a, path, ret))
		return true;
	*ret = '\0';
	return false;
}

/* A word is relative to the worktree, an include to the file that has it. */
static void absolute(const char *word, size_t len, const char *from,
		     char ret[LONG_PATH])
{
	const char *home = getenv("HOME");

	if (*word == '/')
		snprintf(ret, LONG_PATH, "%.*s", (int)len, word);
	else if (len > 1 && word[0] == '~' && word[1] == '/' && home)
		snprintf(ret, LONG_PATH, "%s%.*s", home, (int)len - 1, word + 1);
	else
		snprintf(ret, LONG_PATH, "%s/%.*s", from, (int)len, word);
}

enum git_named git_named_path(const struct git_config_item *it, size_t n,
			      const struct git_named_at *a, const char *from,
			      char ret[PATH_MAX])
{
	const enum kind kind = kind_of(it);
	const bool words = kind == COMMAND || kind == UNKNOWN;
	const char *v = it->value, *slash = strrchr(a->git, '/');
	char tree[LONG_PATH], path[LONG_PATH];
	size_t len = strlen(v);

	*ret = '\0';
	if (kind == DATA || kind == OF_PERSON || (n && !words))
		return GIT_NAMED_NONE;
	if (words && !(v = word_of(v, n, &len)))
		return GIT_NAMED_NONE;
	if (!words || n || memchr(v, '/', len)) { /* else one of PATH */
		snprintf(tree, sizeof(tree), "%s/%.*s", a->root,
			 slash ? (int)(slash - a->git) : 0, a->git);
		absolute(v, len, kind == PATH_INCLUDED ? from : tree, path);
		below(a, path, ret);
	}
	return kind == UNKNOWN || n ? GIT_NAMED_IF_FILE : GIT_NAMED_ALWAYS;
}

struct search {
	const struct git_named_at *at;
	const char *from; /* borrowed: the directory of the file that is read */
	unsigned *left;	  /* borrowed: files to include yet; NULL = includes are not */
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

/* Hooks, and what a directory of templates has them in. */
void git_named_hooks(git_named_fn *fn, void *ctx)
{
	static const char *const names[] = {
		"applypatch-msg",
		"commit-msg",
		"fsmonitor-watchman",
		"hooks",
		"p4-changelist",
		"p4-post-changelist",
		"p4-pre-submit",
		"p4-prepare-changelist",
		"post-applypatch",
		"post-checkout",
		"post-commit",
		"post-index-change",
		"post-merge",
		"post-receive",
		"post-rewrite",
		"post-update",
		"pre-applypatch",
		"pre-auto-gc",
		"pre-commit",
		"pre-merge-commit",
		"pre-push",
		"pre-rebase",
		"pre-receive",
		"prepare-commit-msg",
		"proc-receive",
		"push-to-checkout",
		"reference-transaction",
		"sendemail-validate",
		"update",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		fn(ctx, names[i]);
}

static int look(void *ctx, const struct git_config_item *it);

/* The settings of another file; one that is not there has none, as for git. */
static void follow(struct search *up, const char *value, const char *in_project)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_CONFIG_MAX);
	struct search s = *up;
	char path[LONG_PATH];
	int r = -E2BIG;

	if (!up->left || !*value)
		return;
	absolute(value, strlen(value), up->from, path);
	if (*up->left) {
		--*up->left;
		r = *in_project ? takeover_read(up->at->project, in_project, &text)
				: file_read(AT_FDCWD, path, &text, ERR_IGNORED);
	}
	*strrchr(path, '/') = '\0';
	s.from = path;
	if (r >= 0)
		r = git_config_parse(buf_cstr(&text), text.len, look, &s);
	if (r < 0 && r != -ENOENT && r != -ENOTDIR && r != -EACCES)
		up->fn(up->ctx, NULL);
}

static bool is_dir(int tree, const char *path)
{
	_cleanup_close_ int fd = takeover_open(tree, path, O_PATH | O_DIRECTORY);

	return fd >= 0;
}

/* What a word is to the shell, whose variables and directory are not known here: what is
 * behind a variable, of the tree, and a path from the directory to which the command has
 * gone (cd tools && sh x; make -C tools). That is a word before it that is a directory.
 * @dir: in and out: that directory, below the project */
static void look_again(const struct search *s, const char *word, size_t len,
		       const char *tree, char dir[PATH_MAX])
{
	const char *const from[] = { tree, dir };
	const char *rest = *word == '$' ? memchr(word, '/', len) : word;
	const bool is_unclear =
		*word == '$' || *word == '/'; /* else it was looked at */
	char path[LONG_PATH], at[PATH_MAX], gone[PATH_MAX] = "";

	if (!rest)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
		snprintf(path, sizeof(path), "%s/%.*s", from[i],
			 (int)(len - (size_t)(rest - word)), rest);
		if (!inroot_settle(path, at))
			continue;
		if (is_dir(s->at->project, at))
			memcpy(gone, at, sizeof(gone));
		else if ((i ? strcmp(dir, tree) != 0 : is_unclear) &&
			 is_file(s->at->project, at))
			s->fn(s->ctx, at);
	}
	if (*gone)
		memcpy(dir, gone, sizeof(gone));
}

static void look_at_words(const struct search *s, const struct git_config_item *it)
{
	const char *slash = strrchr(s->at->git, '/'), *word;
	char tree[PATH_MAX], dir[PATH_MAX];
	size_t len;

	snprintf(tree, sizeof(tree), "%.*s", slash ? (int)(slash - s->at->git) : 0,
		 s->at->git);
	memcpy(dir, tree, sizeof(dir));
	for (size_t i = 0; (word = word_of(it->value, i, &len)); i++)
		look_again(s, word, len, tree, dir);
}

/* What a command runs or reads may be any of its words. */
static int look(void *ctx, const struct git_config_item *it)
{
	struct search *s = ctx;
	enum git_named how;
	char path[PATH_MAX];

	for (size_t i = 0; (how = git_named_path(it, i, s->at, s->from, path)); i++) {
		s->any = true;
		if (strcmp(path, GIT_NAMED_PROJECT) == 0) {
			if (kind_of(it) == PATH_ALWAYS)
				git_named_hooks(s->fn, s->ctx);
			continue;
		}
		if (*path && (how == GIT_NAMED_ALWAYS || is_file(s->at->project, path)))
			s->fn(s->ctx, path);
		if (kind_of(it) == PATH_INCLUDED)
			follow(s, it->value, path);
	}
	if (kind_of(it) == COMMAND || kind_of(it) == UNKNOWN)
		look_at_words(s, it);
	return 0;
}

/* ---- what the host has made a link ------------------------------------------------------ */

/* What lies in the git directory itself is guarded with it. */
static bool is_own(const struct git_named_at *a, const char *path)
{
	const size_t n = strlen(a->root);

	if (!a->place)
		return text_is_in(path, a->git);
	return strncmp(a->place, a->root, n) == 0 && a->place[n] == '/' &&
	       text_is_in(path, a->place + n + 1);
}

static bool look_at_link(const struct git_named_at *a, struct search *s,
			 const char *name, char ret[PATH_MAX])
{
	char to[PATH_MAX], path[LONG_PATH];
	ssize_t n = sys_readlinkat(a->dir, name, to, sizeof(to) - 1);
	const char *slash = strrchr(name, '/');

	if (n <= 0)
		return false;
	to[n] = '\0';
	if (*to == '/')
		snprintf(path, sizeof(path), "%s", to);
	else
		snprintf(path, sizeof(path), "%s/%.*s/%s", s->from,
			 slash ? (int)(slash - name) : 0, name, to);
	if (!below(a, path, ret) || is_own(a, ret))
		return false;
	if (strcmp(ret, GIT_NAMED_PROJECT) == 0) {
		if (strcmp(name, "hooks") == 0)
			git_named_hooks(s->fn, s->ctx);
		return false;
	}
	s->fn(s->ctx, ret);
	return true;
}

static void look_at_hooks(const struct git_named_at *a, struct search *s)
{
	_cleanup_close_ int hooks =
		takeover_open(a->dir, "hooks", O_RDONLY | O_DIRECTORY);
	_cleanup_free_ struct dirscan *scan = malloc(sizeof(*scan));
	char path[PATH_MAX], name[NAME_MAX + 8];

	if (!scan)
		return;
	dirscan_start(scan, hooks);
	while (dirscan_next(scan)) {
		snprintf(name, sizeof(name), "hooks/%s", scan->name);
		look_at_link(a, s, name, path);
	}
}

void git_named_in(const struct git_named_at *a, git_named_fn *fn, void *ctx)
{
	static const char *const files[] = { "config", "config.worktree" };
	static const char *const links[] = { "hooks", "info", "info/attributes" };
	unsigned left = INCLUDES;
	char from[LONG_PATH], path[PATH_MAX];
	struct search s = { a, from, &left, fn, ctx, false };

	if (a->place) /* what it has is relative to that */
		snprintf(from, sizeof(from), "%s", a->place);
	else
		snprintf(from, sizeof(from), "%s/%s", a->root, a->git);
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

/* The file itself, if it lies in the project or is a link into it. */
static void look_at_place(void *ctx, const char *place, bool)
{
	struct search *s = ctx;
	char path[PATH_MAX];

	if (*place == '/' && below(s->at, place, path) &&
	    strcmp(path, GIT_NAMED_PROJECT) != 0)
		s->fn(s->ctx, path);
}

/* Absolute ones, and none to follow: userconf.h does both. */
bool git_named_user(const struct git_named_at *a, git_named_fn *fn, void *ctx)
{
	struct search s = { a, "", NULL, fn, ctx, false };

	git_userconf_places(look_at_place, &s);
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
