/* Theory of operation
 *
 * The child starts as a copy of the monitor with every capability in a user namespace
 * that maps nobody yet, and walks a table of steps. Their order is the point of this file:
 *
 *  - what needs no ids comes before "go", by which time the monitor has written the id
 *    maps; nothing on disk does: files cannot be made as an id that is not mapped;
 *  - what needs the caller's identity (opening the store and the project) comes before
 *    the child takes on the ids of the box, and everything made on disk comes after;
 *  - the network is made by another process in the meantime (netassist.h) and entered when
 *    nothing but /sys is missing; its sockets go to the monitor in one message;
 *  - the box's own files in /etc are written before the project is mounted, which may be
 *    the host's /etc or a part of it;
 *  - proc and sysfs are mounted while the old root is still there, masks come last;
 *  - capabilities go after the last mount, then no_new_privs, then the filter, then init
 *    is executed from a file that the box can neither write nor replace.
 *
 * A step that fails sends one struct err up the socket and the process ends: there is no
 * way to a box that is weaker than asked for. */
#include "runtime/start/child.h"

#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "runtime/cause/cause.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/confine/abstract.h"
#include "runtime/confine/caps.h"
#include "runtime/confine/secfilter.h"
#include "runtime/mount/kernel.h"
#include "runtime/mount/mounts.h"
#include "runtime/mount/outside.h"
#include "runtime/mount/project.h"
#include "runtime/mount/root.h"
#include "runtime/mount/rootfiles.h"
#include "runtime/mount/volumes.h"
#include "runtime/net/netns.h"
#include "runtime/start/netassist.h"
#include "runtime/wire/wire.h"

enum { CHILD_INIT_SOCK = 3, CHILD_NET_SOCK = 4 };

/* All that the steps hand to each other. */
struct work {
	struct child *c;
	struct mount_root parts;
	struct netassist assist;
	struct mount_volumes volumes;
	enum probe_step kind; /* of the step that runs */
	int root;	      /* O_PATH of the new root; -1 before it is assembled */
	int max_userns;	      /* the file of that limit; negative = none */
	int net_fd;	      /* stays inside, for init; -1 = none */
	int git;	      /* the failure of a view of a git directory */
};

/* A signal from the monitor's death kills even pid 1; it is forgotten at each change of
 * ids and at exec. */
static int die_with_monitor(struct err *e)
{
	int r = sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);

	return r < 0 ? err_sys(e, r, "cannot tie the box to its monitor") : 0;
}

static int tie(struct work *w, struct err *e)
{
	scope_close(&w->c->monitor_sock);
	return die_with_monitor(e);
}

static int begin_assist(struct work *w, struct err *e)
{
	return netassist_begin(w->c->spec->net, &w->assist, e);
}

/* The end of the stream is the monitor's: one that died before tie() sends no signal. */
static int wait_for_go(struct work *w, struct err *e)
{
	int *const to[WIRE_GO_FDS] = { [WIRE_GO_PROJECT] = &w->c->project,
				       [WIRE_GO_IMAGE] = &w->parts.image,
				       [WIRE_GO_BOX] = &w->parts.box,
				       [WIRE_GO_LAYERS] = &w->parts.layers,
				       [WIRE_GO_DIFFS] = &w->parts.diffs };
	_cleanup_wire_ struct wire_msg m;
	const struct wire_go *go;
	unsigned n = 0;
	int r;

	wire_msg_init(&m);
	r = wire_recv(w->c->sock, &m, WIRE_GO_FDS);
	go = r > 0 ? wire_body(&m, sizeof(*go)) : NULL;
	if (!go || m.head.type != WIRE_GO)
		return err_set(e, -ECONNRESET, "the monitor has gone");
	for (unsigned i = 0; i < WIRE_GO_FDS; i++)
		*to[i] = go->there[i] ? wire_take_fd(&m, n++) : -1;
	return 0;
}

/* ---- as the caller, before the box's ids ------------------------------------------ */

static int private_mounts(struct work *, struct err *e)
{
	int r = sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);

	return r < 0 ? err_sys(e, r, "cannot make the mounts private") : 0;
}

