#include "base/http.h"

#include <arpa/inet.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/sys/sys.h"
#include "tests/unit/httpserve.h"
#include "tests/unit/unit.h"

enum { REQUEST_MAX = 4 << 20 };

/* ---- a client's side ----------------------------------------------------- */

struct probe {
	struct buf body;
	int heads, status, head_code, data_code;
	size_t bodies_before_head;
	int wake_fd; /* written to with the first data; -1 = none */
};
#define PROBE_INIT                                       \
	{                                                \
		.body = BUF_INIT(1 << 20), .wake_fd = -1 \
	}

static int on_head(void *ctx, const struct http_reply *r)
{
	struct probe *p = ctx;

	p->heads++;
	p->status = r->status;
	p->bodies_before_head = p->body.len;
	return p->head_code;
}

static int on_data(void *ctx, const void *data, size_t len)
{
	struct probe *p = ctx;

	if (p->wake_fd >= 0)
		(void)!write(p->wake_fd, "", 1);
	return p->data_code ? p->data_code : buf_add(&p->body, data, len);
}

static struct http *client(void)
{
	struct http *h = NULL;
	struct err e = ERR_NONE;

	unit_ok(http_new(&h, &e), &e);
	return h;
}

static struct http_request request(const char *url, struct probe *p)
{
	return (struct http_request){ .url = url,
				      .abort_fd = -1,
				      .on_head = on_head,
				      .on_data = on_data,
				      .ctx = p };
}

#define OK "HTTP/1.1 200 OK\r\n"
#define CLOSE "Connection: close\r\n"

static const struct row {
	const char *name;
	const char *answer;
	bool hang;
	int head_code, data_code;
	uint64_t first_byte_ms, stall_ms, total_ms;
	int want, status;
	const char *body;
	const char *msg; /* with %d for the port */
	bool more;	 /* libcurl's reason follows, in the words of its version */
} rows[] = {
	{ .name = "length",
	  .answer = OK "Content-Length: 5\r\n\r\nhello",
	  .status = 200,
	  .body = "hello" },
	{ .name = "chunks and a trailer",
	  .answer = OK "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n"
		       "X: y\r\n\r\n",
	  .status = 200,
	  .body = "hello" },
	{ .name = "to the end",
	  .answer = OK CLOSE "\r\nhello",
	  .status = 200,
	  .body = "hello" },
	{ .name = "an error status is an answer",
	  .answer = "HTTP/1.1 529 Overloaded\r\nContent-Length: 2\r\n\r\n{}",
	  .status = 529,
	  .body = "{}" },
	{ .name = "no content",
	  .answer = "HTTP/1.1 204 None\r\n\r\n",
	  .status = 204,
	  .body = "" },
	{ .name = "an interim answer first",
	  .answer = "HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 1\r\n\r\nx",
	  .status = 200,
	  .body = "x" },
	{ .name = "a redirect that nobody asked to follow",
	  .answer = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n"
		    "Content-Length: 4\r\n\r\nmove",
	  .status = 302,
	  .body = "move" },
	{ .name = "ends before its length",
	  .answer = OK "Content-Length: 10\r\n\r\nhello",
	  .want = -ECONNRESET,
	  .status = 200,
	  .body = "hello",
	  .msg = "connection to '127.0.0.1:%d' was cut off: ",
	  .more = true },
	{ .name = "ends within a chunk",
	  .answer = OK "Transfer-Encoding: chunked\r\n\r\n9\r\nhello",
	  .want = -ECONNRESET,
	  .status = 200,
	  .body = "hello",
	  .msg = "connection to '127.0.0.1:%d' was cut off: ",
	  .more = true },
	{ .name = "a chunk without a size",
	  .answer = OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\n",
	  .want = -ECONNRESET,
	  .status = 200,
	  .body = "hello",
	  .msg = "connection to '127.0.0.1:%d' was cut off: the answer breaks HTTP's "
		 "rules (in its chunks)" },
	{ .name = "no answer",
	  .answer = "",
	  .want = -ECONNRESET,
	  .body = "",
	  .msg = "connection to '127.0.0.1:%d' was cut off: Empty reply from server" },
	{ .name = "not HTTP",
	  .answer = "SSH-2.0-OpenSSH_9.2\r\n",
	  .want = -EPROTO,
	  .body = "",
	  .msg = "request to '127.0.0.1:%d' failed: Received HTTP/0.9 when not "
		 "allowed" },
	{ .name = "silence",
	  .answer = OK "Content-Length: 10\r\n\r\n",
	  .hang = true,
	  .first_byte_ms = 2000,
	  .want = -ETIMEDOUT,
	  .status = 200,
	  .body = "",
	  .msg = "'127.0.0.1:%d' sent nothing for 2.0s" },
	{ .name = "silence after a while",
	  .answer = OK "Content-Length: 10\r\n\r\nhello",
	  .hang = true,
	  .stall_ms = 2000,
	  .want = -ETIMEDOUT,
	  .status = 200,
	  .body = "hello",
	  .msg = "'127.0.0.1:%d' sent nothing more for 2.0s" },
	{ .name = "too long in all",
	  .answer = OK "Content-Length: 10\r\n\r\nhello",
	  .hang = true,
	  .total_ms = 3000,
	  .want = -ETIMEDOUT,
	  .status = 200,
	  .body = "hello",
	  .msg = "'127.0.0.1:%d' did not finish within 3.0s" },
	{ .name = "the head is not wanted",
	  .answer = OK "Content-Length: 5\r\n\r\nhello",
	  .head_code = -EACCES,
	  .want = -EACCES,
	  .status = 200,
	  .body = "",
	  .msg = "answer of '127.0.0.1:%d': Permission denied" },
	{ .name = "the body does not fit",
	  .answer = OK "Content-Length: 5\r\n\r\nhello",
	  .data_code = -ENOSPC,
	  .want = -ENOSPC,
	  .status = 200,
	  .body = "",
	  .msg = "answer of '127.0.0.1:%d': No space left on device" },
};

