/* sys_fs - doors for files and directories. Included by base/sys/sys.h alone. */
#ifndef BASE_SYS_FS_H
#define BASE_SYS_FS_H

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/sys/ret.h"

static inline int sys_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	return (int)sys_retry(openat(dirfd, path, flags | O_CLOEXEC, mode));
}

static inline int sys_open(const char *path, int flags)
{
	return (int)sys_retry(open(path, flags | O_CLOEXEC));
}

/* Fails with -ENOSYS before 5.6 and with -EPERM under some filters: see base/inroot.h. */
static inline int sys_openat2(int dirfd, const char *path, uint64_t flags,
			      uint64_t mode, uint64_t resolve)
{
	struct open_how how = { .flags = flags | O_CLOEXEC,
				.mode = mode,
				.resolve = resolve };

	return (int)sys_retry(syscall(SYS_openat2, dirfd, path, &how, sizeof(how)));
}

static inline ssize_t sys_read(int fd, void *buf, size_t n)
{
	return (ssize_t)sys_retry(read(fd, buf, n));
}

static inline ssize_t sys_write(int fd, const void *buf, size_t n)
{
	return (ssize_t)sys_retry(write(fd, buf, n));
}

static inline ssize_t sys_pread(int fd, void *buf, size_t n, off_t at)
{
	return (ssize_t)sys_retry(pread(fd, buf, n, at));
}

static inline ssize_t sys_pwrite(int fd, const void *buf, size_t n, off_t at)
{
	return (ssize_t)sys_retry(pwrite(fd, buf, n, at));
}

static inline off_t sys_lseek(int fd, off_t at, int whence)
{
	return (off_t)sys_ret(lseek(fd, at, whence));
}

static inline int sys_ftruncate(int fd, off_t size)
{
	return (int)sys_retry(ftruncate(fd, size));
}

static inline int sys_fsync(int fd)
{
	return (int)sys_retry(fsync(fd));
}

static inline int sys_fdatasync(int fd)
{
	return (int)sys_retry(fdatasync(fd));
}

static inline int sys_syncfs(int fd)
{
	return (int)sys_ret(syncfs(fd));
}

/* @flags: SYNC_FILE_RANGE_*; of all of the file. */
static inline int sys_sync_file(int fd, unsigned flags)
{
	return (int)sys_ret(sync_file_range(fd, 0, 0, flags));
}

static inline int sys_fstat(int fd, struct stat *ret)
{
	return (int)sys_ret(fstat(fd, ret));
}

static inline int sys_fstatat(int dirfd, const char *path, struct stat *ret, int flags)
{
	return (int)sys_ret(fstatat(dirfd, path, ret, flags));
}

/* The number of the mount that @path is on, or @fd itself when @path is "". -ENOSYS: the
 * kernel does not say (before 5.8). */
static inline int sys_mount_id(int fd, const char *path, uint64_t *ret)
{
	struct statx st;
	int r = (int)sys_ret(
		statx(fd, path, AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_MNT_ID, &st));

	if (r < 0)
		return r;
	if (!(st.stx_mask & STATX_MNT_ID))
		return -ENOSYS;
	*ret = st.stx_mnt_id;
	return 0;
}

/* What @mask asks for (STATX_*), of @fd itself when @path is "". */
static inline int sys_statx(int fd, const char *path, int flags, unsigned mask,
			    struct statx *ret)
{
	return (int)sys_ret(statx(fd, path, flags, mask, ret));
}

static inline int sys_fstatfs(int fd, struct statfs *ret)
{
	return (int)sys_ret(fstatfs(fd, ret));
}

