#include "runtime/start/start.h"

#include <string.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/sys/sys.h"
#include "runtime/cause/cause.h"
#include "runtime/idmap/lease.h"
#include "runtime/idmap/mount.h"
#include "runtime/idmap/range.h"
#include "runtime/mount/mounts.h"
#include "runtime/mount/outside.h"
#include "runtime/mount/project.h"
#include "runtime/mount/root.h"
#include "runtime/mount/volumes.h"
#include "runtime/start/child.h"
#include "runtime/wire/wire.h"

/* What one attempt needs; the child gets a copy of it by being a copy of this process. */
struct attempt {
	const struct start_conf *conf;
	struct running *run;
	char init_path[PATH_MAX];
	int child_sock;		  /* owned */
	uint32_t base;		  /* of the box's ids on the host; root map alone */
	struct mount_root layers; /* owned: shown with those ids; empty: as they are */
	const struct err
		*shared; /* borrowed: why it cannot have its own; NULL = it may */
	bool copy;
	bool no_layers; /* it failed because they cannot be shown with other ids */
};

static void attempt_done(struct attempt *a)
{
	mount_root_close(&a->layers);
	scope_close(&a->child_sock);
}

void start_kill(const struct running *r)
{
	if (r->init > 0)
		sys_kill(r->init, SIGKILL);
}

void start_done(struct running *r)
{
	siginfo_t si;

	start_kill(r);
	scope_close(&r->sock);
	if (r->init > 0)
		sys_waitid(P_PID, (id_t)r->init, &si, WEXITED);
	scope_close(&r->pidfd);
	scope_close(&r->lease);
	scope_close_set(r->watch, MEMWATCH_FDS);
	cgroup_destroy(&r->cg);
	scope_close_set(r->net, NETNS_FDS);
	buf_done(&r->why);
	*r = RUNNING_NONE;
}

/* ---- before the clone ---------------------------------------------------------------- */

/* Beside this binary in a build, below libexec when installed. */
static int find_init(char ret[PATH_MAX], struct err *e)
{
	static const char *const places[] = { "cubby-init",
					      "../libexec/cubby/cubby-init" };
	char self[PATH_MAX], *slash;
	struct stat st;
	int r = proc_self(self, e);

	if (r < 0)
		return r;
	/* Where it lay is not known any more (base/proc.h), and what lies there now is for
	 * another monitor than ours. */
	if (strcmp(self, "/proc/self/exe") == 0) {
		err_set(e, -ESTALE, "another cubby was installed while this one runs");
		return err_hint(e, "end it and start it again");
	}
	slash = strrchr(self, '/');
	slash[1] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (snprintf(ret, PATH_MAX, "%s%s", self, places[i]) >= PATH_MAX)
			continue;
		if (sys_fstatat(AT_FDCWD, ret, &st, 0) == 0 && S_ISREG(st.st_mode))
			return 0;
	}
	err_set(e, -ENOENT,
		"cubby-init is missing beside '%scubby' and in ../libexec/cubby", self);
	return err_hint(e, "install cubby again");
}

static int own_layer(int boxdir, const char *name, uint32_t uid, uint32_t gid)
{
	struct stat st;
	int r = sys_fstatat(boxdir, name, &st, AT_SYMLINK_NOFOLLOW);

	if (r == -ENOENT) /* a box has either the first two or the last */
		return 0;
	if (r < 0 || (st.st_uid == uid && st.st_gid == gid))
		return r;
	return sys_fchownat(boxdir, name, uid, gid, AT_SYMLINK_NOFOLLOW);
}

/* Others than its owner may pass through. */
static int open_boxdir(int boxdir)
{
	struct stat st;
	int r = sys_fstat(boxdir, &st);

	return r < 0 || (st.st_mode & 07777) == 0711 ? r : sys_fchmod(boxdir, 0711);
}

/* Upper and work belong to box root, who in the root map is not the caller: the box's
 * directory is then passable for it, though not readable. The store around it is 0700. */
