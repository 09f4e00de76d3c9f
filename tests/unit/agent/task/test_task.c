#include "agent/task/task.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

/* The tools of a test: answers from a row, no box. */
struct hands {
	const struct row *row;
	unsigned ran;
	int interrupt[2];
	struct buf seen; /* events, a word each */
};

struct row {
	const char *name;
	const char *lines; /* of the transcript that plays the model */
	struct task_limits limits;
	const char *output; /* of every shell call */
	int exit;
	const char *open;	  /* of each call: 'o' = it leaves the shell busy */
	bool press;		  /* ^C during the first call */
	enum task_verdict answer; /* to the question that follows, and to --ask */
	bool ask;
	bool odd_project;    /* the project is no directory: nothing can be compared */
	const char *instead; /* the person changes the command to it */
	enum task_end end;
	const char *cause;
	const char *answer_text;
	unsigned ran;
	const char *seen;   /* must be part of the events */
	const char *unseen; /* must not */
};

#define SHELL(id, cmd)                                                               \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"shell\"," \
	"\"arguments\":\"{\\\"command\\\":\\\"" cmd "\\\"}\"}}"
#define INPUT(id, more)                                                              \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"input\"," \
	"\"arguments\":\"{\\\"text\\\":\\\"y\\\"" more "}\"}}"
#define CALLS(calls)                                                                   \
	"{\"type\":\"response\",\"message\":{\"role\":\"assistant\",\"content\":null," \
	"\"tool_calls\":[" calls "]}}\n"
#define SAY(text)                                                                 \
	"{\"type\":\"response\",\"message\":{\"role\":\"assistant\",\"content\":" \
	"\"" text "\"}}\n"
#define FINISH(ok)                                                                     \
	CALLS("{\"id\":\"f\",\"type\":\"function\",\"function\":{\"name\":\"finish\"," \
	      "\"arguments\":{\"answer\":\"made it\",\"success\":" ok "}}}")
#define TASK "{\"type\":\"task\",\"task\":\"do it\"}\n"
#define BAD(id) \
	"{\"id\":\"" id "\",\"function\":{\"name\":\"shell\",\"arguments\":\"{x\"}}"
#define FOUR(x) x x x x

