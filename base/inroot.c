#include "base/inroot.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"

enum { INROOT_LINKS = 40, INROOT_TRIES = 64 };

/* ---- the walk, for who is below a filter that refuses openat2 -----------------------
 *
 * Init is, whose filter has to see modes: secfilter_table.c. */

struct walk {
	int root;		 /* borrowed */
	int at;			 /* owned: the directory reached so far */
	unsigned links;		 /* followed so far */
	char rest[2 * PATH_MAX]; /* what is still to be walked */
};

static void walk_done(struct walk *w)
{
	scope_close(&w->at);
}

static int same_dir(int a, int b)
{
	struct stat x, y;
	int r = sys_fstat(a, &x);

	if (r >= 0)
		r = sys_fstat(b, &y);
	return r < 0 ? r : x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int walk_to(struct walk *w, int fd)
{
	if (fd < 0)
		return fd;
	scope_close(&w->at);
	w->at = fd;
	return 0;
}

static int walk_up(struct walk *w)
{
	int r = same_dir(w->at, w->root);

	if (r)
		return r < 0 ? r : 0; /* ".." of the root is the root */
	return walk_to(w,
		       sys_openat(w->at, "..", O_PATH | O_DIRECTORY | O_NOFOLLOW, 0));
}

/* Puts the link's target in front of what is left and starts at the root if it is
 * absolute. */
static int walk_link(struct walk *w, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = sys_readlinkat(w->at, name, target, sizeof(target) - 1);
	size_t rest = strlen(w->rest);

	if (n < 0)
		return (int)n;
	if (++w->links > INROOT_LINKS)
		return -ELOOP;
	if ((size_t)n + 1 + rest >= sizeof(w->rest))
		return -ENAMETOOLONG;
	memmove(w->rest + n + 1, w->rest, rest + 1);
	memcpy(w->rest, target, (size_t)n);
	w->rest[n] = '/';
	if (target[0] != '/')
		return 0;
	return walk_to(w, sys_openat(w->root, ".", O_PATH | O_DIRECTORY, 0));
}

static int walk_into(struct walk *w, const char *name, bool last, int flags)
{
	bool follow = !last || !(flags & O_NOFOLLOW);
	struct stat st;
	int r = sys_fstatat(w->at, name, &st, AT_SYMLINK_NOFOLLOW);

	if (r < 0)
		return r;
	if (S_ISLNK(st.st_mode) && follow)
		return walk_link(w, name);
	if (last)
		return walk_to(w, sys_openat(w->at, name, flags | O_NOFOLLOW, 0));
	return walk_to(w,
		       sys_openat(w->at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0));
}

/* Cuts the next component off the rest; false at its end. */
static bool next_name(struct walk *w, char name[NAME_MAX + 1], bool *last)
{
	size_t skip = strspn(w->rest, "/");
	size_t n = strcspn(w->rest + skip, "/");

	if (!n)
		return false;
	if (n > NAME_MAX) /* too long for any file: let the kernel say so */
		n = NAME_MAX;
	memcpy(name, w->rest + skip, n);
	name[n] = '\0';
	memmove(w->rest, w->rest + skip + n, strlen(w->rest + skip + n) + 1);
	*last = w->rest[strspn(w->rest, "/")] == '\0';
	return true;
}

static int walk_open(int root, const char *path, int flags)
{
	_cleanup_(walk_done) struct walk w = { .root = root, .at = -1 };
	char name[NAME_MAX + 1];
	bool last = false, reopened = false;
	int r;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(w.rest, path); /* NOLINT: length checked above */
	r = walk_to(&w, sys_openat(root, ".", O_PATH | O_DIRECTORY, 0));
	while (r == 0 && next_name(&w, name, &last)) {
		unsigned links = w.links;

		if (strcmp(name, ".") == 0)
			continue;
		if (strcmp(name, "..") == 0) {
			r = walk_up(&w);
			continue;
		}
		r = walk_into(&w, name, last, flags);
		reopened = last && links == w.links;
	}
	if (r < 0)
		return r;
	if (!reopened) /* the path ended in "/", "." or "..": open it as asked */
		r = walk_to(&w, sys_openat(w.at, ".", flags, 0));
	return r < 0 ? r : take(&w.at, -1);
}

/* ---- the door ------------------------------------------------------------ */

int inroot_open(int root, const char *path, int flags)
{
	int r = -EAGAIN;

	/* -EAGAIN: something was renamed meanwhile; the kernel wants another try. */
	for (int i = 0; i < INROOT_TRIES && r == -EAGAIN; i++)
		r = sys_openat2(root, *path ? path : ".", (unsigned)flags, 0,
				RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	if (r == -ENOSYS || r == -EPERM)
		r = walk_open(root, path, flags);
	return r;
}

bool inroot_is_beneath(const char *path)
{
	if (!*path || *path == '/')
		return false;
	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n == 2 && memcmp(path, "..", 2) == 0)
			return false;
	}
	return true;
}

