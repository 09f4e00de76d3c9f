/* A new box begins with the kept results of as many steps as there are; after each further
 * step it is stopped, what the step made becomes a layer, and that is kept under a key which
 * says all that the step could see (setup_plan.h). A step that changes the project, or that
 * leaves a process, has a result that is no layer: from there on steps run as they do in a
 * box that was used before, one after the other and for this box alone. */
#include "cli/project/setup.h"

#include <string.h>

#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/config.h"
#include "cli/project/file.h"
#include "cli/project/setup_plan.h"
#include "cli/show/render.h"
#include "cli/store/boxend.h"
#include "cli/store/boxsetup.h"
#include "rootfs/git/upper.h"
#include "rootfs/store/snapshot.h"
#include "rootfs/store/stepcache.h"
#include "runtime/idmap/idmap.h"
#include "runtime/worker/worker.h"

#define SETUP_LOG "/var/log/cubby-setup.log"

enum { NOT_FOUND = 127 }; /* a command, says sh(1) */
enum { TAIL_MAX = 16 << 10, BASE_MAX = 256 << 10 };

/* ---- what is wanted, and what was done ---------------------------------------------------- */

static void read_named(void *ctx, const char *path, struct buf *to)
{
	const char *project = ctx;
	_cleanup_buf_ struct buf text = BUF_INIT(SETUP_READ_MAX);
	struct err none = ERR_NONE;

	if (project_file_read(project, path, &text, &none) == 0 &&
	    buf_addf(to, "%zu:", text.len) == 0)
		(void)buf_add(to, text.data, text.len);
}

/* All that a step sees but the project, and what it may reach. */
static int describe_base(const struct spec *s, char ret[HASH_HEX], struct err *e)
{
	_cleanup_json_ struct json *map = idmap_to_json(&s->map);
	const struct json *const parts[] = { map, s->rules, s->volumes };
	_cleanup_buf_ struct buf b = BUF_INIT(BASE_MAX);
	int r;

	(void)buf_addf(&b, "1\n%s\n%d\n", s->image, (int)s->net);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i])
			(void)json_print(parts[i], false, &b);
		(void)buf_addc(&b, '\n');
	}
	r = map ? buf_failed(&b) : -ENOMEM;
	if (r < 0)
		return err_sys(e, r, "cannot describe the box");
	hash_text(b.data, b.len, ret);
	return 0;
}

static int plan(const struct boxsetup *s, struct setup_plan *ret, struct err *e)
{
	char box[HASH_HEX], place[BOXMARK_ID + PATH_MAX];
	const struct setup_base base = { .box = box,
					 .project = place,
					 .read = read_named,
					 .ctx = (void *)(uintptr_t)s->spec.project };
	int r = describe_base(&s->spec, box, e);

	/* Of all boxes of the directory: what comes after '=' is the name of one. */
	snprintf(place, sizeof(place), "%.*s %s", (int)strcspn(s->place.id, "="),
		 s->place.id, s->spec.project);
	return r < 0 ? r : setup_plan_make(s->app->config->project, &base, ret, e);
}

/* How many of the first steps were done; all = nothing is to do. */
static size_t count_done(const struct setup_plan *p, const struct json *record)
{
	const struct json *done = json_get(record, "setup");
	size_t n = 0;

	json_each(it, done)
	{
		if (n == p->n || !json_str(it) ||
		    strcmp(json_str(it), p->v[n].text) != 0)
			break;
		n++;
	}
	return n;
}

bool project_setup_needed(const struct boxsetup *s)
{
	_cleanup_setup_plan_ struct setup_plan p = SETUP_PLAN_NONE;
	_cleanup_json_ struct json *record = NULL;
	struct err none = ERR_NONE;

	if (!s->app->config->project)
		return false;
	if (plan(s, &p, &none) < 0)
		return true; /* the run says what is wrong */
	return p.n && boxdir_load(&s->dir, &record, &none) == 0 &&
	       count_done(&p, record) < p.n;
}

