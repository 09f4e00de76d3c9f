#include "runtime/init/movedir.h"

#include <dirent.h>
#include <limits.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { OPEN = O_RDONLY | O_DIRECTORY | O_NOFOLLOW };

struct pair {
	const uint64_t *words;
	int from, to; /* directories */
	dev_t dev;    /* that both are of */
	unsigned depth;
};

static int move_all(const struct pair *p);

/* Set-id bits of a directory give nobody rights: it may keep them, by the secret. Any
 * other mode needs no right to search it. */
static void set_mode(int fd, const uint64_t *words, mode_t mode)
{
	if (mode & (S_ISUID | S_ISGID))
		(void)sys_fchmodat_words(fd, ".", mode & 07777, words);
	else
		(void)sys_fchmod(fd, mode & 07777);
}

/* As it was; what the caller may not give stays as it is, and what is so already is not
 * touched: that would copy it into the layer. */
static void make_like(int fd, const uint64_t *words, const struct stat *st)
{
	const struct timespec times[2] = { st->st_atim, st->st_mtim };
	struct stat now;

	if (sys_fstat(fd, &now) < 0)
		return;
	if (now.st_uid != st->st_uid || now.st_gid != st->st_gid)
		(void)sys_fchown(fd, st->st_uid, st->st_gid);
	if (now.st_mode != st->st_mode)
		set_mode(fd, words, st->st_mode);
	if (now.st_mtim.tv_sec != st->st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != st->st_mtim.tv_nsec)
		(void)sys_futimens(fd, times);
}

/* 0 of what the caller may not give, which is lost, and of what somebody took meanwhile. */
static int attribute_failed(ssize_t r)
{
	return r >= 0 || r == -EPERM || r == -EACCES || r == -EOPNOTSUPP ||
			       r == -ENODATA
		       ? 0
		       : (int)r;
}

static int drop_attributes(int from, int to, char names[XATTR_LIST_MAX])
{
	ssize_t n = sys_flistxattr(to, names, XATTR_LIST_MAX);
	int r = attribute_failed(n);

	for (ssize_t at = 0; r == 0 && at < n; at += (ssize_t)strlen(names + at) + 1)
		if (sys_fgetxattr(from, names + at, NULL, 0) == -ENODATA)
			r = attribute_failed(sys_fremovexattr(to, names + at));
	return r;
}

/* ACLs, and what people note there; without what @to has from where it was made. */
static int copy_attributes(int from, int to)
{
	_cleanup_free_ char *names = malloc(XATTR_LIST_MAX);
	_cleanup_free_ char *value = malloc(XATTR_SIZE_MAX);
	ssize_t n, len;
	int r;

	if (!names || !value)
		return -ENOMEM;
	r = drop_attributes(from, to, names);
	if (r < 0)
		return r;
	n = sys_flistxattr(from, names, XATTR_LIST_MAX);
	r = attribute_failed(n);
	for (ssize_t at = 0; r == 0 && at < n; at += (ssize_t)strlen(names + at) + 1) {
		len = sys_fgetxattr(from, names + at, value, XATTR_SIZE_MAX);
		r = attribute_failed(len);
		if (len >= 0)
			r = attribute_failed(
				sys_fsetxattr(to, names + at, value, (size_t)len, 0));
	}
	return r;
}

static int open_dir(int dir, const char *name, dev_t dev, struct stat *ret)
{
	_cleanup_close_ int fd = sys_openat(dir, name, OPEN, 0);
	int r = fd < 0 ? fd : sys_fstat(fd, ret);

	if (r < 0)
		return r;
	return dev && ret->st_dev != dev ? -EXDEV : take(&fd, -1);
}

/* Its owner has to be able to change it meanwhile. */
static void unlock(const struct pair *p, int fd, const struct stat *st)
{
	if ((st->st_mode & 0700) != 0700)
		set_mode(fd, p->words, st->st_mode | 0700);
}

static int move_dir(const struct pair *p, const char *name)
{
	_cleanup_close_ int from = -1, to = -1;
	struct stat st, new;
	int made, r;

	if (p->depth == MOVEDIR_DEPTH)
		return -EXDEV;
	from = open_dir(p->from, name, p->dev, &st);
	if (from < 0)
		return from;
	made = sys_mkdirat(p->to, name, 0700);
	if (made < 0 && made != -EEXIST) /* EEXIST: on the way back */
		return made;
	to = open_dir(p->to, name, p->dev, &new);
	if (to < 0)
		return to;
	unlock(p, from, &st);
	unlock(p, to, &new);
	r = move_all(&(struct pair){ p->words, from, to, p->dev, p->depth + 1 });
	if (r == 0 && made == 0)
		r = copy_attributes(from, to);
	make_like(to, p->words, made == 0 ? &st : &new);
	if (r == 0)
		r = sys_unlinkat(p->from, name, AT_REMOVEDIR);
	if (r < 0)
		make_like(from, p->words, &st);
	return r;
}

