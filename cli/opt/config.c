#include "cli/opt/config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/session/session.h"
#include "base/num.h"
#include "base/text.h"
#include "runtime/gate/policy.h"
#include "runtime/gate/publish.h"
#include "runtime/spec/spec.h"
#include "runtime/spec/volume.h"

enum { CONFIG_RULE_MAX = 512 }; /* bytes */

/* clang-format off */
const struct config_row config_rows[CONFIG_COUNT] = {
	[CONFIG_IMAGE]		 = { "image",		CONFIG_TEXT,	"ubuntu", 0, NULL },
	[CONFIG_NET]		 = { "net",		CONFIG_NETMODE,	"gate", 0, NULL },
	[CONFIG_ALLOW]		 = { "allow",		CONFIG_LIST,	NULL, 0, NULL },
	[CONFIG_DENY]		 = { "deny",		CONFIG_LIST,	NULL, 0, NULL },
	[CONFIG_PUBLISH]	 = { "publish",		CONFIG_LIST,	NULL, 0, NULL },
	[CONFIG_VOLUME]		 = { "volume",		CONFIG_LIST,	NULL, 0, NULL },
	[CONFIG_MEMORY]		 = { "memory",		CONFIG_SIZE,	NULL, 16 << 20, "16M" },
	[CONFIG_CPUS]		 = { "cpus",		CONFIG_MILLI,	NULL, 10, "0.01" },
	[CONFIG_PIDS]		 = { "pids",		CONFIG_NUMBER,	"1024", 2, "2" },
	[CONFIG_DISK]		 = { "disk",		CONFIG_SIZE,	NULL, 1 << 20, "1M" },
	[CONFIG_ENV]		 = { "env",		CONFIG_LIST,	NULL, 0, NULL },
	[CONFIG_USER]		 = { "user",		CONFIG_TEXT,	NULL, 0, NULL },
	[CONFIG_KEEP]		 = { "keep",		CONFIG_BOOL,	NULL, 0, NULL },
	[CONFIG_LINGER]		 = { "linger",		CONFIG_PAUSE,	"10s", 0, NULL },
	[CONFIG_PROJECT]	 = { "project",		CONFIG_PROJECTMODE, NULL, 0, NULL },
	[CONFIG_APPLY]		 = { "apply",		CONFIG_APPLYMODE, "safe", 0, NULL },
	[CONFIG_APPLY_ALLOW]	 = { "apply-allow",	CONFIG_LIST,	NULL, 0, NULL },
	[CONFIG_APPLY_DENY]	 = { "apply-deny",	CONFIG_LIST,	NULL, 0, NULL },
	[CONFIG_APPLY_EVERY]	 = { "apply-every",	CONFIG_APPLYTIME, "message", 0, NULL },
	[CONFIG_GIT_WRITABLE]	 = { "git-writable",	CONFIG_BOOL,	NULL, 0, NULL },
	[CONFIG_GIT_IDENTITY]	 = { "git-identity",	CONFIG_BOOL,	"true", 0, NULL },
	[CONFIG_ALLOW_HOME]	 = { "allow-home",	CONFIG_BOOL,	NULL, 0, NULL },
	[CONFIG_ANY_DIRECTORY]	 = { "any-directory",	CONFIG_BOOL,	NULL, 0, NULL },
	[CONFIG_MODEL]		 = { "model",		CONFIG_TEXT,	NULL, 0, NULL },
	[CONFIG_MAX_ROUNDS]	 = { "max-rounds",	CONFIG_NUMBER,	"200", 0, NULL },
	[CONFIG_MAX_TOKENS]	 = { "max-tokens",	CONFIG_NUMBER,	NULL, 0, NULL },
	[CONFIG_MAX_COST]	 = { "max-cost",	CONFIG_MILLI,	NULL, 0, NULL },
	[CONFIG_TIMEOUT]	 = { "timeout",		CONFIG_TIME,	NULL, 0, NULL },
	[CONFIG_COMMAND_TIMEOUT] = { "command-timeout",	CONFIG_TIME,	"600s", 0, NULL },
	[CONFIG_SHELL_COMMAND]	 = { "shell-command",	CONFIG_TEXT,	NULL, 0, NULL },
	[CONFIG_ON_ERROR]	 = { "on-error",	CONFIG_ERRMODE,	"go-on", 0, NULL },
	[CONFIG_EFFORT]		 = { "effort",		CONFIG_LEVEL,	NULL, 0, NULL },
	[CONFIG_SAVE_TRANSCRIPT] = { "save-transcript",	CONFIG_TEXT,	NULL, 0, NULL },
	[CONFIG_ASK]		 = { "ask",		CONFIG_BOOL,	NULL, 0, NULL },
	[CONFIG_SYSTEM_EXTRA]	 = { "system-extra",	CONFIG_TEXT,	NULL, 0, NULL },
	[CONFIG_ANNOUNCE]	 = { "announce",	CONFIG_BOOL,	"true", 0, NULL },
	[CONFIG_NOTIFY]		 = { "notify",		CONFIG_BOOL,	"true", 0, NULL },
	[CONFIG_ALWAYS]		 = { "always",		CONFIG_LIST,	NULL, 0, NULL },
};
/* clang-format on */

