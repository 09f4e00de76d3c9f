#include "agent/python/show.h"

#include "tests/unit/unit.h"

#define VALUE(data) \
	"{\"t\":\"result\",\"id\":1,\"data\":{" data "},\"files\":{},\"metadata\":{}}"

static const struct row {
	const char *name;
	const char *message;
	const char *want;
} rows[] = {
	{ "text", VALUE("\"text/plain\":\"1\""), "1\n" },
	{ "a line end of its own", VALUE("\"text/plain\":\"1\\n\""), "1\n" },
	{ "text before HTML",
	  VALUE("\"text/html\":\"<b>\",\"text/plain\":\"   a\\n0  1\""),
	  "   a\n0  1\n" },
	{ "HTML, where the text says nothing",
	  VALUE("\"text/html\":\"<b>x</b>\",\"text/plain\":\"<m.A object at 0x1>\""),
	  "<b>x</b>\n" },
	{ "Markdown first",
	  VALUE("\"text/markdown\":\"# x\",\"text/plain\":\"<M object>\""), "# x\n" },
	{ "a picture",
	  VALUE("\"text/plain\":\"<Figure>\",\"image/png\":\"QUFBQUFBQUE=\""),
	  "<Figure>\n[image/png, 9 B]\n" },
	{ "a picture in a file",
	  "{\"t\":\"display\",\"id\":1,\"data\":{},\"metadata\":{},\"files\":{\"image/"
	  "png\":"
	  "{\"path\":\"/tmp/a\\nb\",\"bytes\":2048,\"width\":640,\"height\":480}}}",
	  "[image/png, 640 × 480 pixels, 2 KiB: /tmp/a\\nb]\n" },
	{ "an exception",
	  "{\"t\":\"done\",\"id\":1,\"status\":\"error\",\"ename\":\"E\",\"evalue\":"
	  "\"x\","
	  "\"tb\":[\"Traceback\",\"E: x\"]}",
	  "Traceback\nE: x\n" },
	{ "an end", "{\"t\":\"done\",\"id\":1,\"status\":\"ok\"}", "" },
	{ "a question", "{\"t\":\"ask\",\"id\":1,\"prompt\":\"x\"}", "" },
};

static void test_show(const void *ptr)
{
	_cleanup_python_message_ struct python_message m = PYTHON_MESSAGE_NONE;
	_cleanup_buf_ struct buf out = BUF_INIT(1000);
	const struct row *row = ptr;
	struct err e = ERR_NONE;

	unit_ok(python_message_read(row->message, strlen(row->message), &m, &e), &e);
	assert_int_equal(python_show(&m, &out), 0);
	assert_string_equal(buf_cstr(&out), row->want);
}

static void a_long_one_is_cut_between_characters(void)
{
	_cleanup_python_message_ struct python_message m = PYTHON_MESSAGE_NONE;
	_cleanup_buf_ struct buf text = BUF_INIT(20000), out = BUF_INIT(20000);
	struct err e = ERR_NONE;

	buf_adds(&text, "{\"t\":\"result\",\"id\":1,\"data\":{\"text/html\":\"x");
	for (int i = 0; i < 5000; i++)
		buf_adds(&text, "é");
	buf_adds(&text, "\"},\"files\":{},\"metadata\":{}}");
	unit_ok(python_message_read(buf_cstr(&text), text.len, &m, &e), &e);
	assert_int_equal(python_show(&m, &out), 0);
	assert_non_null(strstr(buf_cstr(&out), "xéé"));
	assert_non_null(strstr(buf_cstr(&out), "éé\n… (1810 bytes left out)\n"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a long one is cut between characters",
		  a_long_one_is_cut_between_characters },
	};

	return unit_rows("python_show", rows, test_show) +
	       unit_cases("python_show", cases);
}
