/* What servers tell of themselves, each in its own words, asked over real HTTP. */
#include <stdio.h>

#include "agent/model/impl.h"
#include "tests/unit/modelserver.h"
#include "tests/unit/unit.h"

#define KEY "sk-test-0123456789"

static struct modelserver server = MODELSERVER_NONE;

static void discover(void)
{
	static const char *const local[] = { "ollama", "llamacpp" };

	for (size_t i = 0; i < ARRAY_SIZE(local); i++) {
		struct model_found found = { 0 };
		struct err e = ERR_NONE;

		modelserver_play(&server,
				 "{\"config\":{\"models\":[\"small\",\"big\"]}}");
		unit_ok(model_discover_at(model_provider_find(local[i]), server.url,
					  &found, &e),
			&e);
		assert_string_equal(found.name, "small");
		assert_string_equal(found.url, server.url);
		modelserver_play(&server, "{\"config\":{\"models\":[]}}");
		assert_int_equal(
			model_discover_at(found.provider, server.url, &found, &e),
			-ENOENT);
	}
}

struct row {
	const char *name, *provider, *path; /* behind the server's address */
	const char *config;		    /* of the server */
	uint64_t user, want;		    /* what the user said; the outcome */
};

#define CARDS(models, cards)                                     \
	"{\"config\":{\"models\":[" models "],\"cards\":{" cards \
	"},\"context\":5000}}\n"

/* clang-format off */
static const struct row rows[] = {
	{ "vLLM", "openai", "/v1", CARDS("\"fake\"", "\"fake\":{\"max_model_len\":16384}"), 0, 16384 },
	{ "OpenRouter, one of many", "openai", "", CARDS("\"x\",\"fake\"",
	  "\"x\":{\"context_length\":9000},\"fake\":{\"context_length\":131072}"), 0, 131072 },
	{ "Groq", "openai", "/v1/", CARDS("\"fake\"", "\"fake\":{\"context_window\":8192}"), 0, 8192 },
	{ "the only model, by another name", "openai", "", CARDS("\"other\"",
	  "\"other\":{\"max_model_len\":4096}"), 0, 4096 },
	{ "not our model", "openai", "", CARDS("\"x\",\"y\"",
	  "\"x\":{\"max_model_len\":4096}"), 0, 128000 },
	{ "it does not say", "openai", "", CARDS("\"fake\"", ""), 0, 128000 },
	{ "nonsense", "openai", "", CARDS("\"fake\"", "\"fake\":{\"max_model_len\":-1}"), 0, 128000 },
	{ "too small to be true", "openai", "", CARDS("\"fake\"", "\"fake\":{\"max_model_len\":1}"), 0, 128000 },
	{ "no such page", "openai", "/elsewhere/v1", CARDS("\"fake\"", ""), 0, 128000 },
	{ "a query: Azure does not tell", "openai", "/v1?api-version=1", CARDS("\"fake\"",
	  "\"fake\":{\"max_model_len\":16384}"), 0, 128000 },
	{ "llama.cpp: what it runs with, not what it was trained with", "llamacpp", "",
	  CARDS("\"fake\"", "\"fake\":{\"owned_by\":\"llamacpp\",\"meta\":{\"n_ctx_train\":131072}}"), 0, 5000 },
	{ "llama.cpp by its address", "openai", "/v1", CARDS("\"fake\"",
	  "\"fake\":{\"owned_by\":\"llamacpp\"}"), 0, 5000 },
	{ "Ollama", "ollama", "", CARDS("\"fake\"", ""), 0, 5000 },
	{ "Ollama, with its path", "ollama", "/api/", CARDS("\"fake\"", ""), 0, 5000 },
	{ "Ollama's memory has an end", "ollama", "", "{\"config\":{\"context\":131072}}", 0, 32768 },
	{ "the user knows better", "openai", "/v1", CARDS("\"fake\"",
	  "\"fake\":{\"max_model_len\":16384}"), 7000, 7000 },
	{ "Messages servers are not asked", "anthropic", "", CARDS("\"fake\"",
	  "\"fake\":{\"max_model_len\":16384}"), 0, 128000 },
};
/* clang-format on */

static struct model *open_model(const struct row *row, char *url, size_t size)
{
	struct model_conf conf = { .provider = row->provider,
				   .name = "fake",
				   .url = url,
				   .key = KEY,
				   .window = row->user,
				   .replay_fd = -1,
				   .abort_fd = -1 };
	struct model *m = NULL;
	struct err e = ERR_NONE;

	snprintf(url, size, "%s%s", server.url, row->path);
	unit_ok(model_new(&conf, &m, &e), &e);
	return m;
}

static void window(const void *p)
{
	const struct row *row = p;
	_cleanup_model_ struct model *m = NULL;
	char url[128];

	modelserver_play(&server, row->config);
	m = open_model(row, url, sizeof(url));
	model_ask_window(m);
	assert_int_equal(model_window(m), row->want);
	assert_true(model_max_output(m) <= row->want / 4);
	assert_int_equal(modelserver_seen(&server), 0);
}

/* What a server said is believed until it refuses less; what the user said, always. */
static void learned(void)
{
	static const struct row told = { .provider = "openai", .path = "" };
	static const struct row user = { .provider = "openai",
					 .path = "",
					 .user = 9000 };
	_cleanup_model_ struct model *a = NULL, *b = NULL;
	char url[128];

	modelserver_play(&server,
			 CARDS("\"fake\"", "\"fake\":{\"max_model_len\":16384}"));
	a = open_model(&told, url, sizeof(url));
	b = open_model(&user, url, sizeof(url));
	model_ask_window(a);
	model_learn_window(a, 20000);
	assert_int_equal(model_window(a), 16384);
	model_learn_window(a, 8000);
	assert_int_equal(model_window(a), 8000);
	model_learn_window(b, 4000);
	assert_int_equal(model_window(b), 9000);
}

/* A server that never answers costs a moment, not the task. */
static void silence(void)
{
	static const struct row row = { .provider = "openai", .path = "" };
	_cleanup_model_ struct model *m = NULL;
	struct model_conf conf = { .provider = row.provider,
				   .name = "fake",
				   .url = "http://127.0.0.1:1/v1",
				   .replay_fd = -1,
				   .abort_fd = -1 };
	struct err e = ERR_NONE;

	unit_ok(model_new(&conf, &m, &e), &e);
	model_ask_window(m);
	assert_int_equal(model_window(m), 128000);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a local server is found", discover },
		{ "what is learned later", learned },
		{ "nobody there", silence },
	};
	int failed;

	modelserver_start(&server);
	failed = unit_rows("model_ask_window", rows, window);
	failed += unit_cases("model_discover", cases);
	modelserver_stop(&server);
	return failed;
}
