#include "cli/opt/config_taskfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/opt/config_load.h"
#include "cli/opt/config_servers.h"

/* How a project may set a value. All else of the configuration it may not. */
enum rule {
	FREE,	/* as it likes: it reaches nothing outside */
	LOWER,	/* not above what holds without it */
	ONLY_ON /* a question more, never one less */
};

static const struct {
	enum config_key key;
	enum rule rule;
} rules[] = {
	{ CONFIG_MODEL, FREE },
	{ CONFIG_EFFORT, FREE },
	{ CONFIG_SYSTEM_EXTRA, FREE },
	{ CONFIG_ON_ERROR, FREE },
	{ CONFIG_MAX_ROUNDS, LOWER },
	{ CONFIG_MAX_TOKENS, LOWER },
	{ CONFIG_MAX_COST, LOWER },
	{ CONFIG_TIMEOUT, LOWER },
	{ CONFIG_COMMAND_TIMEOUT, LOWER },
	{ CONFIG_ASK, ONLY_ON },
};

static int find_rule(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (strcmp(config_rows[rules[i].key].name, name) == 0)
			return (int)i;
	return -1;
}

/* They run in the box, as its tools do. */
static int check_servers(const struct config *own, struct err *e)
{
	json_each(it, json_get(own->file, CONFIG_SERVERS))
	{
		if (config_servers_outside(it))
			return err_set(
				e, -EPERM,
				"%s: MCP server '%s': only your own configuration "
				"may say 'outside'",
				CONFIG_TASKFILE, json_key(it));
	}
	return 0;
}

static int check_member(const struct config *c, const struct config *own,
			const char *name, struct err *e)
{
	const int i = find_rule(name);
	const struct config_value *now, *new;
	const char *shown = text_shown(name);

	if (strcmp(name, CONFIG_SERVERS) == 0)
		return check_servers(own, e);
	if (i < 0)
		return err_set(e, -EPERM, "%s: '%s' is not for a project to set",
			       CONFIG_TASKFILE, shown);
	now = &c->v[rules[i].key];
	new = &own->v[rules[i].key];
	if (rules[i].rule == LOWER && now->n && (!new->n || new->n > now->n))
		return err_set(e, -EPERM, "%s: a project may only lower '%s', from %s",
			       CONFIG_TASKFILE, shown, now->text);
	if (rules[i].rule == ONLY_ON && !new->n)
		return err_set(e, -EPERM, "%s: a project may not switch '%s' off",
			       CONFIG_TASKFILE, shown);
	return 0;
}

static int check(const struct config *c, const struct config *own, struct err *e)
{
	json_each(it, own->file)
	{
		int r = check_member(c, own, json_key(it), e);

		if (r < 0)
			return r;
	}
	return 0;
}

static int take_members(struct config *c, const struct config *own, struct err *e)
{
	int r = 0;

	json_each(it, own->file)
	{
		const int i = find_rule(json_key(it));

		if (r == 0 && i >= 0)
			r = config_set(c, rules[i].key, own->v[rules[i].key].text,
				       CONFIG_FROM_PROJECT, e);
	}
	return r;
}

int config_taskfile_load(struct config *c, const char *text, size_t len, struct err *e)
{
	struct config *own = calloc(1, sizeof(*own));
	int r;

	if (!own)
		return err_sys(e, -ENOMEM, "cannot read '%s'", CONFIG_TASKFILE);
	config_init(own);
	r = config_load_text(own, CONFIG_TASKFILE, text, len, e) ?: check(c, own, e);
	if (r < 0 || c->taskfile) {
		config_done(own);
		free(own);
		return r;
	}
	c->taskfile = own; /* its texts are borrowed from here on */
	return take_members(c, own, e);
}