static void test_answer(const void *data)
{
	const struct row *row = data;
	struct httpserve_script s = { .answers = { row->answer }, .hang = row->hang };
	struct httpserve server = httpserve_start(&s);
	_cleanup_http_ struct http *h = client();
	struct probe p = PROBE_INIT;
	struct http_request req = request(httpserve_url(&server, "/"), &p);
	struct http_reply reply;
	struct err e = ERR_NONE;
	char want[300];

	p.head_code = row->head_code;
	p.data_code = row->data_code;
	req.first_byte_ms = row->first_byte_ms;
	req.stall_ms = row->stall_ms;
	req.total_ms = row->total_ms;
	assert_int_equal(http_perform(h, &req, &reply, &e), row->want);
	if (row->want) {
		const char *at = strstr(row->msg, "%d");

		snprintf(want, sizeof(want), "%.*s%d%s", (int)(at - row->msg), row->msg,
			 server.port, at + 2);
		if (row->more && strlen(e.msg) > strlen(want))
			e.msg[strlen(want)] = '\0';
		else
			assert_false(row->more);
		unit_err(&e, row->want, want);
	}
	assert_int_equal(reply.status, row->status);
	assert_string_equal(buf_cstr(&p.body), row->body);
	assert_int_equal(p.heads, row->status ? 1 : 0);
	assert_int_equal(p.status, row->status);
	assert_int_equal(p.bodies_before_head, 0);
	assert_true(reply.first_byte_ms <= reply.total_ms);
	buf_done(&p.body);
	httpserve_stop(&server, NULL);
}

/* ---- requests ------------------------------------------------------------ */

