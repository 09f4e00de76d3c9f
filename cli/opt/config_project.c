#include "cli/opt/config_project.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/opt/near.h"
#include "runtime/gate/policy.h"
#include "runtime/spec/spec.h"
#include "runtime/spec/volume.h"

/* When does a setting give the box more than it would have without it? */
enum widening {
	WIDENS_NEVER,
	WIDENS_ALWAYS,
	WIDENS_MORE, /* a larger number than what holds without it; 0 = no limit */
	WIDENS_RANK  /* a network that reaches more */
};

/* As a person is asked: what reaches furthest stands last, right above the question. */
static const struct row {
	const char *member;
	enum config_key key;
	enum widening widens;
} rows[] = {
	{ "env", CONFIG_ENV, WIDENS_NEVER },
	{ "shell-command", CONFIG_SHELL_COMMAND, WIDENS_NEVER },
	{ "deny", CONFIG_DENY, WIDENS_NEVER },
	{ "cpus", CONFIG_CPUS, WIDENS_MORE },
	{ "pids", CONFIG_PIDS, WIDENS_MORE },
	{ "memory", CONFIG_MEMORY, WIDENS_MORE },
	{ "disk", CONFIG_DISK, WIDENS_MORE },
	{ "image", CONFIG_IMAGE, WIDENS_ALWAYS },
	{ "caches", CONFIG_VOLUME, WIDENS_ALWAYS },
	{ "publish", CONFIG_PUBLISH, WIDENS_ALWAYS },
	{ "allow", CONFIG_ALLOW, WIDENS_ALWAYS },
	{ "net", CONFIG_NET, WIDENS_RANK },
	{ "mounts", CONFIG_VOLUME, WIDENS_ALWAYS },
};

/* What is shown of one is a few rows, whatever is asked for: else the rest of what is asked
 * for has left the screen when the question comes. */
enum { ROW = 72, ROWS = 4 };

/* ---- shape ----------------------------------------------------------------------------- */

static int bad(const char *member, const char *wanted, struct err *e)
{
	return err_set(e, -EINVAL, "'%s' must be %s", member, wanted);
}

static int check_words(const char *member, const struct json *j, struct err *e)
{
	if (json_type(j) != JSON_ARRAY)
		return bad(member, "a list of strings", e);
	json_each(it, j)
	{
		if (!json_str(it) || !*json_str(it))
			return bad(member, "a list of strings", e);
	}
	return 0;
}

/* They become words of a command line in the box: none may be an option there. */
static int check_packages(const struct json *j, struct err *e)
{
	if (json_type(j) != JSON_OBJECT)
		return bad("packages", "an object of lists: apt, pip, npm", e);
	json_each(it, j)
	{
		const char *k = json_key(it);

		if (strcmp(k, "apt") && strcmp(k, "pip") && strcmp(k, "npm"))
			return bad("packages", "an object of lists: apt, pip, npm", e);
		if (check_words(k, it, e) < 0)
			return e->code;
		json_each(p, it)
		{
			if (json_str(p)[0] == '-')
				return err_set(e, -EINVAL, "'%s' is no package",
					       json_str(p));
		}
	}
	return 0;
}

/* A line, or {"run": LINE, "files": [...]}. */
static int check_setup(const struct json *j, struct err *e)
{
	static const char wanted[] = "a list of commands, each a string or "
				     "{\"run\": \"...\", \"files\": [...]}";

	if (json_type(j) != JSON_ARRAY)
		return bad("setup", wanted, e);
	json_each(it, j)
	{
		const struct json *files = json_get(it, "files");
		const char *run = json_str(it) ? json_str(it) : json_get_str(it, "run");

		if (!run || !*run || json_len(it) > (files ? 2 : 1))
			return bad("setup", wanted, e);
		if (files && check_words("files", files, e) < 0)
			return e->code;
	}
	return 0;
}

static int check_ready(const char *name, const struct json *j, struct err *e)
{
	const struct json *port = json_get(j, "port");
	int64_t n = 0;

	if (json_get_str(j, "command") && json_len(j) == 1)
		return 0;
	if (port && json_len(j) == 1 && json_int(port, &n) == 0 && n > 0 && n < 65536)
		return 0;
	return err_set(e, -EINVAL,
		       "service '%s': 'ready' must be {\"port\": N} or {\"command\": "
		       "\"...\"}",
		       name);
}

static int check_services(const struct json *j, struct err *e)
{
	if (json_type(j) != JSON_OBJECT)
		return bad("services", "an object: a name, and what it runs", e);
	json_each(it, j)
	{
		const char *name = json_key(it), *shown = text_shown(name);

		if (!spec_name_valid(name))
			return err_set(e, -EINVAL, "bad name of a service '%s'", shown);
		if (!json_get_str(it, "run"))
			return err_set(e, -EINVAL, "service '%s' has no 'run'", shown);
		if (json_get(it, "ready") &&
		    check_ready(shown, json_get(it, "ready"), e) < 0)
			return e->code;
		json_each(m, it)
		{
			const char *k = json_key(m);

			if (strcmp(k, "run") && strcmp(k, "ready") &&
			    !(strcmp(k, "restart") == 0 && json_type(m) == JSON_BOOL))
				return err_set(e, -EINVAL,
					       "service '%s': known are run, ready, "
					       "and restart (true or false)",
					       shown);
		}
	}
	return 0;
}

