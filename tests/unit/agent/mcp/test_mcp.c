#include "agent/mcp/mcp.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

/* ---- tools that need no box ---------------------------------------------- */

static const struct tool fakes[] = {
	{ "echo", "says its text", "{\"type\":\"object\"}", NULL, NULL, NULL, false },
	{ "long", "runs until it is interrupted", "{\"type\":\"object\"}", NULL, NULL,
	  NULL, false },
	{ "screen", "shows", "{\"type\":\"object\"}", NULL, NULL, NULL, true },
	{ "broken", "fails in cubby", "{\"type\":\"object\"}", NULL, NULL, NULL,
	  false },
	{ "finish", "ends a task", "{\"type\":\"object\"}", NULL, NULL, NULL, false },
};

/* What the test knows of the running server. */
struct probe {
	int calls;
	int more_fd;	  /* frames come here while "long" runs; -1 = none */
	const char *more; /* these */
	bool note;
};

static bool readable(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return sys_poll(&p, 1, timeout_ms) > 0;
}

/* As a toolbox waits: for the interrupt, and for what it has to watch. */
static void wait_for_interrupt(const struct mcp_hooks *h)
{
	struct pollfd p[] = { { .fd = h->interrupt_fd, .events = POLLIN },
			      { .fd = h->aside.fd, .events = POLLIN } };

	while (!readable(h->interrupt_fd, 0)) {
		assert_true(sys_poll(p, 2, 20000) > 0);
		if (p[1].revents)
			h->aside.ready(h->aside.ctx);
	}
}

static int run(void *ctx, const struct mcp_hooks *h, const char *name,
	       const struct json *args, struct tool_result *ret, struct err *e)
{
	const char *text = json_get_str(args, "text");
	struct probe *p = ctx;

	p->calls++;
	if (p->note)
		h->note(h->ctx, "starting a box");
	if (!strcmp(name, "broken"))
		return err_set(e, -ENOTCONN, "the box is gone");
	if (!strcmp(name, "long")) {
		h->output(h->ctx, "first\nsecond \x1b[1m50%", 20);
		if (p->more_fd >= 0)
			assert_true(write(p->more_fd, p->more, strlen(p->more)) > 0);
		wait_for_interrupt(h);
		ret->outcome = TOOL_OPEN;
	}
	if (!text)
		ret->outcome = TOOL_ERROR;
	snprintf(ret->state, sizeof(ret->state), "exited");
	ret->exit = 3;
	return buf_adds(&ret->text, text ? text : "text is missing");
}

/* ---- the server with its ends in pipes ----------------------------------- */

static void serve(const char *in, struct probe *p, struct buf *out)
{
	struct mcp_conf conf = { .version = "7.7",
				 .instructions = "a box",
				 .tools = fakes,
				 .tool_count = ARRAY_SIZE(fakes),
				 .stop_fd = -1,
				 .run = run,
				 .ctx = p };
	struct err e = ERR_NONE;
	int to[2], from[2];

	assert_int_equal(sys_pipe2(to, 0) | sys_pipe2(from, 0), 0);
	sys_pipe_size(to[1], 1 << 20);
	sys_pipe_size(from[1], 1 << 20);
	assert_int_equal(write(to[1], in, strlen(in)), strlen(in));
	conf.in_fd = to[0];
	conf.out_fd = from[1];
	close(to[1]);
	unit_ok(mcp_serve(&conf, &e), &e);
	close(to[0]);
	close(from[1]);
	unit_ok(file_read_fd(from[0], out, &e), &e);
	close(from[0]);
}

#define PROBE                 \
	{                     \
		.more_fd = -1 \
	}
#define V "{\"jsonrpc\":\"2.0\","
#define START(revision)                                                         \
	V "\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":" \
	  "\"" revision "\"}}\n" V "\"method\":\"notifications/initialized\"}\n"
#define STARTED(revision)                                                      \
	V "\"id\":0,\"result\":{\"protocolVersion\":\"" revision               \
	  "\",\"capabilities\":{\"tools\":{},\"logging\":{}},\"serverInfo\":{" \
	  "\"name\":\"cubby\",\"version\":\"7.7\"},\"instructions\":\"a box\"}}\n"
#define CALL(id, tool, text)                                                     \
	V "\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool \
	  "\",\"arguments\":{\"text\":\"" text "\"}}}"
#define MODERN(id, tool)                                                            \
	V "\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool    \
	  "\",\"arguments\":{\"text\":\"m\"},\"_meta\":{\"io.modelcontextprotocol/" \
	  "protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"             \
	  "clientCapabilities\":{}}}}"
