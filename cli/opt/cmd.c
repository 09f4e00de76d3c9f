#include "cli/opt/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/num.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/argcheck.h"
#include "cli/opt/config_load.h"
#include "cli/opt/help.h"
#include "cli/opt/near.h"
#include "cli/show/render.h"
#include "runtime/spec/spec.h"

const struct cmd *cmd_find(const struct cmd *const *all, const char *name)
{
	for (; *all; all++)
		if (strcmp((*all)->name, name) == 0)
			return *all;
	return NULL;
}

bool cmd_of_box(const struct app *app, const char *text)
{
	char name[32];
	const struct cmd *c;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, " '"), text);
	c = cmd_find(app->commands, name);
	return c && !c->no_box;
}

const char *cmd_near(const struct cmd *const *all, const char *word)
{
	const char *names[CMD_MOST];
	size_t n = 0;

	for (; all[n] && n < CMD_MOST; n++)
		names[n] = all[n]->name;
	return near_find(word, names, n);
}

int cmd_fail(const struct app *app, const struct err *e, int status)
{
	render_error(app, e, status);
	return status;
}

/* ---- the options of every command -------------------------------------------------------- */

static int be_verbose(struct app *app, void *, const char *volume, struct err *e)
{
	if (!volume) {
		log_set_level(log_get_level() == LOG_QUIET ? LOG_INFO : LOG_DEBUG);
		return 0;
	}
	return config_set(app->config, CONFIG_VOLUME, volume, CONFIG_FROM_FLAG, e);
}

static int be_plain(struct app *app, void *, const char *, struct err *)
{
	app->color_out = app->color_err = false;
	return 0;
}

static int check_dir(struct app *, void *, const char *dir, struct err *e)
{
	return *dir ? 0 : err_set(e, -EINVAL, "a name is missing: that of a directory");
}

/* They go into the struct app. */
static const struct cmd_option common[] = {
	{ "directory", 'C', "DIR", "the box of DIR, not of the current directory",
	  CMD_TEXT_IF(struct app, dir, check_dir) },
	{ "json", 0, NULL, "results and errors as JSON", CMD_FLAG(struct app, json) },
	{ "quiet", 'q', NULL,
	  "say nothing but results and errors; of a list its first column alone",
	  CMD_FLAG(struct app, quiet) },
	{ "verbose", 'v', NULL, "tell more; -vv: of the start of a box, too",
	  CMD_CALL(be_verbose) },
	{ "no-color", 0, NULL, "no colours, also on a terminal", CMD_CALL(be_plain) },
	{ "help", 'h', NULL, "show this help", { .kind = CMD_IS_HELP } },
	{ "version", 0, NULL, "show the version", { .kind = CMD_IS_VERSION } },
	{ 0 },
};

static int take_name(struct app *app, void *, const char *name, struct err *e)
{
	if (strcmp(name, "-") == 0) /* as "ls" shows the one without a name */
		name = "";
	else if (!spec_name_valid(name))
		return err_set(e, -EINVAL,
			       "bad name '%s'; letters, digits, '.', '_' and '-' "
			       "make one, 32 at most",
			       name);
	app->other = app->box;
	app->box = name;
	return 0;
}

/* Which box of which directory: for the commands that are about one. */
static const struct cmd_option place[] = {
	{ "name", 'b', "NAME",
	  "one of several boxes that a directory may have; - is the one without a name",
	  CMD_CALL(take_name) },
	{ "here", 0, NULL, "the box of this very directory, not of one above it",
	  CMD_FLAG(struct app, here) },
	{ 0 },
};

/* ---- reading the words ------------------------------------------------------------------- */

struct parse {
	struct app *app; /* borrowed, as the next ones */
	const struct cmd *c;
	void *args;
	unsigned operands; /* how many there were */
	unsigned slot;	   /* where the next one goes */
	bool shown;	   /* -h or --version: the work is done */
};

static int bad_number(const struct cmd_goal *g, const char *word, struct err *e)
{
	err_set(e, -EINVAL, "bad number '%s'", word);
	return err_hint(e, "it is from %" PRIu64 " to %" PRIu64, g->least, g->most);
}

static int reach(struct app *app, const struct cmd_goal *g, void *base,
		 const char *word, struct err *e)
{
	void *at = (char *)base + (g->kind == CMD_IS_CONFIG ? 0 : g->at);
	int r = g->judge ? g->judge(app, base, word, e) : 0;

	if (r < 0)
		return r;
	if (g->kind == CMD_IS_FLAG)
		*(bool *)at = true;
	else if (g->kind == CMD_IS_TEXT)
		*(const char **)at = word;
	else if (g->kind == CMD_IS_CONFIG)
		r = config_set(app->config, (enum config_key)g->at, word,
			       CONFIG_FROM_FLAG, e);
	else if (g->kind == CMD_IS_NUMBER && num_range(word, g->least, g->most, at) < 0)
		return bad_number(g, word, e);
	else if (g->kind == CMD_IS_LIST && words_add(at, word) < 0)
		return err_set(e, -E2BIG, "too many words");
	if (r < 0 && word && !*word && !strstr(e->msg, "; "))
		return err_hint(e, "give the option a value, or leave it out");
	return r;
}

static int take_option(void *ctx, const struct argcheck_row *row, const char *word,
		       struct err *e)
{
	const struct cmd_option *o = row->option;
	struct parse *p = ctx;

