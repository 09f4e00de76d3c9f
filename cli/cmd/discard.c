#include "cli/box/review.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"

enum { KEY_ALL = 0x3300 };

struct args {
	bool all;
	struct words paths; /* owned */
};

static const struct argp_option options[] = {
	{ "all", KEY_ALL, NULL, 0, "everything that waits", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case KEY_ALL:
		a->all = true;
		return 0;
	case ARGP_KEY_ARG:
		return words_add(&a->paths, arg) < 0 ? cmd_bad(state, "too many words")
						     : 0;
	case ARGP_KEY_END:
		if (a->all == (a->paths.n > 0))
			return cmd_bad(state, "name paths, or say --all");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "PATH... | --all",
	.doc = "Throw away what the box has changed in its project (--project review) "
	       "and was not taken over. It cannot be got back.",
};

static int discard(const struct app *app, const struct args *a, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s;
	_cleanup_review_ struct review rv = REVIEW_NONE;
	_cleanup_json_ struct json *what = review_args("discard");
	int r;

	boxsetup_init(&s);
	r = boxsetup_find(app, &s, e);
	if (r == 0)
		r = review_open(&s, REVIEW_ALONE, &rv, e);
	for (const char *const *w = words_list(&a->paths); *w && r == 0; w++)
		r = review_add_path(what, &s, *w, e);
	return r < 0 ? r : review_ask(&rv, what, NULL, NULL, e);
}

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .paths = WORDS_NONE };
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_discard, argc, argv, &a);

	if (r == CMD_GO)
		r = discard(app, &a, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
	words_done(&a.paths);
	return r;
}

const struct cmd cmd_discard = {
	.name = "discard",
	.summary = "throw away what the box has changed in its project",
	.argp = &argp,
	.config = true,
	.run = run,
};
