/* The loop and its wires against a real server: every wire, every fault, in the first
 * round and in a later one. The server checks requests (tests/fake/model_server). */
#include <stdio.h>
#include <string.h>

#include "agent/task/task.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/modelserver.h"
#include "tests/unit/taskkit.h"
#include "tests/unit/unit.h"

#define KEY "sk-test-0123456789"

static const char *const wires[] = { "openai", "anthropic", "ollama", "responses" };

enum { OPENAI = 1, ANTHROPIC = 2, OLLAMA = 4, RESPONSES = 8 };

struct fault {
	const char *name;
	const char *lines; /* stands in the place of a good answer; "" = nothing */
	bool fatal;	   /* the task ends here */
	enum task_end end;
	const char *cause;
	const char *msg;   /* part of the report's line, when fatal */
	unsigned asked;	   /* requests that the fault takes */
	unsigned wires;	   /* which it can happen on */
	uint64_t stall_ms; /* the client's patience; 0 = a minute. A row with one is run
			    * once a wire, for it takes as long */
};

#define CALL "{\"name\":\"shell\",\"args\":{\"command\":\"echo é\"}}"
#define BROKEN "\"text\":\"half an ans\",\"calls\":[" CALL "]"

/* clang-format off */
static const struct fault faults[] = {
	{ .name = "none" },
	{ .name = "429 with Retry-After", .asked = 1,
	  .lines = "{\"status\":429,\"headers\":{\"Retry-After\":\"1\"},\"body\":{\"error\":"
		   "{\"message\":\"slow down\",\"type\":\"rate_limit_error\"}}}\n" },
	{ .name = "429 with a date", .asked = 1,
	  .lines = "{\"status\":429,\"headers\":{\"Retry-After\":\"Wed, 21 Oct 2015 07:28:00 "
		   "GMT\"},\"body\":{\"error\":{\"message\":\"slow down\"}}}\n" },
	{ .name = "429 with a date that is far", .fatal = true, .end = TASK_SERVICE,
	  .cause = "service", .msg = "slow down; try again in ", .asked = 1,
	  .lines = "{\"status\":429,\"headers\":{\"Retry-After\":\"Wed, 21 Oct 2065 07:28:00 "
		   "GMT\"},\"body\":{\"error\":{\"message\":\"slow down\"}}}\n" },
	{ .name = "429 without a body", .lines = "{\"status\":429}\n", .asked = 1 },
	{ .name = "429 with hours to wait", .fatal = true, .end = TASK_SERVICE,
	  .cause = "service", .msg = "slow down; try again in 1h", .asked = 1,
	  .lines = "{\"status\":429,\"headers\":{\"Retry-After\":\"3600\"},\"body\":"
		   "{\"error\":{\"message\":\"slow down\"}}}\n" },
	{ .name = "quota", .fatal = true, .end = TASK_SERVICE, .cause = "service",
	  .msg = "answered 429: no money", .asked = 1,
	  .lines = "{\"status\":429,\"body\":{\"error\":{\"message\":\"no money\",\"code\":"
		   "\"insufficient_quota\"}}}\n" },
	{ .name = "500 twice", .lines = "{\"status\":500,\"body\":\"oops\",\"times\":2}\n",
	  .asked = 2 },
	{ .name = "500 for ever", .lines = "{\"status\":500,\"body\":\"oops\",\"times\":6}\n",
	  .fatal = true, .end = TASK_SERVICE, .cause = "service",
	  .msg = "answered 500: oops; gave up after 6 attempts", .asked = 6 },
	{ .name = "401", .fatal = true, .end = TASK_SERVICE, .cause = "service",
	  .msg = "answered 401: bad key ******************; check the key in THE_KEY",
	  .asked = 1,
	  .lines = "{\"status\":401,\"body\":{\"error\":{\"message\":\"bad key " KEY "\"}}}\n" },
	{ .name = "404", .fatal = true, .end = TASK_SERVICE, .cause = "service",
	  .msg = "answered 404: no such model; check the URL and the model's name 'fake'",
	  .asked = 1,
	  .lines = "{\"status\":404,\"body\":{\"error\":{\"message\":\"no such model\"}}}\n" },
	{ .name = "400", .fatal = true, .end = TASK_SERVICE, .cause = "service",
	  .msg = "answered 400: what is this", .asked = 1,
	  .lines = "{\"status\":400,\"body\":{\"error\":\"what is this\"}}\n" },
	{ .name = "503 as a page", .lines = "{\"html\":\"Bad Gateway\",\"status\":503}\n",
	  .asked = 1 },
	{ .name = "a page instead of an answer", .asked = 1, .fatal = true,
	  .end = TASK_SERVICE, .cause = "service",
	  .msg = "answered with a web page ('Sign in'), not as a model service",
	  .lines = "{\"html\":\"Sign in\"}\n" },
	{ .name = "cut at the head", .lines = "{" BROKEN ",\"cut\":10}\n", .asked = 1 },
	{ .name = "cut in the middle", .lines = "{" BROKEN ",\"cut_at\":0.5}\n", .asked = 1 },
	{ .name = "cut near the end", .lines = "{" BROKEN ",\"cut_at\":0.8}\n", .asked = 1 },
	{ .name = "cut for ever", .lines = "{" BROKEN ",\"cut_at\":0.5,\"times\":6}\n",
	  .fatal = true, .end = TASK_SERVICE, .cause = "service",
	  .msg = "gave up after 6 attempts", .asked = 6 },
	{ .name = "reset at once", .lines = "{\"reset\":true}\n", .asked = 1 },
	{ .name = "reset in the middle", .lines = "{" BROKEN ",\"cut_at\":0.5,\"reset\":true}\n",
	  .asked = 1 },
	{ .name = "a stall", .lines = "{" BROKEN ",\"stall_ms\":60000}\n", .asked = 1,
	  .stall_ms = 2000 },
	{ .name = "overloaded in mid-stream", .asked = 1,
	  .lines = "{" BROKEN ",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n" },
	{ .name = "garbage", .lines = "{\"raw\":\"data: x\\n\\ndata: y\\n\\ndata: z\\n\\n"
	  "data: q\\n\\n\"}\n", .asked = 1 },
	{ .name = "nothing at all", .lines = "{\"raw\":\"\"}\n", .asked = 1 },
	{ .name = "a stream without its end mark", .wires = OPENAI | ANTHROPIC | RESPONSES,
	  .lines = "{\"calls\":[" CALL "],\"no_done\":true}\n", .asked = 1 },
	{ .name = "an unknown field", .wires = OPENAI, .asked = 1,
	  .lines = "{\"status\":400,\"body\":{\"error\":{\"message\":\"Unrecognized request "
		   "argument supplied: stream_options\"}}}\n" },
	{ .name = "another wire is wanted", .wires = OPENAI, .asked = 1,
	  .lines = "{\"status\":400,\"body\":{\"error\":{\"message\":\"Function tools with "
		   "reasoning_effort are not supported for x in /v1/chat/completions. Please use "
		   "/v1/responses instead.\"}}}\n" },
	{ .name = "summaries of thoughts are for others", .wires = RESPONSES, .asked = 1,
	  .lines = "{\"status\":400,\"body\":{\"error\":{\"message\":\"Your organization must "
		   "be verified to generate reasoning summaries.\"}}}\n" },
	{ .name = "the context is full", .asked = 1,
	  .lines = "{\"status\":400,\"body\":{\"error\":{\"message\":\"maximum context length "
		   "is 9000 tokens\",\"code\":\"context_length_exceeded\"}}}\n" },
	{ .name = "the context is full, for good", .fatal = true, .end = TASK_LIMIT,
	  .cause = "context", .asked = 3,
	  .msg = "maximum context length is 9000 tokens",
	  .lines = "{\"status\":413,\"body\":{\"error\":{\"message\":\"maximum context length "
		   "is 9000 tokens\"}},\"times\":3}\n" },
	{ .name = "filtered", .fatal = true, .end = TASK_GAVE_UP, .cause = "refused",
	  .wires = OPENAI | ANTHROPIC | RESPONSES, .msg = "the model refused: I may not", .asked = 1,
	  .lines = "{\"text\":\"I may not\",\"finish\":\"content_filter\"}\n" },
	{ .name = "one whole reply", .wires = OPENAI | ANTHROPIC | RESPONSES, .asked = 1,
	  .lines = "{\"calls\":[" CALL "],\"whole\":true}\n" },
	{ .name = "no usage", .lines = "{\"calls\":[" CALL "],\"usage\":false}\n", .asked = 1 },
	{ .name = "malformed arguments", .wires = OPENAI | ANTHROPIC | RESPONSES, .asked = 1,
	  .lines = "{\"calls\":[{\"name\":\"shell\",\"args\":\"{\\\"command\\\":\"}]}\n" },
	{ .name = "two calls of one id", .wires = OPENAI | ANTHROPIC | RESPONSES, .asked = 1,
	  .lines = "{\"calls\":[{\"name\":\"shell\",\"id\":\"x\",\"args\":{\"command\":\"a\"}},"
		   "{\"name\":\"shell\",\"id\":\"x\",\"args\":{\"command\":\"b\"}}]}\n" },
	{ .name = "an empty answer", .lines = "{\"text\":\"\"}\n", .asked = 1 },
	{ .name = "thoughts alone", .lines = "{\"reasoning\":\"hm\",\"text\":\"\"}\n", .asked = 1 },
	{ .name = "no choices", .wires = OPENAI, .asked = 1,
	  .lines = "{\"raw\":\"data: {\\\"choices\\\":[]}\\n\\ndata: {\\\"choices\\\":[{\\\"index\\\":0,"
		   "\\\"delta\\\":null,\\\"finish_reason\\\":\\\"tool_calls\\\"}]}\\n\\ndata: [DONE]\\n\\n\","
		   "\"content_type\":\"text/event-stream\"}\n" },
	{ .name = "a cut off call", .lines = "{\"calls\":[" CALL "],\"finish\":\"length\"}\n",
	  .asked = 1 },
	{ .name = "refused", .fatal = true, .end = TASK_GAVE_UP, .cause = "refused",
	  .wires = OPENAI | RESPONSES, .msg = "the model refused: I may not", .asked = 1,
	  .lines = "{\"refusal\":\"I may not\"}\n" },
	{ .name = "a cut off answer", .lines = "{\"text\":\"long\",\"finish\":\"length\"}\n",
	  .asked = 1 },
};
/* clang-format on */

