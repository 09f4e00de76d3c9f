#include "cli/store/hostpath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/inroot.h"
#include "base/procfs.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/store/passover.h"

enum { LINKS = 40, PLACES = 64 << 20 };

struct walk {
	struct buf trees, marks; /* owned: what boxes write (passover_written()) */
	int at;			 /* owned: the directory reached so far */
	unsigned links;		 /* followed so far */
	char rest[2 * PATH_MAX]; /* what is still to be walked */
};

static void walk_done(struct walk *w)
{
	buf_done(&w->trees);
	buf_done(&w->marks);
	scope_close(&w->at);
}

static void walk_to(struct walk *w, int fd)
{
	scope_close(&w->at);
	w->at = fd;
}

static bool is_tree(const struct walk *w)
{
	const char *end = w->trees.data + w->trees.len;
	struct stat at, tree;

	if (sys_fstat(w->at, &at) < 0)
		return true;
	for (const char *p = w->trees.data; p < end; p += strlen(p) + 1)
		if (sys_fstatat(AT_FDCWD, p, &tree, 0) == 0 &&
		    tree.st_dev == at.st_dev && tree.st_ino == at.st_ino)
			return true;
	return passover_is_marked(&w->marks, procfs_fd(w->at));
}

/* The target of a link comes in front of what is left. */
static int walk_link(struct walk *w, const char *name)
{
	char target[PATH_MAX], rest[2 * PATH_MAX];
	ssize_t n = sys_readlinkat(w->at, name, target, sizeof(target) - 1);

	if (n < 0)
		return (int)n;
	target[n] = '\0';
	(void)text_copy(rest, sizeof(rest), w->rest);
	if (++w->links > LINKS)
		return -ELOOP;
	if (snprintf(w->rest, sizeof(w->rest), "%s/%s", target, rest) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (*target == '/')
		walk_to(w, sys_open("/", O_PATH | O_DIRECTORY));
	return MIN(w->at, 0);
}

/* In one of them. A FIFO that a box left there would hold us up. */
static int open_beneath(const struct walk *w, int flags)
{
	const char *rest = w->rest + strspn(w->rest, "/");
	_cleanup_close_ int fd =
		sys_openat2(w->at, *rest ? rest : ".",
			    (unsigned)(flags & O_PATH ? flags : flags | O_NONBLOCK), 0,
			    RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
	struct stat st;
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	if (r >= 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		r = -EMEDIUMTYPE;
	return r < 0 ? r : take(&fd, -1);
}

/* Outside of what boxes write, where nobody else puts links in the way. */
static int walk_on(struct walk *w, int flags)
{
	while (w->at >= 0 && !is_tree(w)) {
		size_t skip = strspn(w->rest, "/"), n = strcspn(w->rest + skip, "/");
		char name[NAME_MAX + 1];
		struct stat st;
		bool last;
		int r;

		if (n > NAME_MAX)
			return -ENAMETOOLONG;
		if (!n)
			break;
		memcpy(name, w->rest + skip, n);
		name[n] = '\0';
		last = !w->rest[skip + n];
		memmove(w->rest, w->rest + skip + n, strlen(w->rest + skip + n) + 1);
		r = sys_fstatat(w->at, name, &st, AT_SYMLINK_NOFOLLOW);
		if (r == 0 && S_ISLNK(st.st_mode) && !(last && flags & O_NOFOLLOW))
			r = walk_link(w, name);
		else if (r == 0 && last && !S_ISDIR(st.st_mode))
			return sys_openat(w->at, name, flags | O_NOFOLLOW, 0);
		else if (r == 0)
			walk_to(w, sys_openat(w->at, name,
					      O_PATH | O_DIRECTORY | O_NOFOLLOW, 0));
		if (r < 0)
			return r;
	}
	if (w->at < 0)
		return w->at;
	return open_beneath(w, flags);
}

static int open_walking(struct walk *w, const char *path, int flags)
{
	int r = !*path ? -ENOENT : inroot_absolute(path, w->rest);

	/* What is read goes to a box or to a model. That there was no box here yet does not
	 * make the links of this directory the caller's: it may be somebody's repository. */
	if (r == 0 && !(flags & (O_PATH | O_DIRECTORY)) && inroot_is_beneath(path))
		r = buf_add(&w->trees, ".", 2);
	if (r < 0)
		return r;
	w->at = sys_open("/", O_PATH | O_DIRECTORY);
	return walk_on(w, flags);
}

/* @named: what the caller said, for the message */
static int open_named(const char *path, const char *named, int flags, struct err *e)
{
	_cleanup_(walk_done) struct walk w = { .trees = BUF_INIT(PLACES),
					       .marks = BUF_INIT(PLACES),
					       .at = -1 };
	const char *shown = text_shown(named);
	int fd;

	/* Where no link is on the way, none leads anywhere. */
	fd = flags & O_PATH ? inroot_open_real(path, flags) : -ELOOP;
	if (fd >= 0)
		return fd;
	/* Their links are the kernel's: /dev/stdin, /proc/self/fd/3 */
	if (text_starts(path, "/dev/") || text_starts(path, "/proc/"))
		fd = sys_open(path, flags);
	else if (passover_written(&w.trees, &w.marks, e) < 0)
		return e->code;
	else
		fd = open_walking(&w, path, flags);
	if (fd >= 0)
		return fd;
	if (fd == -EMEDIUMTYPE)
		return err_set(e, -EINVAL, "'%s' is no file", shown);
	if (fd != -EXDEV)
		return err_sys(e, fd, "cannot open '%s'", shown);
	err_set(e, fd, "'%s' leads by a link out of a directory that a box can write",
		shown);
	return err_hint(e, "name the place that you mean");
}

int hostpath_open(const char *path, int flags, struct err *e)
{
	return open_named(path, path, flags, e);
}

int hostpath_read(const char *path, struct buf *ret, struct err *e)
{
	_cleanup_close_ int fd = hostpath_open(path, O_RDONLY | O_NOCTTY, e);
	int r = fd < 0 ? fd : file_read_fd(fd, ret, e);
	char shown[256];

	text_escaped(shown, sizeof(shown), path, strlen(path));
	if (r == -EMSGSIZE)
		return err_set(e, r, "'%s' is too large", shown);
	return r == -EISDIR ? err_set(e, -EINVAL, "'%s' is no file", shown) : r;
}

int hostpath_real(const char *path, char ret[PATH_MAX], struct err *e)
{
	_cleanup_close_ int fd = hostpath_open(path, O_PATH, e);
	int n;

	if (fd < 0)
		return fd;
	n = procfs_fd_name(fd, ret, PATH_MAX);
	if (n < 0)
		return err_sys(e, n, "cannot open '%.64s'", path);
	return 0;
}

int hostpath_meant(const char *path, char ret[PATH_MAX], struct err *e)
{
	struct err why = ERR_NONE;
	int r = hostpath_real(path, ret, &why);

	if (r < 0 && r != -EXDEV)
		r = text_copy(ret, PATH_MAX, path);
	if (r == -EXDEV)
		*e = why;
	else if (r < 0)
		err_sys(e, r, "cannot open '%.64s'", path);
	return r;
}

int hostpath_parent(const char *path, const char **name, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX] = ".";

	*name = slash ? slash + 1 : path;
	if (slash && (size_t)(slash - path) >= sizeof(dir))
		return err_sys(e, -ENAMETOOLONG, "cannot open '%.64s'", path);
	if (slash)
		snprintf(dir, sizeof(dir), "%.*s", (int)MAX(slash - path, 1), path);
	return open_named(dir, path, O_PATH | O_DIRECTORY, e);
}
