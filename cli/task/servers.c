#include "cli/task/servers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* That of the session, and what is said of this server. */
static int make_env(const struct app *app, const struct json *j,
		    const char *const *session, struct server *s, struct err *e)
{
	const struct json *own = json_get(j, "env");
	size_t n = 0, common = 0;

	while (session && session[common])
		common++;
	s->env = calloc(common + json_len(own) + 1, sizeof(*s->env));
	if (!s->env)
		return err_sys(e, -ENOMEM, "cannot make its environment");
	for (; n < common; n++)
		s->env[n] = strdup(session[n]);
	json_each(it, own)
	{
		if (env_is_key(app->config, json_key(it)))
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

static int start_one(const struct app *app, const struct json *j,
		     const struct mcp_client_conf *common, struct server *s,
		     struct err *e)
{
	struct mcp_client_conf conf = *common;
	int r = make_argv(j, s);

	if (r < 0)
		return err_sys(e, r, "cannot start it");
	r = make_env(app, j, common->env, s, e);
	s->name = conf.name = json_key(j);
	conf.argv = s->argv;
	conf.env = (const char *const *)s->env;
	if (r == 0)
		r = mcp_client_new(&conf, &s->client, e);
	return r < 0 ? r : mcp_client_start(s->client, e);
}

static void tell(const struct app *app, const char *name, const struct err *e)
{
	render_note(app, "MCP server '%s': %s; its tools are not there", name, e->msg);
}

int servers_start(const struct app *app, const struct mcp_client_conf *conf,
		  struct servers *s, struct err *e)
{
	const struct json *j;

	for (size_t i = 0;
	     s->n < CONFIG_SERVERS_MAX && (j = config_servers_find(app->config, i));
	     i++) {
		int r = start_one(app, j, conf, &s->v[s->n], e);

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
