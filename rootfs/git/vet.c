#include "rootfs/git/vet.h"

#include <limits.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/config.h"
#include "rootfs/git/index.h"
#include "rootfs/git/linked.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/text.h"
#include "rootfs/git/upper.h"

enum { ASIDE_MAX = 1000, LINK_MAX = PATH_MAX + 64 };

/* Directories that are looked into, and files that say nothing of programs or places. */
static const char *const dirs[] = { "hooks", "info", "objects",
				    "refs",  "logs", "branches" };
static const char *const files[] = {
	"HEAD",		  "config",	"description", "packed-refs", "index",
	"COMMIT_EDITMSG", "ORIG_HEAD",	"FETCH_HEAD",  "MERGE_MSG",   "MERGE_HEAD",
	"MERGE_MODE",	  "AUTO_MERGE", "shallow",     "gc.log",      "SQUASH_MSG",
};

static bool is_in(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

/* ---- directories ------------------------------------------------------------------------ */

/* Calls @ok for each name; the first that it refuses is the reason. */
static const char *each_name(int git, const char *path,
			     const char *(*look)(int dir, const char *name))
{
	_cleanup_close_ int dir = takeover_open(git, path, O_RDONLY | O_DIRECTORY);
	_cleanup_free_ struct dirscan *scan = malloc(sizeof(*scan));
	const char *why = NULL;

	if (dir == -ENOENT)
		return NULL;
	if (!scan)
		return "it cannot be looked at";
	dirscan_start(scan, dir);
	while (!why && dirscan_next(scan))
		why = look(dir, scan->name);
	return scan->failed ? "it cannot be looked at" : why;
}

static const char *look_top(int dir, const char *name)
{
	struct stat st;

	if (sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return NULL;
	if (S_ISDIR(st.st_mode) && is_in(dirs, ARRAY_SIZE(dirs), name))
		return NULL;
	if (S_ISREG(st.st_mode) &&
	    (is_in(files, ARRAY_SIZE(files), name) || text_ends(name, ".lock")))
		return NULL;
	return "it holds more than a plain repository does";
}

/* While a git of the box may be at work: what is there for a moment is no reason. */
static const char *look_top_brief(int dir, const char *name)
{
	static const char *const leading[] = { "commondir", "config.worktree",
					       "gitdir" };
	struct stat st;

	if (is_in(leading, ARRAY_SIZE(leading), name))
		return "it leads git to another place";
	if (!is_in(dirs, ARRAY_SIZE(dirs), name) &&
	    !is_in(files, ARRAY_SIZE(files), name))
		return NULL;
	return sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			       S_ISLNK(st.st_mode)
		       ? "it leads git to another place"
		       : NULL;
}

static const char *look_hook(int dir, const char *name)
{
	struct stat st;

	if (sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(st.st_mode) && text_ends(name, ".sample"))
		return NULL;
	return "it has hooks";
}

static const char *look_info(int, const char *name)
{
	return strcmp(name, "exclude") == 0 || strcmp(name, "refs") == 0
		       ? NULL
		       : "its info directory holds more than a list of what to ignore";
}

static const char *look_objects(int, const char *name)
{
	return strcmp(name, "alternates") == 0 || strcmp(name, "http-alternates") == 0
		       ? "its objects are elsewhere"
		       : NULL;
}

static const char *look_branches(int, const char *)
{
	return "it names remotes in an old way";
}

static const char other_name[] =
	"it has a file of two names (a hard link), which can be written by the other one";

/* What git writes is files and directories: a log that is a link is a file elsewhere to
 * which git on the host adds lines. A file of two names could be written by the other one
 * at any time, past a mount on this one; only objects tell that, and clones share them. */
static int look_kind(void *, const struct upper_entry *x, struct err *e)
{
	switch (x->kind) {
	case UPPER_FILE:
		return x->st.st_nlink <= 1 || text_starts(x->path, "objects/")
			       ? 0
			       : err_set(e, -EMLINK, "two names");
	case UPPER_DIR:
	case UPPER_OPAQUE:
	case UPPER_LEFT:
		return 0;
	default:
		return err_set(e, -EPERM, "no plain file");
	}
}

static const char *look_kinds(int git)
{
	int r = upper_walk(git, look_kind, NULL, ERR_IGNORED);

	if (r == -EPERM)
		return "it holds links, or what is neither a file nor a directory";
	if (r == -EMLINK)
		return other_name;
	return r < 0 ? "it cannot be looked at" : NULL;
}

static int look_path(void *, const struct git_index_entry *x)
{
	return git_index_path_ok(x->path) ? 0 : -EPERM;
}

static const char *look_index(int git, size_t sum)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_INDEX_MAX);
	int r = takeover_read(git, "index", &text);

	if (r == -ENOENT)
		return NULL;
	if (r == 0)
		r = git_index_read((const uint8_t *)buf_cstr(&text), text.len, sum,
				   look_path, NULL);
	if (r == -EPERM)
		return "its index names a path that git must not write";
	return r < 0 ? "its index cannot be read" : NULL;
}