/* @n of the steps are done; @begun: nothing but steps has run in the box. */
static int note(const struct boxdir *dir, const struct setup_plan *p, size_t n,
		bool begun, struct err *e)
{
	_cleanup_json_ struct json *record = NULL;
	struct json *done = json_array();
	int r = boxdir_load(dir, &record, e);

	if (r < 0) {
		json_free(&done);
		return r;
	}
	for (size_t i = 0; i < n; i++)
		(void)json_add(done, json_string(p->v[i].text));
	(void)json_drop(record, "setup-begun");
	r = json_set(record, "setup", done);
	if (r == 0 && begun)
		r = json_set_bool(record, "setup-begun", true);
	return r < 0 ? err_sys(e, r, "cannot note the setup")
		     : boxdir_save(dir, record, e);
}

int project_setup_skip(const struct boxdir *dir, struct err *e)
{
	_cleanup_json_ struct json *record = NULL;
	int r = boxdir_load(dir, &record, e);

	if (r < 0 || !json_drop(record, "setup-begun"))
		return r;
	return boxdir_save(dir, record, e);
}

/* ---- one step ----------------------------------------------------------------------------- */

/* The last lines of what a step printed, for the person. */
static void show_tail(const struct app *app, struct box *b)
{
	static const char *const argv[] = { "tail", "-n", "15", SETUP_LOG, NULL };
	const struct box_command c = { .argv = argv, .cwd = "/" };
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	_cleanup_buf_ struct buf text = BUF_INIT(TAIL_MAX);
	struct err none = ERR_NONE;
	char piece[4096];

	if (app->json || box_spawn(b, &c, &p, &none) < 0)
		return;
	for (;;) {
		struct pollfd f = { .fd = p.fds[1], .events = POLLIN };
		ssize_t n;

		if (sys_poll(&f, 1, 5000) <= 0)
			break;
		n = sys_read(p.fds[1], piece, sizeof(piece));
		if (n <= 0 || buf_add(&text, piece, (size_t)n) < 0)
			break;
	}
	if (text.len)
		render_lines(app->err, buf_cstr(&text));
}

static int tell_failed(const struct boxsetup *s, const struct setup_step *st,
		       int status, struct err *e)
{
	show_tail(s->app, s->box);
	if (st->tool && status == NOT_FOUND) {
		err_set(e, -EIO, "box of '%s': setup: '%.80s': the image has no '%s'",
			text_shown(s->spec.project), st->name, st->tool);
		return err_hint(e,
				"\"apt\": [\"%s\"] in the packages of "
				".cubby/box.json brings it",
				st->package);
	}
	err_set(e, -EIO, "box of '%s': setup: '%.80s' ended with status %d",
		text_shown(s->spec.project), st->name, status);
	return err_hint(e, "all that it printed is in " SETUP_LOG
			   " of the box; 'cubby shell --no-setup' looks around there, "
			   "any other command tries again");
}

static int run_step(struct boxsetup *s, const struct setup_step *st, struct err *e)
{
	static const char *const env[] = { "PIP_BREAK_SYSTEM_PACKAGES=1", NULL };
	const char *argv[256 + 5] = { "sh", "-c", NULL, "sh" };
	_cleanup_buf_ struct buf script = BUF_INIT(1 << 20);
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	const struct box_command c = { .argv = argv,
				       .env = env,
				       .cwd = st->alone ? "/" : NULL,
				       .io = BOX_IO_NULL };
	struct box_exit x = { 0 };
	size_t n = 4;
	int r = buf_addf(&script, "exec >" SETUP_LOG " 2>&1\n%s", st->script);

	json_each(it, st->words)
	{
		if (n < ARRAY_SIZE(argv) - 1)
			argv[n++] = json_str(it);
	}
	if (r < 0)
		return err_sys(e, r, "cannot run the setup");
	argv[2] = buf_cstr(&script);
	render_note_command(s->app, "setup", st->name);
	r = box_spawn(s->box, &c, &p, e) ?: box_wait(s->box, p.id, -1, &x, e);
	if (r < 0)
		return err_wrap(e, "setup: %s", st->name);
	return x.status ? tell_failed(s, st, x.status, e) : 0;
}

