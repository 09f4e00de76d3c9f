#include "agent/mcp/outside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static void a_program(void)
{
	static const char script[] =
		"echo $(pwd) $K $OTHER; trap '' TERM; sleep 1000 & "
		"echo $!; read x; echo never";
	const char *const argv[] = { "sh", "-c", script, NULL };
	const char *const env[] = { "K=v", NULL };
	const struct box_command c = { .argv = argv, .env = env };
	struct mcp_outside o = MCP_OUTSIDE_NONE;
	struct mcp_client_port port = mcp_outside_port(&o);
	struct box_proc p = BOX_PROC_NONE;
	struct err e = ERR_NONE;
	char said[64];
	pid_t child;
	FILE *out;

	assert_int_equal(setenv("OTHER", "x", 1), 0);
	unit_ok(port.spawn(port.ctx, &c, &p, &e), &e);
	out = fdopen(p.fds[1], "r");
	assert_non_null(out);
	assert_non_null(fgets(said, sizeof(said), out));
	assert_string_equal(said, "/ v\n");
	assert_non_null(fgets(said, sizeof(said), out));
	child = (pid_t)strtol(said, NULL, 10);
	assert_true(child > 1);
	port.end(port.ctx, &p);
	while (fgets(said, sizeof(said), out)) /* until nobody holds it */
		;
	assert_int_equal(o.proc.pid, -1);
	fclose(out);
	p.fds[1] = -1;
	box_proc_done(&p);
}

static void no_program(void)
{
	const char *const argv[] = { "no-such-program", NULL };
	const struct box_command c = { .argv = argv };
	struct mcp_outside o = MCP_OUTSIDE_NONE;
	struct mcp_client_port port = mcp_outside_port(&o);
	struct box_proc p = BOX_PROC_NONE;
	struct err e = ERR_NONE;

	assert_int_equal(port.spawn(port.ctx, &c, &p, &e), -ENOENT);
	unit_err(&e, -ENOENT,
		 "cannot run 'no-such-program': No such file or directory");
	assert_int_equal(p.fds[0], -1);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a program, and what it started", a_program },
		{ "no program", no_program },
	};

	return unit_cases("mcp_outside", cases);
}
