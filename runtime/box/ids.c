#include "runtime/box/ids.h"

#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/mount/mounts.h"

/* A process whose user namespace has the map; it waits for the end of @sock. */
static pid_t hold_namespace(int sock[2])
{
	pid_t pid = sys_clone(CLONE_NEWUSER, NULL);
	char c;

	if (pid == 0) {
		scope_close(&sock[0]);
		sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		sys_read(sock[1], &c, 1);
		sys_exit(0);
	}
	return pid;
}

static int map_tree(pid_t holder, const char *dir, struct err *e)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_IDMAP };
	_cleanup_close_ int tree = -1, ns = -1;
	char path[64];
	int r;

	tree = mounts_tree(AT_FDCWD, dir, true, 0, e);
	if (tree < 0)
		return tree;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)holder);
	ns = sys_open(path, O_RDONLY);
	if (ns < 0)
		return err_sys(e, ns, "cannot open a user namespace");
	attr.userns_fd = (uint64_t)ns;
	r = sys_mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr);
	return r < 0 ? err_sys(e, r, "cannot map ids") : 0;
}

static int try_map(const struct idmap *m, const char *dir, struct err *e)
{
	int sock[2], r = sys_socketpair(SOCK_SEQPACKET, sock);
	siginfo_t si;
	pid_t holder;

	if (r < 0)
		return err_sys(e, r, "cannot make a socket pair");
	holder = hold_namespace(sock);
	r = holder < 0 ? err_sys(e, holder, "cannot make a user namespace")
		       : idmap_write(m, holder, e);
	if (r == 0)
		r = map_tree(holder, dir, e);
	scope_close(&sock[0]);
	scope_close(&sock[1]);
	if (holder > 0)
		sys_waitid(P_PID, (id_t)holder, &si, WEXITED);
	return r;
}

int box_ids_choose(const char *dir, struct idmap *ret, struct buf *why, struct err *e)
{
	static const enum idmap_kind identity = IDMAP_IDENTITY;
	struct err no = ERR_NONE;
	struct idmap m;
	char shown[128];
	int r = idmap_choose(NULL, &m, why, e);

	if (r < 0)
		return r;
	if (m.kind == IDMAP_ROOT && try_map(&m, dir, &no) < 0) {
		r = buf_addf(why,
			     "the filesystem of '%s' cannot be shown with other ids "
			     "(%s): ids in the box are the host's own\n",
			     text_escaped(shown, sizeof(shown), dir, strlen(dir)),
			     no.msg);
		if (r == 0)
			r = idmap_choose(&identity, &m, why, e);
		if (r < 0)
			return e->code ? e->code : err_sys(e, r, "cannot choose ids");
	}
	*ret = m;
	return 0;
}
