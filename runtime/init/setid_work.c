/* Theory of operation
 *
 * All that belongs to the caller is opened or read while this process may still look at
 * any process: its root, its directory, the descriptor that it names, its path, its
 * identity. Only then is the call known to be still there (its number is), so that none of
 * it can be another process's with the same pid. Then root and identity are taken on, and
 * the call is made with them:
 *
 *  - chmod acts on a descriptor that was opened first; which mount that is on decides, not
 *    the path, which may lead elsewhere a moment later;
 *  - open and mknod make the file without the bits, wherever it is;
 *  - a file's capability is set and removed like a mode, by who has rights over every file
 *    in the box;
 *  - rename has two paths, and no more rights than the caller on either.
 *
 * While identities change the capability to trace is still there, so that nobody without
 * it can trace this process; it goes last. */
#include "runtime/init/setid_work.h"

#include <limits.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/xattr.h>
#include <string.h>

#include "base/file.h"
#include "base/procfs.h"
#include "base/sys/sys.h"
#include "runtime/confine/caps.h"
#include "runtime/init/movedir.h"
#include "runtime/init/setid_call.h"
#include "runtime/init/setid_who.h"

enum {
	WORK_LISTENER = 3,
	WORK_SECONDS = 10,
	WORK_MOVE_SECONDS = 3600,
	WORK_PAGE = 4096,
	WORK_BITS = S_ISUID | S_ISGID,
	WORK_VALUE = 64, /* bytes: a capability has 24 */
	WORK_NAME = 32
};

struct work {
	const struct seccomp_notif *ask;
	const struct setid_places *own;
	struct setid_call call;
	struct setid_who who;
	char path[PATH_MAX], to_path[PATH_MAX];
	struct setid_attribute attribute; /* of one: what is set, and its value */
	char value[WORK_VALUE];
	/* descriptors: the process ends with them */
	int proc; /* /proc of the caller */
	int self; /* /proc/self/fd of this process */
	int root, dir, to_dir;
	int target; /* what a descriptor of the caller's is; -1 = go by the path */
};

/* ---- what the caller has ------------------------------------------------------------- */

/* A page at a time: the next one may not be there. */
int setid_work_path(pid_t pid, uint64_t address, char ret[PATH_MAX])
{
	size_t have = 0;

	while (have < PATH_MAX) {
		uint64_t at = address + have;
		size_t n = MIN(PATH_MAX - have, WORK_PAGE - at % WORK_PAGE);
		struct iovec to = { ret + have, n };
		struct iovec from = { (void *)(uintptr_t)at, n };
		ssize_t got = sys_process_vm_readv(pid, &to, &from);

		if (got <= 0)
			return got == 0 || got == -EFAULT ? -EFAULT : -EPERM;
		if (memchr(ret + have, '\0', (size_t)got))
			return 0;
		have += (size_t)got;
	}
	return -ENAMETOOLONG;
}

bool setid_work_is_capability(pid_t pid, uint64_t address)
{
	char name[PATH_MAX];

	return setid_work_path(pid, address, name) == 0 &&
	       strcmp(name, XATTR_NAME_CAPS) == 0;
}

static bool is_attribute(const struct work *w)
{
	return w->call.what == SETID_XATTR || w->call.what == SETID_XATTR_GONE;
}

/* Not another attribute by now, and the caller is the box's root or as good as that. */
static int read_capability(struct work *w)
{
	struct iovec to = { w->value, w->attribute.n };
	struct iovec from = { (void *)(uintptr_t)w->attribute.value, w->attribute.n };
	pid_t pid = (pid_t)w->ask->pid;

	if (w->call.what == SETID_XATTR && w->attribute.n > sizeof(w->value))
		return -EINVAL;
	if (!(w->who.effective & UINT64_C(1) << CAP_FOWNER) ||
	    !setid_work_is_capability(pid, w->attribute.name))
		return -EPERM;
	if (w->call.what == SETID_XATTR_GONE)
		return 0;
	return sys_process_vm_readv(pid, &to, &from) == (ssize_t)w->attribute.n
		       ? 0
		       : -EFAULT;
}

static int read_path(const struct work *w, uint64_t address, char ret[PATH_MAX])
{
	return setid_work_path((pid_t)w->ask->pid, address, ret);
}

static int read_who(struct work *w)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PROCFS_STATUS);

	if (file_read(w->proc, "status", &text, ERR_IGNORED) < 0)
		return -EPERM;
	return setid_who_read(buf_cstr(&text), &w->who);
}

static int open_number(struct work *w, int number)
{
	char name[WORK_NAME];
	int fd;

	snprintf(name, sizeof(name), "fd/%d", number);
	fd = sys_openat(w->proc, name, O_PATH, 0);
	return fd == -ENOENT ? -EBADF : fd;
}

static int open_dir(struct work *w, int dirfd, const char *path)
{
	if (dirfd == AT_FDCWD || *path == '/')
		return sys_openat(w->proc, "cwd", O_PATH | O_DIRECTORY, 0);
	return open_number(w, dirfd);
}

