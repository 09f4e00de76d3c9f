/* The loop and its wires against a real server: every wire, every fault, in the first
 * round and in a later one. The server checks requests (tests/fake/model_server). */
#include <stdio.h>
#include <string.h>

#include "agent/resume.h"
#include "agent/task.h"
#include "agent/transcript.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/http.h"
#include "base/proc.h"
#include "base/sys.h"
#include "tests/unit/unit.h"

#define KEY "sk-test-0123456789"

static const char *const wires[] = { "openai", "anthropic", "ollama" };

enum { EVERY_WIRE = 7, OPENAI = 1, ANTHROPIC = 2, OLLAMA = 4 };

struct fault {
	const char *name;
	const char *lines; /* stands in the place of a good answer; "" = nothing */
	bool fatal;	   /* the task ends here */
	enum task_end end;
	const char *cause;
	const char *msg; /* part of the report's line, when fatal */
	unsigned asked;	 /* requests that the fault takes */
	unsigned wires;	 /* which it can happen on */
};

#define CALL "{\"name\":\"shell\",\"args\":{\"command\":\"echo é\"}}"
#define BROKEN "\"text\":\"half an ans\",\"calls\":[" CALL "]"

/* clang-format off */
static const struct fault faults[] = {
	{ .name = "none" },
	{ .name = "429 with Retry-After", .asked = 1,
	  .lines = "{\"status\":429,\"headers\":{\"Retry-After\":\"1\"},\"body\":{\"error\":"
		   "{\"message\":\"slow down\",\"type\":\"rate_limit_error\"}}}\n" },
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
	{ .name = "a stall", .lines = "{" BROKEN ",\"stall_ms\":2500}\n", .asked = 1 },
	{ .name = "overloaded in mid-stream", .asked = 1,
	  .lines = "{" BROKEN ",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n" },
	{ .name = "garbage", .lines = "{\"raw\":\"data: x\\n\\ndata: y\\n\\ndata: z\\n\\n"
	  "data: q\\n\\n\"}\n", .asked = 1 },
	{ .name = "nothing at all", .lines = "{\"raw\":\"\"}\n", .asked = 1 },
	{ .name = "a stream without its end mark", .wires = OPENAI | ANTHROPIC,
	  .lines = "{\"calls\":[" CALL "],\"no_done\":true}\n", .asked = 1 },
	{ .name = "an unknown field", .wires = OPENAI, .asked = 1,
	  .lines = "{\"status\":400,\"body\":{\"error\":{\"message\":\"Unrecognized request "
		   "argument supplied: stream_options\"}}}\n" },
	{ .name = "the context is full", .asked = 1,
	  .lines = "{\"status\":400,\"body\":{\"error\":{\"message\":\"maximum context length "
		   "is 9000 tokens\",\"code\":\"context_length_exceeded\"}}}\n" },
	{ .name = "the context is full, for good", .fatal = true, .end = TASK_LIMIT,
	  .cause = "context", .asked = 3,
	  .msg = "maximum context length is 9000 tokens",
	  .lines = "{\"status\":413,\"body\":{\"error\":{\"message\":\"maximum context length "
		   "is 9000 tokens\"}},\"times\":3}\n" },
	{ .name = "filtered", .fatal = true, .end = TASK_GAVE_UP, .cause = "refused",
	  .wires = OPENAI | ANTHROPIC, .msg = "the model refused: I may not", .asked = 1,
	  .lines = "{\"text\":\"I may not\",\"finish\":\"content_filter\"}\n" },
	{ .name = "one whole reply", .wires = OPENAI | ANTHROPIC, .asked = 1,
	  .lines = "{\"calls\":[" CALL "],\"whole\":true}\n" },
	{ .name = "no usage", .lines = "{\"calls\":[" CALL "],\"usage\":false}\n", .asked = 1 },
	{ .name = "malformed arguments", .wires = OPENAI | ANTHROPIC, .asked = 1,
	  .lines = "{\"calls\":[{\"name\":\"shell\",\"args\":\"{\\\"command\\\":\"}]}\n" },
	{ .name = "two calls of one id", .wires = OPENAI | ANTHROPIC, .asked = 1,
	  .lines = "{\"calls\":[{\"name\":\"shell\",\"id\":\"x\",\"args\":{\"command\":\"a\"}},"
		   "{\"name\":\"shell\",\"id\":\"x\",\"args\":{\"command\":\"b\"}}]}\n" },
	{ .name = "an empty answer", .lines = "{\"text\":\"\"}\n", .asked = 1 },
	{ .name = "a cut off answer", .lines = "{\"text\":\"long\",\"finish\":\"length\"}\n",
	  .asked = 1 },
};
/* clang-format on */

