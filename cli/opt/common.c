#include "cli/opt/common.h"

#include <errno.h>

#include "base/log.h"

enum { KEY_JSON = 0x2000, KEY_NO_COLOR, KEY_VERSION };

static const struct argp_option options[] = {
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
	return OPT_COMMON_SHOWN;
}

static error_t parse(int key, char *arg, struct argp_state *state)
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
		log_set_level(log_get_level() == LOG_QUIET ? LOG_INFO : LOG_DEBUG);
		return 0;
	case KEY_NO_COLOR:
		app->color_out = app->color_err = false;
		return 0;
	case 'h':
		argp_state_help(state, app->out,
				ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC);
		return OPT_COMMON_SHOWN;
	case KEY_VERSION:
		return show_version(app);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp opt_common = { options, parse, NULL, NULL, NULL, NULL, NULL };