#define SAID(id, text)                                                                 \
	V "\"id\":" id ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text \
	  "\"}],\"isError\":false,\"_meta\":{\"cubby/timeMs\":0,\"cubby/state\":"      \
	  "\"exited\",\"cubby/exit\":3}}}"
#define ERROR(id, code, text) \
	V "\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" text "\"}}\n"

static const struct row {
	const char *name, *in, *out;
	int calls;
} rows[] = {
	{ "the newest revision", START("2025-11-25"), STARTED("2025-11-25"), 0 },
	{ "an older revision", START("2025-06-18"), STARTED("2025-06-18"), 0 },
	{ "the oldest revision", START("2024-11-05"), STARTED("2024-11-05"), 0 },
	{ "an unknown revision", START("2099-01-01"), STARTED("2025-11-25"), 0 },
	{ "no revision", V "\"id\":1,\"method\":\"initialize\",\"params\":{}}\n",
	  ERROR("1", "-32602", "protocolVersion is missing"), 0 },
	{ "initialize twice", START("2025-06-18") START("2025-06-18"),
	  STARTED("2025-06-18") ERROR("0", "-32600", "already initialized"), 0 },
	{ "too early", V "\"id\":\"x\",\"method\":\"tools/list\"}\n",
	  ERROR("\"x\"", "-32600", "initialize comes first"), 0 },
	{ "a call too early", CALL("1", "echo", "a") "\n",
	  ERROR("1", "-32600", "initialize comes first"), 0 },
	{ "ping comes at any time", V "\"id\":1,\"method\":\"ping\"}\n",
	  V "\"id\":1,\"result\":{}}\n", 0 },
	{ "unknown method", START("2025-06-18") V "\"id\":1,\"method\":\"a/b\\n\"}\n",
	  STARTED("2025-06-18") ERROR("1", "-32601", "no method 'a/b\\\\n'"), 0 },
	{ "unknown notification", V "\"method\":\"notifications/none\"}\n", "", 0 },
	{ "a response to nothing", V "\"id\":1,\"result\":{}}\n", "", 0 },
	{ "not JSON", "hello\n", ERROR("null", "-32700", "bad JSON at byte 0"), 0 },
	{ "cut JSON", "{\"jsonrpc\":\n", ERROR("null", "-32700", "bad JSON at byte 11"),
	  0 },
	{ "not JSON-RPC", "{\"id\":5}\n",
	  ERROR("5", "-32600", "jsonrpc must be \\\"2.0\\\""), 0 },
	{ "id is null", V "\"id\":null,\"method\":\"ping\"}\n",
	  ERROR("null", "-32600", "id must be a string or a whole number"), 0 },
	{ "a batch before initialize", "[]\n",
	  ERROR("null", "-32600", "batches are not part of the negotiated revision"),
	  0 },
	{ "a batch that the revision has not",
	  START("2025-06-18") "[" V "\"id\":1,\"method\":\"ping\"}]\n",
	  STARTED("2025-06-18") ERROR(
		  "null", "-32600", "batches are not part of the negotiated revision"),
	  0 },
	{ "an empty batch", START("2025-03-26") "[]\n",
	  STARTED("2025-03-26") ERROR("null", "-32600", "the batch is empty"), 0 },
	{ "a batch",
	  START("2025-03-26") "[" CALL(
		  "1", "echo", "a") "," V "\"method\":\"notifications/x\"}," V
				    "\"id\":2,\"method\":\"ping\"},7," CALL("3", "echo",
									    "b") "]\n",
	  STARTED("2025-03-26") "[" V "\"id\":2,\"result\":{}}," V
				"\"id\":null,\"error\":{\"code\":-32600,\"message\":"
				"\"a message must be an "
				"object\"}}," SAID("1", "a") "," SAID("3", "b") "]\n",
	  2 },
	{ "a batch of notifications",
	  START("2025-03-26") "[" V "\"method\":\"notifications/x\"}]\n",
	  STARTED("2025-03-26"), 0 },
	{ "calls in their order",
	  START("2025-06-18")
		  CALL("1", "echo", "a") "\n" CALL("\"z\"", "echo", "ä\\n") "\n",
	  STARTED("2025-06-18") SAID("1", "a") "\n" SAID("\"z\"", "ä\\n") "\n", 2 },
	{ "no line break at the end", START("2025-06-18") CALL("1", "echo", "a"),
	  STARTED("2025-06-18") SAID("1", "a") "\n", 1 },
	{ "a tool's own error",
	  START("2025-06-18") V "\"id\":1,\"method\":\"tools/call\",\"params\":{"
				"\"name\":\"echo\"}}\n",
	  STARTED("2025-06-18") V
	  "\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"text is "
	  "missing\"}],\"isError\":true,\"_meta\":{\"cubby/timeMs\":0,\"cubby/state\":"
	  "\"exited\",\"cubby/exit\":3}}}\n",
	  1 },
	{ "unknown tool", START("2025-06-18") CALL("1", "rm", "a") "\n",
	  STARTED("2025-06-18") ERROR("1", "-32602", "no tool 'rm'"), 0 },
	{ "a tool that is not offered",
	  START("2025-06-18") CALL("1", "finish", "a") "\n",
	  STARTED("2025-06-18") ERROR("1", "-32602", "no tool 'finish'"), 0 },
	{ "a call without a name",
	  START("2025-06-18") V "\"id\":1,\"method\":\"tools/call\"}\n",
	  STARTED("2025-06-18") ERROR("1", "-32602", "no tool ''"), 0 },
	{ "an id that is in use",
	  START("2025-06-18") CALL("1", "echo", "a") "\n" CALL("1", "echo", "b") "\n",
	  STARTED("2025-06-18") ERROR("1", "-32600", "this id is in use")
		  SAID("1", "a") "\n",
	  1 },
	{ "cancelled while it waits",
	  START("2025-06-18") CALL("1", "echo", "a") "\n" CALL(
		  "2", "echo", "b") "\n" V "\"method\":\"notifications/"
				    "cancelled\",\"params\":{\"requestId\":2}}\n",
	  STARTED("2025-06-18") SAID("1", "a") "\n", 1 },
	{ "without a session, beside one: no line of a log for it",
	  START("2025-06-18") MODERN("1", "echo") "\n" MODERN("2", "broken") "\n",
	  STARTED("2025-06-18") V
	  "\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"m\"}],"
	  "\"isError\":false,\"_meta\":{\"cubby/timeMs\":0,\"cubby/state\":\"exited\","
	  "\"cubby/exit\":3,\"io.modelcontextprotocol/serverInfo\":{\"name\":\"cubby\","
	  "\"version\":\"7.7\"}},\"resultType\":\"complete\"}}\n" ERROR(
		  "2", "-32603", "the box is gone"),
	  2 },
	{ "cubby's own failure", START("2025-06-18") CALL("1", "broken", "a") "\n",
	  STARTED("2025-06-18") V
	  "\"method\":\"notifications/message\",\"params\":{\"level\":\"error\","
	  "\"logger\":\"cubby\",\"data\":\"the box is gone\"}}\n" ERROR(
		  "1", "-32603", "the box is gone"),
	  1 },
	{ "a bad level",
	  START("2025-06-18") V "\"id\":1,\"method\":\"logging/setLevel\",\"params\":{"
				"\"level\":\"loud\"}}\n",
	  STARTED("2025-06-18")
		  ERROR("1", "-32602", "level must be one of debug to emergency"),
	  0 },
	{ "the level is kept to",
	  START("2025-06-18") V
	  "\"id\":1,\"method\":\"logging/setLevel\",\"params\":{"
	  "\"level\":\"critical\"}}\n" CALL("2", "broken", "a") "\n",
	  STARTED("2025-06-18") V
	  "\"id\":1,\"result\":{}}\n" ERROR("2", "-32603", "the box is gone"),
	  1 },
	{ "tools", START("2025-06-18") V "\"id\":1,\"method\":\"tools/list\"}\n",
	  STARTED("2025-06-18") V
	  "\"id\":1,\"result\":{\"tools\":["
	  "{\"name\":\"echo\",\"description\":\"says its text\",\"inputSchema\":{"
	  "\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":false}},"
	  "{\"name\":\"long\",\"description\":\"runs until it is interrupted\","
	  "\"inputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":"
	  "false}},"
	  "{\"name\":\"screen\",\"description\":\"shows\",\"inputSchema\":{"
	  "\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":true}},"
	  "{\"name\":\"broken\",\"description\":\"fails in cubby\",\"inputSchema\":{"
	  "\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":false}}]}}\n",
	  0 },
	{ "a page that there is not",
	  START("2025-06-18") V "\"id\":1,\"method\":\"tools/list\",\"params\":{"
				"\"cursor\":\"2\"}}\n",
	  STARTED("2025-06-18") ERROR("1", "-32602", "there is only one page of tools"),
	  0 },
};

