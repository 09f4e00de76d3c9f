#include "cli/project/setup_plan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"

enum { PATH_WORD = 256, TEXT_MAX = 16 << 20 };

static const struct manager {
	const char *name, *script, *tool, *package;
} managers[] = {
	{ "apt",
	  "export DEBIAN_FRONTEND=noninteractive\n"
	  "apt-get -q update && apt-get -q install -y "
	  "--no-install-recommends \"$@\" && exec apt-get clean",
	  NULL, NULL },
	{ "pip", "exec pip3 install \"$@\"", "pip3", "python3-pip" },
	{ "npm", "exec npm install -g \"$@\"", "npm", "npm" },
};

EMBED(setup_plan_execute_cli, "cli/project/execute_cli.sh");

/* What "plugins" brings into a box: scripts of cubby's own, in steps, so that one that fails
 * has a name. They look at nothing of the project: what they make is any project's. */
static const struct plugin_step {
	const char *plugin, *step, *script;
} plugin_steps[] = {
	{ "jupyter", "packages",
	  "export DEBIAN_FRONTEND=noninteractive\n"
	  "apt-get -q update && apt-get -q install -y --no-install-recommends "
	  "python3-ipykernel jupyter-client jupyter-core && exec apt-get clean" },
	{ "jupyter", "kernel",
	  "jupyter kernelspec list --json | exec python3 -c 'import json, sys; "
	  "json.load(sys.stdin)[\"kernelspecs\"][\"python3\"]'" },
	{ "jupyter", "execute_cli", setup_plan_execute_cli },
};

void setup_plan_done(struct setup_plan *p)
{
	free(p->v);
	*p = (struct setup_plan)SETUP_PLAN_NONE;
}

/* ---- what a step depends on --------------------------------------------------------------- */

/* A name as package managers look one up, with a version: no path, address nor archive. The
 * '/' after a scope of npm is none of a path. */
static bool is_package(const char *word)
{
	static const char in_names[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
	static const char *const never[] = { "/",    "\\",   "..",   ":",
					     ".whl", ".tar", ".tgz", ".zip" };

	if (*word == '@') {
		word += 1 + strspn(word + 1, in_names);
		if (*word++ != '/')
			return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		if (strstr(word, never[i]))
			return false;
	return isalnum((unsigned char)*word);
}

static bool all_packages(const struct json *words)
{
	json_each(it, words)
	{
		if (!is_package(json_str(it)))
			return false;
	}
	return true;
}

/* Each piece with its length, so that no two lists of pieces look alike. */
static int add(struct buf *b, const char *text, size_t len)
{
	int r = buf_addf(b, "%zu:", len);

	return r == 0 ? buf_add(b, text, len) : r;
}

static void add_file(const struct setup_base *base, const char *path, struct buf *b)
{
	size_t at = b->len;

	base->read(base->ctx, path, b);
	if (b->len > at)
		(void)buf_addf(b, ":%s", path);
}

/* Whatever of a text could be the name of a file. */
static void add_named(const struct setup_base *base, const char *text, struct buf *b)
{
	static const char between[] = " \t\n;&|<>()'\"=`";

	while (*(text += strspn(text, between))) {
		size_t n = strcspn(text, between);
		char path[PATH_WORD];

		if (n < sizeof(path)) {
			snprintf(path, sizeof(path), "%.*s", (int)n, text);
			add_file(base, path, b);
		}
		text += n;
	}
}

static int sign(const struct setup_base *base, struct setup_step *st,
		const struct json *files, const char *before, struct err *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(TEXT_MAX);
	int r;

	(void)add(&b, st->script, strlen(st->script));
	json_each(it, st->words)(void) add(&b, json_str(it), strlen(json_str(it)));
	if (!st->alone)
		add_named(base, st->script, &b);
	json_each(it, st->alone ? NULL : st->words) add_file(base, json_str(it), &b);
	json_each(it, files) add_file(base, json_str(it), &b);
	r = buf_failed(&b);
	if (r < 0)
		return err_sys(e, r, "cannot compare the setup step '%s'", st->name);
	hash_text(b.data, b.len, st->text);
	buf_truncate(&b, 0);
	(void)buf_addf(&b, "%s %s %s", before, st->text,
		       st->alone ? "" : base->project);
	r = buf_failed(&b);
	if (r == 0)
		hash_text(b.data, b.len, st->key);
	return r;
}

/* ---- the list ----------------------------------------------------------------------------- */

static void name_packages(struct setup_step *st, const char *manager)
{
	size_t at = (size_t)snprintf(st->name, SETUP_NAME, "%s", manager);
	const char *sep = ": ";

	json_each(it, st->words)
	{
		if (at < SETUP_NAME)
			at += (size_t)snprintf(st->name + at, SETUP_NAME - at, "%s%s",
					       sep, json_str(it));
		sep = ", ";
	}
}

static int add_packages(const struct json *packages, const struct setup_base *base,
			struct setup_plan *p, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(managers); i++) {
		const struct json *words = json_get(packages, managers[i].name);
		struct setup_step *st = &p->v[p->n];
		int r;

		if (!json_len(words))
			continue;
		*st = (struct setup_step){ .script = managers[i].script,
					   .words = words,
					   .tool = managers[i].tool,
					   .package = managers[i].package,
					   .alone = all_packages(words) };
		name_packages(st, managers[i].name);
		r = sign(base, st, NULL, p->n ? p->v[p->n - 1].key : base->box, e);
		if (r < 0)
			return r;
		p->n++;
	}
	return 0;
}

static bool has_word(const struct json *list, const char *word)
{
	json_each(it, list)
	{
		if (strcmp(json_str(it), word) == 0)
			return true;
	}
	return false;
}

static bool is_plugin(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(plugin_steps); i++)
		if (strcmp(plugin_steps[i].plugin, name) == 0)
			return true;
	return false;
}