static void sends_what_was_asked(void)
{
	enum { BIG = 2 << 20 }; /* where curl would wait for "100 Continue" */
	struct httpserve_script s = { .answers = { OK "Content-Length: 0\r\n\r\n" } };
	struct httpserve server = httpserve_start(&s);
	_cleanup_http_ struct http *h = client();
	_cleanup_buf_ struct buf seen = BUF_INIT(REQUEST_MAX);
	_cleanup_free_ char *body = malloc(BIG);
	const char *headers[] = { "Content-Type: application/json", "X-Key: secret",
				  NULL };
	struct http_request req = { .url = httpserve_url(&server, "/v1?x=y"),
				    .headers = headers,
				    .body = body,
				    .body_len = BIG,
				    .abort_fd = -1 };
	struct http_reply reply;
	struct err e = ERR_NONE;

	memset(body, 'b', BIG);
	unit_ok(http_perform(h, &req, &reply, &e), &e);
	httpserve_stop(&server, &seen);
	assert_true(!strncmp(buf_cstr(&seen), "POST /v1?x=y HTTP/1.1\r\n", 23));
	assert_non_null(strstr(seen.data, "\r\nContent-Type: application/json\r\n"));
	assert_non_null(strstr(seen.data, "\r\nX-Key: secret\r\n"));
	assert_non_null(strstr(seen.data, "\r\nUser-Agent: cubby/"));
	assert_non_null(strstr(seen.data, "\r\nContent-Length: 2097152\r\n"));
	assert_null(strcasestr(seen.data, "\r\nExpect"));
	assert_int_equal(seen.data + seen.len - BIG - strstr(seen.data, "\r\n\r\n"), 4);
}

static const struct method_row {
	const char *name, *method, *body, *line;
} methods[] = {
	{ "plain", NULL, NULL, "GET / HTTP/1.1\r\n" },
	{ "with a body", NULL, "x", "POST / HTTP/1.1\r\n" },
	{ "PUT", "PUT", "x", "PUT / HTTP/1.1\r\n" },
	{ "DELETE", "DELETE", NULL, "DELETE / HTTP/1.1\r\n" },
	{ "HEAD", "HEAD", NULL, "HEAD / HTTP/1.1\r\n" },
	{ "POST without a body", "POST", NULL, "POST / HTTP/1.1\r\n" },
};

static void test_method(const void *data)
{
	const struct method_row *row = data;
	struct httpserve_script s = { .answers = { OK "Content-Length: 0\r\n\r\n" } };
	struct httpserve server = httpserve_start(&s);
	_cleanup_http_ struct http *h = client();
	_cleanup_buf_ struct buf seen = BUF_INIT(REQUEST_MAX);
	struct http_request req = { .url = httpserve_url(&server, "/"),
				    .method = row->method,
				    .body = row->body,
				    .body_len = row->body ? strlen(row->body) : 0,
				    .abort_fd = -1 };
	struct http_reply reply;
	struct err e = ERR_NONE;

	unit_ok(http_perform(h, &req, &reply, &e), &e);
	httpserve_stop(&server, &seen);
	assert_int_equal(reply.status, 200);
	assert_true(!strncmp(buf_cstr(&seen), row->line, strlen(row->line)));
}

static void one_connection_for_several_requests(void)
{
	struct httpserve_script s = { .answers = { OK "Content-Length: 1\r\n\r\na",
						   OK "Content-Length: 1\r\n\r\nb" },
				      .keep = true };
	struct httpserve server = httpserve_start(&s);
	_cleanup_http_ struct http *h = client();
	struct probe p = PROBE_INIT;
	struct http_request req = request(httpserve_url(&server, "/"), &p);
	struct http_reply reply;
	struct err e = ERR_NONE;

	unit_ok(http_perform(h, &req, &reply, &e), &e);
	unit_ok(http_perform(h, &req, &reply, &e), &e); /* nobody accepts a second */
	assert_string_equal(buf_cstr(&p.body), "ab");
	buf_done(&p.body);
	httpserve_stop(&server, NULL);
}

/* ---- redirects ----------------------------------------------------------- */

#define FOUND "HTTP/1.1 302 Found\r\nContent-Length: 3\r\nLocation: "