static struct modelserver server = MODELSERVER_NONE;

/* ---- a task without a box ---- */

static int run_tool(struct toolbox *, const char *name, const struct json *args,
		    struct tool_result *ret, struct err *)
{
	if (strcmp(name, "finish") == 0) {
		ret->outcome = TOOL_FINISHED;
		ret->success = true;
		return buf_adds(&ret->text, json_get_str(args, "answer"));
	}
	ret->exit = 0;
	return buf_addf(&ret->text, "ran %s", json_get_str(args, "command"));
}

static int no_wait(void *, uint64_t)
{
	return 0;
}

struct run {
	const struct fault *fault;
	unsigned wire, moment; /* 0: the first answer, 1: the second, 2: the third */
	const char *config;
};

static void script(const struct run *run, struct buf *out)
{
	static const char *const good[] = {
		"{\"text\":\"I look.\",\"reasoning\":\"hm\",\"calls\":[" CALL "]}\n",
		"{\"text\":\"ümläut\",\"calls\":[" CALL "," CALL "]}\n",
		"{\"calls\":[{\"name\":\"finish\",\"args\":{\"answer\":\"done\"}}]}\n",
	};

	buf_adds(out, run->config);
	for (unsigned i = 0; i < ARRAY_SIZE(good); i++) {
		if (i == run->moment && run->fault->lines)
			buf_adds(out, run->fault->lines);
		buf_adds(out, good[i]);
	}
}

