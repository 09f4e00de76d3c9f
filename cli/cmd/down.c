#include "base/sys/sys.h"
#include "cli/box/end.h"
#include "cli/box/services.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"

enum { DOWN_MS = 10000 };

static const struct argp argp = {
	.parser = cmd_no_operands,
	.doc = "End the services of .cubby/box.json, the last one first, then the box "
	       "of "
	       "this directory. What is on its disk stays.",
};

static int tell(const struct app *app, bool ran, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();

	if (app->json &&
	    (json_set_bool(j, "running", ran) < 0 || render_json(app, j) < 0))
		return err_sys(e, -ENOMEM, "cannot tell it");
	return 0;
}

static int work(const struct app *app, struct boxsetup *s, struct err *e)
{
	struct boxend_grace grace = { .until_ms = sys_now_ms() + DOWN_MS,
				      .interrupt = -1 };
	int r = boxsetup_find(app, s, e);

	if (r == 0)
		r = boxsetup_join(app, s, e);
	if (r == -ENOENT && s->dir.dirfd >= 0) {
		render_note(app, "the box is not running");
		*e = ERR_NONE;
		return tell(app, false, e);
	}
	if (r == 0)
		r = services_down(app, s->box, e);
	box_close(&s->box);
	if (r == 0)
		r = boxend_within(&s->store, s->spec.key, &grace, e);
	if (r < 0)
		return r;
	render_note(app, "the box of '%s' is stopped", s->spec.project);
	return tell(app, true, e);
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_boxsetup_ struct boxsetup s;
	struct err e = ERR_NONE;
	int r;

	boxsetup_init(&s);
	r = cmd_parse(app, &cmd_down, argc, argv, NULL);
	if (r != CMD_GO)
		return r;
	return work(app, &s, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
}

const struct cmd cmd_down = {
	.name = "down",
	.summary = "end the services and the box",
	.argp = &argp,
	.config = true,
	.run = run,
};
