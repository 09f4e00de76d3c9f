#include "cli/opt/config_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_walk.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/config_servers.h"
#include "cli/opt/near.h"

enum { FILE_MAX = 1 << 20 /* bytes */, CONTEXT_LEAST = 1024, PRICE_MOST = 100000 };

struct source {
	struct config *c;
	const char *name, *text;
	size_t len;
};

/* Go on to the member @key of the object that @in is; false: there is none. */
static bool find(struct json_span *in, const char *key, const char **at)
{
	struct json_walk w = { .s = in->s, .len = in->len };
	struct json_span name, value;

	if (json_walk_skip(&w, " \t\r\n") != '{')
		return false;
	w.at++;
	while (json_walk_member(&w, &name, &value)) {
		if (!json_walk_is(&name, key))
			continue;
		*at = name.s;
		*in = value;
		return true;
	}
	return false;
}

/* The line of the member @key, or of its member @inner when that is not NULL. */
static int at_line(const struct source *s, const char *key, const char *inner,
		   struct err *e)
{
	struct json_span in = { s->text, s->len };
	const char *at = s->text;
	unsigned line = 1;

	if (find(&in, key, &at) && inner)
		(void)find(&in, inner, &at);
	for (const char *p = s->text; p < at; p++)
		line += *p == '\n';
	return err_wrap(e, "%s:%u", s->name, line);
}

static const char *type_name(const struct json *j)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",	  [JSON_BOOL] = "true or false",
		[JSON_NUMBER] = "number", [JSON_STRING] = "string",
		[JSON_ARRAY] = "list",	  [JSON_OBJECT] = "object",
	};

	return names[json_type(j)];
}

static const char *wanted(enum config_type t)
{
	switch (t) {
	case CONFIG_BOOL:
		return "true or false";
	case CONFIG_LIST:
		return "a list of strings";
	case CONFIG_NUMBER:
	case CONFIG_MILLI:
		return "a number";
	case CONFIG_SIZE:
	case CONFIG_TIME:
	case CONFIG_PAUSE:
		return "a number or a string";
	case CONFIG_TEXT:
	case CONFIG_NETMODE:
	default:
		return "a string";
	}
}

static int wrong_type(enum config_type t, const struct json *j, struct err *e)
{
	return err_set(e, -EINVAL, "it must be %s, not %s", wanted(t), type_name(j));
}

static int take_list(struct config *c, enum config_key k, const struct json *j,
		     struct err *e)
{
	if (json_type(j) != JSON_ARRAY)
		return wrong_type(CONFIG_LIST, j, e);
	json_each(it, j)
	{
		const char *s = json_str(it);
		int r = s ? config_set(c, k, s, CONFIG_FROM_FILE, e)
			  : wrong_type(CONFIG_LIST, it, e);

		if (r < 0)
			return r;
	}
	return 0;
}

static int take_number(struct config *c, enum config_key k, const struct json *j,
		       struct err *e)
{
	struct config_value *v = &c->v[k];

	snprintf(v->number, sizeof(v->number), "%.12g", json_num(j, 0));
	return config_set(c, k, v->number, CONFIG_FROM_FILE, e);
}

static int take_value(struct config *c, enum config_key k, const struct json *j,
		      struct err *e)
{
	enum config_type t = config_rows[k].type;
	bool counts = t == CONFIG_NUMBER || t == CONFIG_MILLI || t == CONFIG_SIZE ||
		      t == CONFIG_TIME || t == CONFIG_PAUSE;

	if (t == CONFIG_LIST)
		return take_list(c, k, j, e);
	if (t == CONFIG_BOOL && json_type(j) == JSON_BOOL)
		return config_set(c, k, json_true(j) ? "true" : "false",
				  CONFIG_FROM_FILE, e);
	if (counts && json_type(j) == JSON_NUMBER)
		return take_number(c, k, j, e);
	if (t != CONFIG_BOOL && t != CONFIG_NUMBER && json_str(j))
		return config_set(c, k, json_str(j), CONFIG_FROM_FILE, e);
	return wrong_type(t, j, e);
}

static int check_alias(const struct json *j, struct err *e)
{
	return json_str(j) ? 0
			   : err_set(e, -EINVAL, "it must be a string, not %s",
				     type_name(j));
}

