#include "cli/box/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A '=' at the end: the whole name; none: how it begins. */
static const char *const passed[] = { "TERM=",	   "COLORTERM=", "LANG=",
				      "LANGUAGE=", "LC_",	 "TZ=" };

static const char *const keys[] = {
	"OPENAI_API_KEY",     "ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY",
	"GEMINI_API_KEY",     "GOOGLE_API_KEY",	   "MISTRAL_API_KEY",
	"GROQ_API_KEY",	      "XAI_API_KEY",	   "DEEPSEEK_API_KEY",
	"OPENROUTER_API_KEY", "TOGETHER_API_KEY",  "LLAMA_API_KEY",
};

void env_done(struct env *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->v[i]);
	free(e->v);
	*e = ENV_NONE;
}

/* Takes @text over, whatever happens. An earlier value of the same name goes. */
static int put(struct env *env, char *text)
{
	_cleanup_free_ char *held = text;
	size_t name;
	char **v;

	if (!held)
		return -ENOMEM;
	name = strcspn(held, "=") + 1;
	for (size_t i = 0; i < env->n; i++) {
		if (strncmp(env->v[i], held, name) != 0)
			continue;
		free(env->v[i]);
		env->v[i] = take(&held, NULL);
		return 0;
	}
	v = reallocarray(env->v, env->n + 2, sizeof(*v));
	if (!v)
		return -ENOMEM;
	env->v = v;
	v[env->n++] = take(&held, NULL);
	v[env->n] = NULL;
	return 0;
}

static bool is_passed(const char *entry)
{
	for (size_t i = 0; i < ARRAY_SIZE(passed); i++)
		if (text_starts(entry, passed[i]))
			return true;
	return false;
}

static bool is_key(const struct config *c, const char *s, size_t n)
{
	const struct json *providers = json_get(c->file, "providers");

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strlen(keys[i]) == n && strncmp(keys[i], s, n) == 0)
			return true;
	json_each(it, providers)
	{
		const char *k = json_get_str(it, "key-env");

		if (k && strlen(k) == n && strncmp(k, s, n) == 0)
			return true;
	}
	return false;
}

bool env_is_key(const struct config *c, const char *name)
{
	return is_key(c, name, strlen(name));
}

static const char *find(char *const *caller, const char *name)
{
	size_t n = strlen(name);

	for (; caller && *caller; caller++)
		if (strncmp(*caller, name, n) == 0 && (*caller)[n] == '=')
			return *caller;
	return NULL;
}

static int put_named(struct env *env, const struct config *c, char *const *caller,
		     const char *word, struct err *e)
{
	/* "+NAME" is the person's own word, for which no file can stand in. */
	bool forced = *word == '+' && c->v[CONFIG_ENV].from == CONFIG_FROM_FLAG;
	const char *entry;
	char shown[80];
	size_t n;

	word += forced;
	n = strcspn(word, "=");
	entry = word[n] ? word : find(caller, word);
	text_escaped(shown, sizeof(shown), word, n);
	if (is_key(c, word, n) && !forced) {
		err_set(e, -EPERM,
			"--env: '%s' is a model's key and never enters a box", shown);
		return err_hint(e, "--env +%s all the same", shown);
	}
	if (!entry)
		return 0;
	return put(env, strdup(entry)) < 0 ? err_sys(e, -ENOMEM, "--env %s", shown) : 0;
}

const char *env_get(const struct env *env, const char *name)
{
	const char *entry = env->v ? find(env->v, name) : NULL;

	return entry ? entry + strlen(name) + 1 : NULL;
}

int env_put(struct env *env, const char *name, const char *value)
{
	size_t size = strlen(name) + strlen(value) + 2;
	char *text = malloc(size);

	if (text)
		snprintf(text, size, "%s=%s", name, value);
	return put(env, text);
}

static bool has_name(const struct env *env, const char *entry)
{
	size_t name = strcspn(entry, "=") + 1;

	for (size_t i = 0; i < env->n; i++)
		if (strncmp(env->v[i], entry, name) == 0)
			return true;
	return false;
}

int env_add_image(struct env *env, const struct json *list, struct err *e)
{
	json_each(it, list)
	{
		const char *entry = json_str(it);

		if (!entry || !strchr(entry, '=') || entry[0] == '=' ||
		    has_name(env, entry))
			continue;
		if (put(env, strdup(entry)) < 0)
			return err_sys(e, -ENOMEM, "cannot make the environment");
	}
	return 0;
}

int env_make(const struct config *c, char *const *caller, struct env *ret,
	     struct err *e)
{
	_cleanup_env_ struct env env = ENV_NONE;
	const char *const *named = config_list(c, CONFIG_ENV);
	int r;

	for (char *const *p = caller; p && *p; p++)
		if (is_passed(*p) && put(&env, strdup(*p)) < 0)
			return err_sys(e, -ENOMEM, "cannot make the environment");
	for (; *named; named++) {
		r = put_named(&env, c, caller, *named, e);
		if (r < 0)
			return r;
	}
	*ret = take(&env, ENV_NONE);
	return 0;
}