static struct proc server = { .pid = -1, .pidfd = -1 };
static char base_url[64];
static struct http *client;

/* ---- the server ---- */

static void start_server(void)
{
	static const char *const argv[] = { "python3", "tests/fake/model_server",
					    "--with-stdin", "/dev/null", NULL };
	struct proc_conf conf = { .argv = argv, .fds = { -1, -1, 2 }, .pass_fd = -1 };
	int life[2];
	struct err e = ERR_NONE;
	char line[32] = "";
	int fds[2];

	assert_int_equal(sys_pipe2(fds, 0), 0);
	assert_int_equal(sys_pipe2(life, 0), 0);
	conf.fds[0] = life[0]; /* our end closes with this process, however it ends */
	conf.fds[1] = fds[1];
	unit_ok(proc_start(&conf, &server, &e), &e);
	close(fds[1]);
	close(life[0]);
	assert_true(sys_read(fds[0], line, sizeof(line) - 1) > 0);
	close(fds[0]);
	snprintf(base_url, sizeof(base_url), "http://127.0.0.1:%d", atoi(line));
	unit_ok(http_new(&client, &e), &e);
}

static int append(void *ctx, const void *data, size_t len)
{
	return buf_add(ctx, data, len);
}

static void talk(const char *path, const char *body, struct buf *answer)
{
	char url[128];
	struct http_request req = { .url = url,
				    .body = body,
				    .body_len = body ? strlen(body) : 0,
				    .abort_fd = -1,
				    .on_data = append,
				    .ctx = answer };
	struct http_reply reply;
	struct err e = ERR_NONE;

	snprintf(url, sizeof(url), "%s%s", base_url, path);
	unit_ok(http_perform(client, &req, &reply, &e), &e);
	assert_int_equal(reply.status, 200);
}

static unsigned seen(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1000);
	unsigned n = 0;

	talk("/seen", NULL, &b);
	assert_int_equal(sscanf(buf_cstr(&b), "{\"seen\": %u}", &n), 1);
	return n;
}

/* ---- a task without a box ---- */

static int run_tool(struct toolbox *box, const char *name, const struct json *args,
		    struct tool_result *ret, struct err *e)
{
	(void)box;
	(void)e;
	if (strcmp(name, "finish") == 0) {
		ret->outcome = TOOL_FINISHED;
		ret->success = true;
		return buf_adds(&ret->text, json_get_str(args, "answer"));
	}
	ret->exit = 0;
	return buf_addf(&ret->text, "ran %s", json_get_str(args, "command"));
}