/* One provider: {"base-url": …, "key-env": …, "wire": …, "context": tokens}. */
static int check_provider(const struct json *j, struct err *e)
{
	static const char *const known[] = { "base-url", "key-env", "wire", "context" };
	static const char *const wires[] = { "openai", "responses", "anthropic",
					     "ollama" };
	const char *wire = json_get_str(j, "wire");

	if (json_type(j) != JSON_OBJECT)
		return err_set(e, -EINVAL, "it must be an object, not %s",
			       type_name(j));
	if (config_keys(j, known, ARRAY_SIZE(known), e) < 0)
		return e->code;
	json_each(it, j)
	{
		if (strcmp(json_key(it), "context") == 0) {
			if (json_num(it, 0) < CONTEXT_LEAST)
				return err_set(
					e, -EINVAL,
					"'context' must be a number of tokens, %d "
					"or more",
					CONTEXT_LEAST);
		} else if (!json_str(it)) {
			return err_set(e, -EINVAL, "'%s' must be a string, not %s",
				       json_key(it), type_name(it));
		}
	}
	if (!json_get_str(j, "base-url"))
		return err_set(e, -EINVAL, "it has no 'base-url'");
	for (size_t i = 0; wire && i < ARRAY_SIZE(wires); i++)
		if (strcmp(wire, wires[i]) == 0)
			return 0;
	return wire ? err_set(e, -EINVAL,
			      "bad wire '%s'; it is openai, responses, "
			      "anthropic or ollama",
			      wire)
		    : 0;
}

/* One model: dollars for a million tokens. */
static int check_price(const struct json *j, struct err *e)
{
	static const char *const known[] = { "input", "cached", "output" };

	if (json_type(j) != JSON_OBJECT)
		return err_set(e, -EINVAL, "it must be an object, not %s",
			       type_name(j));
	if (config_keys(j, known, ARRAY_SIZE(known), e) < 0)
		return e->code;
	json_each(it, j)
	{
		if (json_num(it, -1) < 0 || json_num(it, -1) > PRICE_MOST)
			return err_set(e, -EINVAL,
				       "'%s' must be dollars for a million tokens",
				       json_key(it));
	}
	return json_get(j, "input") && json_get(j, "output")
		       ? 0
		       : err_set(e, -EINVAL, "it needs 'input' and 'output'");
}

/* Members of the file that are no options, but objects of what is checked one by one. */
static const struct section {
	const char *name, *one;
	int (*check)(const struct json *j, struct err *e);
	size_t most; /* 0 = any number */
} sections[] = {
	{ "aliases", "alias", check_alias, 0 },
	{ "prices", "price of", check_price, 0 },
	{ "providers", "provider", check_provider, 0 },
	{ CONFIG_SERVERS, "MCP server", config_servers_check, CONFIG_SERVERS_MAX },
};

static int check_section(const struct source *s, const struct section *what,
			 const struct json *j, struct err *e)
{
	if (json_type(j) != JSON_OBJECT) {
		err_set(e, -EINVAL, "'%s': it must be an object, not %s", what->name,
			type_name(j));
		return at_line(s, what->name, NULL, e);
	}
	if (what->most && json_len(j) > what->most) {
		err_set(e, -EINVAL, "'%s': there may be %zu", what->name, what->most);
		return at_line(s, what->name, NULL, e);
	}
	json_each(it, j)
	{
		if (what->check(it, e) == 0)
			continue;
		err_wrap(e, "%s '%s'", what->one, json_key(it));
		return at_line(s, what->name, json_key(it), e);
	}
	return 0;
}

static int unknown_key(const char *key, struct err *e)
{
	const char *known[CONFIG_COUNT + ARRAY_SIZE(sections)], *near;

	for (size_t i = 0; i < CONFIG_COUNT; i++)
		known[i] = config_rows[i].name;
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		known[CONFIG_COUNT + i] = sections[i].name;
	near = near_find(key, known, ARRAY_SIZE(known));
	err_set(e, -EINVAL, "unknown key '%s'", text_shown(key));
	return near ? err_hint(e, "did you mean '%s'?", near) : e->code;
}

static int take_member(const struct source *s, const struct json *j, struct err *e)
{
	const char *key = json_key(j);
	int k = config_find(key);

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (strcmp(key, sections[i].name) == 0)
			return check_section(s, &sections[i], j, e);
	if (k < 0) {
		unknown_key(key, e);
		return at_line(s, key, NULL, e);
	}
	if (take_value(s->c, (enum config_key)k, j, e) < 0) {
		err_wrap(e, "'%s'", key);
		return at_line(s, key, NULL, e);
	}
	return 0;
}

/* The parser's message ends in "byte N": say the line of that byte. */
static int bad_syntax(const struct source *s, struct err *e)
{
	const char *p = strstr(e->msg, "byte ");
	unsigned long at = 0;
	unsigned line = 1;

	if (!p || sscanf(p, "byte %lu", &at) != 1)
		return err_wrap(e, "%s", s->name);
	for (size_t i = 0; i < at && i < s->len; i++)
		line += s->text[i] == '\n';
	return err_wrap(e, "%s:%u", s->name, line);
}

