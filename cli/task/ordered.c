#include "cli/task/work.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent/task/form.h"
#include "agent/turn/transcript.h"
#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/config_task.h"
#include "cli/opt/config_taskfile.h"
#include "cli/project/agreed.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/snapshot/rewind.h"
#include "cli/store/hostpath.h"
#include "cli/store/place.h"

#define TASKRUN_TRANSCRIPT "cubby-transcript.jsonl"

/* The files of --attach: pictures go beside the task, texts behind it. */
static int read_attached(struct taskwork *w, struct err *e)
{
	for (const char *const *name = words_list(&w->t->task->attach); *name; name++) {
		int r = attach_file(&w->attach, *name, e);

		if (r < 0)
			return err_wrap(e, "--attach");
	}
	buf_adds(&w->text, w->t->text ? w->t->text : "");
	buf_adds(&w->text, buf_cstr(&w->attach.text));
	if (w->t->task->schema) {
		int r = attach_schema(w->t->task->schema, &w->schema, e);

		if (r < 0)
			return err_wrap(e, "--schema");
		if (!w->t->task->replay)
			(void)form_ask(w->schema, &w->text);
	}
	return buf_failed(&w->text) < 0 ? err_set(e, -E2BIG, "the task is too long")
					: 0;
}

/* What is wrong with the words themselves is said before anybody is asked for a key. */
static int check_words(struct taskwork *w, struct err *e)
{
	const char *dir = w->app->dir, *replay = w->t->task->replay;
	_cleanup_close_ int fd = sys_open(dir ? dir : ".", O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return err_sys(e, fd, "cannot use directory '%s'", dir ? dir : ".");
	if (!replay)
		return 0;
	w->replay = hostpath_open(replay, O_RDONLY | O_NOCTTY, e);
	return w->replay < 0 ? err_wrap(e, "--replay") : 0;
}

/* What a transcript says of the task that goes on. */
struct recalled {
	struct json *settings; /* owned; NULL = of an older version */
	struct buf model;      /* owned; then of the model alone */
};

static int recall_record(void *ctx, const struct json *j, struct err *e)
{
	const char *provider = json_get_str(j, "provider");
	struct recalled *ret = ctx;
	int r = 0;

	if (json_is(j, "type", "task")) {
		json_free(&ret->settings);
		ret->settings = json_dup(json_get(j, "settings"));
	} else if (json_is(j, "type", "model") && provider &&
		   strcmp(provider, "replay") != 0) {
		buf_truncate(&ret->model, 0);
		r = buf_addf(&ret->model, "%s:%s", provider,
			     json_get_str(j, "model") ?: "");
	}
	return r < 0 ? err_sys(e, r, "cannot read the transcript") : 0;
}

static int take_recalled(struct config *c, struct recalled *was, struct err *e)
{
	_cleanup_json_ struct json *options = json_object();
	const char *own = json_get_str(was->settings, config_rows[CONFIG_MODEL].name);

	if (was->model.len && !own)
		json_set_str(options, config_rows[CONFIG_MODEL].name, was->model.data);
	json_each(it, was->settings)
	{
		json_set(options, json_key(it), json_dup(it));
	}
	return json_failed(options) < 0
		       ? err_sys(e, -ENOMEM, "cannot read the transcript")
		       : config_task_load(c, options, e);
}

/* The model and all options of the transcript @fd, but for what the command line says. */
static int recall_options(struct config *c, int fd, struct err *e)
{
	struct recalled was = { .model = BUF_INIT(4096) };
	int r = transcript_read(fd, recall_record, &was, e);

	if (r >= 0)
		r = take_recalled(c, &was, e);
	json_free(&was.settings);
	buf_done(&was.model);
	return r;
}

/* The options of the task that goes on, before any of them is used. */
static int recall(struct taskwork *w, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(w->app);
	_cleanup_close_ int fd = -1;
	int r;

	if (!w->t->resume && !w->t->resume_last)
		return 0;
	r = boxsetup_find(&s, e);
	if (r < 0)
		return r;
	r = fd = tasklog_open(&s.dir, w->t->resume, w->resumed, e);
	if (r < 0)
		return r;
	r = recall_options(w->app->config, fd, e);
	return r >= 0 && w->t->back ? rewind_task(w->app, &REVIEW(&s.dir, &s.spec),
						  w->resumed, w->t->rounds_back, e)
				    : r;
}

/* A provider that the configuration has no more would be taken for a part of a name. */
static int check_recalled(const struct taskwork *w, struct err *e)
{
	const struct config_value *v = &w->app->config->v[CONFIG_MODEL];

	if (v->from != CONFIG_FROM_TASK || strcmp(v->text, buf_cstr(&w->model)) == 0)
		return 0;
	err_set(e, -EINVAL, "the task's model '%s' is not known any more", v->text);
	return err_hint(e, "name one with --model");
}

/* Is there somebody to ask? */
static int choose_model(struct taskwork *w, struct err *e)
{
	_cleanup_model_ struct model *m = NULL;
	int r = modelpick_choose(w->app, w->replay, &w->pick, e);

	if (r == 0 && modelpick_word(&w->pick, &w->model) < 0)
		return err_sys(e, -ENOMEM, "cannot choose the model");
	if (r == 0 && w->replay < 0)
		r = check_recalled(w, e);
	if (r == 0)
		r = model_new(&w->pick.conf, &m, e);
	if (r < 0 && w->replay >= 0)
		err_wrap(e, "--replay '%s'", w->t->task->replay);
	return r;
}

/* A budget that nobody can count would be none. */
static int check_budget(struct taskwork *w, struct err *e)
{
	_cleanup_model_ struct model *m = NULL;
	int r;

	if (!config_num(w->app->config, CONFIG_MAX_COST) || w->replay >= 0)
		return 0;
	r = model_new(&w->pick.conf, &m, e);
	if (r < 0 || model_prices(m))
		return r;
	err_set(e, -EINVAL, "--max-cost: what '%s' costs at %s is not known",
		model_name(m), model_url(m));
	return err_hint(e, "say it in the configuration, under \"prices\"");
}

static int open_copy(struct taskwork *w, struct err *e)
{
	const char *name = config_text(w->app->config, CONFIG_SAVE_TRANSCRIPT);

	if (!name && !w->t->task->save_transcript)
		return 0;
	if (!name)
		name = TASKRUN_TRANSCRIPT;
	w->copy = tasklog_copy(name, e);
	return w->copy < 0 ? err_wrap(e, "--save-transcript") : 0;
}

static int ask_setup(struct taskwork *w, struct err *e)
{
	bool each = config_on(w->app->config, CONFIG_ASK);

	if (each && (w->app->json || !tty_is(STDIN_FILENO)))
		return err_set(e, -EINVAL, "--ask needs a terminal to ask at");
	w->ask = (struct ask){ .app = w->app,
			       .in = STDIN_FILENO,
			       .interrupt_fd = w->interrupt,
			       .each = each };
	if (tty_is(STDIN_FILENO))
		w->view.ask = &w->ask;
	return 0;
}

/* ---- the project's own settings: read once the person has said that they may be ------------ */

/* Not a text that differs in a byte from the one that was seen. */
enum { AGREE_TEXT = 64 << 10 };

/* The text; 0 when there is none. */
static int agree_read(const char *project, struct buf *ret, struct err *e)
{
	_cleanup_close_ int dir = inroot_open_real(project, O_RDONLY | O_DIRECTORY);
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	if (dir < 0)
		return 0;
	fd = inroot_open(dir, CONFIG_TASKFILE,
			 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd == -ENOENT || fd == -ENOTDIR)
		return 0;
	r = fd < 0 ? fd : sys_fstat(fd, &st);
	if (r >= 0 && !S_ISREG(st.st_mode))
		r = -EINVAL;
	if (r < 0)
		return err_sys(e, r, "cannot read '%s'", CONFIG_TASKFILE);
	r = file_read_fd(fd, ret, e);
	return r < 0 ? err_wrap(e, "'%s'", CONFIG_TASKFILE) : 1;
}

static bool agree_ask(const struct app *app, const struct buf *text)
{
	char line[16];
	ssize_t n;

	if (app->json || app->quiet || !app->live || !tty_is(STDIN_FILENO))
		return false;
	fprintf(app->err, "cubby: this project has settings of its own, in %s:\n",
		CONFIG_TASKFILE);
	render_lines(app->err, buf_cstr(text));
	fputs("\nUse them, and later unless they change? [y/N] ", app->err);
	fflush(app->err);
	n = sys_read(STDIN_FILENO, line, sizeof(line) - 1);
	line[MAX(n, (ssize_t)0)] = '\0';
	if (n <= 0) /* the terminal shows nothing for an end */
		fputc('\n', app->err);
	return strcasecmp(line, "y\n") == 0 || strcasecmp(line, "yes\n") == 0;
}

/* 1 = agreed. */
static int agreed(const struct app *app, const char *project, const struct buf *text,
		  struct err *e)
{
	const struct agreed a = { project, CONFIG_TASKFILE, text };

	if (agreed_to(app->store, &a))
		return 1;
	if (!agree_ask(app, text))
		return err_set(e, -EPERM,
			       "%s of this project is not used: nobody has agreed to "
			       "it at a terminal",
			       CONFIG_TASKFILE);
	return agreed_note(app->store, &a, e) < 0 ? e->code : 1;
}

/* .cubby/config.json joins the configuration, if there is one and the person agreed or agrees
 * now; if not, a note says so. */
static void agree_load(const struct app *app)
{
	_cleanup_buf_ struct buf text = BUF_INIT(AGREE_TEXT);
	struct err e = ERR_NONE, ignored;
	struct place_found place;
	_cleanup_spec_ struct spec spec = SPEC_NONE;
	int r;

	/* What is wrong with the directory or the store is told by whoever opens the box. */
	if (place_open(app, &ignored) < 0 ||
	    place_find(app, &spec, &place, &ignored) < 0)
		return;
	r = agree_read(spec.project, &text, &e);
	if (r > 0)
		r = agreed(app, spec.project, &text, &e);
	if (r > 0)
		r = config_taskfile_load(app->config, buf_cstr(&text), text.len, &e);
	if (r < 0)
		render_note(app, "%s", e.msg);
}

/* ---- all in its order ---------------------------------------------------------------------- */

int ordered_read(struct taskwork *w, struct err *e)
{
	agree_load(w->app);
	if (recall(w, e) < 0)
		return cmd_fail(w->app, e, CMD_NO_BOX);
	if (ask_setup(w, e) < 0)
		return cmd_fail(w->app, e, CMD_USAGE);
	if (check_words(w, e) < 0 || read_attached(w, e) < 0)
		return cmd_fail(w->app, e, CMD_USAGE);
	if (choose_model(w, e) < 0)
		return cmd_fail(w->app, e, w->replay >= 0 ? CMD_USAGE : CMD_SERVICE);
	if (check_budget(w, e) < 0 || open_copy(w, e) < 0)
		return cmd_fail(w->app, e, CMD_USAGE);
	return 0;
}
