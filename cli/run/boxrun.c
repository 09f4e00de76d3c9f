#include "cli/run/boxrun.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/acting.h"
#include "cli/box/imagerun.h"
#include "cli/box/nettell.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/run/attach.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/store/boxps.h"

/* What a failure to start the command means for the caller's script. */
static int spawn_status(int code)
{
	switch (code) {
	case -ENOENT:
	case -ENOTDIR:
		return CMD_NOT_FOUND;
	case -EACCES:
	case -EPERM:
	case -EISDIR:
	case -ENOEXEC:
	case -E2BIG:
		return CMD_CANNOT;
	default:
		return CMD_CUBBY;
	}
}

static void tell_oom(const struct boxsetup *s)
{
	_cleanup_json_ struct json *info = NULL;
	int64_t memory = (int64_t)s->spec.limits.memory_bytes;

	/* Who started the box may have given it another limit. */
	if (box_ask(s->box, "info", NULL, &info, ERR_IGNORED) == 0)
		memory = json_get_int(json_get(info, "limits"), "memory_bytes", memory);
	render_note(s->app,
		    "the command was killed: the box is out of memory (limit %s; "
		    "--memory raises it)",
		    text_bytes((uint64_t)memory));
}

static void tell_disk(const struct boxsetup *s)
{
	render_note(
		s->app,
		"the box was stopped: it takes more of the disk than its limit (%s; "
		"--disk raises it, 'cubby rm' removes the box)",
		text_bytes(s->spec.limits.disk_bytes));
}

/* "postgres, sleep and 3 more": what else there is but init, and its process above each
 * terminal. How many. */
static size_t name_some(struct box *b, char *ret, size_t room)
{
	enum { NAMED = 3 };
	_cleanup_boxps_ struct boxps ps = BOXPS_NONE;
	size_t at = 0, n = 0;

	(void)boxps_list(box_init_pid(b), &ps, ERR_IGNORED);
	for (size_t i = 1; i < ps.n; i++) {
		char *word = ps.v[i].command;
		const char *slash;

		if (boxps_is_own(&ps, &ps.v[i]) || ++n > NAMED || at >= room)
			continue;
		word[strcspn(word, " :")] = '\0';
		slash = strrchr(word, '/');
		at += (size_t)snprintf(ret + at, room - at, "%s%.24s",
				       n > 1 ? ", " : "", slash ? slash + 1 : word);
	}
	if (n > NAMED && at < room)
		snprintf(ret + at, room - at, " and %zu more", n - NAMED);
	return n;
}

/* What a command leaves in the background lives on, as a person expects who started a
 * service. What is only on its way out is given a moment. false = nothing does. */
static bool keep_background(const struct boxsetup *s)
{
	enum { LOOKS = 5, LOOK_NS = 20000000 };
	char names[128] = "";
	size_t n;

	for (int i = 0; i < LOOKS; i++) {
		_cleanup_json_ struct json *a = NULL;

		if (i)
			(void)sys_nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS });
		if (box_ask(s->box, "background", NULL, &a, ERR_IGNORED) < 0 ||
		    !json_get_bool(a, "background", false))
			return false;
	}
	n = name_some(s->box, names, sizeof(names));
	if (n > 1)
		render_note(s->app,
			    "%s still run in the background and keep the box ('cubby "
			    "stop' ends all)",
			    names);
	else if (!n)
		render_note(s->app, "a program still runs in the background and keeps "
				    "the box ('cubby stop' ends both)");
	else
		render_note(s->app,
			    "%s still runs in the background and keeps the box "
			    "('cubby stop' ends both)",
			    names);
	return true;
}

/* A box with a port of this machine's waits for whoever connects. */
static void tell_ports(const struct boxsetup *s)
{
	const struct config *c = s->app->config;

	if (box_started(s->box) && json_len(s->spec.publish) &&
	    c->v[CONFIG_PUBLISH].from == CONFIG_FROM_FLAG && !config_on(c, CONFIG_KEEP))
		render_note(s->app, "a published port keeps the box ('cubby stop' ends "
				    "it)");
}

static int tell_number(const struct app *app, pid_t pid)
{
	if (app->json)
		fprintf(app->out, "{\"pid\":%d}\n", pid);
	else
		fprintf(app->out, "%d\n", pid);
	return 0;
}

static enum box_io io_of(const struct boxrun *run)
{
	if (run->detach)
		return BOX_IO_LOG;
	return run->tty ? BOX_IO_TTY : BOX_IO_PIPES;
}

