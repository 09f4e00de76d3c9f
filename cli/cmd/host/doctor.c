#include <limits.h>
#include <string.h>

#include "base/proc.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/store/place.h"
#include "rootfs/image/image.h"
#include "runtime/box/ids.h"
#include "runtime/box/project_dir.h"
#include "runtime/doctor/probe.h"

struct args {
	bool apparmor;
};

static int show_apparmor(const struct app *app, struct err *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64 << 10);
	char self[PATH_MAX];
	int r;

	r = proc_self(self, e);
	if (r < 0)
		return r;
	r = cause_text_apparmor(&b, self);
	if (r < 0)
		return err_sys(e, r, "no profile can be written for '%s'", self);
	fputs(buf_cstr(&b), app->out);
	return 0;
}

static void show_row(const struct app *app, const struct probe_row *row)
{
	enum render_style style = row->fatal	  ? RENDER_RED
				  : row->cause[0] ? RENDER_YELLOW
						  : RENDER_GREEN;

	fprintf(app->out, "%s%-4s%s %-20s %s\n", render_style_on(app->color_out, style),
		row->fatal	? "FAIL"
		: row->cause[0] ? "less"
				: "ok",
		render_style_off(app->color_out), row->name, row->rung);
	if (row->cause[0]) {
		fputs("       why: ", app->out);
		render_safe(app->out, row->cause);
		fputc('\n', app->out);
	}
	if (row->fix[0]) {
		fputs("       fix: ", app->out);
		render_safe(app->out, row->fix);
		fputc('\n', app->out);
	}
}

static void row_json(struct json *list, const struct probe_row *row)
{
	struct json *j = json_object();
	const char *reason =
		row->reason == PROBE_NONE ? NULL : cause_text_id(row->reason);

	json_set_str(j, "id", row->id);
	json_set_str(j, "name", row->name);
	json_set_str(j, "rung", row->rung);
	json_set_str(j, "reason", reason);
	json_set_str(j, "cause", row->cause);
	json_set_str(j, "fix", row->fix);
	json_set_bool(j, "fatal", row->fatal);
	json_add(list, j);
}

/* The proof: a box in an empty directory of its own, removed again. */
static int start_box(const struct app *app, bool *reviews, struct err *e)
{
	static const char *const argv[] = { "true", NULL };
	_cleanup_signals_ struct signals_held held = SIGNALS_HELD_NONE;
	struct app quiet = *app;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(&quiet);
	_cleanup_box_proc_ struct box_proc proc = BOX_PROC_NONE;
	const struct box_command c = { .argv = argv, .io = BOX_IO_NULL };
	const struct opt_box o = { .rm = true, .project = PROJECT_REVIEW };
	struct box_exit exit = { .status = 0 };
	struct err ignored = ERR_NONE;
	const char *tmp = getenv("TMPDIR");
	char dir[PATH_MAX];
	int r;

	if (snprintf(dir, sizeof(dir), "%s/cubby-doctor-%d", tmp && *tmp ? tmp : "/tmp",
		     sys_getpid()) >= (int)sizeof(dir))
		return err_set(e, -ENAMETOOLONG, "TMPDIR is too long");
	r = signals_hold(&held, e);
	if (r < 0)
		return r;
	r = sys_mkdirat(AT_FDCWD, dir, 0700);
	if (r < 0)
		return err_sys(e, r, "cannot make '%s'", dir);
	quiet.dir = dir;
	quiet.quiet = true;
	r = boxsetup_open(&o, &s, e);
	*reviews = r == 0 && box_reviews(s.box);
	if (r == 0)
		r = box_spawn(s.box, &c, &proc, e)
			    ?: box_wait(s.box, proc.id, 20000, &exit, e);
	/* The box runs, and answers that its image has no such program. */
	if (s.box && (r == -ENOENT || r == -EACCES || r == -ENOEXEC))
		r = 0;
	if (s.box && boxsetup_finish(&s, r < 0 ? &ignored : e) < 0 && r == 0)
		r = e->code;
	(void)sys_unlinkat(AT_FDCWD, dir, AT_REMOVEDIR);
	if (r == 0 && exit.status)
		r = err_set(e, -EIO, "'true' ended with status %d in the box",
			    exit.status);
	return r;
}

/* An image of the map that a box here would have: another cannot be used. */
struct fitting {
	const char *map;
	struct image image; /* dir is "" until one was found */
};

static int take_first(void *ctx, const struct image *i)
{
	struct fitting *f = ctx;

	if (!f->image.dir[0] && strcmp(i->map, f->map) == 0)
		f->image = *i;
	return 0;
}