static void test_frames(const void *data)
{
	const struct row *row = data;
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	struct probe p = PROBE;

	serve(row->in, &p, &out);
	assert_string_equal(buf_cstr(&out), row->out);
	assert_int_equal(p.calls, row->calls);
}

/* ---- while a tool runs --------------------------------------------------- */

/* Pings are answered, calls wait, the running call ends without an answer. */
static void cancelled_while_it_runs(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	struct probe p = PROBE;
	struct mcp_conf conf = { .version = "7.7",
				 .tools = fakes,
				 .tool_count = ARRAY_SIZE(fakes),
				 .stop_fd = -1,
				 .run = run,
				 .ctx = &p };
	const char *in = START("2025-06-18") CALL("1", "long", "a") "\n";
	struct err e = ERR_NONE;
	int to[2], from[2], status;
	const char *want = V "\"id\":8,\"result\":{}}\n" ERROR(
		"null", "-32700", "bad JSON at byte 5") SAID("2", "b") "\n";
	pid_t pid;

	p.more = V "\"id\":8,\"method\":\"ping\"}\n" CALL(
		"2", "echo",
		"b") "\n" V "\"method\":\"notifications/"
		     "cancelled\",\"params\":{\"requestId\":1}}\n"
		     "[1,2,\n"; /* and the last frame shows that the server goes on */
	assert_int_equal(sys_pipe2(to, 0) | sys_pipe2(from, 0), 0);
	assert_int_equal(write(to[1], in, strlen(in)), strlen(in));
	p.more_fd = to[1];
	pid = sys_fork();
	if (!pid) {
		close(from[0]);
		conf.in_fd = to[0];
		conf.out_fd = from[1];
		sys_exit(mcp_serve(&conf, &e) || p.calls != 2);
	}
	close(from[1]);
	while (out.len < strlen(want) ||
	       strcmp(out.data + out.len - strlen(want), want) != 0) {
		ssize_t n;

		assert_true(readable(from[0], 20000));
		assert_int_equal(buf_reserve(&out, 4096), 0);
		n = read(from[0], out.data + out.len, 4096);
		assert_true(n > 0);
		buf_commit(&out, (size_t)n);
	}
	close(from[0]); /* now nobody reads: the server stops, its input still open */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(to[0]);
	close(to[1]);
}