static int read_bool(const char *s, uint64_t *ret)
{
	static const char *const words[] = { "0",  "1",	  "false", "true",
					     "no", "yes", "off",   "on" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (s && strcmp(s, words[i]) != 0)
			continue;
		*ret = s ? i % 2 : 1; /* an option without a value */
		return 0;
	}
	return -EINVAL;
}

static int read_count(const char *s, uint64_t *ret)
{
	return num_range(s, 1, UINT32_MAX, ret);
}

static int read_positive(int (*parse)(const char *, uint64_t *), const char *s,
			 uint64_t *ret)
{
	uint64_t n = 0;
	int r = parse(s, &n);

	if (r < 0)
		return r;
	if (!n)
		return -ERANGE;
	*ret = n;
	return 0;
}

static int read_milli(const char *s, uint64_t *ret)
{
	uint32_t n;
	int r = num_milli(s, &n);

	if (r < 0)
		return r;
	*ret = n;
	return 0;
}

static int read_net(const char *s, uint64_t *ret)
{
	enum net_mode m;
	int r = spec_net_parse(s, &m);

	if (r < 0)
		return r;
	*ret = m;
	return 0;
}

static int read_project(const char *s, uint64_t *ret)
{
	enum project_mode m;
	int r = spec_project_parse(s, &m);

	if (r < 0)
		return r;
	*ret = m;
	return 0;
}

/* The place of a word in a list whose empty places are no words. */
static int read_word(const char *s, const char *const *words, size_t n, uint64_t *ret)
{
	for (size_t i = 0; i < n; i++) {
		if (!words[i] || strcmp(s, words[i]) != 0)
			continue;
		*ret = i;
		return 0;
	}
	return -EINVAL;
}

/* What a bad value of each type is called, and what would be right. */
static const struct {
	const char *what, *right;
} bad[] = {
	[CONFIG_TEXT] = { "empty value", NULL },
	[CONFIG_LIST] = { "empty value", NULL },
	[CONFIG_BOOL] = { "bad switch", "it is yes or no" },
	[CONFIG_NUMBER] = { "bad number", "it is a whole number above 0" },
	[CONFIG_MILLI] = { "bad number", "it is such as 2 or 0.5" },
	[CONFIG_SIZE] = { "bad size", "it is such as 512M or 2G" },
	[CONFIG_TIME] = { "bad time", "it is such as 90s, 10m or 2h" },
	[CONFIG_PAUSE] = { "bad time", "it is such as 0, 90s or 10m" },
	[CONFIG_NETMODE] = { "bad mode", "it is gate, none or host" },
	[CONFIG_PROJECTMODE] = { "bad mode", "it is review, live or ro" },
	[CONFIG_APPLYMODE] = { "bad mode", "it is safe, ask, all or never" },
	[CONFIG_APPLYTIME] = { "bad moment", "it is message or call" },
	[CONFIG_ERRMODE] = { "bad mode", "it is go-on, stop or reject" },
	[CONFIG_LEVEL] = { "bad level", "it is low, medium or high" },
};

static int bad_value(enum config_type type, const char *text, const char *right,
		     struct err *e)
{
	err_set(e, -EINVAL, "%s '%s'", bad[type].what, text_shown(text ?: ""));
	return right ? err_hint(e, "%s", right) : e->code;
}

/* Before it is kept: with such a limit the box would not start, now or later. */
static int too_little(enum config_key k, const char *text, struct err *e)
{
	char right[64];

	snprintf(right, sizeof(right), "a box needs at least %s",
		 config_rows[k].least_text);
	return bad_value(config_rows[k].type, text, right, e);
}