static void redirects_keep_headers_at_home(void)
{
	struct httpserve_script away = { .answers = {
						 OK "Content-Length: 4\r\n\r\ndone" } };
	struct httpserve other = httpserve_start(&away);
	struct httpserve_script s = {
		.answers = { FOUND "/second\r\n" CLOSE "\r\n...",
			     FOUND "http://127.0.0.1:%d/third\r\n\r\n..." },
		.other_port = other.port
	};
	struct httpserve server = httpserve_start(&s);
	_cleanup_buf_ struct buf here = BUF_INIT(9999), there = BUF_INIT(9999);
	_cleanup_http_ struct http *h = client();
	const char *headers[] = { "X-Key: secret", NULL };
	struct probe p = PROBE_INIT;
	struct http_request req = request(httpserve_url(&server, "/first"), &p);
	struct http_reply reply;
	struct err e = ERR_NONE;

	req.follow = true;
	req.headers = headers;
	unit_ok(http_perform(h, &req, &reply, &e), &e);
	assert_int_equal(reply.status, 200);
	assert_int_equal(p.heads, 1);
	assert_string_equal(buf_cstr(&p.body), "done");
	buf_done(&p.body);
	httpserve_stop(&server, &here);
	httpserve_stop(&other, &there);
	assert_non_null(strstr(here.data, "GET /first "));
	assert_non_null(strstr(here.data, "GET /second "));
	assert_non_null(strstr(strstr(here.data, "GET /second "), "X-Key: secret"));
	assert_non_null(strstr(there.data, "GET /third "));
	assert_null(strstr(there.data, "secret"));
}

static void redirects_end(void)
{
	const char *again = FOUND "/again\r\n\r\n...";
	struct httpserve_script s = { .keep = true };
	for (int i = 0; i < HTTPSERVE_ANSWERS; i++)
		s.answers[i] = again;
	struct httpserve server = httpserve_start(&s);
	_cleanup_http_ struct http *h = client();
	struct probe p = PROBE_INIT;
	struct http_request req = request(httpserve_url(&server, "/"), &p);
	struct http_reply reply;
	struct err e = ERR_NONE;
	char want[100];

	req.follow = true;
	assert_int_equal(http_perform(h, &req, &reply, &e), -EPROTO);
	snprintf(want, sizeof(want), "'127.0.0.1:%d' redirects too often", server.port);
	unit_err(&e, -EPROTO, want);
	assert_int_equal(p.heads, 0);
	httpserve_stop(&server, NULL);
	s.answers[10] = OK "Content-Length: 4\r\n\r\ndone"; /* the eleventh */
	server = httpserve_start(&s);
	req.url = httpserve_url(&server, "/");
	unit_ok(http_perform(h, &req, &reply, &e), &e);
	assert_string_equal(buf_cstr(&p.body), "done");
	buf_done(&p.body);
	httpserve_stop(&server, NULL);
}

static void redirects_to_elsewhere_than_http(void)
{
	struct httpserve_script s = { .answers = { FOUND
						   "file:///etc/passwd\r\n\r\n..." } };
	struct httpserve server = httpserve_start(&s);
	_cleanup_http_ struct http *h = client();
	struct probe p = PROBE_INIT;
	struct http_request req = request(httpserve_url(&server, "/"), &p);
	struct http_reply reply;
	struct err e = ERR_NONE;
	char want[200];

	req.follow = true;
	assert_int_equal(http_perform(h, &req, &reply, &e), -EINVAL);
	snprintf(want, sizeof(want),
		 "redirect of '127.0.0.1:%d': bad URL; it must be http:// or https:// "
		 "and a host",
		 server.port);
	unit_err(&e, -EINVAL, want);
	httpserve_stop(&server, NULL);
}

static void a_body_is_not_redirected(void)
{
	struct httpserve_script s = { .answers = { FOUND "/x\r\n\r\n..." } };
	struct httpserve server = httpserve_start(&s);
	_cleanup_http_ struct http *h = client();
	struct probe p = PROBE_INIT;
	struct http_request req = request(httpserve_url(&server, "/"), &p);
	struct http_reply reply;
	struct err e = ERR_NONE;

	req.follow = true;
	req.body = "x";
	req.body_len = 1;
	unit_ok(http_perform(h, &req, &reply, &e), &e);
	assert_int_equal(reply.status, 302);
	buf_done(&p.body);
	httpserve_stop(&server, NULL);
}

/* ---- failures before an answer, aborts, proxies -------------------------- */