static void look_for_key(int fd)
{
	_cleanup_buf_ struct buf text = BUF_INIT(16 << 20);
	struct err e = ERR_NONE;

	sys_lseek(fd, 0, SEEK_SET);
	unit_ok(file_read_fd(fd, &text, &e), &e);
	assert_true(text.len > 0);
	if (strstr(buf_cstr(&text), KEY))
		fail_msg("the key is in the transcript");
}

static void check(const struct run *run, const struct task_report *r, const char *where)
{
	const struct fault *f = run->fault;
	unsigned asked = f->fatal ? run->moment + f->asked : 3 + f->asked;

	if (r->end != (f->fatal ? f->end : TASK_DONE))
		fail_msg("%s: ended as %s (%s): %s", where, task_end_name(r->end),
			 r->cause, r->why.msg);
	if (f->fatal && (strcmp(r->cause, f->cause) || !strstr(r->why.msg, f->msg)))
		fail_msg("%s: cause %s: '%s'", where, r->cause, r->why.msg);
	if (!f->fatal)
		assert_string_equal(buf_cstr(&r->answer), "done");
	if (strstr(r->why.msg, KEY))
		fail_msg("%s: the key is in the error", where);
	if (modelserver_seen(&server) != asked && !strstr(f->name, "context"))
		fail_msg("%s: %u requests, %u expected", where,
			 modelserver_seen(&server), asked);
}

