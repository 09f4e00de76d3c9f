/* Theory of operation
 *
 *   client ── exec "cubby __helper JOB MAP" ──▶ keeper ── clone ──▶ worker
 *
 * The client may have threads, so it executes the binary anew: the keeper. The keeper
 * clones the worker into new user, mount and network namespaces, writes its id maps,
 * says "go" and waits. The worker becomes box root, copies the one mount that it is to
 * work in, and enters an empty read-only root (emptyroot.h). From then on a library,
 * locale or program can come from nowhere, least of all from what it is unpacking. It
 * gives up what it does not need and does the job. Its result, a struct err and JSON
 * text, goes straight to the client; the keeper speaks only when the worker cannot. */
#include "runtime/worker/worker.h"

#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/archive/pack.h"
#include "rootfs/archive/untar.h"
#include "rootfs/image/crew.h"
#include "rootfs/image/snippets.h"
#include "rootfs/store/du.h"
#include "rootfs/store/tree.h"
#include "rootfs/store/tree_copy.h"
#include "runtime/confine/caps.h"
#include "runtime/confine/emptyroot.h"
#include "runtime/confine/secfilter.h"
#include "runtime/mount/mounts.h"
#include "runtime/worker/jobs.h"
#include "runtime/worker/unpack.h"

enum {
	WORKER_DIR = 3, /* the descriptor of the directory to work in */
	WORKER_RESULT = STDOUT_FILENO,
	WORKER_TEXT = 64 << 10,
	WORKER_NAMES =
		24 << 10, /* of what is not restored; escaped, it fits the text */
	WORKER_MEMORY = 1 << 30, /* bytes; the largest xz dictionary that is accepted */
	/* As many at once take no more; xz -9 needs 65 MiB, zstd --long 128. */
	WORKER_LAYER_MEMORY = WORKER_MEMORY / CREW_HANDS,
	WORKER_FILES = 256,
	WORKER_CPU = 3600 /* seconds */
};

/* ---- the jobs ----------------------------------------------------------------------- */

static bool valid_name(const char *name)
{
	return name && *name && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0;
}

/* Makes rootfs/ in the directory, or goes on in it. */
static int unpack_into(int dir, const struct unpack_conf *how, struct json **ret,
		       struct err *e)
{
	struct unpack_conf conf = *how;
	_cleanup_close_ int root = file_make_dir(dir, "rootfs", 0755, e);
	_cleanup_buf_ struct buf names = BUF_INIT(WORKER_NAMES);
	struct unpack_result result;
	int r;

	if (root < 0)
		return root;
	conf.in = STDIN_FILENO;
	conf.root = root;
	conf.limits = &untar_limits_default;
	conf.names = &names;
	r = unpack_run(&conf, &result, e);
	if (r < 0)
		return r;
	*ret = unpack_to_json(&result);
	if (!*ret || json_set_str(*ret, "dropped_names", buf_cstr(&names)) < 0 ||
	    json_set_int(*ret, "snippets", snippets_wanted(root)) < 0)
		return err_sys(e, -ENOMEM, "cannot report");
	return 0;
}

static int do_unpack(int dir, const char *, const struct idmap *map, struct json **ret,
		     struct err *e)
{
	struct unpack_conf conf = { .single = idmap_traits(map)->single };
	_cleanup_close_ int root = -1;
	int r = unpack_into(dir, &conf, ret, e);

	if (r < 0)
		return r;
	root = file_open_dir(dir, "rootfs", e);
	return root < 0 ? root : snippets_write(root, snippets_wanted(root), e);
}

/* One of several: by itself, or into the directory that those below it filled. */
static int do_layer(int dir, const char *arg, const struct idmap *map,
		    struct json **ret, struct err *e)
{
	static const struct {
		const char *name;
		enum extract_kind kind;
	} kinds[] = { { "flat", EXTRACT_WHOLE }, { "layer", EXTRACT_LAYER } };
	struct digest like;
	struct unpack_conf conf = { .single = idmap_traits(map)->single,
				    .like = &like };
	const char *space = strchrnul(arg ? arg : "", ' ');
	size_t i = 0;
	int r = digest_parse(*space ? space + 1 : "", &like, e);