static int read_value(enum config_type type, const char *text, uint64_t *ret)
{
	static const char *const modes[] = {
		[SESSION_GO_ON] = "go-on",
		[SESSION_STOP] = "stop",
		[SESSION_REJECT] = "reject",
	};
	static const char *const applies[] = { "safe", "ask", "all", "never" };
	static const char *const times[] = { "message", "call" };
	static const char *const levels[] = { NULL, "low", "medium", "high" };

	switch (type) {
	case CONFIG_BOOL:
		return read_bool(text, ret);
	case CONFIG_NUMBER:
		return read_count(text, ret);
	case CONFIG_SIZE:
		return read_positive(num_bytes, text, ret);
	case CONFIG_TIME:
		return read_positive(num_ms, text, ret);
	case CONFIG_PAUSE:
		return num_ms(text, ret);
	case CONFIG_MILLI:
		return read_positive(read_milli, text, ret);
	case CONFIG_NETMODE:
		return read_net(text, ret);
	case CONFIG_PROJECTMODE:
		return read_project(text, ret);
	case CONFIG_APPLYMODE:
		return read_word(text, applies, ARRAY_SIZE(applies), ret);
	case CONFIG_APPLYTIME:
		return read_word(text, times, ARRAY_SIZE(times), ret);
	case CONFIG_ERRMODE:
		return read_word(text, modes, ARRAY_SIZE(modes), ret);
	case CONFIG_LEVEL:
		return read_word(text, levels, ARRAY_SIZE(levels), ret);
	case CONFIG_TEXT:
	case CONFIG_LIST:
	default:
		return *text ? 0 : -EINVAL;
	}
}

/* NAME or NAME=VALUE, as a shell would take it; a '+' in front says that it is meant. */
static int check_name(const char *given, struct err *e)
{
	const char *text = given + (*given == '+');
	size_t n = strcspn(text, "=");
	char shown[80];

	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			n = 0;
	if (n && !isdigit((unsigned char)text[0]))
		return 0;
	err_set(e, -EINVAL, "bad name '%s'",
		text_escaped(shown, sizeof(shown), text, strcspn(text, "=")));
	return err_hint(e, "letters, digits and _ make one");
}

/* What the gate would refuse at the start of a box is refused as it is read. */
static int check_rule(const char *pattern, struct err *e)
{
	_cleanup_gate_policy_ struct gate_policy *p = NULL;
	char rule[CONFIG_RULE_MAX];
	int r;

	if (snprintf(rule, sizeof(rule), "allow %s", pattern) >= (int)sizeof(rule))
		return err_set(e, -EINVAL, "the pattern is too long");
	r = gate_policy_new(&p, e);
	return r < 0 ? r : gate_policy_add(p, rule, e);
}

static int check_volume(const char *text, struct err *e)
{
	_cleanup_free_ struct spec_volume *ignored = calloc(1, sizeof(*ignored));

	return ignored ? spec_volume_parse(text, ignored, e)
		       : err_sys(e, -ENOMEM, "cannot read a volume");
}

int config_check(enum config_key k, const char *text, struct err *e)
{
	struct gate_publish ignored;

	switch (k) {
	case CONFIG_ALLOW:
	case CONFIG_DENY:
		return check_rule(text, e);
	case CONFIG_PUBLISH:
		return gate_publish_parse(text, &ignored, e);
	case CONFIG_VOLUME:
		return check_volume(text, e);
	case CONFIG_ENV:
		return check_name(text, e);
	default:
		return 0;
	}
}

static int set_list(struct config_value *v, const char *text, enum config_source from,
		    struct err *e)
{
	int r;

	if (v->from != from)
		words_done(&v->list);
	v->from = from;
	r = words_add(&v->list, text);
	return r < 0 ? err_sys(e, r, "cannot keep '%.60s'", text) : 0;
}

int config_set(struct config *c, enum config_key k, const char *text,
	       enum config_source from, struct err *e)
{
	struct config_value *v = &c->v[k];
	enum config_type type = config_rows[k].type;
	uint64_t n = 0;

	if (read_value(type, text, &n) < 0)
		return bad_value(type, text, bad[type].right, e);
	if (type == CONFIG_LIST && config_check(k, text, e) < 0)
		return e->code;
	if (n < config_rows[k].least)
		return too_little(k, text, e);
	if (v->from > from)
		return 0;
	if (type == CONFIG_LIST)
		return set_list(v, text, from, e);
	v->from = from;
	v->text = text ? text : "true";
	v->n = n;
	return 0;
}