static struct task_conf conf_for(unsigned wire, int log)
{
	static const char *const secrets[] = { KEY, NULL };

	return (struct task_conf){ .text = "do it",
				   .model = { .provider = wires[wire],
					      .name = "fake",
					      .url = server.url,
					      .key = KEY,
					      .key_var = "THE_KEY",
					      .replay_fd = -1,
					      .abort_fd = -1,
					      .stall_ms = 60000 },
				   .facts = { .directory = "/p" },
				   .run_tool = run_tool,
				   .project_fd = -1,
				   .transcript_fd = log,
				   .copy_fd = -1,
				   .resume_fd = -1,
				   .interrupt_fd = -1,
				   .secrets = secrets,
				   .wait_ms = no_wait };
}

static void run_one(const struct run *run)
{
	_cleanup_buf_ struct buf lines = BUF_INIT(64 << 10);
	_cleanup_close_ int log = sys_memfd("log", 0);
	_cleanup_task_report_ struct task_report report;
	struct task_conf conf = conf_for(run->wire, log);
	struct err e = ERR_NONE;
	char where[200];

	if (run->fault->stall_ms)
		conf.model.stall_ms = run->fault->stall_ms;
	snprintf(where, sizeof(where), "%s, %s, round %u", wires[run->wire],
		 run->fault->name, run->moment + 1);
	script(run, &lines);
	modelserver_play(&server, buf_cstr(&lines));
	task_report_init(&report);
	unit_ok(task_run(&conf, &report, &e), &e);
	check(run, &report, where);
	look_for_key(log);
	taskkit_rebuild(log, &conf.model, where);
}

/* ---- the tests ---- */

#define CONFIG(more) "{\"config\":{\"key\":\"" KEY "\"" more "}}\n"

static void one_fault(const void *row)
{
	const struct fault *f = row;
	bool rewrites = strstr(f->name, "context") || strstr(f->name, "another wire");

	for (unsigned w = 0; w < ARRAY_SIZE(wires); w++)
		for (unsigned moment = 0; moment < 3; moment++) {
			struct run run = { .fault = f, .wire = w, .moment = moment };

			if (f->wires && !(f->wires & 1U << w))
				continue;
			if (f->stall_ms && moment != w % 3)
				continue;
			run.config = rewrites ? CONFIG(",\"append_only\":false")
					      : CONFIG(",\"split\":true");
			run_one(&run);
		}
}