static int find_image(const struct app *app, struct fitting *ret, struct err *e)
{
	_cleanup_buf_ struct buf why = BUF_INIT(16 << 10);
	struct idmap map;
	int r = box_ids_choose(app->dir ? app->dir : ".", &map, &why, e);

	if (r < 0)
		return r;
	ret->map = idmap_kind_name(map.kind);
	return image_list(app->store, take_first, ret, e);
}

/* The box is a facility like the others, and the last one. */
static void try_box(const struct app *app, bool ok, struct probe_row *row,
		    bool *reviews)
{
	struct fitting any = { .map = "" };
	struct err e = ERR_NONE;

	*row = (struct probe_row){ .id = "box", .name = "a box", .rung = "none" };
	if (!ok) {
		(void)text_copy(row->cause, sizeof(row->cause), "see above");
		row->fatal = true;
	} else if (find_image(app, &any, &e) < 0 || !any.image.dir[0]) {
		(void)text_copy(row->rung, sizeof(row->rung), "not tried");
		(void)text_copy(row->cause, sizeof(row->cause),
				"the store has no image for this id map");
		(void)text_copy(row->fix, sizeof(row->fix), "cubby pull ubuntu");
	} else if (config_set(app->config, CONFIG_IMAGE, any.image.name,
			      CONFIG_FROM_FLAG, &e) < 0 ||
		   start_box(app, reviews, &e) < 0) {
		(void)text_copy(row->cause, sizeof(row->cause), e.msg);
		row->fatal = true;
	} else {
		(void)text_copy(row->rung, sizeof(row->rung), "started and removed");
	}
}

/* Whether a task's changes of this directory wait for its end, or are there at once. */
static void try_review(const char *project, const struct store *st,
		       const struct probe_row *box, bool reviews, struct probe_row *row)
{
	const struct project_dir d = { .path = project, .store = st->path };
	struct err e = ERR_NONE;

	*row = (struct probe_row){ .id = "review",
				   .name = "review of changes",
				   .rung = "live: they are there at once" };
	if (project && project_dir_review(&d, &e) < 0) {
		(void)text_copy(row->cause, sizeof(row->cause), e.msg);
	} else if (reviews) {
		(void)text_copy(row->rung, sizeof(row->rung),
				"they wait for a task's end");
	} else if (strcmp(box->rung, "started and removed") != 0) {
		(void)text_copy(row->rung, sizeof(row->rung), "not tried");
	} else {
		(void)text_copy(row->cause, sizeof(row->cause),
				"no overlay of a directory over another's files here");
		(void)text_copy(row->fix, sizeof(row->fix),
				"'cubby exec --project review -- true' says why");
	}
}

static int show(const struct app *app, const struct probe_row *rows, unsigned n,
		bool ok)
{
	_cleanup_json_ struct json *j = json_object(), *list = json_array();

	for (unsigned i = 0; i < n; i++)
		if (app->json)
			row_json(list, &rows[i]);
		else
			show_row(app, &rows[i]);
	json_set_bool(j, "ok", ok);
	json_set(j, "facilities", take(&list, NULL));
	return app->json ? render_json(app, j) : 0;
}

static int examine(const struct app *app, bool *ok, struct err *e)
{
	struct probe_row rows[PROBE_ROWS + 2];
	bool reviews = false;
	char project[PATH_MAX];
	struct probe_conf conf = { .project = realpath(app->dir ? app->dir : ".",
						       project) };
	unsigned n;
	int r;

	r = place_store(app, e);
	if (r < 0)
		return r;
	conf.store = app->store->dirfd;
	n = probe_run(&conf, rows);
	try_box(app, probe_ok(rows, n), &rows[n + 1], &reviews);
	try_review(conf.project, app->store, &rows[n + 1], reviews, &rows[n]);
	*ok = !rows[n + 1].fatal;
	if (show(app, rows, n + 2, *ok) < 0)
		return err_set(e, -EIO, "cannot show what was found");
	return 0;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	bool ok = false;
	int r;

	if (a->apparmor)
		return show_apparmor(app, e) < 0 ? cmd_fail(app, e, CMD_FAILED) : 0;
	r = examine(app, &ok, e);
	return r < 0 ? r : ok ? CMD_DONE : CMD_NO_BOX;
}

static const struct cmd_option options[] = {
	{ "apparmor", 0, NULL,
	  "print the AppArmor profile that lets cubby make user namespaces",
	  CMD_FLAG(struct args, apparmor) },
	{ 0 },
};

const struct cmd cmd_doctor = {
	.name = "doctor",
	.group = CMD_HOST,
	.summary = "tell whether this host can run boxes, and what to do if not",
	.doc = "Tell for each facility of this host what boxes use of it, why nothing "
	       "better, and what to do about it; then start a box. The exit status is "
	       "0 only if one can be started.",
	.options = options,
	.size = sizeof(struct args),
	.no_box = true,
	.config = true,
	.failed = CMD_NO_BOX,
	.work = work,
};
