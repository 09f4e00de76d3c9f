#include "cli/task/servers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "cli/box/env.h"
#include "cli/show/render.h"

enum { NOTES_MAX = 16 << 10 };

static void server_done(struct server *s)
{
	mcp_client_free(&s->client);
	for (size_t i = 0; s->env && s->env[i]; i++)
		free(s->env[i]);
	free(s->env);
	free(s->argv);
	*s = (struct server){ 0 };
}

void servers_done(struct servers *s)
{
	for (size_t i = 0; i < s->n; i++)
		server_done(&s->v[i]);
	*s = SERVERS_NONE;
}

static int make_argv(const struct json *j, struct server *s)
{
	const struct json *args = json_get(j, "args");
	size_t n = 0;

	s->argv = calloc(json_len(args) + 2, sizeof(*s->argv));
	if (!s->argv)
		return -ENOMEM;
	s->argv[n++] = json_get_str(j, "command");
	json_each(it, args)
	{
		s->argv[n++] = json_str(it);
	}
	return 0;
}

static bool is_key(const struct app *app, const char *variable)
{
	size_t n = strcspn(variable, "=");
	char name[256];

	if (n >= sizeof(name))
		return false;
	memcpy(name, variable, n);
	name[n] = '\0';
	return env_is_key(app->config, name);
}

/* PYTHONPATH, BASH_ENV and such, of a shell that works in the project: programs run what
 * they name there. */
static bool leads_there(const char *variable, const char *project)
{
	_cleanup_free_ char *copy = strdup(variable);
	char *rest = copy;

	for (char *word; (word = strsep(&rest, "=:;, \t\n"));) {
		word = strchr(word, '/');
		if (word && proc_leads_into(word, project))
			return true;
	}
	return !copy;
}

/* That of the session, or outside the person's without keys and what leads into the
 * project, and what is said of this server. */
static int make_env(const struct app *app, const char *project, const struct json *j,
		    const char *const *common, struct server *s, struct err *e)
{
	const struct json *own = json_get(j, "env");
	const bool outside = config_servers_outside(j);
	size_t n = 0, most = 0;

	while (common && common[most])
		most++;
	s->env = calloc(most + json_len(own) + 1, sizeof(*s->env));
	if (!s->env)
		return err_sys(e, -ENOMEM, "cannot make its environment");
	for (size_t i = 0; i < most; i++)
		if (!outside ||
		    (!is_key(app, common[i]) && !leads_there(common[i], project)))
			s->env[n++] = strdup(common[i]);
	json_each(it, own)
	{
		if (!outside && env_is_key(app->config, json_key(it)))
			return err_set(e, -EPERM,
				       "'%s' is a model's key and never enters a box",
				       json_key(it));
		if (asprintf(&s->env[n], "%s=%s", json_key(it), json_str(it)) < 0)
			s->env[n] = NULL;
		n++;
	}
	for (size_t i = 0; i < n; i++)
		if (!s->env[i])
			return err_sys(e, -ENOMEM, "cannot make its environment");
	return 0;
}

/* A name is not found there by itself (cli/box/setup.c), but a path may lead there. */
static int check_program(const char *name, const char *project, struct err *e)
{
	char path[PATH_MAX];

	if (!strchr(name, '/')) {
		if (proc_find(name, path) < 0)
			return 0; /* said by the start */
	} else if (snprintf(path, sizeof(path), "/%s", name) >= (int)sizeof(path)) {
		return err_set(e, -ENAMETOOLONG, "the path of its program is too long");
	}
	if (proc_leads_into(path, project))
		return err_set(e, -EPERM,
			       "its program is in the project, where a box may have "
			       "written it");
	return 0;
}

static int begin_outside(const char *project, struct server *s,
			 struct mcp_client_conf *conf, struct err *e)
{
	int r = proc_path_settle(e);

	if (r < 0)
		return r;
	conf->outside = true;
	conf->port = mcp_outside_port(&s->outside);
	conf->env = (const char *const *)environ;
	return check_program(s->argv[0], project, e);
}

static int start_one(const struct app *app, const char *project, const struct json *j,
		     const struct mcp_client_conf *common, struct server *s,
		     struct err *e)
{
	struct mcp_client_conf conf = *common;
	int r = make_argv(j, s);

	s->name = conf.name = json_key(j);
	s->outside = MCP_OUTSIDE_NONE;
	if (r < 0)
		return err_sys(e, r, "cannot start it");
	if (config_servers_outside(j))
		r = begin_outside(project, s, &conf, e);
	if (r == 0)
		r = make_env(app, project, j, conf.env, s, e);
	conf.argv = s->argv;
	conf.env = (const char *const *)s->env;
	if (r < 0)
		return r;
	r = mcp_client_new(&conf, &s->client, e);
	if (r < 0)
		return r;
	if (conf.outside)
		render_note(app,
			    "MCP server '%s' runs on this computer, outside of the box",
			    s->name);
	return mcp_client_start(s->client, e);
}

static void tell(const struct app *app, const char *name, const struct err *e)
{
	render_note(app, "MCP server '%s': %s; its tools are not there", name, e->msg);
}

int servers_start(const struct app *app, const char *project,
		  const struct mcp_client_conf *conf, struct servers *s, struct err *e)
{
	const struct json *j;

	for (size_t i = 0;
	     s->n < CONFIG_SERVERS_MAX && (j = config_servers_find(app->config, i));
	     i++) {
		int r = start_one(app, project, j, conf, &s->v[s->n], e);

		if (r == 0) {
			s->n++;
			continue;
		}
		server_done(&s->v[s->n]);
		if (r == -ECONNRESET || r == -ENOTCONN)
			return err_wrap(e, "MCP server '%s'", json_key(j));
		tell(app, json_key(j), e);
	}
	return 0;
}

void servers_offer(const struct app *app, struct servers *s, struct toolbox *t)
{
	_cleanup_buf_ struct buf notes = BUF_INIT(NOTES_MAX);

	for (size_t i = 0; i < s->n; i++) {
		struct err e = ERR_NONE;

		if (mcp_client_offer(s->v[i].client, t, &notes, &e) < 0)
			tell(app, s->v[i].name, &e);
	}
	render_notes(app, buf_cstr(&notes));
}