	if (r < 0)
		return r;
	while (i < ARRAY_SIZE(kinds) &&
	       (strlen(kinds[i].name) != (size_t)(space - arg) ||
		!text_starts(arg, kinds[i].name)))
		i++;
	if (i == ARRAY_SIZE(kinds))
		return err_set(e, -EINVAL, "bad kind of layer");
	conf.kind = kinds[i].kind;
	return unpack_into(dir, &conf, ret, e);
}

typedef int copy_fn(int from, int parent, const char *name, struct tree_copied *ret,
		    struct err *e);

/* The directory, packed, goes to where a job writes more than a result. */
static int do_pack(int dir, const char *arg, const struct idmap *, struct json **,
		   struct err *e)
{
	return pack_run(&(struct pack_conf){ .root = dir,
					     .skip = arg,
					     .out = STDERR_FILENO,
					     .most = untar_limits_default.bytes },
			e);
}

/* Standard input is the directory whose content becomes @arg. */
static int copy_with(copy_fn *fn, int dir, const char *arg, struct json **ret,
		     struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	struct tree_copied copied;
	int r;

	if (!valid_name(arg))
		return err_set(e, -EINVAL, "bad name of a copy");
	r = fn(STDIN_FILENO, dir, arg, &copied, e);
	if (r < 0)
		return r;
	r = json_set_int(j, "entries", (int64_t)copied.entries)
		    ?: json_set_int(j, "bytes", (int64_t)copied.bytes);
	if (r < 0)
		return err_sys(e, r, "cannot report");
	*ret = take(&j, NULL);
	return 0;
}

/* Somebody's directory, who may be working in it. */
static int do_copytree(int dir, const char *arg, const struct idmap *,
		       struct json **ret, struct err *e)
{
	return copy_with(tree_copy_live, dir, arg, ret, e);
}

static int do_copylayer(int dir, const char *arg, const struct idmap *,
			struct json **ret, struct err *e)
{
	return copy_with(tree_copy_layer, dir, arg, ret, e);
}

static int do_rmtree(int dir, const char *arg, const struct idmap *, struct json **,
		     struct err *e)
{
	return valid_name(arg) ? tree_remove(dir, arg, e)
			       : err_set(e, -EINVAL, "bad name of a tree to remove");
}

/* How much of the disk @arg takes, the directory itself or a part of it. */
static int do_count(int dir, const char *arg, const struct idmap *, struct json **ret,
		    struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	struct du du;

	if (!valid_name(arg) && strcmp(arg ? arg : "", ".") != 0)
		return err_set(e, -EINVAL, "bad name of a tree to count");
	du = du_tree(dir, arg);
	if (du.partial)
		return err_set(e, -ELOOP,
			       "its directories are nested too deeply to be counted");
	if (!j ||
	    json_set_int(j, "bytes", (int64_t)MIN(du.bytes, (uint64_t)INT64_MAX)) < 0 ||
	    json_set_int(j, "names", (int64_t)du.names) < 0)
		return err_sys(e, -ENOMEM, "cannot report");
	*ret = take(&j, NULL);
	return 0;
}

/* @arg: which snippets; none = those whose program is there. */
static int do_dress(int dir, const char *arg, const struct idmap *, struct json **,
		    struct err *e)
{
	_cleanup_close_ int root = file_make_dir(dir, "rootfs", 0755, e);
	uint64_t which = 0;

	if (root < 0)
		return root;
	if (arg && num_range(arg, 0, UINT32_MAX, &which) < 0)
		return err_set(e, -EINVAL, "bad choice of files");
	return snippets_write(root, arg ? (unsigned)which : snippets_wanted(root), e);
}

static const struct job {
	const char *name;
	job_fn *run;
	enum {
		PLAIN,
		ARCHIVE, /* reads one, with a library from the host's tree */
		LAYER,	 /* and hashes it, with another */
		TWO,	 /* standard input is another directory of the same mount */
		KEEPER	 /* needs programs of the host: the keeper itself does it */
	} how;
} jobs[] = {
	{ "unpack", do_unpack, ARCHIVE },
	{ "pack", do_pack, PLAIN },
	{ "layer", do_layer, LAYER },
	{ "rmtree", do_rmtree, PLAIN },
	{ "copytree", do_copytree, PLAIN },
	{ "copylayer", do_copylayer, TWO },
	{ "dress", do_dress, PLAIN },
	{ "count", do_count, PLAIN },
	{ "keep", keep_job, TWO },
	{ "keepbox", keepbox_job, TWO },
	{ "between", between_job, PLAIN },
	{ "review", review_job, TWO },
	{ "review-git", reviewgit_job, KEEPER },
	{ "merge", merging_job, TWO },
};