/* Relative to what the path is, and which descriptor it may stand for. */
static int open_start(struct work *w)
{
	const struct setid_call *c = &w->call;
	bool empty = c->what == SETID_CHMOD && (c->flags & AT_EMPTY_PATH) && !*w->path;
	int own = -1;

	if (c->by_fd || (empty && c->dirfd != AT_FDCWD))
		return w->target = open_number(w, c->dirfd);
	if (c->what == SETID_CHMOD || is_attribute(w))
		own = setid_call_own_fd(w->path);
	if (own >= 0)
		return w->target = open_number(w, own);
	w->dir = open_dir(w, c->dirfd, w->path);
	if (empty)
		w->target = w->dir;
	return w->dir;
}

static int open_process(struct work *w)
{
	char name[WORK_NAME];

	snprintf(name, sizeof(name), "/proc/%d", (int)w->ask->pid);
	w->proc = sys_open(name, O_PATH | O_DIRECTORY);
	if (w->proc < 0)
		return -EPERM;
	w->self = sys_open("/proc/self/fd", O_PATH | O_DIRECTORY);
	if (w->self < 0)
		return -EPERM;
	w->root = sys_openat(w->proc, "root", O_PATH | O_DIRECTORY, 0);
	return w->root < 0 ? -EPERM : 0;
}

static int look(struct work *w)
{
	const bool renames = w->call.what == SETID_RENAME;
	int r = open_process(w) ?:
		(w->call.by_fd ? 0 : read_path(w, w->call.path, w->path)) ?:
		(renames ? read_path(w, w->call.to_path, w->to_path) : 0) ?:
		read_who(w) ?: (is_attribute(w) ? read_capability(w) : 0);

	if (r < 0)
		return r;
	r = open_start(w);
	if (r >= 0 && renames)
		r = w->to_dir = open_dir(w, w->call.to_dirfd, w->to_path);
	return MIN(r, 0);
}

/* ---- becoming it --------------------------------------------------------------------- */

/* In a single map nobody's groups can be changed: all have the ones of init. */
static int take_groups(const struct setid_who *who)
{
	int n = sys_setgroups(who->n_groups, who->groups), now;
	gid_t *groups;

	if (n >= 0)
		return 0;
	now = sys_getgroups(0, NULL);
	if (now < 0 || (size_t)now != who->n_groups)
		return -EPERM;
	groups = calloc((size_t)now + 1, sizeof(*groups));
	if (!groups || sys_getgroups(now, groups) != now)
		return -EPERM;
	return memcmp(groups, who->groups, (size_t)now * sizeof(*groups)) ? -EPERM : 0;
}

static int become(const struct work *w)
{
	uint64_t rights = w->who.effective;
	int r;

	if (is_attribute(w))
		rights |= UINT64_C(1) << CAP_SETFCAP;
	/* A change of identity makes a process as traceable as the host's sysctl says. */
	r = sys_fchdir(w->root) ?: sys_chroot(".") ?: take_groups(&w->who) ?:
		sys_setfsgid(w->who.gid) ?: sys_setfsuid(w->who.uid) ?:
		sys_prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ?: caps_become(rights, ERR_IGNORED);
	sys_umask(w->who.umask & 0777);
	return r < 0 ? -EPERM : 0;
}

/* ---- the calls ----------------------------------------------------------------------- */

static bool is_own(const struct work *w, int fd)
{
	uint64_t id;

	if (sys_mount_id(fd, "", &id) < 0)
		return false;
	for (unsigned i = 0; i < w->own->n; i++)
		if (w->own->mount[i] == id)
			return true;
	return false;
}

static int do_chmod(struct work *w)
{
	int flags = O_PATH | (w->call.flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0);
	mode_t mode = w->call.mode & 07777;
	char name[WORK_NAME];
	struct stat st;
	int r = w->target;

	if (w->call.flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if (r < 0)
		r = w->target = sys_openat(w->dir, w->path, flags, 0);
	if (r >= 0)
		r = sys_fstat(w->target, &st);
	if (r < 0)
		return r;
	if (S_ISLNK(st.st_mode))
		return -EOPNOTSUPP;
	/* A directory may keep what it has: the host gave it, and it gives nobody rights. */
	if (!is_own(w, w->target))
		mode &= ~(mode_t)WORK_BITS | (S_ISDIR(st.st_mode) ? st.st_mode : 0);
	snprintf(name, sizeof(name), "%d", w->target);
	return sys_fchmodat_words(w->self, name, mode, w->own->secret);
}

/* By its number: a descriptor that was opened for nothing else has no attributes. */
static int do_xattr(struct work *w)
{
	char name[WORK_NAME];
	int r = w->target;

	if (r < 0)
		r = w->target = sys_openat(
			w->dir, w->path,
			O_PATH | (w->attribute.nofollow ? O_NOFOLLOW : 0), 0);
	if (r >= 0 && !is_own(w, w->target))
		r = -EPERM;
	if (r >= 0)
		r = sys_fchdir(w->self);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "%d", w->target);
	if (w->call.what == SETID_XATTR_GONE)
		return sys_removexattr_words(name, XATTR_NAME_CAPS, w->own->secret);
	return sys_setxattr_words(name, XATTR_NAME_CAPS, w->value, w->attribute.n,
				  w->call.flags, w->own->secret);
}