/* Half of the memory, 4 GiB at most. */
static uint64_t default_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t most = (uint64_t)4 << 30;

	if (pages <= 0 || size <= 0)
		return most;
	return MIN(most, (uint64_t)pages * (uint64_t)size / 2);
}

void config_init(struct config *c)
{
	*c = (struct config){ 0 };
	for (int k = 0; k < CONFIG_COUNT; k++)
		if (config_rows[k].value)
			(void)config_set(c, (enum config_key)k, config_rows[k].value,
					 CONFIG_FROM_DEFAULT, ERR_IGNORED);
	c->v[CONFIG_MEMORY].n = default_memory();
}

void config_done(struct config *c)
{
	for (int k = 0; k < CONFIG_COUNT; k++) {
		words_done(&c->v[k].list);
		free(c->v[k].copy);
		c->v[k].copy = NULL;
	}
	for (size_t i = 0; i < c->texts.n; i++)
		free((char *)(uintptr_t)c->texts.v[i]);
	words_done(&c->texts);
	json_free(&c->file);
	json_free(&c->project);
	json_free(&c->box);
	json_free(&c->task);
	if (c->taskfile)
		config_done(c->taskfile);
	free(c->taskfile);
	c->taskfile = NULL;
}

int config_find(const char *name)
{
	for (int k = 0; k < CONFIG_COUNT; k++)
		if (strcmp(config_rows[k].name, name) == 0)
			return k;
	return -1;
}

const char *config_text(const struct config *c, enum config_key k)
{
	return c->v[k].text;
}

uint64_t config_num(const struct config *c, enum config_key k)
{
	return c->v[k].n;
}

bool config_on(const struct config *c, enum config_key k)
{
	return c->v[k].n != 0;
}

const char *const *config_list(const struct config *c, enum config_key k)
{
	return words_list(&c->v[k].list);
}

bool config_is_set(const struct config *c, enum config_key k)
{
	return c->v[k].from != CONFIG_FROM_DEFAULT;
}

struct json *config_json(const struct config *c, enum config_key k)
{
	struct json *list;

	if (config_rows[k].type != CONFIG_LIST)
		return json_string(config_text(c, k));
	list = json_array();
	for (const char *const *w = config_list(c, k); *w; w++)
		json_add(list, json_string(*w));
	if (json_failed(list) < 0)
		json_free(&list);
	return list;
}

int config_take(struct config *c, enum config_key k, const struct json *v,
		enum config_source from, struct err *e)
{
	int r = json_str(v) ? config_set(c, k, json_str(v), from, e) : 0;

	json_each(it, v)
	{
		const int one =
			json_str(it) ? config_set(c, k, json_str(it), from, e) : 0;

		r = r < 0 ? r : one;
	}
	return r;
}

const char *config_alias(const struct config *c, const char *name)
{
	const char *to = json_get_str(json_get(c->file, "aliases"), name);

	return to ? to : name;
}

const struct json *config_price(const struct config *c, const char *model)
{
	return json_get(json_get(c->file, "prices"), model);
}

const struct json *config_provider(const struct config *c, const char *name)
{
	return json_get(json_get(c->file, "providers"), name);
}

int config_keys(const struct json *j, const char *const *known, size_t n, struct err *e)
{
	json_each(it, j)
	{
		_cleanup_buf_ struct buf all = BUF_INIT(sizeof(e->msg));
		bool found = false;

		for (size_t i = 0; i < n; i++) {
			found |= strcmp(known[i], json_key(it)) == 0;
			buf_addf(&all, "%s%s", i ? ", " : "", known[i]);
		}
		if (!found)
			return err_set(e, -EINVAL, "unknown key '%s'; known are %s",
				       json_key(it), buf_cstr(&all));
	}
	return 0;
}

const char *config_source_name(enum config_source from)
{
	static const char *const names[] = {
		[CONFIG_FROM_DEFAULT] = "default", [CONFIG_FROM_FILE] = "file",
		[CONFIG_FROM_PROJECT] = "project", [CONFIG_FROM_BOX] = "box",
		[CONFIG_FROM_ENV] = "environment", [CONFIG_FROM_TASK] = "task",
		[CONFIG_FROM_FLAG] = "flag",
	};

	return names[from];
}