static const struct job *find_job(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		if (!strcmp(jobs[i].name, name))
			return &jobs[i];
	return NULL;
}

/* ---- keeper and worker: their last words ---------------------------------------------- */

static int report(const struct err *failed, const struct json *result)
{
	_cleanup_buf_ struct buf out = BUF_INIT(WORKER_TEXT);
	int r;

	r = buf_add(&out, failed, sizeof(*failed)) ?:
		(result ? json_print(result, false, &out) : 0) ?:
		file_write_fd(WORKER_RESULT, out.data, out.len, ERR_IGNORED);
	return r < 0 || failed->code ? 1 : 0;
}

/* ---- the worker ----------------------------------------------------------------------- */

struct work {
	const struct job *job;
	const char *arg; /* NULL = none */
	struct idmap map;
	int go[2]; /* owned: socket pair, [0] the keeper's */
};

static void work_done(struct work *w)
{
	scope_close_set(w->go, 2);
}

/* @theirs: a pipe or a socket whose other end the keeper (of the keeper: the client) alone
 * has. Who ended before the tie was made sends no signal: it has let go of that end. */
static int die_with_keeper(int theirs, struct err *e)
{
	struct pollfd p = { .fd = theirs };
	int r = sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);

	if (r < 0)
		return err_sys(e, r, "cannot tie a helper to its keeper");
	if (sys_poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLHUP))
		return err_set(e, -ECONNRESET, "the keeper has gone");
	return 0;
}

static int wait_for_go(struct work *w, struct err *e)
{
	char go;
	int r;

	scope_close(&w->go[0]);
	r = die_with_keeper(w->go[1], e);
	if (r < 0)
		return r;
	if (sys_read(w->go[1], &go, 1) != 1)
		return err_set(e, -ECONNRESET, "the keeper has gone");
	return 0;
}

/* A detached copy of the mount has no way up: ".." of its root is itself. */
static int copy_mount(struct err *e)
{
	_cleanup_close_ int tree = -1;
	_cleanup_close_ int dir = -1;
	int r;

	tree = mounts_tree(AT_FDCWD, ".", false,
			   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, e);
	if (tree < 0)
		return tree;
	dir = sys_openat(tree, ".", O_RDONLY | O_DIRECTORY, 0);
	if (dir < 0)
		return err_sys(e, dir, "cannot open the directory to work in");
	r = sys_dup2(dir, WORKER_DIR);
	return r < 0 ? err_sys(e, r, "cannot keep the directory to work in") : 0;
}

static int confine(struct work *w, struct err *e)
{
	int r;

	r = sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	if (r < 0)
		return err_sys(e, r, "cannot make the mounts private");
	r = idmap_adopt(&w->map, e);
	if (r < 0)
		return r;
	r = die_with_keeper(w->go[1], e);
	if (r < 0)
		return r;
	/* Files go from one to the other by a rename, which no two mounts permit. */
	if (w->job->how != TWO)
		r = copy_mount(e);
	if (r < 0)
		return r;
	r = emptyroot_enter(e);
	if (r < 0)
		return r;
	scope_close(&w->go[1]);
	for (int fd = WORKER_DIR + 1; fd < WORKER_FILES; fd++)
		scope_close(&(int){ fd });
	return 0;
}

static rlim_t memory_of(int how)
{
#ifdef __SANITIZE_ADDRESS__ /* whose own memory is far larger */
	return RLIM_INFINITY;
#endif
	return how == LAYER ? WORKER_LAYER_MEMORY : WORKER_MEMORY;
}

static int set_limits(const struct job *job, struct err *e)
{
	const struct {
		int what;
		rlim_t max;
	} limits[] = {
		{ RLIMIT_DATA, memory_of(job->how) },
		{ RLIMIT_NOFILE, WORKER_FILES },
		{ RLIMIT_CPU, WORKER_CPU },
		{ RLIMIT_CORE, 1 }, /* nor a program that core_pattern names */
	};
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(limits) && r == 0; i++) {
		struct rlimit l;

		r = sys_getrlimit(limits[i].what, &l);
		l.rlim_max = MIN(l.rlim_max, limits[i].max);
		l.rlim_cur = l.rlim_max;
		if (r == 0)
			r = sys_setrlimit(limits[i].what, &l);
	}
	return r < 0 ? err_sys(e, r, "cannot limit a helper") : 0;
}