/* --workdir, from where the person is; NULL = there. */
static int change_cwd(struct boxsetup *s, const char *dir, struct err *e)
{
	size_t at;
	int n;

	if (!dir)
		return 0;
	at = dir[0] == '/' ? 0 : strlen(s->place.cwd);
	n = snprintf(s->place.cwd + at, sizeof(s->place.cwd) - at, "%s%s",
		     at ? "/" : "", dir);
	return n >= (int)(sizeof(s->place.cwd) - at)
		       ? err_set(e, -ENAMETOOLONG, "--workdir is too long")
		       : 0;
}

/* What is to be run, as the box gets it, and what that points at. */
struct ready {
	struct imagerun image;	/* owned */
	struct signing signing; /* owned */
	struct box_command command;
	bool nothing_left; /* in the box, by what was run */
};

static void ready_done(struct ready *d)
{
	signing_done(&d->signing);
	imagerun_done(&d->image);
}

static int describe(const struct boxsetup *s, const struct boxrun *run, struct ready *d,
		    struct err *e)
{
	struct imagerun *p = &d->image;
	struct box_command *ret = &d->command;
	int r = imagerun_env(s->app, s->spec.image, p, e)
			?: signing_begin(s->app, run->signing, &p->env, &d->signing, e);

	if (r < 0)
		return r;
	*ret = (struct box_command){
		.argv = run->argv,
		.env = (const char *const *)p->env.v,
		.cwd = s->place.cwd,
		.user = config_text(s->app->config, CONFIG_USER),
		.io = io_of(run),
		.keep = run->detach ||
			(config_on(s->app->config, CONFIG_KEEP) && !s->look),
	};
	if (run->tty)
		(void)tty_size(STDIN_FILENO, &ret->rows, &ret->cols);
	if (!run->argv)
		return imagerun_command(p, s->spec.image_name, run->cwd != NULL, ret,
					e);
	return 0;
}

static int run_in(struct boxsetup *s, const struct boxrun *run, struct ready *d,
		  int *status, struct err *e)
{
	_cleanup_box_proc_ struct box_proc proc = BOX_PROC_NONE;
	struct attach_how how = { .tty = run->tty,
				  .raw = run->raw,
				  .no_input = run->no_input,
				  .filter = run->filter,
				  .filter_ctx = run->filter_ctx };
	struct box_exit exit = { 0 };
	struct nettell told;
	int r = run->ready ? run->ready(run->ready_ctx, s->box, e) : 0;

	if (r == 0)
		r = signing_start(&d->signing, s->box, d->command.user, e);
	if (r < 0)
		return r;
	signing_serve(&d->signing, &how);
	nettell_begin(s->app, s->box, &told);
	r = box_spawn(s->box, &d->command, &proc, e);
	if (r == -ENOTCONN && run->ready)
		err_hint(e, "say it again");
	if (r < 0) {
		*status = spawn_status(r);
		return r;
	}
	if (run->detach) {
		*status = CMD_DONE;
		return tell_number(s->app, proc.pid);
	}
	r = attach_run(s->app, s->box, &proc, &how, &exit, e);
	if (r < 0)
		return r;
	if (exit.oom)
		tell_oom(s);
	if (exit.disk)
		tell_disk(s);
	nettell_say(s->app, &told);
	*status = exit.status;
	d->nothing_left = exit.nothing_left;
	return 0;
}

int boxrun_command(struct app *app, const struct opt_box *o, const struct boxrun *run)
{
	_cleanup_acting_ struct acting acting = ACTING_NONE;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_(ready_done) struct ready d = { .image = IMAGERUN_NONE,
						 .signing = SIGNING_NONE };
	struct err e = ERR_NONE;
	int status = CMD_CUBBY, r;
	bool runs_on, ahead; /* it is asked for together with the box */

	r = boxsetup_prepare(o, &s, &e) ?:
		change_cwd(&s, run->cwd, &e) ?:
		describe(&s, run, &d, &e);
	if (r < 0)
		return cmd_fail(app, &e, CMD_CUBBY);
	d.signing.yes = o->yes;
	acting_begin(app, s.dir.dirfd, s.spec.project, &acting);
	ahead = !d.signing.app && !run->ready && !nettell_wanted(app);
	r = boxsetup_start(&s, ahead ? &d.command : NULL, &e);
	if (r < 0)
		return cmd_fail(app, &e, CMD_CUBBY);
	r = run_in(&s, run, &d, &status, &e);
	signing_done(&d.signing);
	runs_on = run->detach || acting_runs_on(&acting, s.box);
	if (r < 0)
		cmd_fail(app, &e, status);
	else if (!run->detach && !o->rm && !d.nothing_left)
		runs_on |= keep_background(&s);
	if (r >= 0 && !o->rm && !runs_on)
		tell_ports(&s);
	acting_tell(app, &acting, runs_on);
	r = boxsetup_finish(&s, &e);
	if (r < 0) {
		cmd_fail(app, &e, CMD_CUBBY);
		return status ? status : CMD_CUBBY;
	}
	return status;
}
