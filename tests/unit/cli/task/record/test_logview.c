#include "tests/unit/unit.h"

#include <stdio.h>

#include "cli/task/record/logview.h"

static const struct row {
	const char *name, *record, *want;
} rows[] = {
	{ "a task", "{\"type\":\"task\",\"task\":\"say hi\",\"time\":\"2026\"}",
	  "task: say hi\n2026\n" },
	{ "a task that goes on",
	  "{\"type\":\"task\",\"task\":\"x\",\"resumed\":\"2025\"}",
	  "goes on from 2025\ntask: x\n" },
	{ "a model", "{\"type\":\"model\",\"provider\":\"openai\",\"model\":\"m\"}",
	  "openai:m\n" },
	{ "words of Chat Completions",
	  "{\"type\":\"response\",\"message\":{\"content\":\"a\\u001b[2Jb\\n\"}}",
	  "a<U+001B>[2Jb\n" },
	{ "words of Messages",
	  "{\"type\":\"response\",\"message\":{\"content\":[{\"type\":\"text\","
	  "\"text\":"
	  "\"hi\"},{\"type\":\"tool_use\"}]}}",
	  "hi\n" },
	{ "no words", "{\"type\":\"response\",\"message\":{\"content\":null}}", "" },
	{ "a command",
	  "{\"type\":\"call\",\"tool\":\"shell\",\"args\":{\"command\":\"ls\"}}",
	  "$ ls\n" },
	{ "another tool",
	  "{\"type\":\"call\",\"tool\":\"read_file\",\"args\":{\"path\":\"a\"}}",
	  "read_file {\"path\":\"a\"}\n" },
	{ "arguments that were no JSON",
	  "{\"type\":\"call\",\"tool\":\"shell\",\"args\":null}", "shell null\n" },
	{ "Python",
	  "{\"type\":\"call\",\"tool\":\"python\",\"args\":{\"code\":\"a=1\\nb\"}}",
	  "python a=1\n  b\n" },
	{ "a password",
	  "{\"type\":\"call\",\"tool\":\"input\",\"args\":{\"text\":\"s3cret\"}}",
	  "input ***\n" },
	{ "keys at a password",
	  "{\"type\":\"call\",\"tool\":\"input\",\"args\":{\"keys\":\"C-c\"}}",
	  "input C-c\n" },
	{ "an edit that failed, with what was tried",
	  "{\"type\":\"call\",\"tool\":\"edit_file\",\"args\":{\"path\":\"a\",\"old\":"
	  "\"x\",\"new\":\"y\"}}\n"
	  "{\"type\":\"result\",\"outcome\":\"error\",\"text\":\"not there\"}",
	  "edit_file a\n  -x\n  +y\n  not there\n" },
	{ "an edit, once, as its result has it",
	  "{\"type\":\"call\",\"tool\":\"edit_file\",\"args\":{\"path\":\"a\",\"old\":"
	  "\"x\",\"new\":\"y\"}}\n"
	  "{\"type\":\"result\",\"outcome\":\"ok\",\"text\":\"changed a: +1 -1\\n"
	  "@@ -1,1 +1,1 @@\\n-x\\n+y\\n\"}",
	  "edit_file a\n  @@ -1,1 +1,1 @@\n  -x\n  +y\n" },
	{ "a file that is written",
	  "{\"type\":\"call\",\"tool\":\"write_file\",\"args\":{\"path\":\"a\","
	  "\"content\":\"y\"}}\n"
	  "{\"type\":\"result\",\"outcome\":\"ok\",\"text\":\"wrote 1 byte to a\"}",
	  "write_file a\n  +y\n" },
	{ "a result", "{\"type\":\"result\",\"text\":\"a\\n\\nb\\n[exit 0]\"}",
	  "  a\n\n  b\n  [exit 0]\n" },
	{ "an answer is shown once",
	  "{\"type\":\"call\",\"tool\":\"finish\",\"args\":{\"answer\":\"so\"}}\n"
	  "{\"type\":\"result\",\"outcome\":\"finished\",\"text\":\"so\"}\n"
	  "{\"type\":\"end\",\"reason\":\"done\",\"answer\":\"so\"}",
	  "so\nend: done\n" },
	{ "an answer in words is shown once",
	  "{\"type\":\"response\",\"message\":{\"content\":\"so\"}}\n"
	  "{\"type\":\"end\",\"reason\":\"done\",\"answer\":\"so\"}",
	  "so\nend: done\n" },
	{ "a notice", "{\"type\":\"notice\",\"text\":\"n\"}", "cubby: n\n" },
	{ "an error", "{\"type\":\"error\",\"error\":\"cut off\"}",
	  "error: cut off\n" },
	{ "an end",
	  "{\"type\":\"end\",\"reason\":\"limit\",\"answer\":\"so far\","
	  "\"error\":\"50 rounds\"}",
	  "so far\n50 rounds\nend: limit\n" },
	{ "a type of a later version", "{\"type\":\"telepathy\"}", "" },
	{ "no type", "{}", "" },
};

static void test(const void *p)
{
	const struct row *r = p;
	struct app app = { .name = "cubby log" };
	_cleanup_logview_ struct logview v = { .app = &app,
					       .recorded = { .secret = true } };
	char *text = NULL, *records = strdup(r->record), *rest = records;
	size_t len = 0;

	app.out = open_memstream(&text, &len);
	for (char *one; (one = strsep(&rest, "\n"));) {
		_cleanup_json_ struct json *j = NULL;
		struct err e = ERR_NONE;

		unit_ok(json_parse(one, strlen(one), &j, &e), &e);
		unit_ok(logview_record(&v, j, &e), &e);
	}
	fclose(app.out);
	assert_string_equal(text ? text : "", r->want);
	free(text);
	free(records);
}

static void feed(struct logview_summary *s, const char *record)
{
	_cleanup_json_ struct json *j = unit_json(record);
	struct err e = ERR_NONE;

	unit_ok(logview_summarise(s, j, &e), &e);
}

static void summary_of_a_task(void)
{
	struct logview_summary s = { .rounds = 0 };

	feed(&s, "{\"type\":\"task\",\"task\":\"one\\ntwo\"}");
	feed(&s, "{\"type\":\"request\",\"round\":4}");
	assert_string_equal(s.end, "");
	feed(&s,
	     "{\"type\":\"end\",\"reason\":\"done\",\"tokens_in\":5,\"tokens_out\":2,"
	     "\"elapsed_ms\":9}");
	assert_string_equal(s.task, "one");
	assert_string_equal(s.end, "done");
	assert_int_equal(s.rounds, 4);
	assert_int_equal(s.tokens, 7);
	assert_int_equal(s.elapsed_ms, 9);
	feed(&s, "{\"type\":\"task\",\"task\":\"\",\"resumed\":\"x\"}");
	assert_string_equal(s.task, "one");
	assert_string_equal(s.end, ""); /* its second part has not ended */
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "summary of a task", summary_of_a_task },
	};
	int failed = unit_rows("logview", rows, test);

	return failed + unit_cases("logview", cases);
}