static int setting(void *ctx, const struct git_config_item *it)
{
	size_t *sum = ctx;

	if (strcmp(it->key, "objectformat") == 0)
		*sum = strcmp(it->value, "sha256") == 0 ? 32 : 20;
	return git_config_harmless(it) ? 0 : -EPERM;
}

static const char *look_config(int git, size_t *sum)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_CONFIG_MAX);
	int r = takeover_read(git, "config", &text);
	struct stat st;

	if (r == -ENOENT)
		return NULL;
	if (sys_fstatat(git, "config", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_nlink > 1)
		return other_name; /* before the rest is looked at, too */
	if (r == 0)
		r = git_config_parse(buf_cstr(&text), text.len, setting, sum);
	if (r == -EPERM)
		return "its configuration has settings that are not known to be "
		       "harmless";
	return r < 0 ? "its configuration cannot be read" : NULL;
}

static const char *look_dir(int git, bool brief)
{
	const struct {
		const char *path;
		const char *(*look)(int dir, const char *name);
	} parts[] = {
		{ ".", brief ? look_top_brief : look_top },
		{ "hooks", look_hook },
		{ "info", look_info },
		{ "objects/info", look_objects },
		{ "branches", look_branches },
	};
	size_t sum = 20;
	const char *why = look_config(git, &sum);

	for (size_t i = 0; i < ARRAY_SIZE(parts) && !why; i++)
		why = each_name(git, parts[i].path, parts[i].look);
	if (brief) /* "git init" tries a link; the rest is for when the command ends */
		return why;
	if (!why)
		why = look_kinds(git);
	return why ? why : look_index(git, sum);
}

/* ---- files ------------------------------------------------------------------------------- */

/* Leading ".." go up from where the file is, which is a real directory; any later one
 * could pass through a link of the box. */
static bool join(const char *from, const char *to, char ret[PATH_MAX])
{
	size_t n;

	snprintf(ret, PATH_MAX, "%s", from); /* of the .git file: its last part goes */
	do {
		char *slash = strrchr(ret, '/');

		if (!slash && !*ret)
			return false;
		*(slash ? slash : ret) = '\0';
		if (!text_starts(to, "../"))
			break;
		to += 3;
	} while (true);
	n = strlen(ret);
	return snprintf(ret + n, PATH_MAX - n, "%s%s", n ? "/" : "", to) <
	       (int)(PATH_MAX - n);
}

static bool has_dots(const char *path)
{
	for (; *path; path += strspn(path, "/")) {
		size_t n = strcspn(path, "/");

		if ((n == 1 && path[0] == '.') ||
		    (n == 2 && path[0] == '.' && path[1] == '.'))
			return true;
		path += n;
	}
	return false;
}

bool git_vet_link(const struct git_vet *v, const char *text, size_t len)
{
	char to[PATH_MAX], path[PATH_MAX];
	size_t n = strlen(v->root);

	if (git_text_link(text, len, to) < 0)
		return false;
	if (to[0] != '/') {
		if (!join(v->path, to, path))
			return false;
	} else {
		if (strncmp(to, v->root, n) != 0 || to[n] != '/')
			return false;
		snprintf(path, sizeof(path), "%s", to + n + 1);
	}
	if (has_dots(path))
		return false;
	for (const char *const *g = v->guarded; *g; g++)
		if (text_is_in(path, *g))
			return true;
	return false;
}

/* ---- what settings name beside it ------------------------------------------------------- */

struct beside {
	const struct git_vet *v;
	bool link;  /* a line that is not understood counts, too */
	bool found; /* something is there */
};