/* ---- a new box ---------------------------------------------------------------------------- */

/* 0: it cannot be known. */
static uint64_t mark_project(const char *path)
{
	_cleanup_close_ int fd = inroot_open_real(path, O_RDONLY | O_DIRECTORY);
	struct err none = ERR_NONE;
	uint64_t mark = 0;

	return fd >= 0 && upper_sign_tree(fd, &mark, &none) == 0 ? mark : 0;
}

/* What is only on its way out is given a moment. */
int project_setup_settle(struct boxsetup *s, struct err *e)
{
	enum { LOOKS = 10, LOOK_NS = 20000000 };
	_cleanup_json_ struct json *info = NULL;
	bool left = true;
	int r = 0;

	for (int i = 0; i < LOOKS && r == 0 && left; i++) {
		_cleanup_json_ struct json *a = NULL;

		if (i)
			(void)sys_nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS });
		r = box_ask(s->box, "background", NULL, &a, e);
		left = json_get_bool(a, "background", false);
	}
	if (r < 0)
		return r;
	r = box_ask(s->box, "info", NULL, &info, e);
	if (r < 0 || left || json_get_int(info, "clients", 0) > 1 ||
	    json_get_int(info, "programs", 0) > 0)
		return MIN(r, 0);
	box_close(&s->box);
	r = boxend_stop(s->app->store, s->spec.key, e);
	return r < 0 ? r : 1;
}

/* Made for a mount, and not touched since: neither one of the image or of a layer below,
 * copied because of something in it, nor one that the step changed.
 * @like: the first, which nobody could change below the mount */
static bool is_made(int dir, const char *name, struct stat *like)
{
	_cleanup_close_ int fd =
		sys_openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	struct stat st;

	if (fd < 0 || sys_fstat(fd, &st) < 0)
		return false;
	if (!like->st_mode)
		*like = st;
	return st.st_mode == like->st_mode && st.st_uid == like->st_uid &&
	       st.st_gid == like->st_gid &&
	       sys_fgetxattr(fd, "user.overlay.origin", NULL, 0) < 0;
}