static const struct row *find_row(const char *member)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].member, member) == 0)
			return &rows[i];
	return NULL;
}

static int unknown(const char *member, struct err *e)
{
	const char *known[ARRAY_SIZE(rows) + 4] = { "packages", "plugins", "setup",
						    "services" };
	const char *near;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		known[4 + i] = rows[i].member;
	near = near_find(member, known, ARRAY_SIZE(known));
	err_set(e, -EINVAL, "unknown member '%s'", text_shown(member));
	return near ? err_hint(e, "did you mean '%s'?", near) : e->code;
}

/* ---- values ---------------------------------------------------------------------------- */

/* A text that lives as long as the configuration; NULL = no memory. */
static const char *keep(struct config *c, char *text)
{
	if (text && words_add(&c->texts, text) == 0)
		return text;
	free(text);
	return NULL;
}

static int set(struct config *c, const struct row *r, const char *text, struct err *e)
{
	return text ? config_set(c, r->key, text, CONFIG_FROM_PROJECT, e)
		    : err_sys(e, -ENOMEM, "cannot keep '%s'", r->member);
}

static int set_env(struct config *c, const struct row *r, const struct json *j,
		   struct err *e)
{
	if (json_type(j) != JSON_OBJECT)
		return bad("env", "an object: names and values", e);
	json_each(it, j)
	{
		char *text = NULL;

		if (!json_str(it) || strchr(json_key(it), '='))
			return bad("env", "an object: names and values", e);
		if (asprintf(&text, "%s=%s", json_key(it), json_str(it)) < 0)
			text = NULL;
		if (set(c, r, keep(c, text), e) < 0)
			return e->code;
	}
	return 0;
}

static int set_list(struct config *c, const struct row *r, const struct json *j,
		    struct err *e)
{
	struct words had = WORDS_NONE; /* what a better source replaces here */
	const char *const *old = config_list(c, r->key);
	int n = 0;

	if (check_words(r->member, j, e) < 0)
		return e->code;
	for (; r->widens == WIDENS_NEVER && *old && n == 0; old++)
		n = words_add(&had, *old);
	for (size_t i = 0; i < had.n && n == 0; i++)
		n = set(c, r, keep(c, strdup(had.v[i])), e);
	words_done(&had);
	json_each(it, j)
	{
		bool cache = strcmp(r->member, "caches") == 0;
		const char *text =
			cache ? spec_volume_cache(json_str(it)) : json_str(it);

		if (n == 0 && !text)
			return err_set(e, -EINVAL, "no cache is known for '%.40s'",
				       json_str(it));
		if (n == 0)
			n = set(c, r, keep(c, strdup(text)), e);
	}
	return n;
}

static int set_value(struct config *c, const struct row *r, const struct json *j,
		     struct err *e)
{
	char number[32];

	if (r->key == CONFIG_ENV)
		return set_env(c, r, j, e);
	if (config_rows[r->key].type == CONFIG_LIST)
		return set_list(c, r, j, e);
	if (json_type(j) == JSON_NUMBER) {
		snprintf(number, sizeof(number), "%.12g", json_num(j, 0));
		return set(c, r, keep(c, strdup(number)), e);
	}
	if (!json_str(j))
		return bad(r->member, "a string or a number", e);
	return set(c, r, keep(c, strdup(json_str(j))), e);
}

/* ---- what widens ------------------------------------------------------------------------ */

static unsigned rank(uint64_t mode)
{
	return mode == NET_NONE ? 0 : mode == NET_GATE ? 1 : 2;
}

/* @to: the same value, in a configuration that has nothing else. */
static bool widens(const struct config *c, const struct config *to, const struct row *r)
{
	uint64_t is = config_num(c, r->key), wants = config_num(to, r->key);
	const char *text = config_text(c, r->key);

	switch (r->widens) {
	case WIDENS_MORE:
		return is && wants > is;
	case WIDENS_RANK:
		return rank(wants) > rank(is);
	case WIDENS_ALWAYS:
		return !text || strcmp(text, config_text(to, r->key)) != 0;
	case WIDENS_NEVER:
	default:
		return false;
	}
}

/* Both ends of what is long. */
static int add_row(const char *text, size_t len, struct buf *out)
{
	size_t head = text_whole(text, ROW / 2), tail = len - MIN(len, (size_t)ROW / 2);

	if (len <= ROW)
		return buf_add(out, text, len) ?: buf_addc(out, '\n');
	while (tail < len && text_utf8_len(text + tail, len - tail) < 0)
		tail++;
	return buf_add(out, text, head) ?: buf_adds(out, "…") ?:
		buf_add(out, text + tail, len - tail) ?: buf_addc(out, '\n');
}

