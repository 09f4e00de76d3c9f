#include "agent/mcp/client.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"

/* A port that starts shells of this machine: the program is the script. */
struct starter {
	unsigned starts, ends;
	pid_t pid;
};

static int on_spawn(void *ctx, const struct box_command *c, struct box_proc *ret,
		    struct err *)
{
	struct starter *s = ctx;
	int p[3][2];

	for (int i = 0; i < 3; i++)
		assert_int_equal(pipe2(p[i], O_CLOEXEC), 0);
	s->pid = fork();
	if (s->pid == 0) {
		dup2(p[0][0], 0);
		dup2(p[1][1], 1);
		dup2(p[2][1], 2);
		execl("/bin/sh", "sh", "-c", c->argv[0], NULL);
		_exit(127);
	}
	s->starts++;
	close(p[0][0]);
	close(p[1][1]);
	close(p[2][1]);
	ret->id = 1;
	ret->fds[0] = p[0][1];
	ret->fds[1] = p[1][0];
	ret->fds[2] = p[2][0];
	return 0;
}

static void on_end(void *ctx, struct box_proc *)
{
	struct starter *s = ctx;

	s->ends++;
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
}

#define HELLO                                                                          \
	"read l; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":" \
	"\"2025-06-18\"}}'; read l; read l; "
#define TOOLS                                                                         \
	"echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"t\"," \
	"\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"u\"},{\"name\":\"t\","    \
	"\"inputSchema\":{\"type\":\"object\"}}]}}'; "

static const struct row {
	const char *name, *script, *said; /* by a call; NULL = it is not made */
	int code;
	const char *why; /* the offer failed */
} rows[] = {
	{ "an answer",
	  HELLO TOOLS
	  "read l; case $l in *'\"name\":\"t\"'*'\"arguments\":{\"a\":1}'*) echo "
	  "'{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\","
	  "\"text\":\"yes\"}]}}' ;; esac; read l",
	  "yes", 0, NULL },
	{ "an answer to something else before it",
	  HELLO TOOLS
	  "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}'; echo nothing; "
	  "echo '{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}'; read l",
	  "[the answer is empty]", 0, NULL },
	{ "an error",
	  HELLO TOOLS "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":"
		      "-32602,\"message\":\"bad \\u001b[31m\"}}'; read l",
	  "MCP server 's': it answers with an error: bad \\x1b[31m", 0, NULL },
	{ "an answer that is none",
	  HELLO TOOLS "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":[]}'; "
		      "read l",
	  "MCP server 's': it answers with an error: ", 0, NULL },
	{ "an end in a call", HELLO TOOLS "read l; echo why >&2",
	  "MCP server 's': it has ended; its last words: why", 0, NULL },
	{ "silence in a call", HELLO TOOLS "read l; exec sleep 60",
	  "MCP server 's': it does not answer in time", 0, NULL },
	{ "an end at once", "exit 1", NULL, -EPIPE, "it has ended" },
	{ "another version",
	  "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
	  "\"1\"}}'; read l",
	  NULL, -EPROTO, "it speaks another version of the protocol" },
	{ "a ping is answered",
	  HELLO "echo '{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}'; read l; "
		"case $l in *'\"id\":9,\"result\":{}'*) " TOOLS "esac; read l; echo "
		"'{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}'; read l",
	  "[the answer is empty]", 0, NULL },
};

static void call(struct toolbox *t, const char *want)
{
	_cleanup_tool_result_ struct tool_result r;
	_cleanup_json_ struct json *args = json_object();
	struct err e = ERR_NONE;

	json_set_int(args, "a", 1);
	tool_result_init(&r);
	unit_ok(tool_run(t, "mcp__s__t", args, &r, &e), &e);
	assert_string_equal(buf_cstr(&r.text), want);
}

static void test_row(const void *p)
{
	const struct row *row = p;
	const char *const argv[] = { row->script, NULL };
	struct starter s = { 0 };
	const struct mcp_client_conf conf = { .port = { on_spawn, on_end, &s },
					      .name = "s",
					      .argv = argv,
					      .call_ms = 300 };
	const struct toolbox_conf none = { .terminal_fd = -1, .interrupt_fd = -1 };
	_cleanup_buf_ struct buf notes = BUF_INIT(4000);
	_cleanup_mcp_client_ struct mcp_client *c = NULL;
	_cleanup_toolbox_ struct toolbox *t = NULL;
	struct err e = ERR_NONE;
	int r;

	unit_ok(toolbox_new(&none, &t, &e), &e);
	unit_ok(mcp_client_new(&conf, &c, &e), &e);
	unit_ok(mcp_client_start(c, &e), &e);
	r = mcp_client_offer(c, t, &notes, &e);
	assert_int_equal(r, row->code);
	if (row->why)
		unit_err(&e, row->code, row->why);
	else
		assert_string_equal(
			buf_cstr(&notes),
			"MCP server 's': its tool 'u' is left out: its inputSchema is "
			"none of an object\n"
			"MCP server 's': its tool 't' is left out: there is a tool of "
			"that name\n");
	if (row->said)
		call(t, row->said);
	toolbox_free(&t);
	mcp_client_free(&c);
	assert_int_equal(s.ends, s.starts);
}

/* Not for ever. */
static void starts_are_counted(void)
{
	/* the second does not even greet */
	const char *const argv[] = {
		"read l; case $l in *'\"id\":1}'*) ;; *) exit ;; esac; echo "
		"'{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
		"\"2025-06-18\"}}'; read l; read l; " TOOLS "read l; exit",
		NULL
	};
	struct starter s = { 0 };
	const struct mcp_client_conf conf = { .port = { on_spawn, on_end, &s },
					      .name = "s",
					      .argv = argv };
	const struct toolbox_conf none = { .terminal_fd = -1, .interrupt_fd = -1 };
	_cleanup_buf_ struct buf notes = BUF_INIT(4000);
	_cleanup_mcp_client_ struct mcp_client *c = NULL;
	_cleanup_toolbox_ struct toolbox *t = NULL;
	struct err e = ERR_NONE;

	unit_ok(toolbox_new(&none, &t, &e), &e);
	unit_ok(mcp_client_new(&conf, &c, &e), &e);
	unit_ok(mcp_client_start(c, &e), &e);
	unit_ok(mcp_client_offer(c, t, &notes, &e), &e);
	call(t, "MCP server 's': it has ended");
	for (int i = 0; i < 4; i++)
		call(t, "MCP server 's': it has ended");
	call(t, "MCP server 's': it ended 5 times and is not started again");
	assert_int_equal(s.starts, 5);
	toolbox_free(&t);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "starts are counted", starts_are_counted },
	};

	return unit_rows("mcp_client", rows, test_row) +
	       unit_cases("mcp_client", cases);
}