static int own_layers(const struct start_conf *conf, struct err *e)
{
	static const char *const layers[] = { "upper", "work", "copy" };
	uint32_t uid, gid;
	int r = idmap_host_uid(&conf->spec->map, 0, &uid)
			?: idmap_host_gid(&conf->spec->map, 0, &gid);

	if (r == 0 && uid != sys_geteuid())
		r = open_boxdir(conf->boxdir);
	for (size_t i = 0; i < ARRAY_SIZE(layers) && r == 0; i++)
		r = own_layer(conf->boxdir, layers[i], uid, gid);
	return r < 0 ? err_sys(e, r, "cannot give the box its directories") : 0;
}

static int make_stage(const struct spec *spec, struct err *e)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s/stage", spec->store);
	return file_mkdirs(AT_FDCWD, path, 0700, e);
}

static int prepare(struct attempt *a, struct err *e)
{
	const struct start_conf *conf = a->conf;
	char leaf[32];
	int r;

	if (idmap_outdated(&conf->spec->map)) {
		err_set(e, -EPERM,
			"this box was made by an older cubby: its users are accounts "
			"of this machine");
		return err_hint(e, "'cubby commit NAME' keeps what is in it as an "
				   "image; then 'cubby rm'");
	}
	r = find_init(a->init_path, e);
	if (r < 0)
		return r;
	r = own_layers(conf, e);
	if (r < 0)
		return r;
	r = make_stage(conf->spec, e);
	if (r < 0)
		return r;
	r = mount_volumes_make(conf->spec, e);
	if (r < 0)
		return r;
	snprintf(leaf, sizeof(leaf), "cubby-%.12s", conf->spec->key);
	return cgroup_create(leaf, &conf->spec->limits, &a->run->cg, &a->run->why, e);
}

/* ---- ids of its own --------------------------------------------------------------------- */

static int say_shared(struct attempt *a, const struct err *why, struct err *e)
{
	return buf_addf(&a->run->why,
			"%s: the ids of this box are those of other boxes, too\n",
			why->msg) < 0
		       ? err_sys(e, -ENOMEM, "cannot note a range of ids")
		       : 0;
}

/* The kernel counts descriptors in flight, watches and pipes by user: a box of root has
 * users of its own. Where that cannot be, all have the range that is on disk. */
static int own_range(struct attempt *a, struct err *e)
{
	struct err why = ERR_NONE;
	int r;

	if (!idmap_traits(&a->conf->spec->map)->apart)
		return 0;
	if (a->shared)
		return say_shared(a, a->shared, e);
	r = idmap_lease_overlay()
		    ? idmap_lease_take(a->conf->spec->key, &a->base, &why)
		    : err_set(&why, -ENOSYS,
			      "before Linux 5.19 layers keep the ids on disk");
	if (r < 0)
		return say_shared(a, &why, e);
	a->run->lease = r;
	return 0;
}

/* ---- the clone ------------------------------------------------------------------------ */

/* The network's comes later: it takes the longest, and the child has it made while it
 * mounts (netassist.h). */
enum {
	START_NAMESPACES =
		CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS
};

/* Straight into the v2 leaf, so that nothing is ever allocated outside it; else the old
 * calls. @into: the child was born in its leaf. The cgroup namespace is
 * the child's to make, once it has joined its v1 leaves too. */
static pid_t clone_child(struct attempt *a, bool *into)
{
	int leaf = cgroup_clone_fd(a->run->cg);
	struct clone_args args = {
		.flags = START_NAMESPACES | CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)&a->run->pidfd,
		.exit_signal = SIGCHLD,
	};
	pid_t pid = -ENOSYS;

	*into = leaf >= 0;
	if (*into) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)leaf;
		pid = sys_clone3(&args);
	}
	if (pid < 0) {
		*into = false;
		args.flags &= ~(uint64_t)CLONE_INTO_CGROUP;
		args.cgroup = 0;
		pid = sys_clone3(&args);
	}
	if (pid == -ENOSYS || pid == -EPERM)
		pid = sys_clone(START_NAMESPACES, &a->run->pidfd);
	return pid;
}

