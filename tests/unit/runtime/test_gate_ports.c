#include <stdio.h>
#include <unistd.h>

#include "base/sys.h"
#include "tests/unit/networld.h"
#include "tests/unit/rig.h"
#include "tests/unit/unit.h"

static int http_on_host(uint16_t port, struct buf *out)
{
	char command[128];
	FILE *f;
	char line[256];

	snprintf(command, sizeof(command), CURL "http://127.0.0.1:%u/ 2>&1", port);
	f = popen(command, "r");
	while (fgets(line, sizeof(line), f))
		buf_adds(out, line);
	return WEXITSTATUS(pclose(f));
}

static _noreturn_ int serve_inside(void *ctx)
{
	(void)ctx;
	networld_serve(9000);
	for (;;)
		pause();
}

static void ports_are_published(const void *row)
{
	const struct rig_rung *g = row;
	_cleanup_json_ struct json *j = NULL;
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	struct rig r;
	pid_t pid;
	uint16_t port;

	rig_open(&r, g->first, NULL, NULL);
	pid = fork();
	if (!pid)
		_exit(netbox_call(&r.box, serve_inside, NULL));
	j = rig_ask(&r, "{\"op\":\"publish\",\"spec\":\"0:9080\"}");
	port = (uint16_t)json_get_int(j, "host_port", 0);
	assert_true(port > 0);
	assert_string_equal(json_get_str(j, "address"), "127.0.0.1");
	for (int i = 0; i < 100; i++) {
		buf_truncate(&out, 0);
		if (!http_on_host(port, &out))
			break;
		sys_poll(NULL, 0, 20);
	}
	assert_non_null(strstr(buf_cstr(&out), "reached 127.0.0.1"));
	json_free(&j);
	j = rig_ask(&r, "{\"op\":\"ports\"}");
	{
		_cleanup_buf_ struct buf text = BUF_INIT(65536);

		json_print(j, false, &text);
		if (!strstr(buf_cstr(&text), "\"port\":9080") ||
		    strstr(buf_cstr(&text), "\"port\":1,"))
			fail_msg("%s", buf_cstr(&text));
	}
	rig_want_audit(&r, "\"event\":\"publish\",\"id\":1,\"verdict\":\"");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rig_close(&r);
}

int main(int argc, char **argv)
{
	int r = 0;

	if (rig_main(argc, argv, &r))
		return r;
	r |= unit_rows("gate ports", rig_rungs, ports_are_published);
	return r;
}