static inline int sys_inotify_init(void)
{
	return (int)sys_ret(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
}

static inline int sys_inotify_add(int fd, const char *path, uint32_t mask)
{
	return (int)sys_ret(inotify_add_watch(fd, path, mask));
}

static inline int sys_faccessat(int dirfd, const char *path, int mode, int flags)
{
	return (int)sys_ret(faccessat(dirfd, path, mode, flags));
}

static inline int sys_mkdirat(int dirfd, const char *path, mode_t mode)
{
	return (int)sys_ret(mkdirat(dirfd, path, mode));
}

static inline int sys_unlinkat(int dirfd, const char *path, int flags)
{
	return (int)sys_ret(unlinkat(dirfd, path, flags));
}

static inline int sys_renameat(int from, const char *a, int to, const char *b)
{
	return (int)sys_ret(renameat(from, a, to, b));
}

static inline int sys_renameat2(int from, const char *a, int to, const char *b,
				unsigned flags)
{
	return (int)sys_ret(renameat2(from, a, to, b, flags));
}

static inline int sys_symlinkat(const char *target, int dirfd, const char *path)
{
	return (int)sys_ret(symlinkat(target, dirfd, path));
}

static inline int sys_linkat(int from, const char *a, int to, const char *b, int flags)
{
	return (int)sys_ret(linkat(from, a, to, b, flags));
}

static inline ssize_t sys_readlinkat(int dirfd, const char *path, char *buf, size_t n)
{
	return (ssize_t)sys_ret(readlinkat(dirfd, path, buf, n));
}

static inline int sys_mknodat(int dirfd, const char *path, mode_t mode, dev_t dev)
{
	return (int)sys_ret(mknodat(dirfd, path, mode, dev));
}

static inline int sys_fchmod(int fd, mode_t mode)
{
	return (int)sys_ret(fchmod(fd, mode));
}

static inline int sys_fchmodat(int dirfd, const char *path, mode_t mode, int flags)
{
	return (int)sys_ret(fchmodat(dirfd, path, mode, flags));
}

/* With two words that the kernel does not look at, and a system call filter may. */
static inline int sys_fchmodat_words(int dirfd, const char *path, mode_t mode,
				     const uint64_t words[2])
{
	return (int)sys_ret(
		syscall(SYS_fchmodat, dirfd, path, mode, 0L, words[0], words[1]));
}

/* The same for a rename. */
static inline int sys_renameat_words(int from, const char *a, int to, const char *b,
				     const uint64_t words[2])
{
	return (int)sys_ret(syscall(SYS_renameat, from, a, to, b, words[0], words[1]));
}

/* The same for an attribute; of the first word the half that the flags leave. */
static inline int sys_setxattr_words(const char *path, const char *name, const void *v,
				     size_t n, int flags, const uint64_t words[2])
{
	uint64_t fifth = (words[0] & ~(uint64_t)UINT32_MAX) | (uint32_t)flags;

	return (int)sys_ret(syscall(SYS_setxattr, path, name, v, n, fifth, words[1]));
}

static inline int sys_removexattr_words(const char *path, const char *name,
					const uint64_t words[2])
{
	return (int)sys_ret(
		syscall(SYS_removexattr, path, name, 0, 0, words[0], words[1]));
}

static inline int sys_fchown(int fd, uid_t uid, gid_t gid)
{
	return (int)sys_ret(fchown(fd, uid, gid));
}

static inline int sys_fchownat(int dirfd, const char *path, uid_t uid, gid_t gid,
			       int flags)
{
	return (int)sys_ret(fchownat(dirfd, path, uid, gid, flags));
}

static inline int sys_futimens(int fd, const struct timespec times[2])
{
	return (int)sys_ret(futimens(fd, times));
}

static inline int sys_utimensat(int dirfd, const char *path,
				const struct timespec times[2], int flags)
{
	return (int)sys_ret(utimensat(dirfd, path, times, flags));
}

static inline ssize_t sys_fgetxattr(int fd, const char *name, void *buf, size_t n)
{
	return (ssize_t)sys_ret(fgetxattr(fd, name, buf, n));
}

static inline int sys_fsetxattr(int fd, const char *name, const void *v, size_t n,
				int flags)
{
	return (int)sys_ret(fsetxattr(fd, name, v, n, flags));
}

static inline int sys_fremovexattr(int fd, const char *name)
{
	return (int)sys_ret(fremovexattr(fd, name));
}

static inline ssize_t sys_getxattr(const char *path, const char *name, void *buf,
				   size_t n)
{
	return (ssize_t)sys_ret(getxattr(path, name, buf, n));
}

static inline ssize_t sys_flistxattr(int fd, char *buf, size_t n)
{
	return (ssize_t)sys_ret(flistxattr(fd, buf, n));
}

static inline int sys_flock(int fd, int op)
{
	return (int)sys_retry(flock(fd, op));
}

/* The same, but a signal ends it with -EINTR. */
static inline int sys_flock_once(int fd, int op)
{
	return (int)sys_ret(flock(fd, op));
}

/* A lock that says who has it: of this process, gone when any descriptor of the file is
 * closed here. */
static inline int sys_lock_mine(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return (int)sys_ret(fcntl(fd, F_SETLK, &l));
}

/* Who has it: 0 = nobody, also 0 when it is this process. */
static inline pid_t sys_lock_owner(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int r = (int)sys_ret(fcntl(fd, F_GETLK, &l));

	return r < 0 ? (pid_t)r : l.l_type == F_UNLCK ? 0 : l.l_pid;
}

static inline int sys_ficlone(int fd, int from)
{
	return (int)sys_ret(ioctl(fd, FICLONE, from));
}

static inline ssize_t sys_copy_file_range(int from, off_t *a, int to, off_t *b,
					  size_t n)
{
	return (ssize_t)sys_retry(copy_file_range(from, a, to, b, n, 0));
}

static inline ssize_t sys_getdents64(int fd, void *buf, size_t n)
{
	return (ssize_t)sys_ret(syscall(SYS_getdents64, fd, buf, n));
}

static inline int sys_fchdir(int fd)
{
	return (int)sys_ret(fchdir(fd));
}

static inline int sys_chdir(const char *path)
{
	return (int)sys_ret(chdir(path));
}

static inline ssize_t sys_getcwd(char *buf, size_t n)
{
	return (ssize_t)sys_ret(syscall(SYS_getcwd, buf, n));
}

static inline int sys_dup(int fd, int lowest)
{
	return (int)sys_ret(fcntl(fd, F_DUPFD_CLOEXEC, lowest));
}

/* The one descriptor that is meant to be inherited: the copy has no CLOEXEC. */
static inline int sys_dup2(int fd, int to)
{
	return (int)sys_retry(dup2(fd, to));
}

static inline int sys_getfl(int fd)
{
	return (int)sys_ret(fcntl(fd, F_GETFL));
}

static inline int sys_setfl(int fd, int flags)
{
	return (int)sys_ret(fcntl(fd, F_SETFL, flags));
}

static inline int sys_setfd(int fd, int flags)
{
	return (int)sys_ret(fcntl(fd, F_SETFD, flags));
}

static inline int sys_pipe_size(int fd, int bytes)
{
	return (int)sys_ret(fcntl(fd, F_SETPIPE_SZ, bytes));
}

static inline int sys_pipe2(int fds[2], int flags)
{
	return (int)sys_ret(pipe2(fds, flags | O_CLOEXEC));
}

static inline ssize_t sys_splice(int from, int to, size_t n, unsigned flags)
{
	return (ssize_t)sys_ret(splice(from, NULL, to, NULL, n, flags));
}

static inline int sys_memfd(const char *name, unsigned flags)
{
	return (int)sys_ret(memfd_create(name, flags | MFD_CLOEXEC));
}

static inline int sys_add_seals(int fd, int seals)
{
	return (int)sys_ret(fcntl(fd, F_ADD_SEALS, seals));
}

static inline int sys_mmap(size_t n, int prot, int flags, int fd, void **ret)
{
	void *p = mmap(NULL, n, prot, flags, fd, 0);
	int r = (int)sys_ret(p == MAP_FAILED ? -1 : 0);

	if (r >= 0)
		*ret = p;
	else if (p != MAP_FAILED)
		munmap(p, n); /* a test made it fail */
	return r;
}

/* Memory that a later fork shares; to be unmapped with sys_munmap(). */
static inline int sys_mmap_shared(size_t n, void **ret)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED)
		return (int)sys_ret(-1);
	*ret = p;
	return 0;
}

static inline int sys_munmap(void *p, size_t n)
{
	return (int)sys_ret(munmap(p, n));
}

static inline mode_t sys_umask(mode_t mask)
{
	return umask(mask);
}

#endif