static void be_child(struct attempt *a)
{
	struct child c = {
		.spec = a->conf->spec,
		.sock = a->child_sock,
		.monitor_sock = a->run->sock,
		.copy = a->copy,
		.cg = a->run->cg,
		.init_path = a->init_path,
		.gitconfig = a->conf->gitconfig ?: "",
	};

	child_main(&c);
}

static int make_child(struct attempt *a, struct err *e)
{
	int pair[2], r = sys_socketpair(SOCK_SEQPACKET, pair);
	struct idmap map;
	bool into;

	if (r < 0)
		return err_sys(e, r, "cannot make a socket pair");
	a->run->sock = pair[0];
	a->child_sock = pair[1];
	a->run->init = clone_child(a, &into);
	if (a->run->init == 0)
		be_child(a);
	if (a->run->init < 0) {
		r = (int)take(&a->run->init, -1);
		err_sys(e, r, "cannot create namespaces");
		return cause_explain(PROBE_STEP_CLONE, e);
	}
	scope_close(&a->child_sock);
	idmap_range_box(&a->conf->spec->map, a->base, &map);
	r = idmap_write(&map, a->run->init, e);
	if (r < 0)
		return cause_explain(PROBE_STEP_MAP, e);
	if (!into)
		r = cgroup_enter(a->run->cg, a->run->init, e);
	return r;
}

/* ---- go ------------------------------------------------------------------------------- */

/* With the root map the box's ids are nobody's on the host: the project is shown through
 * a mount that maps its owners. Made while the child is at its first steps. */
static int map_project(const struct attempt *a, struct idmap_mount_holder *h,
		       struct err *e)
{
	_cleanup_close_ int tree = -1, userns = -1;
	struct idmap map;
	int r;

	idmap_range_project(&a->conf->spec->map, a->conf->spec->owner, a->base, &map);
	tree = mounts_project(a->conf->spec->project,
			      a->conf->spec->project_mode == PROJECT_RO, e);
	if (tree < 0)
		return tree;
	userns = idmap_mount_namespace(&map, h, e);
	r = userns < 0 ? userns : idmap_mount_apply(tree, userns, e);
	if (r == -EINVAL) /* the directory's own filesystem can: that was tried */
		err_hint(e,
			 "unmount what lies in it (a tmpfs can from Linux 6.3 on), "
			 "or let 'cubby rm' remove this box: a new one does without");
	if (r < 0)
		return err_wrap(e, "project directory");
	return take(&tree, -1);
}

/* Made while the child is at its first steps and its network is made. */
static int map_layers(struct attempt *a, struct idmap_mount_holder *h, struct err *e)
{
	_cleanup_mount_root_ struct mount_root m = MOUNT_ROOT_NONE;
	_cleanup_close_ int userns = -1;
	struct idmap map;
	int r = mount_root_layers(a->conf->spec, &m, e);

	if (r < 0)
		return r;
	idmap_range_layers(&a->conf->spec->map, a->base, &map);
	userns = idmap_mount_namespace(&map, h, e);
	r = userns < 0 ? userns : idmap_mount_apply(m.image, userns, e);
	if (r < 0)
		return r;
	r = idmap_mount_apply(m.box, userns, e);
	if (r < 0)
		return r;
	if (m.layers >= 0)
		r = idmap_mount_apply(m.layers, userns, e);
	if (r < 0)
		return r;
	if (m.diffs >= 0)
		r = idmap_mount_apply(m.diffs, userns, e);
	if (r < 0)
		return r;
	a->layers = take(&m, MOUNT_ROOT_NONE);
	return 0;
}