static void stopped_while_it_runs(void)
{
	_cleanup_close_ int stop_fd = sys_eventfd(1);
	struct probe p = PROBE;
	struct mcp_conf conf = { .version = "7.7",
				 .tools = fakes,
				 .tool_count = ARRAY_SIZE(fakes),
				 .stop_fd = stop_fd,
				 .run = run,
				 .ctx = &p };
	const char *in = START("2025-06-18")
		CALL("1", "long", "a") "\n" CALL("2", "echo", "a") "\n";
	struct err e = ERR_NONE;
	int to[2], from[2];
	uint64_t count;

	assert_int_equal(sys_read(stop_fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(sys_pipe2(to, 0) | sys_pipe2(from, 0), 0);
	assert_int_equal(write(to[1], in, strlen(in)), strlen(in));
	conf.in_fd = to[0];
	conf.out_fd = from[1];
	p.more_fd = stop_fd; /* an eventfd takes 8 bytes: the order to stop */
	p.more = "\1\1\1\1\1\1\1\1";
	unit_ok(mcp_serve(&conf, &e), &e);
	assert_int_equal(p.calls, 1); /* what waited is not begun */
	for (int i = 0; i < 2; i++) {
		close(to[i]);
		close(from[i]);
	}
}

static void progress_is_told(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	struct probe p = PROBE;
	const char *in = START("2025-06-18") V
		"\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"long\","
		"\"arguments\":{\"text\":\"a\"},\"_meta\":{\"progressToken\":\"t\"}}}"
		"\n";
	struct err e = ERR_NONE;
	struct mcp_conf conf = { .version = "7.7",
				 .tools = fakes,
				 .tool_count = ARRAY_SIZE(fakes),
				 .stop_fd = -1,
				 .run = run,
				 .ctx = &p };
	int to[2], from[2], status;
	const char *token = "\"method\":\"notifications/progress\",\"params\":{"
			    "\"progressToken\":\"t\",\"progress\":";
	pid_t pid;

	assert_int_equal(sys_pipe2(to, 0) | sys_pipe2(from, 0), 0);
	assert_int_equal(write(to[1], in, strlen(in)), strlen(in));
	pid = sys_fork();
	if (!pid) {
		close(from[0]);
		conf.in_fd = to[0];
		conf.out_fd = from[1];
		sys_exit(mcp_serve(&conf, &e) != 0);
	}
	close(from[1]);
	while (!strstr(buf_cstr(&out), token) ||
	       !strchr(strstr(out.data, token), '\n')) {
		ssize_t n;

		assert_true(readable(from[0], 20000));
		assert_int_equal(buf_reserve(&out, 4096), 0);
		n = read(from[0], out.data + out.len, 4096);
		assert_true(n > 0);
		buf_commit(&out, (size_t)n);
	}
	assert_non_null(strstr(out.data, "s: second 50%\"}}\n"));
	close(from[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(to[0]);
	close(to[1]);
}

static void notes_are_logged(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	struct probe p = { .more_fd = -1, .note = true };

	serve(START("2025-06-18") CALL("1", "echo", "a") "\n", &p, &out);
	assert_non_null(strstr(out.data,
			       V "\"method\":\"notifications/message\",\"params\":{"
				 "\"level\":\"info\",\"logger\":\"cubby\",\"data\":"
				 "\"starting a box\"}}\n"));
}

static void too_many_calls(void)
{
	_cleanup_buf_ struct buf in = BUF_INIT(1 << 20), out = BUF_INIT(1 << 20);
	struct probe p = PROBE;

	assert_int_equal(buf_adds(&in, START("2025-06-18")), 0);
	for (int i = 1; i <= MCP_WAITING_MAX + 1; i++)
		assert_int_equal(buf_addf(&in,
					  V "\"id\":%d,\"method\":\"tools/call\","
					    "\"params\":{\"name\":\"echo\"}}\n",
					  i),
				 0);
	serve(in.data, &p, &out);
	assert_non_null(strstr(out.data, ERROR("65", "-32000", "too many calls wait")));
	assert_int_equal(p.calls, MCP_WAITING_MAX);
}

static void a_huge_frame(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	_cleanup_free_ char *big = malloc(1 << 20);
	struct probe p = PROBE;
	struct mcp_conf conf = {
		.version = "7.7", .stop_fd = -1, .run = run, .ctx = &p
	};
	struct err e = ERR_NONE;
	int from[2];
	const char *ping = "\n" V "\"id\":1,\"method\":\"ping\"}\n";

	memset(big, 'x', 1 << 20);
	conf.in_fd = sys_memfd("in", 0); /* a file: input that cannot be waited for */
	for (int i = 0; i < 17; i++)
		unit_ok(file_write_fd(conf.in_fd, big, 1 << 20, &e), &e);
	unit_ok(file_write_fd(conf.in_fd, ping, strlen(ping), &e), &e);
	sys_lseek(conf.in_fd, 0, SEEK_SET);
	assert_int_equal(sys_pipe2(from, 0), 0);
	conf.out_fd = from[1];
	unit_ok(mcp_serve(&conf, &e), &e);
	close(conf.in_fd);
	close(from[1]);
	unit_ok(file_read_fd(from[0], &out, &e), &e);
	close(from[0]);
	assert_string_equal(buf_cstr(&out),
			    ERROR("null", "-32600", "the frame is larger than 16 MiB") V
			    "\"id\":1,\"result\":{}}\n");
}

/* Nobody reads any more: an end like others. An answer that is lost: none. */
static void answers_that_cannot_be_written(void)
{
	static const char ping[] = V "\"id\":1,\"method\":\"ping\"}\n";
	struct probe p = PROBE;
	struct mcp_conf conf = {
		.version = "7.7", .stop_fd = -1, .run = run, .ctx = &p
	};
	struct err e = ERR_NONE;
	int ends[2];

	conf.in_fd = sys_memfd("in", 0);
	unit_ok(file_write_fd(conf.in_fd, ping, strlen(ping), &e), &e);
	sys_lseek(conf.in_fd, 0, SEEK_SET);
	conf.out_fd = sys_open("/dev/full", O_WRONLY);
	assert_true(conf.out_fd >= 0);
	assert_int_equal(mcp_serve(&conf, &e), -ENOSPC);
	assert_string_equal(e.msg,
			    "cannot write standard output: No space left on device");
	close(conf.out_fd);
	e = ERR_NONE;
	sys_lseek(conf.in_fd, 0, SEEK_SET);
	assert_int_equal(sys_pipe2(ends, 0), 0);
	close(ends[0]);
	conf.out_fd = ends[1];
	unit_ok(mcp_serve(&conf, &e), &e);
	close(ends[1]);
	close(conf.in_fd);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "cancelled while it runs", cancelled_while_it_runs },
		{ "stopped while it runs", stopped_while_it_runs },
		{ "progress is told", progress_is_told },
		{ "notes are logged", notes_are_logged },
		{ "too many calls", too_many_calls },
		{ "answers that cannot be written", answers_that_cannot_be_written },
		{ "a huge frame", a_huge_frame },
	};

	return unit_rows("mcp_serve", rows, test_frames) + unit_cases("mcp", cases);
}