	if (o->goal.kind == CMD_IS_HELP)
		help_command(p->app, p->c, common, place);
	else if (o->goal.kind == CMD_IS_VERSION)
		fprintf(p->app->out, "cubby %s\n", CUBBY_VERSION);
	else if (reach(p->app, &o->goal, row->base, word, e) == 0)
		return 0;
	else
		return word && !o->word ? err_wrap(e, "-%c", o->letter) /* a volume */
					: err_wrap(e, "--%s", o->name);
	p->shown = true;
	return -ECANCELED; /* nothing behind it is read */
}

static int take_operand(void *ctx, char **at, struct err *e)
{
	struct parse *p = ctx;
	const struct cmd_goal *g = &p->c->operands[p->slot];
	char ***rest = (char ***)(void *)((char *)p->args + g->at);

	if (p->slot == CMD_OPERANDS || g->kind == CMD_NONE) {
		err_set(e, -EINVAL, "unexpected word '%s'", *at);
		return err_hint(e, "--help says what it takes");
	}
	p->operands++;
	if (g->kind == CMD_IS_REST) {
		*rest = *rest ? *rest : at;
		return 0;
	}
	p->slot += g->kind == CMD_IS_TEXT;
	return reach(p->app, g, p->args, *at, e);
}

void cmd_options(const struct cmd *c, struct app *app, void *args, struct argcheck *set)
{
	argcheck_add(set, c->options, args);
	for (size_t i = 0; i < CMD_TABLES; i++)
		argcheck_add(set, c->tables[i].options,
			     args ? (char *)args + c->tables[i].at : NULL);
	argcheck_add(set, common, app);
	argcheck_add(set, c->no_box ? NULL : place, app);
}

/* Each option is known before any is heeded, and operands come last. */
static int parse_words(struct parse *p, int argc, char **argv, struct err *e)
{
	struct argcheck set = { .tail = p->c->tail,
				.command = p->c->name,
				.place = p->c->no_box ? place : NULL,
				.ctx = p };
	int r;

	cmd_options(p->c, p->app, p->args, &set);
	r = argcheck(&set, argc, argv, e);
	if (r < 0)
		return r;
	set.found = take_option;
	r = argcheck(&set, argc, argv, e);
	if (r < 0)
		return r;
	set.found = NULL;
	set.operand = take_operand;
	r = argcheck(&set, argc, argv, e);
	if (r < 0)
		return r;
	if (p->operands < p->c->least)
		return err_set(e, -EINVAL, "%s", p->c->missing);
	for (size_t i = 0; i < CMD_TABLES && r == 0; i++) {
		const struct cmd_table *t = &p->c->tables[i];

		r = t->check ? t->check(p->app, (char *)p->args + t->at, e) : 0;
	}
	return r == 0 && p->c->check ? p->c->check(p->app, p->args, e) : r;
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

int cmd_parse(struct app *app, const struct cmd *c, int argc, char **argv, void *args)
{
	struct parse p = { .app = app, .c = c, .args = args };
	struct err e = ERR_NONE;
	int r;

	look_for_json(app, c, argc, argv);
	r = parse_words(&p, argc, argv, &e);
	if (p.shown)
		return CMD_DONE;
	if (r == 0 && c->config)
		r = config_load(app->config, &e);
	if (r < 0)
		return cmd_fail(app, &e, c->usage ? c->usage : CMD_USAGE);
	return CMD_GO;
}

/* ---- the whole of it --------------------------------------------------------------------- */

static void free_goal(const struct cmd_goal *g, void *base)
{
	if (g->kind == CMD_IS_LIST)
		words_done((struct words *)(void *)((char *)base + g->at));
}

static void free_args(const struct cmd *c, void *args)
{
	struct argcheck set = { .n = 0 };

	cmd_options(c, NULL, args, &set);
	for (size_t i = 0; i < set.n; i++)
		free_goal(&set.v[i].option->goal, set.v[i].base);
	for (size_t i = 0; i < CMD_OPERANDS; i++)
		free_goal(&c->operands[i], args);
	free(args);
}

/* From here on -C is a path without links, of a directory that is there: also commands
 * that ask nothing of it must not pass over a name that was mistyped. */
static int find_dir(struct app *app, char real[PATH_MAX], struct err *e)
{
	_cleanup_close_ int fd = -1;
	int r;

	if (!app->dir)
		return 0;
	r = app->real_named(app->dir, real, e);
	if (r < 0)
		return r;
	fd = sys_open(real, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return err_sys(e, fd, "cannot use directory '%s'",
			       text_shown(app->dir));
	app->dir = real;
	return 0;
}

int cmd_do(struct app *app, const struct cmd *c, int argc, char **argv)
{
	void *args = calloc(1, MAX(c->size, (size_t)1));
	struct err e = ERR_NONE;
	char real[PATH_MAX];
	int r;

	if (!args)
		return cmd_fail(app, (err_sys(&e, -ENOMEM, "cannot begin"), &e),
				CMD_FAILED);
	if (c->begin)
		memcpy(args, c->begin, c->size);
	if (c->early)
		c->early(args, argc, argv);
	r = cmd_parse(app, c, argc, argv, args);
	if (r == CMD_GO && find_dir(app, real, &e) < 0)
		r = cmd_fail(app, &e, c->usage ? c->usage : CMD_USAGE);
	if (r == CMD_GO)
		r = c->work(app, args, &e);
	if (r < 0)
		r = cmd_fail(app, &e, c->failed ? c->failed : CMD_FAILED);
	free_args(c, args);
	return r;
}