/* clang-format off */
static const struct row rows[] = {
	{ .name = "an answer in words", .lines = TASK SAY("forty-two"),
	  .end = TASK_DONE, .cause = "answer", .answer_text = "forty-two" },
	{ .name = "what changed cannot be said", .lines = TASK SAY("forty-two"),
	  .odd_project = true, .end = TASK_DONE, .cause = "answer",
	  .answer_text = "forty-two",
	  .seen = "cannot say what changed in the directory: " },
	{ .name = "a call, then finish", .lines = TASK CALLS(SHELL("a", "ls")) FINISH("true"),
	  .end = TASK_DONE, .cause = "finish", .answer_text = "made it", .ran = 2 },
	{ .name = "finish without success", .lines = TASK FINISH("false"),
	  .end = TASK_GAVE_UP, .cause = "finish", .answer_text = "made it", .ran = 1 },
	{ .name = "nothing runs behind finish",
	  .lines = TASK CALLS("{\"id\":\"f\",\"function\":{\"name\":\"finish\",\"arguments\":"
		"{\"answer\":\"x\",\"success\":true}}}," SHELL("b", "ls")),
	  .end = TASK_DONE, .cause = "finish", .answer_text = "x", .ran = 1 },
	{ .name = "calls of one turn run on behind one that fails",
	  .lines = TASK CALLS(SHELL("a", "one") "," SHELL("b", "two") "," SHELL("c", "three")) SAY("ok"),
	  .exit = 1, .end = TASK_DONE, .cause = "answer", .answer_text = "ok", .ran = 3,
	  .seen = "result shell: one\nresult shell: two\nresult shell: three\n" },
	{ .name = "a busy shell takes no second command",
	  .lines = TASK CALLS(SHELL("a", "sleep") "," SHELL("b", "ls")) SAY("ok"),
	  .open = "o", .end = TASK_DONE, .cause = "answer", .answer_text = "ok",
	  .ran = 1, .seen = "Not executed: an earlier call of this turn left the shell busy" },
	{ .name = "a shell that was answered takes the next command",
	  .lines = TASK CALLS(SHELL("a", "ask") "," INPUT("b", "") "," INPUT("c", "") ","
		SHELL("d", "ls")) SAY("ok"),
	  .open = "oo--", .end = TASK_DONE, .cause = "answer", .answer_text = "ok",
	  .ran = 4, .unseen = "Not executed" },
	{ .name = "a shell that was answered and asks again takes none",
	  .lines = TASK CALLS(SHELL("a", "ask") "," INPUT("b", "") "," SHELL("d", "ls")) SAY("ok"),
	  .open = "oo", .end = TASK_DONE, .cause = "answer", .answer_text = "ok", .ran = 2,
	  .seen = "Not executed: an earlier call of this turn left the shell busy" },
	{ .name = "another shell is not busy, and its answers are not those of the first",
	  .lines = TASK CALLS(SHELL("a", "ask") "," INPUT("b", ",\\\"session\\\":\\\"two\\\"") ","
		"{\"id\":\"c\",\"function\":{\"name\":\"shell\",\"arguments\":"
		"{\"command\":\"x\",\"session\":\"two\"}}}," SHELL("d", "ls")) SAY("ok"),
	  .open = "o---", .end = TASK_DONE, .cause = "answer", .answer_text = "ok", .ran = 3,
	  .seen = "Not executed: an earlier call of this turn left the shell busy" },
	{ .name = "announced work is asked for", .lines = TASK SAY("Let me look at it.")
		CALLS(SHELL("a", "ls")) SAY("It is done."),
	  .end = TASK_DONE, .cause = "answer", .answer_text = "It is done.", .ran = 1,
	  .seen = "notice the model announced work and did none" },
	{ .name = "announced work, twice", .lines = TASK SAY("Let me look at it.") SAY("I'll do it now:"),
	  .end = TASK_GAVE_UP, .cause = "answer", .answer_text = "I'll do it now:" },
	{ .name = "announced work after a call, and again later",
	  .lines = TASK SAY("Let me look.") CALLS(SHELL("a", "ls")) SAY("Now I'll mend it.")
		CALLS(SHELL("b", "mend")) SAY("ok"),
	  .end = TASK_DONE, .cause = "answer", .answer_text = "ok", .ran = 2 },
	{ .name = "a failure in words, and then finish",
	  .lines = TASK SAY("I could not do it.") FINISH("false"),
	  .end = TASK_GAVE_UP, .cause = "finish", .answer_text = "made it", .ran = 1 },
	{ .name = "a failure in words, twice",
	  .lines = TASK SAY("I could not do it.") SAY("I could not do it: no cat."),
	  .end = TASK_GAVE_UP, .cause = "answer", .answer_text = "I could not do it: no cat." },
	{ .name = "a failure in words, in a transcript that ends there",
	  .lines = TASK SAY("I could not do it."),
	  .end = TASK_GAVE_UP, .cause = "answer", .answer_text = "I could not do it." },
	{ .name = "words before any call, when something has to be made",
	  .lines = "{\"type\":\"task\",\"task\":\"make a file\"}\n" SAY("A file is a thing.")
		CALLS(SHELL("a", "touch f")) SAY("ok"),
	  .end = TASK_DONE, .cause = "answer", .answer_text = "ok", .ran = 1,
	  .seen = "notice the model answered without doing anything" },
	{ .name = "words twice are an answer",
	  .lines = "{\"type\":\"task\",\"task\":\"make a file\"}\n" SAY("There is one.") SAY("It was there."),
	  .end = TASK_DONE, .cause = "answer", .answer_text = "It was there." },
	{ .name = "two empty answers", .lines = TASK SAY("") SAY(""),
	  .end = TASK_GAVE_UP, .cause = "empty", .answer_text = "" },
	{ .name = "a call as text, once", .lines = TASK SAY("<tool_call>{}</tool_call>") SAY("done"),
	  .end = TASK_DONE, .cause = "answer", .answer_text = "done" },
	{ .name = "a call as text, again",
	  .lines = TASK SAY("<tool_call>{}</tool_call>") SAY("<function=shell>"),
	  .end = TASK_GAVE_UP, .cause = "no_calls", .answer_text = "<function=shell>" },
	{ .name = "malformed calls, three turns",
	  .lines = TASK CALLS(BAD("a")) CALLS(BAD("b")) CALLS(BAD("c")) SAY("never"),
	  .end = TASK_LIMIT, .cause = "malformed", .answer_text = "" },
	{ .name = "malformed once", .lines = TASK CALLS(BAD("a")) SAY("ok"),
	  .end = TASK_DONE, .cause = "answer", .answer_text = "ok",
	  .seen = "The call was not run: its arguments are malformed (bad JSON at byte 1)" },
	{ .name = "rounds run out", .lines = TASK CALLS(SHELL("a", "one")) CALLS(SHELL("b", "two"))
		SAY("half of it is done"),
	  .limits = { .rounds = 2 }, .end = TASK_LIMIT, .cause = "rounds",
	  .answer_text = "half of it is done", .ran = 2 },
	{ .name = "calls in the last turn are not run",
	  .lines = TASK CALLS(SHELL("a", "one")) CALLS(SHELL("b", "two")),
	  .limits = { .rounds = 1 }, .end = TASK_LIMIT, .cause = "rounds",
	  .answer_text = "", .ran = 1, .seen = "Not executed: the task's limit is reached" },
	{ .name = "all calls of the last permitted round run",
	  .lines = TASK CALLS(SHELL("a", "one") "," SHELL("b", "two") "," SHELL("c", "three"))
		SAY("half"),
	  .limits = { .rounds = 1 }, .end = TASK_LIMIT, .cause = "rounds",
	  .answer_text = "half", .ran = 3, .unseen = "Not executed" },
	{ .name = "finish behind other calls of the last permitted round",
	  .lines = TASK CALLS(SHELL("a", "one") ",{\"id\":\"f\",\"function\":{\"name\":"
		"\"finish\",\"arguments\":{\"answer\":\"x\",\"success\":true}}}"),
	  .limits = { .rounds = 1 }, .end = TASK_DONE, .cause = "finish",
	  .answer_text = "x", .ran = 2 },
	{ .name = "stuck", .lines = TASK FOUR(CALLS(SHELL("a", "same"))) FOUR(CALLS(SHELL("a", "same")))
		SAY("never"),
	  .output = "no such thing", .end = TASK_GAVE_UP, .cause = "stuck", .answer_text = "",
	  .ran = 8, .seen = "[cubby: you have made the same call with the same result" },
	{ .name = "stuck in an error", .lines = TASK FOUR(CALLS(SHELL("a", "same"))) CALLS(SHELL("a", "same"))
		CALLS(SHELL("a", "same")) SAY("never"),
	  .output = "no such thing", .exit = 1, .end = TASK_GAVE_UP, .cause = "stuck",
	  .answer_text = "", .ran = 6, .seen = "same call with the same error" },
	{ .name = "eight calls of one turn cannot be told in between",
	  .lines = TASK CALLS(SHELL("a", "same") "," SHELL("b", "same") "," SHELL("c", "same") ","
		SHELL("d", "same") "," SHELL("e", "same") "," SHELL("f", "same") ","
		SHELL("g", "same") "," SHELL("h", "same")) SAY("ok"),
	  .output = "no such thing", .end = TASK_DONE, .cause = "answer", .answer_text = "ok",
	  .ran = 8, .seen = "[cubby: you have made the same call with the same result" },
	{ .name = "^C during a call, and stop",
	  .lines = TASK CALLS(SHELL("a", "one") "," SHELL("b", "two")) SAY("never"),
	  .press = true, .answer = TASK_STOP, .end = TASK_INTERRUPTED, .cause = "interrupted",
	  .answer_text = "", .ran = 1, .seen = "Not executed: the person interrupted the task" },
	{ .name = "^C during a call, and go on",
	  .lines = TASK CALLS(SHELL("a", "one") "," SHELL("b", "two")) SAY("ok"),
	  .press = true, .answer = TASK_YES, .end = TASK_DONE, .cause = "answer",
	  .answer_text = "ok", .ran = 1, .seen = "Not executed: the person interrupted." },
	{ .name = "ask: no", .lines = TASK CALLS(SHELL("a", "one")) SAY("ok"),
	  .ask = true, .answer = TASK_NO, .end = TASK_DONE, .cause = "answer",
	  .answer_text = "ok", .seen = "The person refused this call: not here" },
	{ .name = "ask: stop", .lines = TASK CALLS(SHELL("a", "one")) SAY("never"),
	  .ask = true, .answer = TASK_STOP, .end = TASK_INTERRUPTED, .cause = "interrupted",
	  .answer_text = "" },
	{ .name = "ask: yes", .lines = TASK CALLS(SHELL("a", "one")) SAY("ok"),
	  .ask = true, .answer = TASK_YES, .end = TASK_DONE, .cause = "answer",
	  .answer_text = "ok", .ran = 1 },
	{ .name = "ask: another command, and the model is told",
	  .lines = TASK CALLS(SHELL("a", "one")) SAY("ok"),
	  .ask = true, .answer = TASK_YES, .instead = "two", .end = TASK_DONE,
	  .cause = "answer", .answer_text = "ok", .ran = 1,
	  .seen = "[cubby: the person changed this call before it ran; what ran instead: two]" },
	{ .name = "the transcript is too short", .lines = TASK CALLS(SHELL("a", "one")),
	  .end = TASK_SERVICE, .cause = "service", .answer_text = "", .ran = 1 },
	{ .name = "a replay that differs",
	  .lines = TASK CALLS(SHELL("a", "one"))
		"{\"type\":\"result\",\"id\":\"a\",\"text\":\"other\",\"exit\":0}\n" SAY("ok"),
	  .end = TASK_DONE, .cause = "answer", .answer_text = "ok", .ran = 1,
	  .seen = "replay: call 1 (shell): line 1 is 'one', recorded was 'other'" },
	{ .name = "a replay that differs in its third line",
	  .lines = TASK CALLS(SHELL("a", "one"))
		"{\"type\":\"result\",\"id\":\"a\",\"text\":\"x 1.5s\\ny\\nz\\nend\",\"exit\":0}\n" SAY("ok"),
	  .output = "x 2.5s\ny\nZ\nend", .end = TASK_DONE, .cause = "answer",
	  .answer_text = "ok", .ran = 1,
	  .seen = "replay: call 1 (shell): line 3 is 'Z', recorded was 'z'" },
	{ .name = "a replay that differs in its status",
	  .lines = TASK CALLS(SHELL("a", "one"))
		"{\"type\":\"result\",\"id\":\"a\",\"text\":\"one\",\"exit\":3}\n" SAY("ok"),
	  .end = TASK_DONE, .cause = "answer", .answer_text = "ok", .ran = 1,
	  .seen = "replay: call 1 (shell): exit status 0, recorded was 3" },
	{ .name = "a replay that differs by times alone",
	  .lines = TASK CALLS(SHELL("a", "one"))
		"{\"type\":\"result\",\"id\":\"a\",\"text\":\"took 1.5s, pid 7\",\"exit\":0}\n" SAY("ok"),
	  .output = "took 22.5s, pid 71", .end = TASK_DONE, .cause = "answer",
	  .answer_text = "ok", .ran = 1, .unseen = "replay:" },
	{ .name = "cut off by the output limit",
	  .lines = TASK "{\"type\":\"response\",\"finish\":\"length\",\"message\":"
		"{\"role\":\"assistant\",\"tool_calls\":[" SHELL("a", "one") "]}}\n" SAY("ok"),
	  .end = TASK_DONE, .cause = "answer", .answer_text = "ok",
	  .seen = "Not executed: the turn was cut off at the output limit of 16384 tokens" },
	{ .name = "refused", .lines = TASK "{\"type\":\"response\",\"finish\":\"content_filter\","
		"\"message\":{\"role\":\"assistant\",\"content\":\"no\"}}\n",
	  .end = TASK_GAVE_UP, .cause = "refused", .answer_text = "no" },
};
/* clang-format on */