/* The directory that the project was mounted on tells other projects where it lies. */
static void strip_project(const struct boxdir *box, const char *project)
{
	_cleanup_close_ int upper =
		sys_openat(box->dirfd, "upper", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	char path[PATH_MAX], link[PATH_MAX];
	ssize_t n = sys_readlinkat(upper, "workspace", link, sizeof(link));
	struct stat like = { .st_mode = 0 };

	if (n > 0 && (size_t)n == strlen(project) &&
	    memcmp(link, project, (size_t)n) == 0)
		(void)sys_unlinkat(upper, "workspace", 0);
	(void)text_copy(path, sizeof(path), project);
	while (*path) {
		const char *name;
		_cleanup_close_ int dir = inroot_parent(upper, path, &name);

		if (dir < 0 || !is_made(dir, name, &like) ||
		    sys_unlinkat(dir, name, AT_REMOVEDIR) < 0)
			return;
		*strrchr(path, '/') = '\0';
	}
}

/* Nobody has come in with --no-setup. */
static bool is_begun(const struct boxdir *dir)
{
	_cleanup_json_ struct json *record = NULL;
	struct err none = ERR_NONE;

	return boxdir_load(dir, &record, &none) == 0 &&
	       json_get_bool(record, "setup-begun", false);
}

/* What the step made is kept: 1; 0: it is no layer, or not the step's alone. */
static int keep(struct boxsetup *s, const struct setup_step *st, uint64_t before,
		struct err *e)
{
	_cleanup_close_ int lock = -1;
	int r = project_setup_settle(s, e);

	if (r <= 0)
		return r;
	if (!before || mark_project(s->spec.project) != before ||
	    chain_reviews(&s->dir) || !is_begun(&s->dir))
		return 0;
	lock = boxdir_lock(&s->dir, true, e);
	if (lock >= 0)
		strip_project(&s->dir, s->spec.project);
	r = lock < 0 ? lock : stepcache_keep(&s->dir, st->key, e);
	if (r == -EOPNOTSUPP || r == -E2BIG) {
		*e = ERR_NONE;
		return 0;
	}
	return r < 0 ? r : 1;
}

/* The longest way that was gone before: how many steps. */
static int begin(struct boxsetup *s, const struct setup_plan *p, struct err *e)
{
	const struct boxdir_rm rm = { worker_rmtree, &s->spec.map };
	_cleanup_close_ int lock = boxdir_lock(&s->dir, true, e);
	bool dirty = !chain_untouched(&s->dir);
	size_t n = s->no_cache ? 0 : p->n;
	int r;

	if (lock < 0)
		return lock;
	while (n && !stepcache_has(s->app->store, p->v[n - 1].key))
		n--;
	if (n || dirty) {
		r = stepcache_begin(&s->dir, n ? p->v[n - 1].key : NULL, e);
		if (r < 0)
			return r;
	}
	r = (dirty ? snapshot_collect(s->app->store, &rm, e) : 0)
		    ?: note(&s->dir, p, n, true, e);
	if (r < 0)
		return r;
	if (n)
		render_note(s->app, "setup: %zu of %zu steps are kept from before", n,
			    p->n);
	return (int)n;
}

/* In a new box, as far as results can be kept; @n: how many steps are done. */
static int run_new(struct boxsetup *s, const struct setup_plan *p,
		   project_setup_start_fn *start, size_t *n, struct err *e)
{
	int r = begin(s, p, e), kept = 1;

	if (r < 0)
		return r;
	for (*n = (size_t)r; *n < p->n && kept; ++*n) {
		uint64_t before = mark_project(s->spec.project);

		r = start(s, NULL, e);
		if (r >= 0)
			r = run_step(s, &p->v[*n], e);
		if (r >= 0)
			r = kept = keep(s, &p->v[*n], before, e);
		if (r < 0)
			return r;
	}
	return note(&s->dir, p, *n, *n < p->n && is_begun(&s->dir), e);
}

/* ---- all ---------------------------------------------------------------------------------- */

/* Nobody has been in the box but steps. One that still runs after a step failed is stopped;
 * 0 where somebody is in it. */
static int is_new(struct boxsetup *s, const struct json *record, struct err *e)
{
	bool begun = json_get_bool(record, "setup-begun", false);
	int r;

	if (!begun && (json_get(record, "setup") || !chain_untouched(&s->dir)))
		return 0;
	if (chain_reviews(&s->dir)) /* changes of the project wait there */
		return 0;
	r = boxend_idle(s->app->store, s->spec.key, e);
	if (r == -EBUSY) {
		*e = ERR_NONE;
		return 0;
	}
	return r < 0 ? r : 1;
}

static int run_all(struct boxsetup *s, const struct setup_plan *p,
		   project_setup_start_fn *start, struct err *e)
{
	_cleanup_json_ struct json *record = NULL;
	size_t n;
	int r = boxdir_load(&s->dir, &record, e);

	n = count_done(p, record);
	if (r == 0 && n < p->n)
		r = is_new(s, record, e);
	if (r > 0)
		r = run_new(s, p, start, &n, e);
	if (r == 0 && !s->box)
		r = start(s, NULL, e);
	for (; r >= 0 && n < p->n; n++)
		r = run_step(s, &p->v[n], e) ?: note(&s->dir, p, n + 1, false, e);
	return MIN(r, 0);
}

int project_setup_run(struct boxsetup *s, project_setup_start_fn *start, struct err *e)
{
	_cleanup_setup_plan_ struct setup_plan p = SETUP_PLAN_NONE;
	_cleanup_close_ int lock = file_lock(s->dir.dirfd, "setup", false, e);
	int r;

	if (lock == -EWOULDBLOCK) {
		*e = ERR_NONE;
		render_note(s->app, "another command sets the box up; waiting for it");
		lock = file_lock(s->dir.dirfd, "setup", true, e);
	}
	r = lock < 0 ? lock : plan(s, &p, e);
	return r < 0 ? r : run_all(s, &p, start, e);
}