static const struct url_row {
	const char *name, *url; /* "%d" is a port where nobody listens */
	int want;
	const char *msg;
} urls[] = {
	{ "nobody listens", "http://127.0.0.1:%d/", -ECONNREFUSED,
	  "cannot connect to '127.0.0.1:%d': Connection refused; check that it runs, "
	  "and "
	  "the network" },
	{ "no such host", /* a label longer than any can be: nobody is asked */
	  "http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/",
	  -EHOSTUNREACH,
	  "cannot find host "
	  "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'; check "
	  "the name and the network" },
	{ "another scheme", "ftp://127.0.0.1/", -EINVAL,
	  "bad URL; it must be http:// or https:// and a host" },
	{ "a file", "file:///etc/passwd", -EINVAL,
	  "bad URL; it must be http:// or https:// and a host" },
	{ "no scheme", "127.0.0.1", -EINVAL,
	  "bad URL; it must be http:// or https:// and a host" },
	{ "empty", "", -EINVAL, "bad URL; it must be http:// or https:// and a host" },
};

static const char *with_port(char out[300], const char *text, int port)
{
	const char *at = strstr(text, "%d");

	if (!at)
		return text;
	snprintf(out, 300, "%.*s%d%s", (int)(at - text), text, port, at + 2);
	return out;
}

static void test_url(const void *data)
{
	const struct url_row *row = data;
	_cleanup_http_ struct http *h = client();
	struct http_request req = { .abort_fd = -1 };
	struct http_reply reply;
	struct err e = ERR_NONE;
	char url[300], want[300];
	int port;

	close(httpserve_listen(&port));
	req.url = with_port(url, row->url, port);
	assert_int_equal(http_perform(h, &req, &reply, &e), row->want);
	unit_err(&e, row->want, with_port(want, row->msg, port));
	assert_int_equal(reply.status, 0);
	assert_int_equal(reply.length, -1);
}

static void abort_with(bool by_close)
{
	struct httpserve_script s = { .answers = { OK "Content-Length: 9\r\n\r\nx" },
				      .hang = true };
	struct httpserve server = httpserve_start(&s);
	_cleanup_http_ struct http *h = client();
	struct probe p = PROBE_INIT;
	struct http_request req = request(httpserve_url(&server, "/"), &p);
	struct http_reply reply;
	struct err e = ERR_NONE;
	char want[100];
	int fds[2];

	assert_int_equal(sys_pipe2(fds, 0), 0);
	req.abort_fd = fds[0];
	if (by_close)
		close(fds[1]);
	else
		p.wake_fd = fds[1]; /* readable with the first byte of the body */
	assert_int_equal(http_perform(h, &req, &reply, &e), -ECANCELED);
	snprintf(want, sizeof(want), "request to '127.0.0.1:%d' was interrupted",
		 server.port);
	unit_err(&e, -ECANCELED, want);
	assert_string_equal(buf_cstr(&p.body), by_close ? "" : "x");
	buf_done(&p.body);
	close(fds[0]);
	if (!by_close)
		close(fds[1]);
	httpserve_stop(&server, NULL);
}

static void aborts_while_waiting(void)
{
	abort_with(false);
}

static void aborts_when_the_other_end_is_gone(void)
{
	abort_with(true);
}

static void the_proxy_of_the_environment(void)
{
	struct httpserve_script s = { .answers = { OK
						   "Content-Length: 5\r\n\r\nproxy" } };
	struct httpserve server = httpserve_start(&s);
	_cleanup_buf_ struct buf seen = BUF_INIT(9999);
	_cleanup_http_ struct http *h = client();
	struct probe p = PROBE_INIT;
	struct http_request req = request("http://elsewhere.test/x", &p);
	struct http_reply reply;
	struct err e = ERR_NONE;

	setenv("http_proxy", httpserve_url(&server, ""), 1);
	unit_ok(http_perform(h, &req, &reply, &e), &e);
	unsetenv("http_proxy");
	assert_string_equal(buf_cstr(&p.body), "proxy");
	buf_done(&p.body);
	httpserve_stop(&server, &seen);
	assert_non_null(strstr(seen.data, "GET http://elsewhere.test/x HTTP/1.1\r\n"));
}

/* ---- TLS ----------------------------------------------------------------- */

