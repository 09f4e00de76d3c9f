#include "tests/unit/agent/wire/body.h"

static void messages(void)
{
	_cleanup_model_ struct model *m = wire_model("ollama", "http://h");
	_cleanup_history_ struct history h = { 0 };
	struct err e = ERR_NONE;

	unit_ok(history_add_text(&h, HISTORY_TASK, 0, "do it", &e), &e);
	wire_turn(&h, 1,
		  "{\"role\":\"assistant\",\"content\":null,\"reasoning\":\"hm\","
		  "\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"shell\","
		  "\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"}}]}");
	wire_result(&h, "a", "out", false);
	wire_check(
		m, &h, false, "messages",
		"[{\"role\":\"system\",\"content\":\"\"},{\"role\":\"user\","
		"\"content\":"
		"\"do "
		"it\"},{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"hm\","
		"\"tool_calls\":[{\"function\":{\"name\":\"shell\",\"arguments\":"
		"{\"command\":\"ls\"}}}]},{\"role\":\"tool\",\"tool_name\":\"shell\","
		"\"content\":\"out\"}]");
	wire_check(m, &h, false, "options", "{\"num_ctx\":32768,\"num_predict\":8192}");
	wire_check(m, &h, true, "tools", "");
	wire_check(m, &h, false, "think", "");
	m->to.effort = WIRE_EFFORT_LOW;
	wire_check(m, &h, false, "think", "true");
	m->to.name = "gpt-oss:20b";
	wire_check(m, &h, false, "think", "\"low\"");
}

/* Lines in any split; two calls of one tool are two calls. */
static void answer(size_t step)
{
	static const char lines[] =
		"{\"model\":\"x\",\"message\":{\"role\":\"assistant\",\"content\":\"\","
		"\"thinking\":\"hm\"},\"done\":false}\n"
		"{\"message\":{\"content\":\"I "
		"lo\"}}\r\n\n{\"message\":{\"content\":\"ok\"}}\n"
		"{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{"
		"\"name\":\"shell\","
		"\"arguments\":{\"command\":\"a\"}}},{\"function\":{\"name\":\"shell\","
		"\"arguments\":{\"command\":\"b\"}}}]}}\n"
		"{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":"
		"\"stop\","
		"\"prompt_eval_count\":7,\"eval_count\":8}";
	static const struct turn_sink silent = { 0 };
	struct answer *a = answer_new(ollama_wire.answer, &silent);
	_cleanup_turn_ struct turn t;
	struct err e = ERR_NONE;
	uint64_t seed = 1;

	turn_init(&t);
	for (size_t at = 0; at < strlen(lines); at += step)
		unit_ok(answer_feed(a, lines + at, MIN(step, strlen(lines) - at), &e),
			&e);
	unit_ok(answer_end(a, &seed, &t, &e), &e);
	assert_string_equal(buf_cstr(&t.text), "I look");
	assert_string_equal(buf_cstr(&t.reasoning), "hm");
	assert_int_equal(t.n_calls, 2);
	assert_string_equal(json_get_str(t.calls[1].args, "command"), "b");
	assert_int_equal(t.usage.input, 7);
	assert_int_equal(t.usage.output, 8);
	answer_free(&a);
}

static void answers(void)
{
	for (size_t step = 1; step < 600; step++)
		answer(step);
}

/* Pieces that were cut within a character, and a call that no shell could be given. */
static void halves(void)
{
	static const char lines[] =
		"{\"message\":{\"content\":\"do not "
		"\\ud83d\",\"thinking\":\"\\ud83d\"}}"
		"\n{\"message\":{\"content\":\"\\ude00 delete\\ud83d it\",\"thinking\":"
		"\"\\ude00\",\"tool_calls\":[{\"function\":{\"name\":\"shell\","
		"\"arguments\":{\"command\":\"a\\u0000b\"}}}]}}\n"
		"{\"message\":{\"content\":\"\"},\"done\":true}\n";
	static const struct turn_sink silent = { 0 };
	struct answer *a = answer_new(ollama_wire.answer, &silent);
	_cleanup_turn_ struct turn t;
	struct err e = ERR_NONE;
	uint64_t seed = 1;

	turn_init(&t);
	unit_ok(answer_feed(a, lines, strlen(lines), &e), &e);
	unit_ok(answer_end(a, &seed, &t, &e), &e);
	assert_string_equal(buf_cstr(&t.text),
			    "do not \360\237\230\200 delete\357\277\275 it");
	assert_string_equal(buf_cstr(&t.reasoning), "\360\237\230\200");
	assert_int_equal(t.n_calls, 1);
	assert_null(t.calls[0].args);
	answer_free(&a);
}

static void failures(void)
{
	static const struct turn_sink silent = { 0 };
	struct answer *a = answer_new(ollama_wire.answer, &silent);
	struct err e = ERR_NONE;

	assert_int_equal(answer_feed(a, "{\"error\":\"no model\"}\n", 21, &e),
			 -EREMOTEIO);
	unit_err(&e, -EREMOTEIO, "the server said: no model");
	answer_free(&a);
	a = answer_new(ollama_wire.answer, &silent);
	assert_int_equal(answer_feed(a, "nonsense\n", 9, &e), -EPROTO);
	unit_err(&e, -EPROTO, "a line that is no JSON object");
	answer_free(&a);
}

static void urls(void)
{
	wire_url("ollama", "http://127.0.0.1:11434", "http://127.0.0.1:11434/api/chat");
	wire_url("ollama", "myhost:11434", "http://myhost:11434/api/chat");
	wire_url("ollama", "http://h/api/", "http://h/api/chat");
}

static void picture(void)
{
	_cleanup_model_ struct model *m = wire_model("ollama", "http://h");
	_cleanup_history_ struct history h = { 0 };

	wire_picture_of(&h);
	wire_check(m, &h, false, "messages",
		   "[{\"role\":\"system\",\"content\":\"\"},{\"role\":\"user\","
		   "\"content\":\"a.png: PNG\",\"images\":[\"QUJD\"]}]");
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
		{ "a picture", picture },
		{ "messages", messages },
		{ "answers, in any split", answers },
		{ "words cut within a character", halves },
		{ "failures", failures },
		{ "addresses", urls },
	};

	return unit_cases("ollama", cases);
}