static int hand_over(const struct work *w, int fd)
{
	struct seccomp_notif_addfd add = { .id = w->ask->id,
					   .flags = SECCOMP_ADDFD_FLAG_SEND,
					   .srcfd = (uint32_t)fd,
					   .newfd_flags = (uint32_t)(w->call.flags &
								     O_CLOEXEC) };
	int r = sys_notif_addfd(WORK_LISTENER, &add);

	/* Before 5.14 it is two steps; between them the caller can be interrupted, and
	 * then has a descriptor too many. */
	if (r == -EINVAL) {
		add.flags = 0;
		return sys_notif_addfd(WORK_LISTENER, &add);
	}
	if (r < 0)
		return r;
	sys_exit(0); /* it has its answer */
}

/* Not blocking: nobody may be at the other end of a FIFO, ever. What is in /proc is not
 * given out: there it may be this process's. */
static int do_open(const struct work *w)
{
	int flags = w->call.flags, r;
	struct statfs fs;
	int fd = sys_openat(w->dir, w->path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
			    w->call.mode & 07777 & ~(mode_t)WORK_BITS);

	if (fd < 0)
		return fd;
	if (sys_fstatfs(fd, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC)
		return -EPERM;
	if (!(flags & (O_NONBLOCK | O_PATH))) {
		r = sys_getfl(fd);
		if (r >= 0)
			r = sys_setfl(fd, r & ~O_NONBLOCK);
		if (r < 0)
			return r;
	}
	return hand_over(w, fd);
}

/* The kernel makes the call itself, as the caller's. */
static _noreturn_ void go_on(const struct work *w)
{
	struct seccomp_notif_resp resp = { .id = w->ask->id,
					   .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

	(void)sys_notif_send(WORK_LISTENER, &resp);
	sys_exit(0);
}

/* What makes it long is the box's own, and half a directory is worse than a long wait. */
static int do_rename(const struct work *w)
{
	struct itimerval limit = { .it_value = { .tv_sec = WORK_MOVE_SECONDS } };
	struct movedir m = { .words = w->own->secret,
			     .from_dir = w->dir,
			     .from = w->path,
			     .to_dir = w->to_dir,
			     .to = w->to_path };
	int r;

	if (setid_call_own_name(w->path) || setid_call_own_name(w->to_path))
		go_on(w); /* here it would be this process's */
	if ((w->call.flags & RENAME_NOREPLACE) && file_is_there(m.to_dir, m.to))
		return -EEXIST;
	r = sys_renameat_words(m.from_dir, m.from, m.to_dir, m.to, m.words);
	if (r != -EXDEV)
		return r;
	(void)sys_setitimer(&limit);
	return movedir(&m);
}

static int do_call(struct work *w)
{
	switch (w->call.what) {
	case SETID_CHMOD:
		return do_chmod(w);
	case SETID_OPEN:
		return do_open(w);
	case SETID_RENAME:
		return do_rename(w);
	case SETID_XATTR:
	case SETID_XATTR_GONE:
		return do_xattr(w);
	case SETID_MKNOD:
		break;
	}
	return sys_mknodat(w->dir, w->path, w->call.mode & ~(mode_t)WORK_BITS,
			   w->call.dev);
}

/* ---- the process --------------------------------------------------------------------- */

/* Whatever hangs, a filesystem of the network's, ends with the alarm. */
static int prepare(int listener)
{
	struct itimerval limit = { .it_value = { .tv_sec = WORK_SECONDS } };
	int r = listener == WORK_LISTENER ? 0 : sys_dup2(listener, WORK_LISTENER);

	if (r >= 0)
		r = sys_close_range(WORK_LISTENER + 1, ~0U, 0);
	if (r >= 0)
		r = sys_setitimer(&limit);
	return r < 0 ? -EPERM : 0;
}

/* What is known of the caller holds only while its call is still there. */
static int run_call(struct work *w, int listener)
{
	int r = prepare(listener);

	if (r < 0)
		return r;
	if (setid_call_read(&w->ask->data, &w->call) < 0)
		return -EPERM;
	r = look(w);
	if (r < 0)
		return r;
	if (sys_notif_valid(WORK_LISTENER, w->ask->id) < 0)
		return -EPERM;
	return become(w) ?: do_call(w);
}

_noreturn_ void setid_work(int listener, const struct seccomp_notif *ask,
			   const struct setid_places *own)
{
	struct seccomp_notif_resp resp = { .id = ask->id };
	struct work w = { .ask = ask,
			  .own = own,
			  .attribute = setid_call_attribute(&ask->data),
			  .who = SETID_WHO_NONE,
			  .proc = -1,
			  .self = -1,
			  .root = -1,
			  .dir = -1,
			  .to_dir = -1,
			  .target = -1 };
	int r = run_call(&w, listener);

	if (r < 0)
		resp.error = r;
	else
		resp.val = r;
	(void)sys_notif_send(WORK_LISTENER, &resp);
	sys_exit(0);
}