static void every_form(void)
{
	static const char *const forms[] = {
		CONFIG(",\"eol\":\"\\r\\n\""),
		CONFIG(",\"eol\":\"\\r\",\"split\":true"),
		CONFIG(",\"bom\":true,\"split\":true"),
		CONFIG(",\"pings\":true,\"split\":true"),
		CONFIG(",\"pings\":true,\"eol\":\"\\r\\n\",\"split\":true,\"seed\":7"),
		CONFIG(",\"chunked\":false"),
	};

	for (unsigned w = 0; w < ARRAY_SIZE(wires); w++)
		for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
			struct run run = { .fault = &faults[0],
					   .wire = w,
					   .config = forms[i] };

			run_one(&run);
		}
}

/* A whole task, then the same task cut off behind each byte where a record ends, and in
 * the middle of one: it always goes on, and the server accepts what it is sent. */
static void resume_at(unsigned wire, const struct buf *whole, size_t len)
{
	static const char lines[] =
		CONFIG("") "{\"expect\":\"goes on "
			   "now\",\"calls\":[{\"name\":\"finish\",\"args\":"
			   "{\"answer\":\"resumed\"}}]}\n";
	_cleanup_close_ int old = sys_memfd("old", 0), log = sys_memfd("log", 0);
	_cleanup_task_report_ struct task_report report;
	struct task_conf conf = conf_for(wire, log);
	struct err e = ERR_NONE;

	unit_ok(file_write_fd(old, whole->data, len, &e), &e);
	conf.text = NULL;
	conf.resume_fd = old;
	conf.resumed = "old";
	modelserver_play(&server, lines);
	task_report_init(&report);
	unit_ok(task_run(&conf, &report, &e), &e);
	if (report.end != TASK_DONE || strcmp(buf_cstr(&report.answer), "resumed") != 0)
		fail_msg("%s, cut at %zu: %s: %s", wires[wire], len,
			 task_end_name(report.end), report.why.msg);
	taskkit_rebuild(log, &conf.model, "resumed");
}

static void resumes(void)
{
	for (unsigned w = 0; w < ARRAY_SIZE(wires); w++) {
		struct run run = { .fault = &faults[1],
				   .wire = w,
				   .config = CONFIG("") };
		_cleanup_buf_ struct buf lines = BUF_INIT(64 << 10),
					 whole = BUF_INIT(1 << 20);
		_cleanup_close_ int log = sys_memfd("log", 0);
		_cleanup_task_report_ struct task_report report;
		struct task_conf conf = conf_for(w, log);
		struct err e = ERR_NONE;
		size_t first;

		script(&run, &lines);
		modelserver_play(&server, buf_cstr(&lines));
		task_report_init(&report);
		unit_ok(task_run(&conf, &report, &e), &e);
		sys_lseek(log, 0, SEEK_SET);
		unit_ok(file_read_fd(log, &whole, &e), &e);
		first = strcspn(whole.data, "\n") + 1;
		for (size_t at = first; at < whole.len;
		     at += strcspn(whole.data + at, "\n") + 1) {
			resume_at(w, &whole, at);      /* behind a record */
			resume_at(w, &whole, at + 40); /* in the next one */
		}
	}
}

static void nobody_there(void)
{
	_cleanup_task_report_ struct task_report report;
	struct task_conf conf = { .text = "do it",
				  .model = { .provider = "openai",
					     .name = "fake",
					     .url = "http://127.0.0.1:1",
					     .replay_fd = -1,
					     .abort_fd = -1 },
				  .project_fd = -1,
				  .transcript_fd = -1,
				  .copy_fd = -1,
				  .resume_fd = -1,
				  .interrupt_fd = -1,
				  .wait_ms = no_wait };
	struct err e = ERR_NONE;

	task_report_init(&report);
	unit_ok(task_run(&conf, &report, &e), &e);
	assert_int_equal(report.end, TASK_SERVICE);
	assert_non_null(strstr(report.why.msg, "http://127.0.0.1:1"));
	assert_non_null(strstr(report.why.msg, "gave up after 6 attempts"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "every form of a stream", every_form },
		{ "resume, killed at every record", resumes },
		{ "nobody there", nobody_there },
	};
	int failed;

	modelserver_start(&server);
	failed = unit_rows("model_http: wire × fault × moment", faults, one_fault);
	failed += unit_cases("model_http", cases);
	modelserver_stop(&server);
	return failed;
}
