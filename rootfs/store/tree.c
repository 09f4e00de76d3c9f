/* How a tree of any depth is removed with two descriptors: go down into the first
 * directory that is not empty; when nothing is left in it, go up by ".." and start that
 * directory's list again. The child is empty now and goes like any file. Nothing has to
 * be remembered but the identity of each level, by which ".." is checked: a directory
 * that somebody moved away meanwhile must not lead us out of the tree. */
#include "rootfs/store/tree.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/dirscan.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum {
	TREE_DEPTH = 1 << 20, /* a box can nest as deep as its disk has room */
	TREE_DEEP = 512
};

struct level {
	dev_t dev;
	ino_t ino;
};

struct removal {
	int top;	   /* owned: the uppermost of them */
	unsigned moved;	   /* to it; each has its number as name */
	int dirfd;	   /* owned: the directory being emptied */
	struct buf levels; /* struct level of each directory above it, and its own */
};

static void removal_done(struct removal *rm)
{
	scope_close(&rm->top);
	scope_close(&rm->dirfd);
	buf_done(&rm->levels);
}

static int fail(struct err *e, int code, const char *what, const char *name)
{
	return err_sys(e, code, "cannot %s '%s'", what, text_shown(name));
}

int tree_open(int dirfd, const char *name)
{
	return sys_openat2(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0,
			   RESOLVE_NO_XDEV | RESOLVE_BENEATH);
}

int tree_up(int *fd, dev_t dev, ino_t ino)
{
	_cleanup_close_ int up = sys_openat(*fd, "..", O_RDONLY | O_DIRECTORY, 0);
	struct stat st;
	int r = up < 0 ? up : sys_fstat(up, &st);

	if (r < 0)
		return r;
	if (st.st_dev != dev || st.st_ino != ino)
		return -ESTALE;
	scope_close(fd);
	*fd = take(&up, -1);
	return 0;
}

/* It may lack all rights. */
static int open_dir(int dirfd, const char *name)
{
	int fd = tree_open(dirfd, name);

	if (fd != -EACCES)
		return fd;
	if (sys_fchmodat(dirfd, name, 0700, AT_SYMLINK_NOFOLLOW) < 0)
		return -EACCES;
	return tree_open(dirfd, name);
}

/* Not where the disk is full or the like: it goes in its place, too. */
static void move_up(struct removal *rm, const char *name)
{
	char number[16];
	int r;

	do {
		snprintf(number, sizeof(number), "%u", rm->moved++);
		r = sys_renameat2(rm->dirfd, name, rm->top, number, RENAME_NOREPLACE);
	} while (r == -EEXIST);
	if (r >= 0)
		buf_truncate(&rm->levels, sizeof(struct level));
}

static int enter(struct removal *rm, int dirfd, const char *name, struct err *e)
{
	_cleanup_close_ int fd = -1;
	struct level l;
	struct stat st;
	int r;

	r = fd = open_dir(dirfd, name);
	if (r >= 0)
		r = sys_fstat(fd, &st);
	if (r < 0)
		return fail(e, r, "remove directory", name);
	if ((st.st_mode & 0700) != 0700)
		(void)sys_fchmod(fd, 0700); /* else the removals below say why not */
	if (rm->levels.len >= TREE_DEEP * sizeof(l))
		move_up(rm, name);
	l = (struct level){ st.st_dev, st.st_ino };
	r = buf_add(&rm->levels, &l, sizeof(l));
	if (r < 0)
		return fail(e, r, "remove directory", name);
	scope_close(&rm->dirfd);
	rm->dirfd = take(&fd, -1);
	return 0;
}

/* 1 = in the directory above now; 0 = there is none within the tree */
static int leave(struct removal *rm, struct err *e)
{
	struct level l;
	int r;

	buf_truncate(&rm->levels, rm->levels.len - sizeof(l));
	if (!rm->levels.len)
		return 0;
	memcpy(&l, rm->levels.data + rm->levels.len - sizeof(l), sizeof(l));
	r = tree_up(&rm->dirfd, l.dev, l.ino);
	if (r < 0)
		return fail(e, r, "go up from", "a directory being removed");
	return 1;
}

/* 0 = gone; 1 = a directory that is not empty; else why it stays */
static int remove_one(int dirfd, const char *name, unsigned char type)
{
	int r = type == DT_DIR ? -EISDIR : sys_unlinkat(dirfd, name, 0);

	/* unlink of a directory is EISDIR on Linux, EPERM by POSIX */
	if (r == -EISDIR || (r == -EPERM && type == DT_UNKNOWN))
		r = sys_unlinkat(dirfd, name, AT_REMOVEDIR);
	if (r == -ENOTEMPTY || r == -EEXIST)
		return 1;
	return r == -ENOENT ? 0 : r;
}

/* Empties rm->dirfd; 1 = stopped to go down into a directory, 0 = it is empty now */
static int empty_or_descend(struct removal *rm, struct err *e)
{
	struct dirscan scan;
	bool removed;
	int r;

	do {
		removed = false;
		dirscan_start(&scan, rm->dirfd);
		while (dirscan_next(&scan)) {
			r = remove_one(rm->dirfd, scan.name, scan.type);
			if (r == 1) {
				r = enter(rm, rm->dirfd, scan.name, e);
				return r < 0 ? r : 1;
			}
			if (r < 0)
				return fail(e, r, "remove", scan.name);
			removed = true;
		}
		r = dirscan_failed(&scan, e);
	} while (r == 0 && removed); /* some filesystems skip names while others go */
	return r;
}

int tree_remove(int parent, const char *name, struct err *e)
{
	_cleanup_(removal_done) struct removal rm = {
		.top = -1,
		.dirfd = -1,
		.levels = BUF_INIT(TREE_DEPTH * sizeof(struct level))
	};
	int r;

	r = remove_one(parent, name, DT_UNKNOWN);
	if (r < 0)
		return fail(e, r, "remove", name);
	if (r == 0)
		return 0;
	r = enter(&rm, parent, name, e);
	if (r < 0)
		return r;
	r = rm.top = sys_openat(rm.dirfd, ".", O_RDONLY | O_DIRECTORY, 0);
	if (r < 0)
		return fail(e, r, "remove directory", name);
	do {
		do
			r = empty_or_descend(&rm, e);
		while (r > 0);
		if (r == 0)
			r = leave(&rm, e);
	} while (r > 0);
	if (r < 0)
		return r;
	r = sys_unlinkat(parent, name, AT_REMOVEDIR);
	return r < 0 ? fail(e, r, "remove", name) : 0;
}
