/* Theory of operation
 *
 * The top is the nearest directory above with a ".git" in it. Its own rules come first
 * (info/exclude), then those of each directory's .gitignore on the way down; what an index
 * names is listed whatever they say. All of it belongs to the box, and is read as the box's
 * user: what cannot be read, or makes no sense, ignores nothing. */
#include "runtime/init/gittree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/index.h"

enum { SUM = 20 };

void gittree_done(struct gittree *t)
{
	for (size_t i = 0; i < t->n_tracked; i++)
		free(t->tracked[i]);
	free(t->tracked);
	ignore_done(&t->ignore);
}

/* ---- what an index names ---------------------------------------------------------------- */

static int on_tracked(void *ctx, const struct git_index_entry *x)
{
	struct gittree *t = ctx;
	char *path = grow_room(t->tracked, t->n_tracked) ? strdup(x->path) : NULL;

	if (!path)
		return -ENOMEM;
	t->tracked[t->n_tracked++] = path;
	return 0;
}

static int read_index(struct gittree *t, int gitdir)
{
	_cleanup_buf_ struct buf b = BUF_INIT(GIT_INDEX_MAX);

	if (file_read(gitdir, "index", &b, ERR_IGNORED) < 0 || !b.len)
		return 0;
	return git_index_read((const uint8_t *)b.data, b.len, SUM, on_tracked, t) ==
			       -ENOMEM
		       ? -ENOMEM
		       : 0;
}

/* Is it in the index, or a directory of what is? The index is sorted by bytes, so what
 * begins with a path and a slash stands together. */
