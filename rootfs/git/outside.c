#include "rootfs/git/outside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/dirscan.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/config.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/text.h"

enum { LINK_MAX = PATH_MAX + 64 };

void git_outside_close(struct git_outside *o)
{
	scope_close(&o->common);
	scope_close(&o->tree);
	*o = GIT_OUTSIDE_NONE;
}

/* ---- paths ------------------------------------------------------------------------------ */

/* "/a/b", with nothing between that is not a name. */
static bool is_plain(const char *path)
{
	if (*path != '/' || !path[1])
		return false;
	while (*path) {
		size_t n = strcspn(++path, "/");

		if (!n || (n == 1 && path[0] == '.') ||
		    (n == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		path += n;
	}
	return true;
}

/* Without its last name; false: it has none. */
static bool go_up(char path[PATH_MAX])
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
	return slash;
}

int git_outside_path(const char *from, const char *to, char ret[PATH_MAX])
{
	char path[PATH_MAX] = "", whole[PATH_MAX];

	if (*to != '/' && text_copy(path, sizeof(path), from) < 0)
		return -EBADMSG;
	while (to[0] == '.' && to[1] == '.' && (!to[2] || to[2] == '/')) {
		if (!go_up(path))
			return -EBADMSG;
		to += to[2] ? 3 : 2;
	}
	if (snprintf(whole, sizeof(whole), "%s%s%s", path, *to && *to != '/' ? "/" : "",
		     to) >= (int)sizeof(whole) ||
	    !is_plain(whole))
		return -EBADMSG;
	memcpy(ret, whole, sizeof(whole));
	return 0;
}

/* ---- the way there ---------------------------------------------------------------------- */

static int refuse(struct err *e, int code, const char *path, const char *why)
{
	char shown[300];

	return err_set(e, code, "'%s' %s",
		       text_escaped(shown, sizeof(shown), path, strlen(path)), why);
}

/* Where the ".git" file leads; 0 = to nothing outside. */
static int find(int project, const char *path, char ret[PATH_MAX], struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(LINK_MAX);
	char to[PATH_MAX];

	if (takeover_read(project, ".git", &text) < 0 ||
	    git_text_link(buf_cstr(&text), text.len, to) < 0)
		return 0; /* or no file, or one that git itself refuses */
	if (git_outside_path(path, to, ret) < 0)
		return refuse(e, -EINVAL, to, "is not where git keeps one");
	return strcmp(ret, path) != 0 && !text_is_below(ret, path);
}

/* Of the caller, and of nobody else who could write to it. */
static int open_own(const char *path, struct err *e)
{
	_cleanup_close_ int fd = inroot_open_real(path, O_RDONLY | O_DIRECTORY);
	struct stat st;
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	if (r == -ELOOP)
		return refuse(e, r, path, "is reached through a link");
	if (r < 0)
		return err_sys(e, r, "cannot open it");
	if (st.st_uid != sys_geteuid())
		return refuse(e, -EPERM, path, "is another user's");
	if (st.st_mode & S_IWOTH)
		return refuse(e, -EPERM, path, "can be written by every user");
	return take(&fd, -1);
}

static bool is_dir(int dir, const char *name)
{
	struct stat st;

	return sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

/* ---- and back --------------------------------------------------------------------------- */

static bool leads_to(const char *from, const char *text, const char *want)
{
	char path[PATH_MAX];

	return git_outside_path(from, text, path) == 0 && strcmp(path, want) == 0;
}

static int read_path(int dir, const char *name, char ret[PATH_MAX])
{
	_cleanup_buf_ struct buf text = BUF_INIT(LINK_MAX);
	int r = takeover_read(dir, name, &text);

	return r < 0 ? r : git_text_path(buf_cstr(&text), text.len, ret);
}

/* A worktree's own directory is COMMON/worktrees/NAME, and names the ".git" that led here. */
static int check_tree(struct git_outside *o, const char *project, const char *common,
		      struct err *e)
{
	char dot[PATH_MAX], back[PATH_MAX];

	memcpy(o->common_path, o->tree_path, sizeof(o->common_path));
	if (!go_up(o->common_path) || !text_ends(o->common_path, "/worktrees") ||
	    !go_up(o->common_path) || !leads_to(o->tree_path, common, o->common_path))
		return refuse(e, -EINVAL, o->tree_path,
			      "is not where git keeps a worktree's");
	if (snprintf(dot, sizeof(dot), "%s/.git", project) >= (int)sizeof(dot) ||
	    read_path(o->tree, "gitdir", back) < 0 ||
	    !leads_to(o->tree_path, back, dot))
		return refuse(e, -EPERM, o->tree_path,
			      "is another worktree's; after a move 'git worktree "
			      "repair' mends that");
	return 0;
}

struct worktree {
	const char *from, *project;
	bool back;
};

static int look_for_worktree(void *ctx, const struct git_config_item *it)
{
	struct worktree *w = ctx;

	if (strcmp(it->section, "core") == 0 && strcmp(it->key, "worktree") == 0)
		w->back = leads_to(w->from, it->value, w->project);
	return 0;
}

static int check_submodule(const struct git_outside *o, const char *project,
			   struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_CONFIG_MAX);
	struct worktree w = { o->common_path, project, false };

	if (takeover_read(o->common, "config", &text) < 0 ||
	    git_config_parse(buf_cstr(&text), text.len, look_for_worktree, &w) < 0 ||
	    !w.back)
		return refuse(e, -EPERM, o->common_path, "does not lead back here");
	return 0;
}

/* Of a bare repository they may lie in it. */
static int check_others(const struct git_outside *o, struct err *e)
{
	_cleanup_free_ struct dirscan *scan = malloc(sizeof(*scan));
	_cleanup_close_ int dir =
		takeover_open(o->common, "worktrees", O_RDONLY | O_DIRECTORY);
	char from[2 * PATH_MAX], back[PATH_MAX], path[PATH_MAX];

	if (dir == -ENOENT)
		return 0;
	if (!scan || dir < 0)
		return err_sys(e, scan ? dir : -ENOMEM,
			       "cannot look for other worktrees");
	dirscan_start(scan, dir);
	while (dirscan_next(scan)) {
		_cleanup_close_ int one =
			takeover_open(dir, scan->name, O_RDONLY | O_DIRECTORY);

		snprintf(from, sizeof(from), "%s/worktrees/%s", o->common_path,
			 scan->name);
		if (one >= 0 && read_path(one, "gitdir", back) == 0 &&
		    git_outside_path(from, back, path) == 0 &&
		    text_is_below(path, o->common_path))
			return refuse(e, -EINVAL, o->common_path,
				      "has other worktrees in it, which are not this "
				      "box's to read");
	}
	return dirscan_failed(scan, e);
}

static int check_common(const struct git_outside *o, const char *project, struct err *e)
{
	static const char *const dirs[] = { "objects", "refs" };

	if (strcmp(project, o->common_path) == 0 ||
	    text_is_below(project, o->common_path))
		return refuse(e, -EINVAL, o->common_path, "has this directory in it");
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (!is_dir(o->common, dirs[i]))
			return refuse(e, -EINVAL, o->common_path, "is no repository");
	return check_others(o, e);
}

int git_outside_open(int project, const char *path, struct git_outside *ret,
		     struct err *e)
{
	_cleanup_git_outside_ struct git_outside o = GIT_OUTSIDE_NONE;
	char at[PATH_MAX], common[PATH_MAX];
	int r = find(project, path, at, e), fd;

	if (r <= 0)
		return r;
	fd = open_own(at, e);
	if (fd < 0)
		return fd;
	r = read_path(fd, "commondir", common);
	if (r == 0) {
		o.tree = fd;
		memcpy(o.tree_path, at, sizeof(at));
		r = check_tree(&o, path, common, e);
		r = r < 0 ? r : (o.common = open_own(o.common_path, e));
	} else {
		o.common = fd;
		memcpy(o.common_path, at, sizeof(at));
		r = r == -ENOENT ? check_submodule(&o, path, e)
				 : refuse(e, -EINVAL, at, "cannot be read");
	}
	if (r >= 0)
		r = check_common(&o, path, e);
	if (r < 0)
		return r;
	*ret = take(&o, GIT_OUTSIDE_NONE);
	return 1;
}
