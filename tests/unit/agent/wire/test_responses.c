#include "tests/unit/agent/wire/body.h"

struct row {
	const char *name, *base, *url;
};

static const struct row rows[] = {
	{ "with /v1", "https://api.openai.com/v1",
	  "https://api.openai.com/v1/responses" },
	{ "without", "http://host:8000", "http://host:8000/v1/responses" },
	{ "Azure", "https://x.openai.azure.com/openai/v1?api-version=1",
	  "https://x.openai.azure.com/openai/v1/responses?api-version=1" },
	{ "the whole address", "http://h/v1/responses", "http://h/v1/responses" },
};

static void url_row(const void *p)
{
	const struct row *row = p;

	wire_url("responses", row->base, row->url);
}

#define THOUGHT(id) \
	"{\"type\":\"reasoning\"" id ",\"summary\":[],\"encrypted_content\":\"E\"}"

static void fill(struct history *h)
{
	struct err e = ERR_NONE;

	unit_ok(history_set_system(h, "sys", &e), &e);
	unit_ok(history_add_text(h, HISTORY_TASK, 0, "do it", &e), &e);
	wire_turn(
		h, 1,
		"{\"role\":\"assistant\",\"output\":[" THOUGHT(
			",\"id\":\"rs\"") ",{\"type\":\"reasoning\",\"summary\":[]},"
					  "{\"type\":\"function_call\",\"id\":\"fc\","
					  "\"status\":\"completed\",\"call_id\":\"a\","
					  "\"name\":\"shell\",\"arguments\":\"{bad\"}]"
					  "}");
	wire_result(h, "a", "out", false);
	/* a turn of another wire, which has no words */
	wire_turn(h, 2,
		  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
		  "\"b\","
		  "\"function\":{\"name\":\"shell\",\"arguments\":\"{}\"}}]}");
	wire_result(h, "b", "out", false);
}

#define INPUT(thought)                                                                 \
	"[{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_"     \
	"text\","                                                                      \
	"\"text\":\"do it\"}]}," thought                                               \
	"{\"type\":\"function_call\",\"call_id\":\"a\","                               \
	"\"name\":\"shell\",\"arguments\":\"{}\"},{\"type\":\"function_call_output\"," \
	"\"call_id\":\"a\",\"output\":\"out\"},{\"type\":\"function_call\",\"call_"    \
	"id\":"                                                                        \
	"\"b\",\"name\":\"shell\",\"arguments\":\"{}\"},{\"type\":"                    \
	"\"function_call_output\",\"call_id\":\"b\",\"output\":\"out\"}]"

static void input(void)
{
	_cleanup_model_ struct model *m = wire_model("responses", "http://h");
	_cleanup_history_ struct history h = { 0 };

	fill(&h);
	wire_check(m, &h, false, "instructions", "\"sys\"");
	wire_check(m, &h, false, "input", INPUT(THOUGHT("") ","));
	wire_check(m, &h, false, "messages", "");
	m->to.without = 1U << RETRY_F_REASONING;
	history_forget_bytes(&h);
	wire_check(m, &h, false, "input", INPUT(""));
}

static void options(void)
{
	_cleanup_model_ struct model *m = wire_model("responses", "http://h");
	_cleanup_history_ struct history h = { 0 };
	struct retry_cause summary = { .what = RETRY_FIELD, .field = RETRY_F_SUMMARY };
	struct retry_cause limit = { .what = RETRY_FIELD,
				     .field = RETRY_F_MAX_COMPLETION };

	wire_check(
		m, &h, false, "tools",
		"[{\"type\":\"function\",\"name\":\"shell\",\"description\":"
		"\"runs \\\"it\\\"\",\"parameters\":{\"type\":\"object\"}},{\"type\":"
		"\"function\",\"name\":\"finish\",\"description\":\"ends\","
		"\"parameters\":{\"type\":\"object\"}}]");
	wire_check(m, &h, false, "store", "false");
	wire_check(m, &h, false, "include", "[\"reasoning.encrypted_content\"]");
	wire_check(m, &h, false, "temperature", "");
	wire_check(m, &h, false, "reasoning", "");
	wire_check(m, &h, true, "tool_choice", "\"none\"");
	wire_check(m, &h, false, "max_output_tokens", "16384");
	assert_true(model_adapt(m, &limit));
	wire_check(m, &h, false, "max_output_tokens", "");
	m->to.effort = WIRE_EFFORT_LOW; /* nobody knows whether this one thinks */
	wire_check(m, &h, false, "reasoning", "{\"effort\":\"low\"}");
	m->to.without = 1U << RETRY_F_REASONING;
	wire_check(m, &h, false, "reasoning", "");
	m->to.without = 0;
	m->to.reasons = true;
	wire_check(m, &h, false, "reasoning",
		   "{\"effort\":\"low\",\"summary\":\"auto\"}");
	assert_true(model_adapt(m, &summary));
	wire_check(m, &h, false, "reasoning", "{\"effort\":\"low\"}");
}

/* OpenAI's models that think are asked by it; its others, and other servers', by what all
 * servers know. */
static void chosen(void)
{
	static const struct {
		const char *url, *name, *wire;
	} cases[] = {
		{ NULL, "gpt-5.1", "responses" },
		{ NULL, "o3", "responses" },
		{ NULL, "gpt-4.1", "openai" },
		{ NULL, "gpt-5-chat-latest", "openai" },
		{ "http://h/v1", "gpt-5", "openai" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct model_conf conf = { .provider = "openai",
					   .name = cases[i].name,
					   .url = cases[i].url,
					   .key = "k",
					   .replay_fd = -1,
					   .abort_fd = -1 };
		_cleanup_model_ struct model *m = NULL;
		struct err e = ERR_NONE;

		unit_ok(model_new(&conf, &m, &e), &e);
		assert_string_equal(model_wire(m), cases[i].wire);
		assert_true(model_switch_wire(m));
		assert_string_not_equal(model_wire(m), cases[i].wire);
		assert_false(model_switch_wire(m));
	}
}

static void picture(void)
{
	_cleanup_model_ struct model *m = wire_model("responses", "http://h");
	_cleanup_history_ struct history h = { 0 };

	wire_picture_of(&h);
	wire_check(m, &h, false, "input",
		   "[{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":"
		   "\"input_text\",\"text\":\"a.png: "
		   "PNG\"},{\"type\":\"input_image\",\"image_url\":\"data:image/"
		   "png;base64,QUJD\"}]}]");
	m->to.without = 1U << RETRY_F_PICTURES;
	history_forget_bytes(&h);
	wire_check(m, &h, false, "input",
		   "[{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":"
		   "\"input_text\",\"text\":\"a.png: PNG\\n[the picture is not shown: "
		   "this model takes none]\"}]}]");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a picture", picture },
		{ "input", input },
		{ "options", options },
		{ "which models are asked by it", chosen },
	};

	return unit_rows("responses: address", rows, url_row) +
	       unit_cases("responses", cases);
}