/* There is no toolbox: nothing of it may be looked at. */
static struct hands *running;

static int run_tool(struct toolbox *box, const char *name, const struct json *args,
		    struct tool_result *ret, struct err *)
{
	struct hands *h = running;
	const char *s;

	assert_null(box);
	h->ran++;
	if (strcmp(name, "finish") == 0) {
		ret->outcome = TOOL_FINISHED;
		ret->success = json_get_bool(args, "success", true);
		return buf_adds(&ret->text, json_get_str(args, "answer"));
	}
	if (h->row->press && h->ran == 1)
		assert_int_equal(sys_write(h->interrupt[1], "x", 1), 1);
	s = h->row->output ? h->row->output : json_get_str(args, "command");
	if (h->row->open && h->row->open[h->ran - 1] == 'o')
		ret->outcome = TOOL_OPEN;
	ret->exit = h->row->exit;
	return buf_adds(&ret->text, s ? s : "?");
}

static void on_result(void *ctx, const struct task_call *c, const struct tool_result *r)
{
	struct hands *h = ctx;

	buf_addf(&h->seen, "result %s: %s\n", c->name, buf_cstr(&r->text));
}

static void on_notice(void *ctx, const char *line)
{
	struct hands *h = ctx;

	buf_addf(&h->seen, "notice %s\n", line);
}