/* Root map: those of the host as the project is shown, those of the store as layers. */
static int map_volumes(const struct attempt *a, struct mount_volumes *v, struct err *e)
{
	_cleanup_holder_ struct idmap_mount_holder of_host, of_store;
	_cleanup_close_ int host = -1, store = -1;
	struct idmap map;
	unsigned i = 0;
	int r;

	of_host.pid = of_store.pid = 0;
	r = mount_volumes_open(a->conf->spec, v, e);

	if (r < 0 || !json_len(a->conf->spec->volumes))
		return r;
	idmap_range_project(&a->conf->spec->map, a->conf->spec->owner, a->base, &map);
	host = idmap_mount_namespace(&map, &of_host, e);
	idmap_range_layers(&a->conf->spec->map, a->base, &map);
	store = host < 0 ? host : idmap_mount_namespace(&map, &of_store, e);
	r = MIN(store, 0);
	json_each(it, a->conf->spec->volumes)
	{
		bool kept = json_get(it, "name") != NULL;
		int tree = i < SPEC_VOLUMES ? v->tree[i++] : -1;

		if (r == 0 && tree >= 0 && (!kept || a->run->lease >= 0))
			r = idmap_mount_apply(tree, kept ? store : host, e);
	}
	return r < 0 ? err_wrap(e, "volumes") : 0;
}

/* To a child that has failed already nothing can be said; expect() hears why. */
static bool is_gone(int r)
{
	return r == -EPIPE || r == -ECONNRESET;
}

/* That both have ended is waited for when the child goes on. */
static int say_go(struct attempt *a, struct err *e)
{
	_cleanup_holder_ struct idmap_mount_holder of_project, of_layers;
	struct wire_go body = { .there = { 0 } };
	struct wire_head head = { .type = WIRE_GO, .len = sizeof(body) };
	_cleanup_close_ int project = -1;
	int fds[WIRE_GO_FDS], r;
	unsigned n = 0;

	of_project.pid = of_layers.pid = 0;
	if (idmap_traits(&a->conf->spec->map)->apart) {
		project = map_project(a, &of_project, e);
		if (project < 0)
			return project;
	}
	if (a->run->lease >= 0) {
		r = map_layers(a, &of_layers, e);
		a->no_layers = r < 0;
		if (r < 0)
			return r;
	}
	const int all[WIRE_GO_FDS] = { [WIRE_GO_PROJECT] = project,
				       [WIRE_GO_IMAGE] = a->layers.image,
				       [WIRE_GO_BOX] = a->layers.box,
				       [WIRE_GO_LAYERS] = a->layers.layers,
				       [WIRE_GO_DIFFS] = a->layers.diffs };
	for (unsigned i = 0; i < WIRE_GO_FDS; i++) {
		body.there[i] = all[i] >= 0;
		if (all[i] >= 0)
			fds[n++] = all[i];
	}
	r = wire_send(a->run->sock, &head, &body, fds, n);
	return r < 0 && !is_gone(r) ? err_sys(e, r, "cannot start the child") : 0;
}

/* Root map: as the project is shown. */
static int map_outside(const struct attempt *a, const struct buf *git, int *ret,
		       struct err *e)
{
	_cleanup_holder_ struct idmap_mount_holder h;
	_cleanup_close_ int userns = -1, tree = -1;
	struct idmap map;
	int r;

	h.pid = 0;
	r = mount_outside_open(git, &tree, e);
	if (r < 0 || tree < 0)
		return r;
	idmap_range_project(&a->conf->spec->map, a->conf->spec->owner, a->base, &map);
	userns = idmap_mount_namespace(&map, &h, e);
	r = userns < 0 ? userns : idmap_mount_apply(tree, userns, e);
	if (r < 0)
		return err_wrap(e, "the project's repository");
	*ret = take(&tree, -1);
	return 0;
}

static int say_git(struct attempt *a, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(WIRE_BODY);
	_cleanup_mount_volumes_ struct mount_volumes v = MOUNT_VOLUMES_NONE;
	_cleanup_close_ int outside = -1;
	struct wire_head head = { .type = WIRE_GIT };
	const struct start_conf *conf = a->conf;
	int fds[SPEC_VOLUMES + 1];
	int r = conf->git ? conf->git(conf->meanwhile_ctx, &text, e) : 0;
	unsigned n = 0;

	if (r == 0 && idmap_traits(&conf->spec->map)->apart)
		r = map_outside(a, &text, &outside, e) ?: map_volumes(a, &v, e);
	if (r < 0)
		return r;
	if (outside >= 0)
		fds[n++] = outside;
	for (unsigned i = 0; i < SPEC_VOLUMES; i++)
		if (v.tree[i] >= 0)
			fds[n++] = v.tree[i];
	head.len = (uint32_t)text.len;
	r = wire_send(a->run->sock, &head, text.data, fds, n);
	return r < 0 && !is_gone(r) ? err_sys(e, r, "cannot start the child") : 0;
}

