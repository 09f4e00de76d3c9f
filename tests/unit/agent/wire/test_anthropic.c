#include "tests/unit/agent/wire/body.h"

#define MARK ",\"cache_control\":{\"type\":\"ephemeral\"}"

static void messages(void)
{
	_cleanup_model_ struct model *m = wire_model("anthropic", "http://h");
	_cleanup_history_ struct history h = { 0 };
	struct err e = ERR_NONE;

	unit_ok(history_set_system(&h, "sys", &e), &e);
	unit_ok(history_add_text(&h, HISTORY_TASK, 0, "do it", &e), &e);
	wire_turn(
		&h, 1,
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\","
		"\"thinking\":"
		"\"hm\",\"signature\":\"S\"},{\"type\":\"text\",\"text\":\" "
		"\"},{\"type\":"
		"\"tool_use\",\"id\":\"a\",\"name\":\"shell\",\"input\":{}},{\"type\":"
		"\"tool_use\",\"id\":\"b\",\"name\":\"shell\",\"input\":{}}]}");
	wire_result(&h, "a", "one", false);
	wire_result(&h, "b", "", true);
	unit_ok(history_add_text(&h, HISTORY_NOTICE, 1, "notice", &e), &e);
	wire_turn(&h, 2, "{\"role\":\"assistant\",\"content\":[]}");
	unit_ok(history_add_text(&h, HISTORY_NOTICE, 2, "go on", &e), &e);
	wire_check(
		m, &h, false, "messages",
		"[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"do "
		"it\"}]},"
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\","
		"\"thinking\":"
		"\"hm\",\"signature\":\"S\"},{\"type\":\"tool_use\",\"id\":\"a\","
		"\"name\":"
		"\"shell\",\"input\":{}},{\"type\":\"tool_use\",\"id\":\"b\",\"name\":"
		"\"shell\",\"input\":{}}]},{\"role\":\"user\",\"content\":[{\"type\":"
		"\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"one\"},{\"type\":"
		"\"tool_result\",\"tool_use_id\":\"b\",\"content\":\"\",\"is_error\":"
		"true},"
		"{\"type\":\"text\",\"text\":\"notice\"" MARK
		"}]},{\"role\":\"assistant\","
		"\"content\":[{\"type\":\"text\",\"text\":\"(nothing)\"}]},{\"role\":"
		"\"user\","
		"\"content\":[{\"type\":\"text\",\"text\":\"go on\"" MARK "}]}]");
	wire_check(m, &h, false, "system",
		   "[{\"type\":\"text\",\"text\":\"sys\"" MARK "}]");
}

static void options(void)
{
	_cleanup_model_ struct model *m = wire_model("anthropic", "http://h");
	_cleanup_history_ struct history h = { 0 };
	struct retry_cause thinking = { .what = RETRY_FIELD,
					.field = RETRY_F_THINKING };
	struct err e = ERR_NONE;

	unit_ok(history_add_text(&h, HISTORY_TASK, 0, "x", &e), &e);
	wire_check(m, &h, true, "tool_choice", "{\"type\":\"none\"}");
	wire_check(m, &h, false, "max_tokens", "16384");
	wire_check(m, &h, false, "temperature", "");
	wire_check(m, &h, false, "thinking", "");
	m->to.effort = WIRE_EFFORT_MEDIUM;
	wire_check(m, &h, false, "thinking",
		   "{\"type\":\"enabled\",\"budget_tokens\":4096}");
	assert_true(model_adapt(m, &thinking)); /* once: an effort */
	wire_check(m, &h, false, "thinking", "{\"type\":\"adaptive\"}");
	wire_check(m, &h, false, "output_config", "{\"effort\":\"medium\"}");
	assert_true(model_adapt(m, &thinking)); /* twice: nothing */
	wire_check(m, &h, false, "thinking", "");
	assert_false(model_adapt(m, &thinking));
	m->to.effort = WIRE_EFFORT_NONE;
	wire_check(
		m, &h, false, "tools",
		"[{\"name\":\"shell\",\"description\":\"runs "
		"\\\"it\\\"\",\"input_schema\":"
		"{\"type\":\"object\"}},{\"name\":\"finish\",\"description\":\"ends\","
		"\"input_schema\":{\"type\":\"object\"}" MARK "}]");
	m->to.without = 1U << RETRY_F_CACHE;
	wire_check(m, &h, false, "messages",
		   "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}"
		   "]}]");
}

/* A turn of another provider is reduced to its words and calls. */
static void foreign(void)
{
	_cleanup_model_ struct model *m = wire_model("anthropic", "http://h");
	_cleanup_history_ struct history h = { 0 };

	wire_turn(&h, 1,
		  "{\"role\":\"assistant\",\"content\":\"words\",\"reasoning\":\"hm\","
		  "\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"shell\","
		  "\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"}}]}");
	wire_check(m, &h, false, "messages",
		   "[{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
		   "\"words\"},{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"shell\","
		   "\"input\":{\"command\":\"ls\"}}]}]");
}

static void urls(void)
{
	wire_url("anthropic", "https://api.anthropic.com",
		 "https://api.anthropic.com/v1/messages");
	wire_url("anthropic", "http://h/v1/", "http://h/v1/messages");
	wire_url("anthropic", "http://h/x/v1/messages", "http://h/x/v1/messages");
}

static void picture(void)
{
	_cleanup_model_ struct model *m = wire_model("anthropic", "http://h");
	_cleanup_history_ struct history h = { 0 };

	wire_picture_of(&h);
	wire_check(
		m, &h, false, "messages",
		"[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a.png: "
		"PNG\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_"
		"type\":\"image/"
		"png\",\"data\":\"QUJD\"},\"cache_control\":{\"type\":\"ephemeral\"}}]}"
		"]");
	m->to.without = 1U << RETRY_F_PICTURES;
	history_forget_bytes(&h);
	wire_check(m, &h, false, "messages",
		   "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a."
		   "png: PNG\\n[the picture is not shown: this model takes "
		   "none]\",\"cache_control\":{\"type\":\"ephemeral\"}}]}]");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a picture", picture }, { "messages", messages },
		{ "options", options },	  { "another provider's turn", foreign },
		{ "addresses", urls },
	};

	return unit_cases("anthropic", cases);
}