/* Before the cgroup namespace, whose root then is the leaf. */
static int join_cgroup(struct work *w, struct err *e)
{
	return cgroup_join(w->c->cg, e);
}

static int own_cgroup_namespace(struct work *, struct err *e)
{
	int r = sys_unshare(CLONE_NEWCGROUP);

	/* A kernel without cgroup namespaces has no cgroup mount for the box either. */
	return r < 0 && r != -EINVAL ? err_sys(e, r, "cannot unshare cgroups") : 0;
}

/* Never through the path again once it is open: a read-only clone of the file's mount,
 * so that not even its owner can write what pid 1 runs (CVE-2019-5736). */
static int open_init(struct work *w, struct err *e)
{
	w->c->init = mounts_tree(AT_FDCWD, w->c->init_path, false,
				 MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, e);
	return w->c->init < 0 ? err_wrap(e, "init") : 0;
}

static int open_root_parts(struct work *w, struct err *e)
{
	return mount_root_open(w->c->spec, w->c->copy, &w->parts, e);
}

static int open_project(struct work *w, struct err *e)
{
	if (w->c->project >= 0)
		return 0;
	w->c->project = mounts_project(w->c->spec->project,
				       w->c->spec->project_mode == PROJECT_RO, e);
	return w->c->project < 0 ? w->c->project : 0;
}

/* In the root map the monitor opens them, and shows them with the box's ids. */
static int open_volumes(struct work *w, struct err *e)
{
	return idmap_traits(&w->c->spec->map)->apart
		       ? 0
		       : mount_volumes_open(w->c->spec, &w->volumes, e);
}

/* ---- as box root ------------------------------------------------------------------ */

static int become_box_root(struct work *w, struct err *e)
{
	int r = idmap_adopt(&w->c->spec->map, e);

	return r < 0 ? r : die_with_monitor(e);
}

/* Box and caller would share one session keyring otherwise. */
static int own_keyring(struct work *, struct err *e)
{
	enum { KEYCTL_JOIN_SESSION_KEYRING_ = 1 };
	long r = sys_keyctl(KEYCTL_JOIN_SESSION_KEYRING_, 0);

	if (r < 0 && r != -ENOSYS && r != -EPERM && r != -EDQUOT)
		return err_sys(e, (int)r, "cannot start a session keyring");
	return 0;
}

/* The facts are the body; the descriptors that are there follow in their order, and a
 * byte each says whether one is. */
static int network(struct work *w, struct err *e)
{
	_cleanup_netns_fds_ struct netns_fds n = NETNS_FDS_NONE;
	struct wire_net body = { 0 };
	struct wire_head head = { .type = WIRE_NET, .len = sizeof(body) };
	int fds[NETNS_FDS], r = netassist_network(&w->assist, &n, &w->kind, e);
	unsigned count = 0;

	if (r < 0)
		return r;
	if (w->c->spec->net != NET_HOST)
		netns_sysctls();
	body.facts = n.facts;
	body.git = w->git;
	for (unsigned i = 0; i < NETNS_FDS; i++) {
		body.there[i] = n.fd[i] >= 0;
		if (n.fd[i] >= 0)
			fds[count++] = n.fd[i];
	}
	r = wire_send(w->c->sock, &head, &body, fds, count);
	if (r < 0)
		return err_sys(e, r, "cannot hand the network to the monitor");
	w->net_fd = take(&n.init_fd, -1);
	return 0;
}

/* Attached to the stage, the clone goes with the host's tree. Attached nowhere, it would be
 * taken apart with its last descriptor, at the exec: another wait for every processor. */
static int place_init(const struct work *w, struct err *e)
{
	_cleanup_close_ int target =
		sys_openat(AT_FDCWD, "init", O_CREAT | O_EXCL | O_RDONLY, 0600);

	if (target < 0)
		return err_sys(e, target, "cannot make 'init' on the stage");
	return mounts_place(w->c->init, target, e);
}

static int assemble_root(struct work *w, struct err *e)
{
	w->root = mount_root_assemble(&w->parts, e);
	return w->root < 0 ? w->root : place_init(w, e);
}