static int say_setup(struct attempt *a, struct err *e)
{
	_cleanup_free_ struct wire_setup *s = calloc(1, sizeof(*s));
	struct wire_head head = { .type = WIRE_SETUP, .len = sizeof(*s) };
	int r;

	if (!s)
		return err_sys(e, -ENOMEM, "cannot set init up");
	s->single = idmap_traits(&a->conf->spec->map)->single;
	s->root = idmap_traits(&a->conf->spec->map)->by_root;
	s->review = a->conf->spec->project_mode == PROJECT_REVIEW;
	memcpy(s->project, a->conf->spec->project, sizeof(s->project));
	r = wire_send(a->run->sock, &head, s, NULL, 0);
	return r < 0 && !is_gone(r) ? err_sys(e, r, "cannot set init up") : 0;
}

/* ---- the answers ---------------------------------------------------------------------- */

static int child_failed(const struct wire_msg *m, struct err *e)
{
	const struct err *said = wire_body(m, sizeof(*said));

	if (!said || said->code >= 0)
		return err_set(e, -EBADMSG, "the child sent a malformed failure");
	*e = *said;
	e->msg[sizeof(e->msg) - 1] = '\0';
	/* No overlay: not the end, see start_box(); none on the project: see its caller. */
	if (e->code == -EMEDIUMTYPE || e->code == MOUNT_PROJECT_NO_VIEW)
		return e->code;
	return cause_explain(m->head.id, e);
}

/* One message of the wanted type, before @deadline (monotonic ms). */
static int expect(struct attempt *a, uint32_t type, uint64_t deadline,
		  struct wire_msg *m, struct err *e)
{
	struct pollfd p = { .fd = a->run->sock, .events = POLLIN };
	uint64_t now = sys_now_ms();
	int r = sys_poll(&p, 1, now < deadline ? (int)(deadline - now) : 0);

	if (r == 0)
		return err_set(e, -ETIMEDOUT, "the box did not start in time");
	if (r > 0)
		r = wire_recv(a->run->sock, m, WIRE_FDS);
	if (r == 0)
		return err_set(e, -ECONNRESET, "the child died while it started");
	if (r < 0)
		return err_sys(e, r, "cannot hear from the child");
	if (m->head.type == WIRE_FAILED)
		return child_failed(m, e);
	if (m->head.type != type)
		return err_set(e, -EBADMSG, "unexpected message from the child");
	return 0;
}

static int take_net(struct attempt *a, struct wire_msg *m, struct err *e)
{
	const struct wire_net *n = wire_body(m, sizeof(*n));
	unsigned next = 0;

	if (!n)
		return err_set(e, -EBADMSG, "malformed network from the child");
	a->run->facts = n->facts;
	a->run->git = n->git;
	for (unsigned i = 0; i < NETNS_FDS; i++)
		if (n->there[i])
			a->run->net[i] = wire_take_fd(m, next++);
	return 0;
}

static int take_ready(struct attempt *a, struct wire_msg *m, struct err *e)
{
	const struct wire_inside *in = wire_body(m, sizeof(*in));

	if (!in)
		return err_set(e, -EBADMSG, "malformed answer of init");
	for (unsigned i = 0; i < MEMWATCH_FDS; i++)
		a->run->watch[i] = wire_take_fd(m, i);
	if (in->no_setid &&
	    buf_adds(&a->run->why,
		     "another program listens to the system calls of this host's "
		     "programs (seccomp): set-id bits are refused in the box\n") < 0)
		return err_sys(e, -ENOMEM, "cannot note what is refused");
	return 0;
}

