#include "runtime/monitor/impl.h"

#include <linux/magic.h>

#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "rootfs/review/layer.h"
#include "rootfs/review/origin.h"
#include "rootfs/store/chain.h"
#include "runtime/monitor/layers.h"
#include "runtime/worker/pending.h"

enum { APPLYING_MS = 30000 };

/* Whether nothing waits in the layer. One that a box has filled is no reason to show it the
 * project itself: it may have filled it so that it cannot be had. */
static bool is_empty(int boxdir)
{
	const struct boxdir b = { .dirfd = boxdir };

	return !chain_reviews(&b);
}

/* Where the machine cannot do it the project is live; where it could, were the disk not full,
 * that is waited for. */
static int be_live(struct spec *s, int boxdir, struct err *why)
{
	char line[sizeof(why->msg) + 64];

	if (err_is_shortage(why->code))
		return err_wrap(why, "the project cannot be put under review");
	if (!is_empty(boxdir)) {
		err_wrap(why, "what waits in the box cannot be shown");
		return err_hint(why, "'cubby discard --all' throws it away");
	}
	snprintf(line, sizeof(line), "no review here, the project is live: %s",
		 why->msg);
	monitor_starter_note(NULL, line);
	s->project_mode = PROJECT_LIVE;
	*why = ERR_NONE;
	return 0;
}

static int begin(const struct spec *s, int boxdir, struct err *e)
{
	_cleanup_close_ int dir = layers_dir(boxdir, "project", 0711), upper = -1;
	_cleanup_close_ int project =
		inroot_open_real(s->project, O_RDONLY | O_DIRECTORY);
	struct timespec now = sys_wall();
	struct stat st;
	int r = MIN(dir, project);

	if (r >= 0)
		r = sys_fstat(project, &st) ?: layers_make(dir, s, &st, &upper);
	if (r < 0)
		return err_sys(e, r, "cannot make a layer for it");
	r = pending_clean(s, boxdir, project, e);
	if (r < 0)
		return r;
	return layer_begin(boxdir, project,
			   (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
			   e);
}

/* Of a command that takes over from the box that was here before, which has ended. */
static int await_apply(int boxdir, struct err *e)
{
	_cleanup_close_ int lock = file_lock_within(boxdir, "applying", APPLYING_MS, e);

	return lock == -EWOULDBLOCK
		       ? err_set(e, -EBUSY,
				 "another command takes changes over just now")
		       : MIN(lock, 0);
}

int monitor_review_begin(struct spec *s, int boxdir, struct err *e)
{
	int r;

	if (s->project_mode != PROJECT_REVIEW)
		return 0;
	r = await_apply(boxdir, e) ?: pending_take(s, boxdir, e);
	if (r < 0) /* what waits must not be hidden by the project itself */
		return r;
	return begin(s, boxdir, e) < 0 ? be_live(s, boxdir, e) : 0;
}

void monitor_review_exit(const struct spec *s, int boxdir)
{
	_cleanup_close_ int project = -1;

	if (s->project_mode != PROJECT_REVIEW || boxdir < 0)
		return;
	project = inroot_open_real(s->project, O_RDONLY | O_DIRECTORY);
	if (project >= 0)
		origin_keep(boxdir, project);
}

int monitor_review_refused(struct spec *s, int boxdir, struct err *e)
{
	return be_live(s, boxdir, e);
}

/* ---- what the host changes meanwhile ------------------------------------------------------- */

/* In a process of its own, which becomes one of the box's as far as mounts go. The box may have
 * made the path lead elsewhere, and not every filesystem stays as it is when it is asked for
 * nothing: devpts forgets how many terminals there may be, the host's cgroup2 who is to keep to
 * his part. An overlay does, and one that a process of the box may not ask is not the box's. */
static int pick(int pidfd, const char *project, int to)
{
	struct wire_head head = { .type = WIRE_READY };
	struct statfs fs;
	int dir, fd, r = sys_setns(pidfd, CLONE_NEWUSER | CLONE_NEWNS);

	if (r < 0)
		return r;
	dir = sys_openat(AT_FDCWD, project, O_PATH | O_DIRECTORY, 0);
	r = dir < 0 ? dir : sys_fstatfs(dir, &fs);
	if (r < 0 || fs.f_type != OVERLAYFS_SUPER_MAGIC)
		return r < 0 ? r : -EINVAL;
	fd = sys_fspick(dir);
	r = fd < 0 ? fd : sys_fsconfig(fd, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0);
	return r < 0 ? r : wire_send(to, &head, NULL, &fd, 1);
}

/* Return: the box's project, or a negative errno. */
static int pick_view(int pidfd, const char *project)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	_cleanup_wire_ struct wire_msg msg;
	int fds[2], r = sys_socketpair(SOCK_SEQPACKET, fds);
	siginfo_t ignored;
	pid_t pid;

	wire_msg_init(&msg);
	if (r < 0)
		return r;
	ours = fds[0];
	theirs = fds[1];
	pid = sys_fork();
	if (pid < 0)
		return pid;
	if (pid == 0)
		sys_exit(pick(pidfd, project, theirs) < 0);
	scope_close(&theirs);
	r = wire_recv(ours, &msg, 1);
	(void)sys_waitid(P_PID, (id_t)pid, &ignored, WEXITED);
	return r > 0 ? wire_take_fd(&msg, 0) : -ENOSYS;
}

/* A remount, of which nothing is another afterwards, has the kernel forget the names that
 * nobody uses: also those that were not there when the box asked for them. */
void monitor_review_renew(int pidfd, const char *project, int *view)
{
	if (*view < 0)
		*view = pick_view(pidfd, project);
	if (*view >= 0)
		(void)sys_fsconfig(*view, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0);
}