static int give_up_rights(const struct job *job, struct err *e)
{
	int r = set_limits(job, e);

	if (r < 0)
		return r;
	r = caps_limit(CAPS_FILES, e);
	if (r < 0)
		return r;
	r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (r < 0)
		return err_sys(e, r, "cannot give up new privileges");
	return secfilter_apply(SECFILTER_BOX, e);
}

static int work(struct work *w, struct json **ret, struct err *e)
{
	int r;

	r = wait_for_go(w, e) ?: confine(w, e) ?: give_up_rights(w->job, e);
	if (r < 0)
		return err_wrap(e, "helper '%s'", w->job->name);
	return w->job->run(WORKER_DIR, w->arg, &w->map, ret, e);
}

static _noreturn_ void confined_main(struct work *w)
{
	_cleanup_json_ struct json *result = NULL;
	struct err e = ERR_NONE;

	(void)work(w, &result, &e);
	sys_exit(report(&e, result));
}

/* ---- the keeper ----------------------------------------------------------------------- */

static int read_map(const char *text, struct idmap *ret, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	int r;

	r = json_parse(text, strlen(text), &j, e);
	return r < 0 ? r : idmap_from_json(j, ret, e);
}

static int prepare(struct work *w, int argc, char **argv, struct err *e)
{
	int r;

	if (argc < 3 || argc > 4 || !find_job(argv[1]))
		return err_set(e, -EINVAL, "__helper is for cubby's own use");
	w->job = find_job(argv[1]);
	w->arg = argc > 3 ? argv[3] : NULL;
	r = read_map(argv[2], &w->map, e);
	if (r < 0)
		return r;
	/* Everything that comes from a file comes before the root is empty. */
	r = w->job->how == ARCHIVE || w->job->how == LAYER ? untar_preload(e) : 0;
	if (r == 0 && w->job->how == LAYER)
		r = hash_preload(e);
	if (r < 0)
		return r;
	r = sys_fchdir(WORKER_DIR); /* of all descriptors only this moves along */
	if (r < 0)
		return err_sys(e, r, "cannot enter the directory to work in");
	r = sys_socketpair(SOCK_SEQPACKET, w->go);
	return r < 0 ? err_sys(e, r, "cannot make a socket pair") : 0;
}

static int start_confined(struct work *w, struct err *e)
{
	pid_t pid;
	int r;

	pid = sys_clone(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET, NULL);
	if (pid == 0)
		confined_main(w);
	if (pid < 0) {
		err_sys(e, pid, "cannot make a user namespace");
		return err_hint(e, "'cubby doctor' says why and what to do");
	}
	scope_close(&w->go[1]);
	r = idmap_write(&w->map, pid, e);
	if (r < 0)
		return r; /* the worker ends with us */
	r = (int)sys_send(w->go[0], "", 1, 0);
	return r < 0 ? err_sys(e, r, "cannot start a helper") : pid;
}

static int keep(struct work *w, struct err *e)
{
	siginfo_t si = { 0 };
	int pid, r;

	pid = start_confined(w, e);
	if (pid < 0)
		return pid;
	r = sys_waitid(P_PID, (id_t)pid, &si, WEXITED);
	if (r < 0)
		return err_sys(e, r, "cannot wait for a helper");
	if (si.si_code == CLD_EXITED)
		return 0; /* it has said what there is to say */
	return err_set(e, -EPIPE, "helper '%s' was killed by signal %d%s", w->job->name,
		       si.si_status,
		       si.si_status == SIGKILL ? "; it may have run out of memory"
					       : "");
}

int worker_main(int argc, char **argv)
{
	_cleanup_(work_done) struct work w = { .go = { -1, -1 } };
	struct err e = ERR_NONE;
	/* ^Z stops the client: a helper of a box that stands still goes on. */
	const struct sigaction on = { .sa_handler = SIG_IGN };
	int r = die_with_keeper(STDOUT_FILENO, &e)
			?: sys_sigaction(SIGTSTP, &on, NULL)
			?: prepare(&w, argc, argv, &e);

	/* In this process, that is with the client. */
	if (r == 0 && w.job->how == KEEPER) {
		(void)w.job->run(WORKER_DIR, w.arg, &w.map, NULL, &e);
		return report(&e, NULL);
	}
	if (r == 0)
		r = keep(&w, &e);
	return r < 0 ? report(&e, NULL) : 0;
}

