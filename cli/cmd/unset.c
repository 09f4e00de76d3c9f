#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/config_box.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct words *names = state->input;
	struct err e = ERR_NONE;

	switch (key) {
	case ARGP_KEY_ARG:
		if (config_box_find(arg, &e) < 0)
			return cmd_bad(state, "%s", e.msg);
		return words_add(names, arg) < 0 ? cmd_bad(state, "too many words") : 0;
	case ARGP_KEY_END:
		return names->n ? 0
				: cmd_bad(state, "a name is missing; 'cubby set' shows "
						 "what is set");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "NAME...",
	.doc = "Take back settings that were kept with the box of this directory "
	       "('cubby set'): the configuration or the default holds again from its "
	       "next start.",
};

static int work(const struct app *app, const struct words *names, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s;
	struct opt_box o = { .forget = words_list(names) };
	struct err none = ERR_NONE;
	int r;

	boxsetup_init(&s);
	r = boxsetup_find(app, &s, e);
	boxsetup_done(&s);
	boxsetup_init(&s);
	if (r == 0)
		r = boxsetup_prepare(app, &o, &s, e);
	if (r < 0)
		return r;
	if (!s.changed)
		render_note(app, "that was not set for this box");
	else if (boxsetup_join(app, &s, &none) == 0)
		render_note(app, "the box runs: this holds from its next start ('cubby "
				 "stop' ends it)");
	return 0;
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_words_ struct words names = WORDS_NONE;
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_unset, argc, argv, &names);

	if (r != CMD_GO)
		return r;
	return work(app, &names, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
}

const struct cmd cmd_unset = {
	.name = "unset",
	.summary = "take back settings of the box",
	.argp = &argp,
	.config = true,
	.run = run,
};
