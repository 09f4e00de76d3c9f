#include "rootfs/review/carry.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "base/copyfd.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY };

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* The owner of what it replaces, as far as the caller may give that; attributes too, but
 * no capability: those were for other content. */
static void dress(int fd, const struct carry_as *as)
{
	if (as->like && sys_fchown(fd, as->like->st_uid, as->like->st_gid) < 0)
		(void)sys_fchown(fd, (uid_t)-1, as->like->st_gid);
	if (as->like_fd >= 0)
		(void)copyfd_xattrs(as->like_fd, fd);
	(void)sys_fremovexattr(fd, "security.capability");
}

static int fill(int from, int to, const struct carry_as *as)
{
	struct stat before, after;
	struct timespec times[2];
	uint64_t room;
	int r = sys_fstat(from, &before);

	if (r < 0)
		return r;
	if (!S_ISREG(before.st_mode))
		return -EOPNOTSUPP;
	room = (uint64_t)before.st_size;
	r = copyfd_bytes(from, to, &room);
	if (r < 0)
		return r;
	dress(to, as);
	times[0] = before.st_atim;
	times[1] = before.st_mtim;
	r = sys_fchmod(to, as->mode & 0777) ?:
		sys_futimens(to, times) ?:
		sys_fstat(from, &after);
	if (r == 0 && (after.st_size != before.st_size ||
		       !same_time(&after.st_ctim, &before.st_ctim)))
		r = -EBUSY;
	return r;
}

static int copy_link(int in, const struct carry *to)
{
	char target[PATH_MAX];
	ssize_t n = sys_readlinkat(in, "", target, sizeof(target) - 1);

	if (n < 0)
		return (int)n;
	target[n] = '\0';
	return sys_symlinkat(target, to->dir, to->name);
}

int carry_copy_open(int in, const struct carry *to, const struct carry_as *as)
{
	_cleanup_close_ int out = -1;
	struct stat st;
	int r = sys_fstat(in, &st);

	if (r < 0)
		return r;
	if (S_ISLNK(st.st_mode))
		return copy_link(in, to);
	out = sys_openat(to->dir, to->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
			 0600);
	if (out < 0)
		return out;
	r = fill(in, out, as);
	if (r < 0)
		(void)sys_unlinkat(to->dir, to->name, 0);
	return r;
}

int carry_copy(const struct carry *from, const struct carry *to,
	       const struct carry_as *as)
{
	_cleanup_close_ int in = sys_openat(from->dir, from->name, READ, 0);

	if (in == -ELOOP)
		in = sys_openat(from->dir, from->name, O_PATH | O_NOFOLLOW, 0);
	return in < 0 ? in : carry_copy_open(in, to, as);
}

static void temp_name(const struct carry *to, char ret[NAME_MAX + 1])
{
	snprintf(ret, NAME_MAX + 1, ".cubby-%.200s.tmp", to->name);
}

void carry_clean(const struct carry *to)
{
	char name[NAME_MAX + 1];

	temp_name(to, name);
	(void)sys_unlinkat(to->dir, name, 0);
}

/* Beside it, then over it. */
static int copy_over(const struct carry *from, const struct carry *to, bool fresh)
{
	struct carry_as as = { .like_fd = -1 };
	char name[NAME_MAX + 1];
	struct carry temp = { to->dir, name };
	struct stat st;
	int r = sys_fstatat(from->dir, from->name, &st, AT_SYMLINK_NOFOLLOW);

	if (r < 0)
		return r;
	temp_name(to, name);
	as.mode = st.st_mode & 0777;
	as.like = &st;
	as.like_fd = -1;
	(void)sys_unlinkat(to->dir, name, 0); /* what a kill left */
	r = carry_copy(from, &temp, &as);
	if (r < 0)
		return r;
	r = carry_rename(&temp, to, fresh);
	if (r < 0)
		(void)sys_unlinkat(to->dir, name, 0);
	return r;
}

int carry_rename(const struct carry *from, const struct carry *to, bool fresh)
{
	int r = -EINVAL;

	if (fresh)
		r = sys_renameat2(from->dir, from->name, to->dir, to->name,
				  RENAME_NOREPLACE);
	if (r != -EINVAL) /* a filesystem that cannot tell */
		return r;
	if (fresh && file_is_there(to->dir, to->name))
		return -EEXIST;
	return sys_renameat(from->dir, from->name, to->dir, to->name);
}

int carry_keep(const struct carry *from, const struct carry *to)
{
	int r;

	(void)sys_unlinkat(to->dir, to->name, 0);
	r = sys_linkat(from->dir, from->name, to->dir, to->name, 0);
	return r == 0 || r == -ENOENT ? r : copy_over(from, to, false);
}

int carry_move(const struct carry *from, const struct carry *to, bool fresh)
{
	int r = carry_rename(from, to, fresh);

	if (r != -EXDEV)
		return r;
	r = copy_over(from, to, fresh);
	return r < 0 ? r : sys_unlinkat(from->dir, from->name, 0);
}