/* `openssl s_server` with a certificate of our own; its port in @port. */
static void start_tls(struct proc *p, int *port, char cert[100])
{
	char key[100], accept[40];
	const char *make[] = { "openssl",
			       "req",
			       "-x509",
			       "-newkey",
			       "ec",
			       "-pkeyopt",
			       "ec_paramgen_curve:prime256v1",
			       "-nodes",
			       "-subj",
			       "/CN=localhost",
			       "-addext",
			       "subjectAltName=IP:127.0.0.1",
			       "-keyout",
			       key,
			       "-out",
			       cert,
			       NULL };
	const char *run[] = { "openssl", "s_server", "-quiet", "-www",
			      "-accept", accept,     "-cert",  cert,
			      "-key",	 key,	     NULL };
	struct proc_conf conf = { .argv = run, .fds = { -1, -1, -1 }, .pass_fd = -1 };
	struct err e = ERR_NONE;

	snprintf(key, sizeof(key), "%s/key.pem", unit_tmpdir());
	snprintf(cert, 100, "%s/cert.pem", unit_tmpdir());
	unit_ok(proc_run(make, 30000, NULL, &e), &e);
	close(httpserve_listen(port));
	snprintf(accept, sizeof(accept), "127.0.0.1:%d", *port);
	unit_ok(proc_start(&conf, p, &e), &e);
}

/* Until it listens; bounded by the test runner's own limit. */
static int perform_when_up(struct http *h, const struct http_request *req,
			   struct http_reply *reply, struct err *e)
{
	int r;

	do
		r = http_perform(h, req, reply, e);
	while (r == -ECONNREFUSED && !sched_yield());
	return r;
}

static void tls_is_verified(void)
{
	_cleanup_proc_ struct proc server = PROC_NONE;
	_cleanup_http_ struct http *h = client();
	struct probe p = PROBE_INIT;
	struct http_request req = request(NULL, &p);
	struct http_reply reply;
	struct err e = ERR_NONE;
	char url[100], want[300], cert[100], path[PATH_MAX];
	int port;

	if (proc_find("openssl", path) < 0)
		unit_skip("openssl is not installed");
	start_tls(&server, &port, cert);
	snprintf(url, sizeof(url), "https://127.0.0.1:%d/", port);
	req.url = url;
	assert_int_equal(perform_when_up(h, &req, &reply, &e), -EKEYREJECTED);
	snprintf(want, sizeof(want),
		 "cannot verify '127.0.0.1:%d': SSL certificate problem: self-signed "
		 "certificate; check the clock, or name your certificates in "
		 "SSL_CERT_FILE",
		 port);
	unit_err(&e, -EKEYREJECTED, want);
	setenv("SSL_CERT_FILE", cert, 1);
	unit_ok(http_perform(h, &req, &reply, &e), &e);
	assert_int_equal(reply.status, 200);
	snprintf(url, sizeof(url), "https://localhost:%d/", port); /* another name */
	assert_int_equal(http_perform(h, &req, &reply, &e), -EKEYREJECTED);
	unsetenv("SSL_CERT_FILE");
	buf_done(&p.body);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "sends what was asked", sends_what_was_asked },
		{ "one connection for several requests",
		  one_connection_for_several_requests },
		{ "redirects keep headers at home", redirects_keep_headers_at_home },
		{ "redirects end", redirects_end },
		{ "redirects to elsewhere than HTTP",
		  redirects_to_elsewhere_than_http },
		{ "a body is not redirected", a_body_is_not_redirected },
		{ "aborts while waiting", aborts_while_waiting },
		{ "aborts when the other end is gone",
		  aborts_when_the_other_end_is_gone },
		{ "the proxy of the environment", the_proxy_of_the_environment },
		{ "TLS is verified", tls_is_verified },
	};
	const char *const proxies[] = { "http_proxy", "https_proxy",  "HTTPS_PROXY",
					"all_proxy",  "ALL_PROXY",    "no_proxy",
					"NO_PROXY",   "SSL_CERT_FILE" };

	for (size_t i = 0; i < ARRAY_SIZE(proxies); i++)
		unsetenv(proxies[i]);
	return unit_rows("http_perform", rows, test_answer) +
	       unit_rows("http methods", methods, test_method) +
	       unit_rows("http failures", urls, test_url) + unit_cases("http", cases);
}
