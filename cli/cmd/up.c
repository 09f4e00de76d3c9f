#include "cli/box/services.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct opt_box *box = state->input;

	if (key != ARGP_KEY_INIT)
		return cmd_no_operands(key, arg, state);
	state->child_inputs[0] = box;
	return 0;
}

static const struct argp_child children[] = {
	{ .argp = &opt_box, .header = "Box options:", .group = 2 },
	{ 0 },
};

static const struct argp argp = {
	.parser = parse,
	.doc = "Start the box of this directory with the services of .cubby/box.json, "
	       "in "
	       "order, each when the one before is ready, and leave it running. 'cubby "
	       "down' ends them, 'cubby logs NAME' shows what one says.",
	.children = children,
};

static int tell(const struct app *app, size_t services, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();

	render_note(app, services ? "all services run"
				  : "the box runs; .cubby/box.json has no services");
	if (app->json && (json_set_int(j, "services", (int64_t)services) < 0 ||
			  render_json(app, j) < 0))
		return err_sys(e, -ENOMEM, "cannot tell it");
	return 0;
}

static int work(const struct app *app, struct boxsetup *s, const struct opt_box *o,
		struct err *e)
{
	int r = boxsetup_prepare(app, o, s, e);

	s->spec.keep = true;
	if (r == 0)
		r = boxsetup_start(app, s, NULL, e);
	if (r == 0) /* also one that ran before */
		r = box_ask(s->box, "keep", NULL, NULL, e);
	if (r == 0)
		r = services_up(app, s->box, e);
	if (r >= 0)
		r = tell(app, json_len(json_get(app->config->project, "services")), e);
	return r;
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_boxsetup_ struct boxsetup s;
	struct opt_box o = { .wipe = false };
	struct err e = ERR_NONE;
	int r;

	boxsetup_init(&s);
	r = cmd_parse(app, &cmd_up, argc, argv, &o);
	if (r != CMD_GO)
		return r;
	return work(app, &s, &o, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
}

const struct cmd cmd_up = {
	.name = "up",
	.summary = "start the box with the services of .cubby/box.json",
	.argp = &argp,
	.config = true,
	.run = run,
};
