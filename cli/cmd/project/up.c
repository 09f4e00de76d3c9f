#include "base/signals.h"
#include "cli/box/acting.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/project/services.h"
#include "cli/show/render.h"

struct args {
	struct opt_box box;
	bool detach; /* no matter: it never stays */
};

static int tell(const struct app *app, size_t services, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();

	render_note(app, services ? "all services run"
				  : "the box runs; .cubby/box.json has no services");
	json_set_int(j, "services", (int64_t)services);
	return app->json && render_json(app, j) < 0
		       ? err_sys(e, -ENOMEM, "cannot tell it")
		       : 0;
}

/* ^C ends the waiting, and what has begun by then is named. */
static int start_services(const struct app *app, struct box *b,
			  struct signals_held *held, struct err *e)
{
	struct services v = { .app = app, .box = b };
	int r = signals_hold(held, e);

	if (r < 0)
		return r;
	v.interrupt = held->fd;
	r = services_up(&v, e);
	if (r == -EINTR)
		render_note(app,
			    "%s; the box and its services run on ('cubby down' ends "
			    "them)",
			    e->msg);
	return r;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_signals_ struct signals_held held = SIGNALS_HELD_NONE;
	_cleanup_acting_ struct acting acting = ACTING_NONE;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	int r = boxsetup_prepare(&a->box, &s, e);

	if (r < 0)
		return r;
	s.spec.keep = true;
	acting_begin(app, s.dir.dirfd, s.spec.project, &acting);
	r = boxsetup_start(&s, NULL, e);
	if (r >= 0) /* also of one that ran before */
		r = box_ask(s.box, "keep", NULL, NULL, e);
	if (r >= 0)
		r = start_services(app, s.box, &held, e);
	acting_tell(app, &acting, true);
	if (r < 0)
		return r;
	return tell(app, json_len(json_get(app->config->project, "services")), e);
}

static const struct cmd_option options[] = {
	{ "detach", 'd', NULL, "do not stay with the services, which is so anyway",
	  CMD_FLAG(struct args, detach) },
	{ 0 },
};

const struct cmd cmd_up = {
	.name = "up",
	.group = CMD_PROJECT,
	.summary = "start the box with the services of .cubby/box.json",
	.doc = "Start the box of this directory with the services of .cubby/box.json, "
	       "in order, each when the one before is ready, and leave it running. "
	       "'cubby down' ends them, 'cubby logs NAME' shows what one says.",
	.options = options,
	.tables = { OPT_BOX(struct args, box) },
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