/* A name that is looked up among the public ones; all else opens more than one of these. */
static bool is_public_name(const char *pattern)
{
	const char *dot = strrchr(pattern, '.');

	for (const char *p = pattern; *p; p++)
		if (!strchr("-._:", *p) && !isalnum((unsigned char)*p))
			return false;
	return dot && isalpha((unsigned char)dot[1]) &&
	       !strcasestr(pattern, GATE_POLICY_HOST);
}

static bool reaches_far(const struct row *r, const char *text)
{
	struct spec_volume v;

	if (r->key == CONFIG_ALLOW)
		return !is_public_name(text);
	return r->key == CONFIG_VOLUME &&
	       spec_volume_parse(text, &v, ERR_IGNORED) == 0 &&
	       v.kind == SPEC_VOLUME_HOST;
}

/* Those that are @far, up to @left. */
static int add_rows(const struct row *r, const struct json *j, bool far, size_t *left,
		    struct buf *out)
{
	int n = 0;

	json_each(it, j)
	{
		_cleanup_buf_ struct buf value = BUF_INIT(CONFIG_PROJECT_MAX);

		if (!*left || reaches_far(r, json_str(it)) != far)
			continue;
		n = json_print(it, false, &value) ?: buf_adds(out, "    ") ?:
			add_row(value.data, value.len, out);
		if (n < 0)
			return n;
		--*left;
	}
	return 0;
}

static int tell_list(const struct row *r, const struct json *j, struct buf *out)
{
	size_t all = json_len(j), far = 0, left = ROWS;

	json_each(it, j) far += reaches_far(r, json_str(it));
	if (r->key == CONFIG_VOLUME)
		left = SPEC_VOLUMES; /* a box has no more */
	buf_addf(out, "  %s: %zu in all", r->member, all);
	if (far)
		buf_addf(out,
			 r->key == CONFIG_VOLUME
				 ? ", %zu of them of the host"
				 : ", %zu of them addresses, patterns or lists",
			 far);
	buf_adds(out, all > left ? "; the first:\n" : ":\n");
	return add_rows(r, j, true, &left, out) ?: add_rows(r, j, false, &left, out);
}

static int tell(const struct row *r, const struct json *j, struct buf *out)
{
	_cleanup_buf_ struct buf value = BUF_INIT(CONFIG_PROJECT_MAX);
	int n = json_print(j, false, &value);

	if (n == 0 && json_type(j) == JSON_ARRAY && value.len > ROW)
		return tell_list(r, j, out);
	return n ?: buf_addf(out, "  %s: ", r->member) ?:
		add_row(value.data, value.len, out);
}

static int take_member(struct config *c, const struct row *r, const struct json *it,
		       bool agreed, struct buf *out, struct err *e)
{
	_cleanup_config_ struct config alone;
	bool more;

	config_init(&alone);
	if (set_value(&alone, r, it, e) < 0)
		return err_wrap(e, "'%s'", r->member);
	more = c->v[r->key].from <= CONFIG_FROM_PROJECT && widens(c, &alone, r);
	if (more && tell(r, it, out) < 0)
		return err_sys(e, -ENOMEM, "cannot say what '%s' wants", r->member);
	return more && !agreed ? 0 : set_value(c, r, it, e);
}

static int check(const struct json *j, struct err *e)
{
	if (json_type(j) != JSON_OBJECT)
		return err_set(e, -EINVAL, "it must be an object");
	json_each(it, j)
	{
		const char *k = json_key(it);
		const struct row *row = find_row(k);
		struct config alone;
		int r = 0;

		if (json_get(j, k) != it) /* each is asked about once */
			r = err_set(e, -EINVAL, "'%s' stands there twice",
				    text_shown(k));
		else if (strcmp(k, "packages") == 0)
			r = check_packages(it, e);
		else if (strcmp(k, "plugins") == 0)
			r = check_words(k, it, e);
		else if (strcmp(k, "setup") == 0)
			r = check_setup(it, e);
		else if (strcmp(k, "services") == 0)
			r = check_services(it, e);
		else if (!row)
			r = unknown(k, e);
		if (r < 0)
			return r;
		if (!row)
			continue;
		config_init(&alone);
		r = set_value(&alone, row, it, e);
		config_done(&alone);
		if (r < 0)
			return err_wrap(e, "'%s'", k);
	}
	return 0;
}

int config_project_load(struct config *c, const char *text, size_t len, bool agreed,
			struct buf *widening, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	int r;

	if (len > CONFIG_PROJECT_MAX)
		return err_set(e, -EMSGSIZE, "it is larger than %d bytes",
			       CONFIG_PROJECT_MAX);
	r = json_parse_written(text, len, &j, e);
	if (r < 0)
		return r;
	r = check(j, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct json *it = json_get(j, rows[i].member);

		r = it ? take_member(c, &rows[i], it, agreed, widening, e) : 0;
		if (r < 0)
			return r;
	}
	json_free(&c->project);
	c->project = take(&j, NULL);
	return 0;
}
