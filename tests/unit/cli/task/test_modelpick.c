#include "tests/unit/unit.h"

#include "cli/opt/config.h"
#include "cli/task/modelpick.h"

static const struct row {
	const char *name;
	const char *word;			       /* --model; NULL = none */
	const char *openai, *anthropic, *url;	       /* variables; NULL = not set */
	const char *provider, *model, *key, *want_url; /* expected; NULL = none */
} rows[] = {
	{ "a key decides", NULL, "k1", NULL, NULL, "openai", NULL, "k1", NULL },
	{ "another key", NULL, NULL, "k2", NULL, "anthropic", NULL, "k2", NULL },
	{ "an address without a key", NULL, NULL, NULL, "http://h/v1", "openai", NULL,
	  NULL, "http://h/v1" },
	{ "a name for the provider that has a key", "gpt-x", "k1", NULL, NULL, "openai",
	  "gpt-x", "k1", NULL },
	{ "a name with a colon that is no provider", "llama3.2:3b", "k1", NULL, NULL,
	  "openai", "llama3.2:3b", "k1", NULL },
	{ "a provider and a name", "anthropic:c", "k1", "k2", NULL, "anthropic", "c",
	  "k2", NULL },
	{ "a provider alone", "anthropic:", "k1", "k2", NULL, "anthropic", NULL, "k2",
	  NULL },
	{ "a name of another's models, two keys", "claude-x", "k1", "k2", NULL,
	  "anthropic", "claude-x", "k2", NULL },
	{ "a name of the first's models, two keys", "gpt-x", "k1", "k2", NULL, "openai",
	  "gpt-x", "k1", NULL },
	{ "a name of nobody's, two keys", "mistral-x", "k1", "k2", NULL, "openai",
	  "mistral-x", "k1", NULL },
	{ "a name whose maker has no key", "claude-x", "k1", NULL, NULL, "anthropic",
	  "claude-x", NULL, NULL },
	{ "a name whose maker comes first and has no key", "gpt-x", NULL, "k2", NULL,
	  "openai", "gpt-x", NULL, NULL },
	{ "a server of one's own may have any model", "claude-x", "k1", NULL,
	  "http://h/v1", "openai", "claude-x", "k1", "http://h/v1" },
	{ "an alias", "fast", "k1", "k2", NULL, "anthropic", "small", "k2", NULL },
	{ "a provider of the configuration", "corp:big", "k1", NULL, NULL, "openai",
	  "big", "k3", "https://corp.example/v1" },
};

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void same(const char *got, const char *want)
{
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
}

static void test(const void *p)
{
	static const char file[] = "{\"aliases\": {\"fast\": \"anthropic:small\"}, "
				   "\"providers\": {\"corp\": "
				   "{\"base-url\": \"https://corp.example/v1\", "
				   "\"key-env\": \"CORP_KEY\"}}}";
	const struct row *r = p;
	_cleanup_config_ struct config config;
	_cleanup_modelpick_ struct modelpick m = { .provider = NULL };
	struct app app = { .config = &config, .quiet = true };
	struct err e = ERR_NONE;

	set("OPENAI_API_KEY", r->openai);
	set("ANTHROPIC_API_KEY", r->anthropic);
	set("OPENAI_BASE_URL", r->url);
	set("CORP_KEY", "k3");
	config_init(&config);
	unit_ok(json_parse(file, strlen(file), &config.file, &e), &e);
	if (r->word)
		unit_ok(config_set(&config, CONFIG_MODEL, r->word, CONFIG_FROM_FLAG,
				   &e),
			&e);
	unit_ok(modelpick_choose(&app, -1, &m, &e), &e);
	same(m.conf.provider, r->provider);
	same(m.conf.name, r->model);
	same(m.conf.key, r->key);
	same(m.conf.url, r->want_url);
}

static void every_key_is_a_secret(void)
{
	_cleanup_config_ struct config config;
	_cleanup_modelpick_ struct modelpick m = { .provider = NULL };
	struct app app = { .config = &config };
	struct err e = ERR_NONE;
	unsigned found = 0;

	set("OPENAI_API_KEY", "k1");
	set("ANTHROPIC_API_KEY", "k2");
	config_init(&config);
	unit_ok(modelpick_choose(&app, -1, &m, &e), &e);
	for (size_t i = 0; m.secrets[i]; i++)
		found |= strcmp(m.secrets[i], "k1") == 0   ? 1
			 : strcmp(m.secrets[i], "k2") == 0 ? 2
							   : 0;
	assert_int_equal(found, 3);
}

static void a_replay_needs_no_key(void)
{
	_cleanup_config_ struct config config;
	_cleanup_modelpick_ struct modelpick m = { .provider = NULL };
	struct app app = { .config = &config };
	struct err e = ERR_NONE;

	set("OPENAI_API_KEY", NULL);
	set("ANTHROPIC_API_KEY", NULL);
	config_init(&config);
	unit_ok(modelpick_choose(&app, 5, &m, &e), &e);
	assert_string_equal(m.conf.provider, "replay");
	assert_int_equal(m.conf.replay_fd, 5);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "every key is a secret", every_key_is_a_secret },
		{ "a replay needs no key", a_replay_needs_no_key },
	};
	int failed = unit_rows("modelpick", rows, test);

	return failed + unit_cases("modelpick", cases);
}
