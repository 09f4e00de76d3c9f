#include "agent/turn/history.h"

#include "tests/unit/unit.h"

static void add_turn(struct history *h, unsigned round, const char *message)
{
	_cleanup_json_ struct json *j = unit_json(message);
	struct err e = ERR_NONE;

	unit_ok(history_add_turn(h, round, j, &e), &e);
}

static void add_result(struct history *h, const char *id)
{
	struct history_result r = { .id = id, .tool = "shell", .text = "out" };
	struct err e = ERR_NONE;

	unit_ok(history_add_result(h, 1, &r, &e), &e);
}

static void entries(void)
{
	_cleanup_history_ struct history h = { 0 };
	struct err e = ERR_NONE;

	unit_ok(history_set_system(&h, "sys", &e), &e);
	unit_ok(history_add_text(&h, HISTORY_TASK, 0, "bad \xff byte", &e), &e);
	assert_string_equal(h.entries[0].text, "bad \xef\xbf\xbd byte");
	unit_ok(history_add_text(&h, HISTORY_NOTICE, 1, "", &e), &e);
	assert_string_equal(h.entries[1].text, "");
	for (int i = 0; i < 200; i++)
		add_result(&h, "x");
	assert_int_equal(h.n, 202);
	history_remove(&h, 1, 200);
	assert_int_equal(h.n, 2);
	assert_int_equal(h.entries[1].kind, HISTORY_RESULT);
	h.entries[0].bytes = strdup("rendered");
	h.entries[0].n_bytes = 8;
	assert_int_equal(history_entry_size(&h.entries[0]), 8);
	unit_ok(history_set_text(&h, 0, "new", &e), &e);
	assert_null(h.entries[0].bytes);
	history_move_last(&h, 0);
	assert_int_equal(h.entries[0].kind, HISTORY_RESULT);
	assert_string_equal(h.entries[1].text, "new");
	assert_true(history_size(&h) > 9);
}

static void open_calls(const char *message)
{
	_cleanup_history_ struct history h = { 0 };
	const char *name = NULL;

	assert_null(history_open_call(&h, &name));
	add_turn(&h, 1, message);
	assert_string_equal(history_open_call(&h, &name), "a");
	assert_string_equal(name, "shell");
	add_result(&h, "a");
	assert_string_equal(history_open_call(&h, &name), "b");
	assert_string_equal(name, "input");
	add_result(&h, "b");
	assert_null(history_open_call(&h, &name));
	add_turn(&h, 2, "{\"role\":\"assistant\",\"content\":\"done\"}");
	assert_null(history_open_call(&h, &name));
}

static void open_calls_openai(void)
{
	open_calls("{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"shell\"}},"
		   "{\"id\":\"b\",\"function\":{\"name\":\"input\"}}]}");
}

static void open_calls_anthropic(void)
{
	open_calls(
		"{\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"tool_"
		"use\","
		"\"id\":\"a\",\"name\":\"shell\"},{\"type\":\"tool_use\",\"id\":\"b\","
		"\"name\":\"input\"}]}");
}

static void pictures(void)
{
	_cleanup_history_ struct history h = { 0 };
	struct err e = ERR_NONE;

	unit_ok(history_add_picture(&h, 1, "a", "image/png", "QUJD", &e), &e);
	assert_int_equal(history_picture_size(&h), 4);
	assert_int_equal(history_size(&h), 4800); /* whatever its bytes are */
	history_drop_picture(&h, 0);
	assert_int_equal(history_picture_size(&h), 0);
	assert_int_equal(history_size(&h), 41);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "pictures", pictures },
		{ "entries", entries },
		{ "open calls, Chat Completions", open_calls_openai },
		{ "open calls, Messages", open_calls_anthropic },
	};

	return unit_cases("history", cases);
}