/* 1 = moved, 0 = not there: a view can list what it does not find. A directory that
 * lies above is renamed as a whole. */
static int move_one(const struct pair *p, const struct dirscan *d)
{
	int r = sys_renameat_words(p->from, d->name, p->to, d->name, p->words);

	if (d->type == DT_DIR && (r == -EXDEV || r == -ENOTEMPTY || r == -EEXIST))
		r = move_dir(p, d->name);
	if (r == -ENOENT)
		return 0;
	return r < 0 ? r : 1;
}

/* Again while something goes: a list may skip names meanwhile. Not for ever: somebody
 * may add as many. */
static int move_all(const struct pair *p)
{
	struct dirscan scan;
	int r = 0;

	for (unsigned pass = 0; pass < MOVEDIR_PASSES; pass++) {
		bool moved = false;

		dirscan_start(&scan, p->from);
		while (r == 0 && dirscan_next(&scan)) {
			r = move_one(p, &scan);
			moved |= r > 0;
			r = MIN(r, 0);
		}
		r = r ?: scan.failed;
		if (r < 0 || !moved)
			return r;
	}
	return -EXDEV;
}

/* The kernel says EXDEV of two mounts, too: then it stays at that. */
static int mount_of_parent(int dir, const char *name, uint64_t *ret)
{
	size_t n = strlen(name);
	char path[PATH_MAX];

	while (n && name[n - 1] == '/')
		n--;
	while (n && name[n - 1] != '/')
		n--;
	if (n >= sizeof(path))
		return -ENAMETOOLONG;
	memcpy(path, name, n);
	path[n] = '\0';
	return sys_mount_id(dir, n ? path : ".", ret);
}

static int check_mounts(const struct movedir *m)
{
	uint64_t from = 0, to = 0;
	int r = mount_of_parent(m->from_dir, m->from, &from)
			?: mount_of_parent(m->to_dir, m->to, &to);

	return r < 0 || from == to ? r : -EXDEV;
}

/* An empty directory in the way is what the kernel would replace: 1, and what it was */
static int make_new(const struct movedir *m, struct stat *was)
{
	int r = sys_mkdirat(m->to_dir, m->to, 0700);

	if (r != -EEXIST)
		return r;
	r = sys_fstatat(m->to_dir, m->to, was, AT_SYMLINK_NOFOLLOW);
	if (r < 0)
		return r;
	r = sys_unlinkat(m->to_dir, m->to, AT_REMOVEDIR);
	if (r < 0)
		return r;
	r = sys_mkdirat(m->to_dir, m->to, 0700);
	return r < 0 ? r : 1;
}

/* Programs have another way for EXDEV, and none for the rest. */
static int why(int r)
{
	return r == -ENOSPC || r == -EDQUOT ? r : -EXDEV;
}

int movedir(const struct movedir *m)
{
	_cleanup_close_ int from = -1, to = -1;
	struct stat st, new, was = { .st_mode = 0 };
	struct pair p;
	int r, made;

	r = check_mounts(m);
	if (r < 0)
		return r;
	from = open_dir(m->from_dir, m->from, 0, &st);
	if (from < 0)
		return -EXDEV;
	made = make_new(m, &was);
	if (made < 0)
		return made;
	to = open_dir(m->to_dir, m->to, st.st_dev, &new);
	p = (struct pair){ m->words, from, to, st.st_dev, 0 };
	unlock(&p, from, &st);
	r = to < 0 ? to : move_all(&p);
	if (r == 0)
		r = copy_attributes(from, to);
	if (r == 0) {
		make_like(to, m->words, &st);
		r = sys_unlinkat(m->from_dir, m->from, AT_REMOVEDIR);
		if (r == 0 || r == -ENOENT) /* somebody else has */
			return r;
	}
	p.from = to;
	p.to = from;
	if (to >= 0 && move_all(&p) < 0)
		return why(r);
	make_like(from, m->words, &st);
	if (to >= 0 && made > 0)
		make_like(to, m->words, &was);
	else
		(void)sys_unlinkat(m->to_dir, m->to, AT_REMOVEDIR);
	return why(r);
}