static enum task_verdict on_ask(void *ctx, const struct task_call *c,
				struct task_answer *ret)
{
	struct hands *h = ctx;

	assert_string_equal(c->name, "shell");
	if (h->row->answer == TASK_NO)
		buf_adds(&ret->words, "not here");
	if (h->row->instead) {
		ret->args = json_object();
		json_set_str(ret->args, "command", h->row->instead);
	}
	return h->row->answer;
}

static enum task_verdict on_interrupted(void *ctx, struct task_answer *)
{
	struct hands *h = ctx;

	return h->row->answer;
}

static int memory_file(const char *text)
{
	struct err e = ERR_NONE;
	int fd = sys_memfd("transcript", 0);

	assert_true(fd >= 0);
	unit_ok(file_write_fd(fd, text, strlen(text), &e), &e);
	return fd;
}

static void run_row(const void *p)
{
	const struct row *row = p;
	struct hands h = { .row = row, .seen = BUF_INIT(1 << 20) };
	_cleanup_close_ int script = memory_file(row->lines);
	_cleanup_close_ int log = sys_memfd("log", 0);
	_cleanup_task_report_ struct task_report report;
	struct task_events events = { .result = on_result,
				      .notice = on_notice,
				      .ask = row->ask ? on_ask : NULL,
				      .interrupted = on_interrupted };
	struct task_conf conf = {
		.model = { .provider = "replay", .replay_fd = script, .abort_fd = -1 },
		.facts = { .directory = "/p" },
		.limits = row->limits,
		.run_tool = run_tool,
		.project_fd = -1,
		.transcript_fd = log,
		.copy_fd = -1,
		.resume_fd = -1,
		.events = &events,
		.ctx = &h
	};
	struct err e = ERR_NONE;

	assert_int_equal(sys_pipe2(h.interrupt, 0), 0);
	conf.interrupt_fd = h.interrupt[0];
	if (row->odd_project)
		conf.project_fd = script;
	task_report_init(&report);
	running = &h;
	unit_ok(task_run(&conf, &report, &e), &e);
	assert_string_equal(report.cause, row->cause);
	assert_int_equal(report.end, row->end);
	assert_string_equal(buf_cstr(&report.answer), row->answer_text);
	assert_int_equal(h.ran, row->ran);
	assert_int_equal(report.changes.incomplete, row->odd_project);
	if (row->seen && !strstr(buf_cstr(&h.seen), row->seen))
		fail_msg("not seen: '%s' in:\n%s", row->seen, buf_cstr(&h.seen));
	if (row->unseen && strstr(buf_cstr(&h.seen), row->unseen))
		fail_msg("seen: %s", buf_cstr(&h.seen));
	assert_int_equal(report.end == TASK_DONE, report.why.code == 0);
	buf_done(&h.seen);
	close(h.interrupt[0]);
	close(h.interrupt[1]);
}

int main(void)
{
	return unit_rows("task_run", rows, run_row);
}