static bool is_tracked(const struct gittree *t, const char *path, bool directory)
{
	size_t from = 0, to = t->n_tracked, len = strlen(path);

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		int c = strncmp(t->tracked[mid], path, len);

		if (c == 0) /* compare what is behind it: nothing, or a slash */
			c = (unsigned char)t->tracked[mid][len] - (directory ? '/' : 0);
		if (c == 0)
			return true;
		if (c < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return false;
}

/* ---- rules ------------------------------------------------------------------------------ */

static int add_file(struct gittree *t, int dirfd, const char *name, size_t base)
{
	_cleanup_buf_ struct buf b = BUF_INIT(GITTREE_FILE_MAX);

	if (file_read(dirfd, name, &b, ERR_IGNORED) < 0)
		return 0;
	return ignore_add(&t->ignore, b.data, b.len, base);
}

/* The rules of the directories from the top to where the walk begins, that one included. */
static int add_above(struct gittree *t, int top)
{
	_cleanup_close_ int dir = sys_openat(top, ".", O_RDONLY | O_DIRECTORY, 0);
	char *name = t->path;
	int r = add_file(t, top, ".gitignore", 0);

	for (char *slash; r == 0 && (slash = strchr(name, '/')); name = slash + 1) {
		int next;

		*slash = '\0';
		/* who searches in what is ignored wants to see it: all of it */
		t->found &= !ignore_says(&t->ignore, t->path, true);
		next = sys_openat(dir, name, O_RDONLY | O_DIRECTORY, 0);
		*slash = '/';
		scope_close(&dir);
		dir = next;
		if (dir < 0)
			return 0;
		r = add_file(t, dir, ".gitignore", (size_t)(slash + 1 - t->path));
	}
	return r;
}

/* "gitdir: PATH" in the place of a directory: another worktree, or a submodule. */
static int open_gitdir(int top)
{
	_cleanup_buf_ struct buf b = BUF_INIT(PATH_MAX + 16);
	int fd = sys_openat(top, ".git", O_RDONLY | O_DIRECTORY, 0);
	char *end;

	if (fd != -ENOTDIR || file_read(top, ".git", &b, ERR_IGNORED) < 0 ||
	    !text_starts(buf_cstr(&b), "gitdir: "))
		return fd;
	end = b.data + strcspn(b.data, "\r\n");
	*end = '\0';
	return sys_openat(top, b.data + strlen("gitdir: "), O_RDONLY | O_DIRECTORY, 0);
}

static int add_exclude(struct gittree *t, int gitdir)
{
	_cleanup_buf_ struct buf b = BUF_INIT(PATH_MAX);
	_cleanup_close_ int common = -1;

	if (file_read(gitdir, "commondir", &b, ERR_IGNORED) < 0 || !b.len)
		return add_file(t, gitdir, "info/exclude", 0);
	b.data[strcspn(buf_cstr(&b), "\r\n")] = '\0';
	common = sys_openat(gitdir, b.data, O_RDONLY | O_DIRECTORY, 0);
	return common < 0 ? 0 : add_file(t, common, "info/exclude", 0);
}

/* ---- the walk --------------------------------------------------------------------------- */

/* The nearest directory above @path, or it itself, with a ".git": -1 = there is none.
 * @path is absolute and folded. */
static int find_top(const char *path, struct gittree *t)
{
	char dir[PATH_MAX];
	struct stat st;

	if (text_copy(dir, sizeof(dir), path) < 0)
		return -1;
	for (;;) {
		_cleanup_close_ int fd =
			sys_open(*dir ? dir : "/", O_RDONLY | O_DIRECTORY);
		char *slash = strrchr(dir, '/');

		if (fd >= 0 && sys_fstatat(fd, ".git", &st, AT_SYMLINK_NOFOLLOW) >= 0) {
			const char *rest = path + strlen(dir);

			rest += strspn(rest, "/");
			t->start = strlen(rest) ? strlen(rest) + 1 : 0;
			if (t->start >= sizeof(t->path))
				return -1;
			if (t->start)
				snprintf(t->path, sizeof(t->path), "%s/", rest);
			return take(&fd, -1);
		}
		if (!slash || !*dir)
			return -1;
		*slash = '\0';
	}
}

int gittree_begin(const char *path, struct gittree *ret)
{
	_cleanup_close_ int top = -1, gitdir = -1;
	int r;

	*ret = (struct gittree){ .ignore = IGNORE_NONE };
	top = find_top(path, ret);
	gitdir = top < 0 ? -1 : open_gitdir(top);
	if (gitdir < 0)
		return 0;
	ret->found = true;
	r = read_index(ret, gitdir) ?: add_exclude(ret, gitdir);
	return r ?: add_above(ret, top);
}

static unsigned slashes(const char *path)
{
	unsigned n = 0;

	for (; (path = strchr(path, '/')); path++)
		n++;
	return n;
}

/* The rules are those of the directories that @w is in: those of others go, its own
 * directory's come, once. */
static unsigned follow(struct gittree *t, const struct walk_entry *w)
{
	unsigned depth = MIN(slashes(w->path), (unsigned)WALK_DEPTH + 1);

	if (depth < t->depth)
		ignore_cut(&t->ignore, t->rules[depth + 1]);
	if (depth < t->ignored)
		t->ignored = 0;
	t->depth = MIN(t->depth, depth);
	if (depth == t->depth)
		return depth;
	t->depth = depth;
	t->rules[depth] = t->ignore.n;
	(void)add_file(t, w->dirfd, ".gitignore",
		       t->start + strlen(w->path) - strlen(w->name));
	return depth;
}

bool gittree_leaves_out(struct gittree *t, const struct walk_entry *w)
{
	size_t len = strlen(w->path);
	bool directory, ignored;
	unsigned depth;
	struct stat st;

	if (!t->found || t->start + len >= sizeof(t->path))
		return false;
	depth = follow(t, w);
	memcpy(t->path + t->start, w->path, len + 1);
	/* a link is a file to git, whatever it leads to */
	directory = w->directory &&
		    sys_fstatat(w->dirfd, w->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISDIR(st.st_mode);
	ignored = t->ignored || ignore_says(&t->ignore, t->path, directory);
	if (!ignored || !is_tracked(t, t->path, directory))
		return ignored;
	if (directory && !t->ignored)
		t->ignored = depth + 1;
	return false;
}