/* ---- the client's side ---------------------------------------------------------------- */

static int start_process(const struct worker_job *job, const char *map, int result,
			 struct worker *h, struct err *e)
{
	char self[PATH_MAX];
	const char *argv[] = { self, "__helper", job->name, map, job->arg, NULL };
	struct proc_conf conf = { .argv = argv,
				  .fds = { job->in, result,
					   job->out > 0 ? job->out : -1 },
				  .pass_fd = job->dir,
				  .new_session = false };
	int r;

	r = proc_self(self, e);
	return r < 0 ? r : proc_start(&conf, &h->proc, e);
}

int worker_start(const struct worker_job *job, struct worker *ret, struct err *e)
{
	_cleanup_json_ struct json *map = idmap_to_json(job->map);
	_cleanup_buf_ struct buf text = BUF_INIT(WORKER_TEXT);
	_cleanup_worker_ struct worker h = WORKER_NONE;
	_cleanup_close_ int theirs = -1;
	int fds[2], r;

	r = map ? json_print(map, false, &text) : -ENOMEM;
	if (r >= 0)
		r = sys_pipe2(fds, 0);
	if (r < 0)
		return err_sys(e, r, "cannot start helper '%s'", job->name);
	h.result = fds[0];
	theirs = fds[1];
	r = start_process(job, buf_cstr(&text), theirs, &h, e);
	if (r < 0)
		return err_wrap(e, "cannot start helper '%s'", job->name);
	*ret = take(&h, WORKER_NONE);
	return 0;
}

/* The text comes from a process that hostile bytes went through. */
static int read_result(struct worker *h, struct json **ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(WORKER_TEXT);
	struct err failed;
	int r;

	r = file_read_fd(h->result, &text, e);
	if (r < 0)
		return err_wrap(e, "cannot read the result of a helper");
	if (text.len < sizeof(failed))
		return err_set(e, -EPIPE, "a helper ended without a result");
	memcpy(&failed, text.data, sizeof(failed));
	buf_consume(&text, sizeof(failed));
	if (failed.code < 0) {
		failed.msg[sizeof(failed.msg) - 1] = '\0';
		*e = failed;
		return e->code;
	}
	if (!ret)
		return 0;
	r = json_parse(buf_cstr(&text), text.len, ret, e);
	return r < 0 ? err_wrap(e, "cannot read the result of a helper") : 0;
}

int worker_wait(struct worker *h, int timeout_ms, struct json **ret, struct err *e)
{
	int status, r;

	r = proc_wait(&h->proc, timeout_ms, &status, e);
	return r < 0 ? r : read_result(h, ret, e);
}

int worker_run(const struct worker_job *job, struct json **ret, struct err *e)
{
	_cleanup_worker_ struct worker h = WORKER_NONE;
	int r = worker_start(job, &h, e);

	return r < 0 ? r : worker_wait(&h, -1, ret, e);
}

void worker_done(struct worker *h)
{
	proc_done(&h->proc);
	scope_close(&h->result);
	*h = WORKER_NONE;
}

int worker_own(const struct idmap *map, int dir, struct err *e)
{
	uint32_t uid, gid;
	int r;

	r = idmap_host_uid(map, 0, &uid) ?: idmap_host_gid(map, 0, &gid);
	if (r == 0 && idmap_traits(map)->apart)
		r = sys_fchown(dir, uid, gid);
	return r < 0 ? err_sys(e, r, "cannot give a directory to box root") : 0;
}

int worker_rmtree(void *map, int parent, const char *name, struct err *e)
{
	const struct idmap *m = map;

	/* Under all other maps the caller either owns everything or may do everything. */
	if (!idmap_traits(m)->delegated)
		return tree_remove(parent, name, e);
	return worker_run(&(struct worker_job){ .name = "rmtree",
						.arg = name,
						.map = m,
						.dir = parent,
						.in = -1 },
			  NULL, e);
}
