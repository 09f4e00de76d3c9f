#include "tests/unit/agent/wire/body.h"

struct row {
	const char *name, *base, *url;
};

static const struct row rows[] = {
	{ "with /v1", "https://api.openai.com/v1",
	  "https://api.openai.com/v1/chat/completions" },
	{ "without", "http://host:8000", "http://host:8000/v1/chat/completions" },
	{ "a slash at the end", "http://host/v1/", "http://host/v1/chat/completions" },
	{ "a path before it", "https://openrouter.ai/api/v1",
	  "https://openrouter.ai/api/v1/chat/completions" },
	{ "Gemini", "https://g.com/v1beta/openai",
	  "https://g.com/v1beta/openai/chat/completions" },
	{ "Azure", "https://x.openai.azure.com/openai/deployments/d?api-version=1",
	  "https://x.openai.azure.com/openai/deployments/d/chat/"
	  "completions?api-version=1" },
	{ "Azure, the host alone", "https://x.openai.azure.com/",
	  "https://x.openai.azure.com/openai/v1/chat/completions" },
	{ "Azure, /openai/v1", "https://x.openai.azure.com/openai/v1",
	  "https://x.openai.azure.com/openai/v1/chat/completions" },
	{ "the whole address", "http://h/v1/chat/completions",
	  "http://h/v1/chat/completions" },
};

static void url_row(const void *p)
{
	const struct row *row = p;

	wire_url("openai", row->base, row->url);
}

static void fill(struct history *h)
{
	struct err e = ERR_NONE;

	unit_ok(history_set_system(h, "sys", &e), &e);
	unit_ok(history_add_text(h, HISTORY_TASK, 0, "do \"it\"", &e), &e);
	wire_turn(
		h, 1,
		"{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"hm\","
		"\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{"
		"\"name\":"
		"\"shell\",\"arguments\":\"{broken\"},\"extra_content\":{\"s\":1}}]}");
	wire_result(h, "a", "out", false);
}

static void messages(void)
{
	_cleanup_model_ struct model *m = wire_model("openai", "http://h");
	_cleanup_history_ struct history h = { 0 };

	fill(&h);
	wire_check(
		m, &h, false, "messages",
		"[{\"role\":\"system\",\"content\":\"sys\"},"
		"{\"role\":\"user\",\"content\":\"do \\\"it\\\"\"},"
		"{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"hm\","
		"\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{"
		"\"name\":"
		"\"shell\",\"arguments\":\"{}\"},\"extra_content\":{\"s\":1}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"out\"}]");
	m->to.without = 1U << RETRY_F_REASONING | 1U << RETRY_F_NULL_CONTENT;
	history_forget_bytes(&h);
	wire_check(m, &h, false, "messages",
		   "[{\"role\":\"system\",\"content\":\"sys\"},"
		   "{\"role\":\"user\",\"content\":\"do \\\"it\\\"\"},"
		   "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":"
		   "\"a\","
		   "\"type\":\"function\",\"function\":{\"name\":\"shell\","
		   "\"arguments\":\"{}\"},"
		   "\"extra_content\":{\"s\":1}}]},"
		   "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"out\"}]");
}

static void options(void)
{
	_cleanup_model_ struct model *m = wire_model("openai", "http://h");
	_cleanup_history_ struct history h = { 0 };
	struct retry_cause limit = { .what = RETRY_FIELD, .field = RETRY_F_MAX_TOKENS };
	struct retry_cause usage = { .what = RETRY_FIELD,
				     .field = RETRY_F_STREAM_OPTIONS };

	wire_check(
		m, &h, false, "tools",
		"[{\"type\":\"function\",\"function\":{\"name\":\"shell\","
		"\"description\":"
		"\"runs \\\"it\\\"\",\"parameters\":{\"type\":\"object\"}}},{\"type\":"
		"\"function\",\"function\":{\"name\":\"finish\",\"description\":"
		"\"ends\","
		"\"parameters\":{\"type\":\"object\"}}}]");
	wire_check(m, &h, false, "temperature", "");
	wire_check(m, &h, false, "reasoning_effort", "");
	m->to.effort = WIRE_EFFORT_HIGH;
	wire_check(m, &h, false, "reasoning_effort", "\"high\"");
	wire_check(m, &h, false, "stream_options", "{\"include_usage\":true}");
	wire_check(m, &h, false, "tool_choice", "");
	wire_check(m, &h, true, "tool_choice", "\"none\"");
	wire_check(m, &h, false, "max_tokens", "16384");
	assert_true(model_adapt(m, &limit));
	wire_check(m, &h, false, "max_tokens", "");
	wire_check(m, &h, false, "max_completion_tokens", "16384");
	assert_true(model_adapt(m, &limit));
	wire_check(m, &h, false, "max_completion_tokens", "");
	assert_false(model_adapt(m, &limit));
	assert_true(model_adapt(m, &usage));
	wire_check(m, &h, false, "stream_options", "");
	assert_false(model_adapt(m, &usage));
}

