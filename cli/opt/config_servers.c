#include "cli/opt/config_servers.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

enum { NAME_MAX_LEN = 16 };

static int check_args(const struct json *args, struct err *e)
{
	bool good = !args || json_type(args) == JSON_ARRAY;

	json_each(it, args)
	{
		good = good && json_str(it);
	}
	if (!good)
		return err_set(e, -EINVAL, "'args' must be a list of strings");
	if (json_len(args) > CONFIG_SERVERS_ARGS)
		return err_set(e, -EINVAL, "'args' has more than %d words",
			       CONFIG_SERVERS_ARGS);
	return 0;
}

static int check_env(const struct json *env, struct err *e)
{
	bool good = !env || json_type(env) == JSON_OBJECT;

	json_each(it, env)
	{
		good = good && json_str(it) && *json_key(it) &&
		       !strchr(json_key(it), '=');
	}
	if (!good)
		return err_set(e, -EINVAL, "'env' must be an object of strings");
	if (json_len(env) > CONFIG_SERVERS_ARGS)
		return err_set(e, -EINVAL, "'env' has more than %d values",
			       CONFIG_SERVERS_ARGS);
	return 0;
}

int config_servers_check(const struct json *server, struct err *e)
{
	static const char *const known[] = { "command", "args", "env", "outside" };
	const char *command = json_get_str(server, "command");
	int r;

	if (!text_is_word(json_key(server) ?: "", NAME_MAX_LEN + 1))
		return err_set(e, -EINVAL,
			       "a name has up to %d letters, digits, - and _",
			       NAME_MAX_LEN);
	if (!command || !*command)
		return err_set(e, -EINVAL, "it needs a 'command'");
	r = config_keys(server, known, ARRAY_SIZE(known), e);
	if (r < 0)
		return r;
	if (json_get(server, "outside") &&
	    json_type(json_get(server, "outside")) != JSON_BOOL)
		return err_set(e, -EINVAL, "'outside' must be true or false");
	r = check_args(json_get(server, "args"), e);
	return r < 0 ? r : check_env(json_get(server, "env"), e);
}

bool config_servers_outside(const struct json *server)
{
	return json_get_bool(server, "outside", false);
}

const struct json *config_servers_find(const struct config *c, size_t nth)
{
	const struct json *own = json_get(c->file, CONFIG_SERVERS);
	const struct json *theirs =
		c->taskfile ? json_get(c->taskfile->file, CONFIG_SERVERS) : NULL;

	json_each(it, own)
	{
		if (nth-- == 0)
			return it;
	}
	json_each(it, theirs)
	{
		if (!json_get(own, json_key(it)) && nth-- == 0)
			return it;
	}
	return NULL;
}