static int kernel_mounts(struct work *w, struct err *e)
{
	struct mount_kernel_conf conf = {
		.tty_group = !idmap_traits(&w->c->spec->map)->single,
		.host_root = idmap_has_root(&w->c->spec->map),
		.memory = w->c->spec->limits.memory_bytes,
		.pids = cgroup_keeps_pids(w->c->cg) ? 0 : w->c->spec->limits.pids,
	};
	int r = mount_kernel(w->root, &conf, e);

	if (r < 0)
		return r;
	w->max_userns = mount_kernel_userns(w->root, e);
	return w->max_userns == -ENOENT ? 0 : MIN(w->max_userns, 0);
}

static int mount_sys(struct work *w, struct err *e)
{
	return mount_kernel_sys(w->root, w->c->spec->net != NET_HOST, e);
}

/* As many as the spec has that are not of the project, in its order. */
static void take_volumes(struct work *w, struct wire_msg *m, unsigned next)
{
	unsigned i = 0;

	if (!idmap_traits(&w->c->spec->map)->apart)
		return;
	json_each(it, w->c->spec->volumes)
	{
		const char *kind = json_get_str(it, "kind");

		if (i < SPEC_VOLUMES && kind && strcmp(kind, "project") != 0)
			w->volumes.tree[i] = wire_take_fd(m, next++);
		i++;
	}
}

/* The monitor looks for repositories while the root is made. */
static int project_mount(struct work *w, struct err *e)
{
	_cleanup_wire_ struct wire_msg m;
	struct mount_project_conf conf = {
		.path = w->c->spec->project,
		.tree = w->c->project,
		.review = w->c->spec->project_mode == PROJECT_REVIEW,
		.git = &m.body,
		.git_failed = &w->git,
	};
	_cleanup_close_ int outside = -1;
	unsigned next = 0;
	int r;

	wire_msg_init(&m);
	r = wire_recv(w->c->sock, &m, SPEC_VOLUMES + 1);
	if (r <= 0 || m.head.type != WIRE_GIT)
		return err_set(e, -ECONNRESET, "the monitor has gone");
	if (!idmap_traits(&w->c->spec->map)->apart)
		r = mount_outside_open(&m.body, &outside, e);
	else if (mount_outside_is(&m.body))
		outside = wire_take_fd(&m, next++);
	if (r >= 0)
		r = mount_outside(w->root, outside, &m.body, &w->git, e);
	if (r < 0)
		return r;
	r = mount_project(w->root, &conf, e);
	if (r < 0)
		return r;
	take_volumes(w, &m, next);
	return mount_volumes_place(w->root, w->c->project, w->c->spec, &w->volumes, e);
}

static int root_files(struct work *w, struct err *e)
{
	int r = sys_sethostname(ROOTFILES_HOSTNAME, sizeof(ROOTFILES_HOSTNAME) - 1);

	if (r < 0)
		return err_sys(e, r, "cannot set the host name");
	return rootfiles_write(w->root, w->c->spec->net, w->c->gitconfig, e);
}

static int masks(struct work *w, struct err *e)
{
	return mount_kernel_masks(w->root, idmap_has_root(&w->c->spec->map), e);
}

static int enter_root(struct work *w, struct err *e)
{
	int r = mount_root_enter(w->root, e);

	if (r < 0)
		return r;
	r = netassist_detach(&w->assist, w->root, e);
	if (r == -ENOSPC)
		w->kind = PROBE_STEP_CLONE; /* no more user namespaces */
	return r;
}

/* Nobody in the box may make user namespaces: most of the kernel's recent holes start
 * there. The filter refuses the calls as well; this is the second lock. */
static int limit_userns(struct work *w, struct err *e)
{
	return w->max_userns < 0 ? 0 : file_write_fd(w->max_userns, "0", 1, e);
}

/* ---- becoming init ---------------------------------------------------------------- */