int inroot_open_real(const char *path, int flags)
{
	return sys_openat2(AT_FDCWD, path, (unsigned)flags, 0, RESOLVE_NO_SYMLINKS);
}

/* One component below @dir, which may be a link inside the root: hence the whole path
 * is resolved again once the component is there. */
int inroot_mkdirs(int root, const char *path, mode_t mode)
{
	char part[PATH_MAX];
	size_t len = strlen(path), end = 0;
	_cleanup_close_ int fd = inroot_open(root, path, O_PATH | O_DIRECTORY);

	if (fd != -ENOENT)
		return take(&fd, -1);
	if (len >= sizeof(part))
		return -ENAMETOOLONG;
	fd = inroot_open(root, ".", O_PATH | O_DIRECTORY);
	while (fd >= 0 && path[end += strspn(path + end, "/")]) {
		size_t start = end;
		int r;

		end += strcspn(path + end, "/");
		memcpy(part, path + start, end - start);
		part[end - start] = '\0';
		r = sys_mkdirat(fd, part, mode); /* a link in the way: -EEXIST */
		if (r < 0 && r != -EEXIST)
			return r;
		memcpy(part, path, end);
		part[end] = '\0';
		scope_close(&fd);
		fd = inroot_open(root, part, O_PATH | O_DIRECTORY);
	}
	return take(&fd, -1);
}

int inroot_parent(int root, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash + 1 : path;
	char dir[PATH_MAX];

	if (!*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
		return -EINVAL;
	if ((size_t)(last - path) >= sizeof(dir))
		return -ENAMETOOLONG;
	memcpy(dir, path, (size_t)(last - path));
	dir[last - path] = '\0';
	*name = last;
	return inroot_open(root, dir, O_PATH | O_DIRECTORY);
}

bool inroot_settle(const char *path, char ret[PATH_MAX])
{
	size_t n = 0, len;

	*ret = '\0';
	for (; *path; path += len + (path[len] == '/')) {
		len = strcspn(path, "/");
		if (len == 2 && memcmp(path, "..", 2) == 0) {
			const char *slash = strrchr(ret, '/');

			if (!n)
				return false;
			n = slash ? (size_t)(slash - ret) : 0;
			ret[n] = '\0';
		} else if (len && (len != 1 || *path != '.')) {
			if (n + len + 2 > PATH_MAX)
				return false;
			n += (size_t)snprintf(ret + n, PATH_MAX - n, "%s%.*s",
					      n ? "/" : "", (int)len, path);
		}
	}
	return n > 0;
}

int inroot_absolute(const char *path, char ret[PATH_MAX])
{
	char cwd[PATH_MAX] = "";
	ssize_t n = *path == '/' ? 0 : sys_getcwd(cwd, sizeof(cwd));

	if (n < 0)
		return (int)n;
	for (size_t skip = 1; *path != '/' && skip; path += skip) {
		const char *slash = strrchr(cwd, '/');
		bool up = strncmp(path, "..", 2) == 0 && (!path[2] || path[2] == '/');

		skip = up ? 2 : *path == '.' && (!path[1] || path[1] == '/') ? 1 : 0;
		if (up && slash)
			cwd[slash - cwd] = '\0';
		if (skip)
			skip += strspn(path + skip, "/");
	}
	if (*path == '/')
		n = snprintf(ret, PATH_MAX, "%s", path);
	else
		n = snprintf(ret, PATH_MAX, "%s%s%s", cwd, *path || !*cwd ? "/" : "",
			     path);
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}
