#include <string.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "cli/box/reviewshow.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"

enum { KEY_ALL = 0x3200, KEY_CONTINUE, KEY_OVERWRITE, KEY_ALLOW, KEY_DENY, KEY_TO };

struct args {
	bool all, resume, overwrite;
	const char *to;			 /* another directory; NULL = the project */
	struct words paths, allow, deny; /* owned */
};

static const struct argp_option options[] = {
	{ "all", KEY_ALL, NULL, 0, "also what is held", 0 },
	{ "overwrite", KEY_OVERWRITE, NULL, 0,
	  "also what has changed here since the box began", 0 },
	{ "allow", KEY_ALLOW, "PATTERN", 0, "such paths are not held", 0 },
	{ "deny", KEY_DENY, "PATTERN", 0, "such paths are held", 0 },
	{ "to", KEY_TO, "DIR", 0, "into another directory; the box keeps them, too",
	  0 },
	{ "continue", KEY_CONTINUE, NULL, 0, "finish what was interrupted", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case KEY_ALL:
		a->all = true;
		return 0;
	case KEY_CONTINUE:
		a->resume = true;
		return 0;
	case KEY_OVERWRITE:
		a->overwrite = true;
		return 0;
	case KEY_TO:
		a->to = arg;
		return 0;
	case KEY_ALLOW:
		return words_add(&a->allow, arg) < 0 ? ENOMEM : 0;
	case KEY_DENY:
		return words_add(&a->deny, arg) < 0 ? ENOMEM : 0;
	case ARGP_KEY_ARG:
		return words_add(&a->paths, arg) < 0 ? cmd_bad(state, "too many words")
						     : 0;
	case ARGP_KEY_END:
		if (a->resume && (a->all || a->paths.n || a->to))
			return cmd_bad(state, "--continue takes nothing else");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[PATH...]",
	.doc = "Take over what the box has changed in its project (--project review). "
	       "What acts on this machine by itself is held and asked for; what is "
	       "named, or all of it with --all, is taken over without a question.",
};

static int add_list(struct json *what, const char *name, const struct words *w)
{
	struct json *list = (struct json *)(uintptr_t)json_get(what, name);

	for (const char *const *p = words_list(w); *p; p++)
		json_add(list, json_string(*p));
	return json_failed(what);
}

static int go_elsewhere(const char *dir, struct json *what, struct review *rv,
			struct err *e)
{
	int fd = sys_open(dir, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return err_sys(e, fd, "cannot use directory '%s'", dir);
	scope_close(&rv->project);
	rv->project = fd;
	return json_set_bool(what, "elsewhere", true) < 0
		       ? err_sys(e, -ENOMEM, "cannot say what to apply")
		       : 0;
}

/* What a task would do at its end; one that never applies leaves it to this command. */
static int set_rules(const struct app *app, const struct args *a, struct json *what,
		     struct err *e)
{
	int r = reviewshow_rules(app->config, what, e);

	if (a->all)
		json_set_str(what, "policy", "all");
	else if (strcmp(config_text(app->config, CONFIG_APPLY), "never") == 0)
		json_set_str(what, "policy", "safe");
	json_set_bool(what, "overwrite", a->overwrite);
	if (r == 0)
		r = add_list(what, "allow", &a->allow);
	if (r == 0)
		r = add_list(what, "deny", &a->deny);
	return r < 0 ? err_sys(e, r, "cannot say what to apply") : 0;
}

static int apply(const struct app *app, const struct args *a, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s;
	_cleanup_review_ struct review rv = REVIEW_NONE;
	_cleanup_json_ struct json *what =
		review_args(a->resume ? "continue" : "apply");
	bool ask = tty_is(STDIN_FILENO) && tty_is(fileno(app->out)) && !app->json;
	struct reviewshow show = { .app = app,
				   .out = app->out,
				   .in = ask ? STDIN_FILENO : -1,
				   .elsewhere = a->to };
	int r;

	boxsetup_init(&s);
	r = boxsetup_find(app, &s, e);
	if (r == 0)
		r = set_rules(app, a, what, e);
	if (r == 0)
		r = review_open(&s, REVIEW_GIVE, &rv, e);
	if (r == 0 && a->to)
		r = go_elsewhere(a->to, what, &rv, e);
	for (const char *const *w = words_list(&a->paths); *w && r == 0; w++)
		r = review_add_path(what, &s, *w, e);
	return r < 0 ? r : reviewshow_take(&show, &rv, what, e);
}

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .paths = WORDS_NONE,
			  .allow = WORDS_NONE,
			  .deny = WORDS_NONE };
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_apply, argc, argv, &a);

	if (r == CMD_GO) {
		r = apply(app, &a, &e);
		r = r < 0 ? cmd_fail(app, &e, CMD_FAILED) : r ? CMD_FAILED : CMD_DONE;
	}
	words_done(&a.paths);
	words_done(&a.allow);
	words_done(&a.deny);
	return r;
}

const struct cmd cmd_apply = {
	.name = "apply",
	.summary = "take over what the box has changed in its project",
	.argp = &argp,
	.config = true,
	.run = run,
};