static void deepseek(void)
{
	_cleanup_model_ struct model *m =
		wire_model("openai", "https://api.deepseek.com");
	_cleanup_history_ struct history h = { 0 };

	wire_turn(&h, 1,
		  "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"function\":{"
		  "\"name\":\"shell\",\"arguments\":\"{}\"}}]}");
	wire_check(m, &h, false, "messages",
		   "[{\"role\":\"system\",\"content\":\"\"},{\"role\":\"assistant\","
		   "\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"shell\","
		   "\"arguments\":"
		   "\"{}\"}}],\"reasoning_content\":\"\"}]");
}

/* A turn of which no call is signed gets a word instead, in its first call alone. */
static void gemini(void)
{
	static const char two[] =
		"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
		"{\"id\":\"a\",\"function\":{\"name\":\"shell\",\"arguments\":\"{}\"}%"
		"s},"
		"{\"id\":\"b\",\"function\":{\"name\":\"shell\",\"arguments\":\"{}\"}}]"
		"}";
	static const char head[] = "[{\"role\":\"system\",\"content\":\"\"},";
	static const char signature[] =
		",\"extra_content\":{\"google\":{\"thought_signature\":\"%s\"}}";
	static const struct {
		const char *url, *given, *want;
	} cases[] = {
		{ "https://generativelanguage.googleapis.com/v1beta/openai", NULL,
		  "skip_thought_signature_validator" },
		{ "http://h/v1beta/openai", "S", "S" },
		{ "http://h/v1", NULL, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_model_ struct model *m = wire_model("openai", cases[i].url);
		_cleanup_history_ struct history h = { 0 };
		char given[200] = "", want[200] = "", message[600], all[700];

		if (cases[i].given)
			snprintf(given, sizeof(given), signature, cases[i].given);
		if (cases[i].want)
			snprintf(want, sizeof(want), signature, cases[i].want);
		snprintf(message, sizeof(message), two, given);
		wire_turn(&h, 1, message);
		snprintf(message, sizeof(message), two, want);
		snprintf(all, sizeof(all), "%s%s]", head, message);
		wire_check(m, &h, false, "messages", all);
	}
}

/* The bytes of a request begin with those of the one before. */
static void append_only(void)
{
	_cleanup_model_ struct model *m = wire_model("openai", "http://h");
	_cleanup_buf_ struct buf one = BUF_INIT(1 << 20), two = BUF_INIT(1 << 20);
	_cleanup_history_ struct history h = { 0 };
	struct model_request req = { .what.history = &h,
				     .what.tools = wire_tools,
				     .what.n_tools = 2 };
	struct err e = ERR_NONE;
	const char *end;

	fill(&h);
	unit_ok(model_body(m, &req, &one, &e), &e);
	wire_turn(&h, 2, "{\"role\":\"assistant\",\"content\":\"more\"}");
	unit_ok(model_body(m, &req, &two, &e), &e);
	end = strstr(one.data, "],\"tools\"");
	assert_memory_equal(one.data, two.data, (size_t)(end - one.data));
}

static void picture(void)
{
	_cleanup_model_ struct model *m = wire_model("openai", "http://h");
	_cleanup_history_ struct history h = { 0 };

	wire_picture_of(&h);
	wire_check(m, &h, false, "messages",
		   "[{\"role\":\"system\",\"content\":\"\"},{\"role\":\"user\","
		   "\"content\":[{\"type\":\"text\",\"text\":\"a.png: "
		   "PNG\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/"
		   "png;base64,QUJD\"}}]}]");
	m->to.without = 1U << RETRY_F_PICTURES;
	history_forget_bytes(&h);
	wire_check(m, &h, false, "messages",
		   "[{\"role\":\"system\",\"content\":\"\"},{\"role\":\"user\","
		   "\"content\":\"a.png: PNG\\n[the picture is not shown: this model "
		   "takes none]\"}]");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a picture", picture }, { "messages", messages },
		{ "options", options },	  { "DeepSeek", deepseek },
		{ "Gemini", gemini },	  { "append-only", append_only },
	};

	return unit_rows("openai: address", rows, url_row) +
	       unit_cases("openai", cases);
}