int config_load_text(struct config *c, const char *name, const char *text, size_t len,
		     struct err *e)
{
	struct source s = { .c = c, .name = name, .text = text, .len = len };
	_cleanup_json_ struct json *j = NULL;
	int r;

	r = json_parse(text, len, &j, e);
	if (r < 0)
		return bad_syntax(&s, e);
	if (json_type(j) != JSON_OBJECT)
		return err_set(e, -EINVAL, "%s:1: it must be an object, not %s", name,
			       type_name(j));
	json_free(&c->file);
	c->file = take(&j, NULL);
	json_each(it, c->file)
	{
		r = take_member(&s, it, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int find_file(struct config *c, struct err *e)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = 0;

	if (base && base[0] == '/')
		n = snprintf(c->path, sizeof(c->path), "%s/cubby/config.json", base);
	else if (home && home[0] == '/')
		n = snprintf(c->path, sizeof(c->path), "%s/.config/cubby/config.json",
			     home);
	if (n < (int)sizeof(c->path))
		return 0;
	c->path[0] = '\0';
	return err_set(e, -ENAMETOOLONG, "the name of the configuration is too long");
}

static int load_file(struct config *c, struct err *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(FILE_MAX);
	int r;

	r = find_file(c, e);
	if (r < 0 || !c->path[0])
		return r;
	r = file_read(AT_FDCWD, c->path, &b, e);
	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r < 0)
		return r;
	return config_load_text(c, text_shown(c->path), buf_cstr(&b), b.len, e);
}

/* "max-rounds" is CUBBY_MAX_ROUNDS. */
static const char *env_value(const char *name, char *var, size_t size)
{
	snprintf(var, size, "CUBBY_%s", name);
	for (char *p = var; *p; p++)
		if (*p == '-')
			*p = '_';
		else if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	return getenv(var);
}

/* A list in the environment is split at blanks, in a copy that the value keeps. */
static int set_env_list(struct config *c, enum config_key k, const char *text,
			struct err *e)
{
	_cleanup_free_ char *copy = strdup(text);
	char *rest = NULL;
	int r = 0;

	if (!copy)
		return err_sys(e, -ENOMEM, "cannot keep the list");
	for (char *w = strtok_r(copy, " \t\n", &rest); w && r == 0;
	     w = strtok_r(NULL, " \t\n", &rest))
		r = config_set(c, k, w, CONFIG_FROM_ENV, e);
	if (r == 0 && c->v[k].from == CONFIG_FROM_ENV)
		c->v[k].copy = take(&copy, NULL);
	else if (r < 0 && c->v[k].from == CONFIG_FROM_ENV)
		words_done(&c->v[k].list);
	return r;
}

static int load_env(struct config *c, struct err *e)
{
	for (int k = 0; k < CONFIG_COUNT; k++) {
		char var[64];
		const char *text = env_value(config_rows[k].name, var, sizeof(var));
		int r;

		if (!text || (!*text && config_rows[k].type != CONFIG_BOOL))
			continue;
		r = config_rows[k].type == CONFIG_LIST
			    ? set_env_list(c, (enum config_key)k, text, e)
			    : config_set(c, (enum config_key)k, text, CONFIG_FROM_ENV,
					 e);
		if (r < 0)
			return err_wrap(e, "%s", var);
	}
	return 0;
}

int config_load(struct config *c, struct err *e)
{
	int r = load_file(c, e);

	return r < 0 ? r : load_env(c, e);
}

int config_load_env(struct config *c, const char *name, const char *from, struct err *e)
{
	char shown[256], *text = strdup(from), *rest = NULL;
	unsigned line = 0;

	if (!text || words_add(&c->texts, text) < 0) {
		free(text);
		return err_sys(e, -ENOMEM, "cannot keep the file");
	}
	for (char *l = text; (rest = l); l = rest) {
		rest = strchr(l, '\n');
		if (rest)
			*rest++ = '\0';
		line++;
		l += strspn(l, " \t");
		l[strcspn(l, "\r")] = '\0';
		if (*l && *l != '#' &&
		    config_set(c, CONFIG_ENV, l, CONFIG_FROM_FLAG, e) < 0) {
			text_escaped(shown, sizeof(shown), name, strlen(name));
			return err_wrap(e, "%s:%u", shown, line);
		}
		if (!rest)
			break;
	}
	return 0;
}