static int no_wait(void *ctx, uint64_t ms)
{
	(void)ctx;
	(void)ms;
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

/* Every request can be built again from the records before it, byte for byte. */
struct rebuild {
	struct resume resume;
	struct model *model;
	const char *where;
	unsigned n;
};

static int rebuild_record(void *ctx, const struct json *j, struct err *e)
{
	struct rebuild *b = ctx;
	const char *want = json_get_str(j, "sha256");

	if (want && !json_get_bool(j, "summary", false)) {
		_cleanup_buf_ struct buf body = BUF_INIT(16 << 20);
		struct model_request req = { .history = &b->resume.history,
					     .tools = tool_table,
					     .n_tools = tool_count,
					     .no_calls = json_get_bool(j, "no_calls",
								       false) };
		char hex[HASH_HEX];

		model_set_params(b->model, json_get(j, "params"));
		history_forget_bytes(&b->resume.history);
		unit_ok(model_body(b->model, &req, &body, e), e);
		unit_ok(hash_text(body.data, body.len, hex, e), e);
		if (strcmp(hex, want) != 0)
			fail_msg("%s: request %u differs:\n%s", b->where, b->n,
				 body.data);
		b->n++;
	}
	return resume_record(&b->resume, j, e);
}

static void rebuild(int log, const struct model_conf *conf, const char *where)
{
	struct rebuild b = { .where = where };
	struct err e = ERR_NONE;

	unit_ok(model_new(conf, &b.model, &e), &e);
	unit_ok(transcript_read(log, rebuild_record, &b, &e), &e);
	assert_true(b.n > 0);
	model_free(&b.model);
	resume_done(&b.resume);
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
	if (seen() != asked && !strstr(f->name, "context"))
		fail_msg("%s: %u requests, %u expected", where, seen(), asked);
}

static struct task_conf conf_for(unsigned wire, int log)
{
	static const char *const secrets[] = { KEY, NULL };

	return (struct task_conf){ .text = "do it",
				   .model = { .provider = wires[wire],
					      .name = "fake",
					      .url = base_url,
					      .key = KEY,
					      .key_var = "THE_KEY",
					      .replay_fd = -1,
					      .abort_fd = -1,
					      .temperature_milli = -1,
					      .stall_ms = 1000 },
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
	_cleanup_buf_ struct buf lines = BUF_INIT(64 << 10), answer = BUF_INIT(1000);
	_cleanup_close_ int log = sys_memfd("log", 0);
	_cleanup_task_report_ struct task_report report;
	struct task_conf conf = conf_for(run->wire, log);
	struct err e = ERR_NONE;
	char where[200];

	snprintf(where, sizeof(where), "%s, %s, round %u", wires[run->wire],
		 run->fault->name, run->moment + 1);
	script(run, &lines);
	talk("/scenario", buf_cstr(&lines), &answer);
	task_report_init(&report);
	unit_ok(task_run(&conf, &report, &e), &e);
	check(run, &report, where);
	look_for_key(log);
	rebuild(log, &conf.model, where);
}

/* ---- the tests ---- */

#define CONFIG(more) "{\"config\":{\"key\":\"" KEY "\"" more "}}\n"

static void one_fault(const void *row)
{
	const struct fault *f = row;
	bool rewrites = strstr(f->name, "context") != NULL;

	for (unsigned w = 0; w < ARRAY_SIZE(wires); w++)
		for (unsigned moment = 0; moment < 3; moment++) {
			struct run run = { .fault = f, .wire = w, .moment = moment };

			if (f->wires && !(f->wires & 1U << w))
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
	_cleanup_buf_ struct buf answer = BUF_INIT(1000);
	struct task_conf conf = conf_for(wire, log);
	struct err e = ERR_NONE;

	unit_ok(file_write_fd(old, whole->data, len, &e), &e);
	conf.text = NULL;
	conf.resume_fd = old;
	conf.resumed = "old";
	talk("/scenario", lines, &answer);
	task_report_init(&report);
	unit_ok(task_run(&conf, &report, &e), &e);
	if (report.end != TASK_DONE || strcmp(buf_cstr(&report.answer), "resumed") != 0)
		fail_msg("%s, cut at %zu: %s: %s", wires[wire], len,
			 task_end_name(report.end), report.why.msg);
	rebuild(log, &conf.model, "resumed");
}

static void resumes(void)
{
	for (unsigned w = 0; w < ARRAY_SIZE(wires); w++) {
		struct run run = { .fault = &faults[1],
				   .wire = w,
				   .config = CONFIG("") };
		_cleanup_buf_ struct buf lines = BUF_INIT(64 << 10),
					 whole = BUF_INIT(1 << 20),
					 answer = BUF_INIT(100);
		_cleanup_close_ int log = sys_memfd("log", 0);
		_cleanup_task_report_ struct task_report report;
		struct task_conf conf = conf_for(w, log);
		struct err e = ERR_NONE;
		size_t first;

		script(&run, &lines);
		talk("/scenario", buf_cstr(&lines), &answer);
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

static void discover(void)
{
	static const char *const local[] = { "ollama", "llamacpp" };

	for (size_t i = 0; i < ARRAY_SIZE(local); i++) {
		_cleanup_buf_ struct buf answer = BUF_INIT(1000);
		struct model_found found = { 0 };
		struct err e = ERR_NONE;

		talk("/scenario",
		     "{\"config\":{\"models\":[\"small\",\"big\"],"
		     "\"context\":9000}}",
		     &answer);
		unit_ok(model_discover_at(model_provider_find(local[i]), base_url,
					  &found, &e),
			&e);
		assert_string_equal(found.name, "small");
		assert_string_equal(found.url, base_url);
		assert_int_equal(found.window, 9000);
		talk("/scenario", "{\"config\":{\"models\":[]}}", &answer);
		assert_int_equal(
			model_discover_at(found.provider, base_url, &found, &e),
			-ENOENT);
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
					     .abort_fd = -1,
					     .temperature_milli = -1 },
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
		{ "a local server", discover },
		{ "nobody there", nobody_there },
	};
	int failed;

	start_server();
	failed = unit_rows("model_http: wire × fault × moment", faults, one_fault);
	failed += unit_cases("model_http", cases);
	http_free(&client);
	proc_done(&server);
	return failed;
}