static int try_once(struct attempt *a, struct err *e)
{
	uint64_t limit = a->copy ? START_COPY_MS : START_DEADLINE_MS;
	uint64_t deadline = sys_now_ms() + limit;
	_cleanup_wire_ struct wire_msg m;
	int r = prepare(a, e);

	wire_msg_init(&m);
	if (r < 0)
		return r;
	r = own_range(a, e);
	if (r < 0)
		return r;
	r = make_child(a, e);
	if (r < 0)
		return r;
	r = say_go(a, e);
	if (r < 0)
		return r;
	r = say_git(a, e);
	if (r < 0)
		return r;
	r = say_setup(a, e);
	if (r < 0)
		return r;
	if (a->conf->meanwhile)
		r = a->conf->meanwhile(a->conf->meanwhile_ctx, a->run->sock, e);
	if (r < 0)
		return r;
	r = expect(a, WIRE_NET, deadline, &m, e);
	if (r < 0)
		return r;
	r = take_net(a, &m, e);
	if (r < 0)
		return r;
	r = expect(a, WIRE_READY, deadline, &m, e);
	return r < 0 ? r : take_ready(a, &m, e);
}

/* Once a box has a copy of the image it stays with it: its state is in there. */
static bool has_copy(const struct start_conf *conf)
{
	struct stat st;

	return sys_fstatat(conf->boxdir, "copy", &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int prepare_copy(const struct start_conf *conf, struct err *e)
{
	int r = sys_mkdirat(conf->boxdir, "copy", 0755);

	return r < 0 && r != -EEXIST
		       ? err_sys(e, r, "cannot make '%s/copy'", conf->spec->key)
		       : 0;
}

/* A limit that is not kept to the byte is said to be so. */
static int say_disk(const struct start_conf *conf, struct running *run, struct err *e)
{
	if (!conf->spec->limits.disk_bytes)
		return 0;
	return buf_adds(&run->why,
			"the disk limit is counted, not kept by the "
			"filesystem: the box is ended when it is beyond\n") < 0
		       ? err_sys(e, -ENOMEM, "cannot note a limit")
		       : 0;
}

static int attempt(const struct start_conf *conf, bool copy, const struct err *shared,
		   struct running *ret, struct err *e)
{
	_cleanup_(start_done) struct running run = RUNNING_NONE;
	_cleanup_(attempt_done) struct attempt a = {
		.conf = conf,
		.run = &run,
		.child_sock = -1,
		.layers = MOUNT_ROOT_NONE,
		.base = conf->spec->map.uid[0].outside,
		.shared = shared,
		.copy = copy,
	};
	int r = try_once(&a, e) ?: say_disk(conf, &run, e);

	if (r < 0)
		return a.no_layers ? -EREMCHG : r;
	run.copy = copy;
	run.base = a.base;
	*ret = take(&run, RUNNING_NONE);
	return 0;
}

/* Whether the layers can be shown with other ids is only known when they are. */
static int attempt_ids(const struct start_conf *conf, bool copy, struct running *ret,
		       struct err *e)
{
	int r = attempt(conf, copy, NULL, ret, e);
	struct err why = *e;

	if (r != -EREMCHG)
		return r;
	*e = ERR_NONE;
	return attempt(conf, copy, &why, ret, e);
}

int start_box(const struct start_conf *conf, struct running *ret, struct err *e)
{
	bool copy = has_copy(conf);
	struct err why = ERR_NONE;
	int r = attempt_ids(conf, copy, ret, e);

	if (r != -EMEDIUMTYPE)
		return r;
	why = *e;
	if (conf->note) {
		char line[sizeof(why.msg) + 64];

		snprintf(line, sizeof(line),
			 "%s: this box gets a copy of the image (once)", why.msg);
		conf->note(conf->note_ctx, line);
	}
	r = prepare_copy(conf, e);
	if (r < 0)
		return r;
	r = attempt_ids(conf, true, ret, e);
	if (r < 0)
		return r;
	return buf_addf(&ret->why, "%s: using a copy of the image\n", why.msg);
}
