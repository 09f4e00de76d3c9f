#include "tests/unit/modelserver.h"

#include <stdio.h>

#include "base/http.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

void modelserver_start(struct modelserver *s)
{
	static const char *const argv[] = { "python3", "tests/fake/model_server",
					    "--with-stdin", "/dev/null", NULL };
	struct proc_conf conf = { .argv = argv, .fds = { -1, -1, 2 }, .pass_fd = -1 };
	struct err e = ERR_NONE;
	char line[32] = "";
	int life[2], port[2];

	assert_int_equal(sys_pipe2(port, 0), 0);
	assert_int_equal(sys_pipe2(life, 0), 0);
	conf.fds[0] = life[0]; /* our end closes with this process */
	conf.fds[1] = port[1];
	unit_ok(proc_start(&conf, &s->proc, &e), &e);
	scope_close(&port[1]);
	scope_close(&life[0]);
	assert_true(sys_read(port[0], line, sizeof(line) - 1) > 0);
	scope_close(&port[0]);
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%d", atoi(line));
	unit_ok(http_new(&s->client, &e), &e);
}

void modelserver_stop(struct modelserver *s)
{
	http_free(&s->client);
	proc_done(&s->proc);
}

static int append(void *ctx, const void *data, size_t len)
{
	return buf_add(ctx, data, len);
}

static void talk(struct modelserver *s, const char *path, const char *body,
		 struct buf *answer)
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

	snprintf(url, sizeof(url), "%s%s", s->url, path);
	unit_ok(http_perform(s->client, &req, &reply, &e), &e);
	assert_int_equal(reply.status, 200);
}

void modelserver_play(struct modelserver *s, const char *lines)
{
	_cleanup_buf_ struct buf answer = BUF_INIT(1000);

	talk(s, "/scenario", lines, &answer);
}

unsigned modelserver_seen(struct modelserver *s)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1000);
	unsigned n = 0;

	talk(s, "/seen", NULL, &b);
	assert_int_equal(sscanf(buf_cstr(&b), "{\"seen\": %u}", &n), 1);
	return n;
}