static int drop(struct work *w, struct err *e)
{
	int r = cgroup_child_limits(&w->c->spec->limits, cgroup_keeps_pids(w->c->cg),
				    e);

	if (r < 0)
		return r;
	/* Where box root is the host's on the project's files, so are capabilities that it
	 * gives them. */
	r = caps_limit(
		CAPS_TRACE | (idmap_traits(&w->c->spec->map)->by_root ? 0 : CAPS_FILES),
		e);
	if (r < 0)
		return r;
	r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (r < 0)
		return err_sys(e, r, "cannot set no_new_privs");
	r = abstract_close(e);
	if (r < 0)
		return r;
	sys_umask(022);
	return secfilter_apply(SECFILTER_BOX, e);
}

static int exec_init(struct work *w, struct err *e)
{
	char name[] = "cubby-init", *argv[] = { name, NULL }, *env[] = { NULL };
	int r;

	/* Both numbers may be taken by what is about to be closed at exec. */
	w->c->init = sys_dup(w->c->init, 16);
	w->c->sock = sys_dup(w->c->sock, 16);
	if (w->net_fd >= 0)
		w->net_fd = sys_dup(w->net_fd, 16);
	if (w->c->init < 0 || w->c->sock < 0)
		return err_sys(e, -EMFILE, "cannot move descriptors");
	r = sys_dup2(w->c->sock, CHILD_INIT_SOCK);
	if (r >= 0 && w->net_fd >= 0)
		r = sys_dup2(w->net_fd, CHILD_NET_SOCK);
	else
		sys_close_range(CHILD_NET_SOCK, CHILD_NET_SOCK, 0);
	if (r >= 0)
		r = sys_execveat(w->c->init, "", argv, env, AT_EMPTY_PATH);
	return err_sys(e, r, "cannot execute init");
}

static const struct step {
	const char *what;
	int (*run)(struct work *w, struct err *e);
	enum probe_step kind; /* for the host side, which finds the cause behind it */
} steps[] = {
	{ "start", tie, PROBE_STEP_OTHER },
	{ "cgroup", join_cgroup, PROBE_STEP_OTHER },
	{ "assistant", begin_assist, PROBE_STEP_OTHER },
	{ "mounts", private_mounts, PROBE_STEP_MOUNT },
	{ "start", wait_for_go, PROBE_STEP_MAP },
	{ "cgroup namespace", own_cgroup_namespace, PROBE_STEP_OTHER },
	{ "init", open_init, PROBE_STEP_OTHER },
	{ "project directory", open_project, PROBE_STEP_MOUNT },
	{ "volumes", open_volumes, PROBE_STEP_OTHER },
	{ "image", open_root_parts, PROBE_STEP_MOUNT },
	{ "ids", become_box_root, PROBE_STEP_MAP },
	{ "keyring", own_keyring, PROBE_STEP_OTHER },
	{ "root", assemble_root, PROBE_STEP_OVERLAY },
	{ "kernel filesystems", kernel_mounts, PROBE_STEP_PROC },
	{ "files", root_files, PROBE_STEP_OTHER },
	{ "project directory", project_mount, PROBE_STEP_MOUNT },
	{ "network", network, PROBE_STEP_NET },
	{ "kernel filesystems", mount_sys, PROBE_STEP_PROC },
	{ "masks", masks, PROBE_STEP_OTHER },
	{ "root", enter_root, PROBE_STEP_MOUNT },
	{ "namespaces", limit_userns, PROBE_STEP_OTHER },
	{ "privileges", drop, PROBE_STEP_OTHER },
	{ "init", exec_init, PROBE_STEP_EXEC },
};

void child_main(struct child *c)
{
	struct work w = { .c = c,
			  .parts = MOUNT_ROOT_NONE,
			  .assist = NETASSIST_NONE,
			  .volumes = MOUNT_VOLUMES_NONE,
			  .root = -1,
			  .max_userns = -1,
			  .net_fd = -1 };
	struct wire_head head = { .type = WIRE_FAILED, .len = sizeof(struct err) };
	struct err e = ERR_NONE;

	c->project = c->init = -1;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		w.kind = steps[i].kind;
		if (steps[i].run(&w, &e) < 0)
			break; /* the last one returns only when it failed */
	}
	head.id = w.kind;
	wire_send(c->sock, &head, &e, NULL, 0);
	sys_exit(1);
}