static int add_plugins(const struct json *plugins, const struct setup_base *base,
		       struct setup_plan *p, struct err *e)
{
	int r = 0;

	json_each(it, plugins)
	{
		if (!is_plugin(json_str(it)))
			return err_set(e, -EINVAL,
				       "there is no plugin '%.60s'; there is jupyter",
				       json_str(it));
	}
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(plugin_steps); i++) {
		const struct plugin_step *step = &plugin_steps[i];
		struct setup_step *st = &p->v[p->n];

		if (!has_word(plugins, step->plugin))
			continue;
		*st = (struct setup_step){ .script = step->script, .alone = true };
		snprintf(st->name, SETUP_NAME, "plugin %s: %s", step->plugin,
			 step->step);
		r = sign(base, st, NULL, p->n ? p->v[p->n - 1].key : base->box, e);
		p->n++;
	}
	return r;
}

int setup_plan_make(const struct json *project, const struct setup_base *base,
		    struct setup_plan *ret, struct err *e)
{
	const struct json *setup = json_get(project, "setup");
	_cleanup_setup_plan_ struct setup_plan p = SETUP_PLAN_NONE;
	int r;

	p.v = calloc(ARRAY_SIZE(managers) + ARRAY_SIZE(plugin_steps) + json_len(setup),
		     sizeof(*p.v));
	if (!p.v)
		return err_sys(e, -ENOMEM, "cannot plan the setup");
	r = add_packages(json_get(project, "packages"), base, &p, e)
		    ?: add_plugins(json_get(project, "plugins"), base, &p, e);
	json_each(it, setup)
	{
		struct setup_step *st = &p.v[p.n];

		if (r < 0)
			return r;
		st->script = json_str(it) ? json_str(it) : json_get_str(it, "run");
		snprintf(st->name, SETUP_NAME, "%s", st->script);
		r = sign(base, st, json_get(it, "files"),
			 p.n ? p.v[p.n - 1].key : base->box, e);
		p.n++;
	}
	if (r < 0)
		return r;
	*ret = take(&p, (struct setup_plan)SETUP_PLAN_NONE);
	return 0;
}
