#include "cli/opt/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/log.h"
#include "cli/opt/argcheck.h"
#include "cli/opt/config_load.h"
#include "cli/opt/near.h"
#include "cli/show/render.h"
#include "runtime/spec/spec.h"

/* What the parsers reach through state->root_argp, the one pointer that argp hands to
 * all of them. */
struct parse {
	struct argp root; /* first: see parse_of() */
	struct app *app;  /* borrowed */
	void *input;	  /* borrowed */
	struct err *e;	  /* borrowed */
};

static const struct parse *parse_of(const struct argp_state *state)
{
	return (const struct parse *)state->root_argp;
}

const struct cmd *cmd_find(const struct cmd *const *all, const char *name)
{
	for (; *all; all++)
		if (strcmp((*all)->name, name) == 0)
			return *all;
	return NULL;
}

const char *cmd_near(const struct cmd *const *all, const char *word)
{
	const char *names[CMD_MOST];
	size_t n = 0;

	for (; all[n] && n < CMD_MOST; n++)
		names[n] = all[n]->name;
	return near_find(word, names, n);
}

struct app *cmd_app(const struct argp_state *state)
{
	return parse_of(state)->app;
}

int cmd_bad(struct argp_state *state, const char *fmt, ...)
{
	struct err *e = parse_of(state)->e;
	char msg[sizeof(e->msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	err_set(e, -EINVAL, "%s", msg);
	return EINVAL;
}

int cmd_fail(const struct app *app, const struct err *e, int status)
{
	render_error(app, e, status);
	return status;
}

error_t cmd_no_operands(int key, char *arg, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	return cmd_bad(state, "unexpected word '%s'", arg);
}

enum { KEY_JSON = 0x2000, KEY_NO_COLOR, KEY_VERSION, KEY_NAME, KEY_HERE };

/* What a parser returns when -h or --version was shown and the work is done. */
enum { SHOWN = ECANCELED };

/* The options that every command takes; they go into the struct app. */
static const struct argp_option common_options[] = {
	{ "directory", 'C', "DIR", 0, "the box of DIR, not of the current directory",
	  -3 },
	{ "json", KEY_JSON, NULL, 0, "results and errors as JSON", -3 },
	{ "quiet", 'q', NULL, 0, "say nothing but results and errors", -3 },
	{ "verbose", 'v', NULL, 0, "tell more; -vv for debugging", -3 },
	{ "no-color", KEY_NO_COLOR, NULL, 0, "no colours, also on a terminal", -3 },
	{ "help", 'h', NULL, 0, "show this help", -2 },
	{ "version", KEY_VERSION, NULL, 0, "show the version", -2 },
	{ 0 },
};

static error_t show_version(const struct app *app)
{
	fprintf(app->out, "cubby %s\n", CUBBY_VERSION);
	return SHOWN;
}

static error_t add_volume(const struct app *app, struct argp_state *state)
{
	struct err e = ERR_NONE;

	if (config_set(app->config, CONFIG_VOLUME, state->argv[state->next++],
		       CONFIG_FROM_FLAG, &e) < 0)
		return cmd_bad(state, "-v: %s", e.msg);
	return 0;
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	struct app *app = cmd_app(state);

	switch (key) {
	case 'C':
		if (!*arg)
			return cmd_bad(state, "--directory: a name is needed");
		app->dir = arg;
		return 0;
	case KEY_JSON:
		app->json = true;
		return 0;
	case 'q':
		app->quiet = true;
		return 0;
	case 'v':
		if (argcheck_volume(state->root_argp, state->argv[state->next]))
			return add_volume(app, state);
		log_set_level(log_get_level() == LOG_QUIET ? LOG_INFO : LOG_DEBUG);
		return 0;
	case KEY_NO_COLOR:
		app->color_out = app->color_err = false;
		return 0;
	case 'h':
		argp_state_help(state, app->out,
				ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC);
		return SHOWN;
	case KEY_VERSION:
		return show_version(app);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_common = { common_options, parse_common, NULL, NULL,
				 NULL,		 NULL,	       NULL };

/* Which box of which directory: for the commands that are about one. */
static const struct argp_option place_options[] = {
	{ "name", KEY_NAME, "NAME", 0, "one of several boxes that a directory may have",
	  -3 },
	{ NULL, 'b', NULL, OPTION_ALIAS, NULL, -3 },
	{ "here", KEY_HERE, NULL, 0,
	  "the box of this very directory, not of one above it", -3 },
	{ 0 },
};

static error_t parse_place(int key, char *arg, struct argp_state *state)
{
	struct app *app = cmd_app(state);

	switch (key) {
	case KEY_NAME:
	case 'b':
		if (!spec_name_valid(arg))
			return cmd_bad(state,
				       "--name: bad name '%s'; letters, digits, '.', "
				       "'_' and '-' make one, 32 at most",
				       arg);
		app->other = app->box;
		app->box = arg;
		return 0;
	case KEY_HERE:
		app->here = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_place = {
	place_options, parse_place, NULL, NULL, NULL, NULL, NULL
};

static error_t parse_root(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = parse_of(state)->input;
	return 0;
}

/* Usage errors are found before --json is parsed: look for it first. */
static void look_for_json(struct app *app, const struct cmd *c, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (c->tail && argv[i][0] != '-')
			return;
		if (strcmp(argv[i], "--json") == 0)
			app->json = true;
	}
}

/* argp would end every help with a remark about short and long options. */
static char *filter_help(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)(uintptr_t)text;
}

static int parse_words(const struct cmd *c, int argc, char **argv, struct parse *p)
{
	const struct argp_child children[] = {
		{ .argp = c->argp },
		{ .argp = &cmd_common, .header = "Common options:", .group = -3 },
		{ .argp = c->no_box ? NULL : &cmd_place, .group = -3 },
		{ 0 },
	};
	unsigned flags = ARGP_NO_EXIT | ARGP_NO_HELP;
	int r;

	p->root = (struct argp){ .parser = parse_root,
				 .children = children,
				 .help_filter = filter_help };
	r = argcheck(&p->root, argc, argv, c->tail, p->e);
	if (r < 0)
		return r;
	p->e->code = 0;
	r = argp_parse(&p->root, argc, argv, flags | (c->tail ? ARGP_IN_ORDER : 0),
		       NULL, NULL);
	if (r == SHOWN)
		return SHOWN;
	if (r && !p->e->code)
		err_sys(p->e, -r, "cannot read the command line");
	return -r;
}

int cmd_parse(struct app *app, const struct cmd *c, int argc, char **argv, void *input)
{
	struct err e = ERR_NONE;
	struct parse p = { .app = app, .input = input, .e = &e };
	int r;

	look_for_json(app, c, argc, argv);
	r = parse_words(c, argc, argv, &p);
	if (r == SHOWN)
		return CMD_DONE;
	if (r == 0 && c->config)
		r = config_load(app->config, &e);
	if (r < 0)
		return cmd_fail(app, &e, c->usage ? c->usage : CMD_USAGE);
	return CMD_GO;
}