static void note_named(void *ctx, const char *path)
{
	struct beside *b = ctx;
	const size_t tree = strlen(b->v->path) - strlen(".git");
	_cleanup_close_ int fd = -1;

	if (!path) {
		b->found |= b->link;
		return;
	}
	if (strncmp(path, b->v->path, tree) != 0)
		return; /* not its doing */
	for (const char *const *n = b->v->named; n && *n; n++)
		if (strcmp(*n, path) == 0)
			return;
	fd = takeover_open(b->v->project, path, O_PATH);
	b->found |= fd != -ENOENT && fd != -ENOTDIR;
}

/* The settings of the user count in a repository of the box's, too; with a ".git" file the
 * box gives those of the host's repository a place where what they name is the box's. */
static const char *look_beside(const struct git_vet *v)
{
	const struct git_named_at at = { v->root, v->path, true, v->project, -1, NULL };
	struct beside b = { v, false, false };

	if (strcmp(v->path, ".git") != 0 && !text_ends(v->path, "/.git"))
		return NULL;
	git_named_user(&at, note_named, &b);
	b.link = true;
	(void)git_linked_each(&at, note_named, &b);
	return b.found ? "settings of git's on this machine name what is beside it"
		       : NULL;
}

const char *git_vet_look(const struct git_vet *v)
{
	_cleanup_close_ int git =
		takeover_open(v->project, v->path, O_RDONLY | O_NONBLOCK);
	_cleanup_buf_ struct buf text = BUF_INIT(LINK_MAX);
	const char *why = NULL;
	struct stat st;

	if (git == -ENOENT)
		return NULL;
	if (git == -ELOOP)
		return "it is a link";
	if (git < 0 || sys_fstat(git, &st) < 0)
		return "it cannot be looked at";
	if (S_ISDIR(st.st_mode))
		why = look_dir(git, v->brief);
	else if (st.st_nlink > 1)
		why = other_name;
	else if (takeover_read(v->project, v->path, &text) < 0 ||
		 !git_vet_link(v, buf_cstr(&text), text.len))
		why = "it leads to another place";
	return why ? why : look_beside(v);
}

/* "NAME.from-box", or the next that is free. @to has NAME_MAX + 32 bytes. */
static int rename_aside(int dir, const char *name, char *to)
{
	int r = -EEXIST;

	for (int i = 1; r == -EEXIST && i < ASIDE_MAX; i++) {
		snprintf(to, NAME_MAX + 32, i == 1 ? "%s.from-box" : "%s.from-box.%d",
			 name, i);
		r = sys_renameat2(dir, name, dir, to, RENAME_NOREPLACE);
	}
	return r;
}

/* Whoever goes into it must not be in a repository: git needs a HEAD for that. */
static int behead(int dir, const char *name)
{
	_cleanup_close_ int git =
		sys_openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
	char to[NAME_MAX + 32];
	int r = git < 0 ? 0 : rename_aside(git, "HEAD", to);

	return r == -ENOENT ? 0 : r;
}

int git_vet_aside(const struct git_vet *v, char *ret, struct err *e)
{
	const char *slash = strrchr(v->path, '/');
	const char *name = slash ? slash + 1 : v->path;
	char parent[PATH_MAX], to[NAME_MAX + 32];
	_cleanup_close_ int dir = -1;
	int r;

	if (strcmp(name, ".") == 0) /* the project itself: it stays, without a HEAD */
		name = "HEAD";
	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - v->path) : 1,
		 slash ? v->path : ".");
	dir = takeover_open(v->project, parent, O_PATH | O_DIRECTORY);
	r = dir < 0 ? dir : rename_aside(dir, name, to) ?: behead(dir, to);
	if (r < 0) {
		return err_sys(e, r, "cannot set '%s' aside", text_shown(v->path));
	}
	if (snprintf(ret, PATH_MAX, "%s%s%s", slash ? parent : "", slash ? "/" : "",
		     to) >= PATH_MAX)
		ret[0] = '\0';
	return 0;
}

void git_vet_put_aside(const struct git_vet *v, const char *why, char *line,
		       size_t size)
{
	const char *path = strcmp(v->path, ".") == 0 ? "HEAD" : v->path;
	char to[PATH_MAX], a[300], b[300];
	struct err e = ERR_NONE;

	if (git_vet_aside(v, to, &e) < 0)
		snprintf(line, size, "%s", e.msg);
	else
		snprintf(line, size, "set aside: %s is now %s: the box made it, and %s",
			 text_escaped(a, sizeof(a), path, strlen(path)),
			 text_escaped(b, sizeof(b), to, strlen(to)), why);
}
