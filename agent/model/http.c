/* One attempt over HTTP. Status and content type are looked at before anything is
 * parsed: what does not look like an answer of a model is an error with the server's
 * own words, never an empty answer. */
#include <errno.h>
#include <string.h>

#include "agent/model/impl.h"
#include "agent/wire/error.h"
#include "base/http.h"
#include "base/text.h"

enum body_kind { BODY_STREAM, BODY_JSON, BODY_ERROR };

struct attempt {
	const struct model *m;
	struct answer *answer; /* owned */
	enum body_kind kind;
	struct buf body; /* owned; of a reply that is no stream */
	int status;
	struct err e; /* why the assembler ended the request */
};

static void attempt_done(struct attempt *a)
{
	answer_free(&a->answer);
	buf_done(&a->body);
}

static int on_head(void *ctx, const struct http_reply *reply)
{
	struct attempt *a = ctx;

	a->status = reply->status;
	a->kind = BODY_STREAM;
	if (reply->status < 200 || reply->status > 299 ||
	    text_starts(reply->content_type, "text/html"))
		a->kind = BODY_ERROR;
	else if (text_starts(reply->content_type, "application/json"))
		a->kind = BODY_JSON;
	a->body.max = a->kind == BODY_ERROR ? MODEL_ERROR_MAX : MODEL_REPLY_MAX;
	return 0;
}

static int on_data(void *ctx, const void *data, size_t len)
{
	struct attempt *a = ctx;
	int r;

	if (a->kind == BODY_STREAM)
		return answer_feed(a->answer, data, len, &a->e);
	if (a->kind == BODY_ERROR) /* as much of it as may be shown */
		len = MIN(len, a->body.max - a->body.len);
	r = len ? buf_add(&a->body, data, len) : 0;
	return r < 0 ? err_sys(&a->e, r, "cannot keep the answer") : 0;
}

/* ---- what goes out ---- */

static int split_headers(const struct model *m, char *lines, const char **ret)
{
	size_t n = 0;

	for (char *line = lines; line && *line;) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = '\0';
		if (n == MODEL_HEADERS_MAX)
			return -E2BIG;
		ret[n++] = line;
		line = end;
	}
	for (const char *const *h = m->conf.headers; h && *h; h++) {
		if (n == MODEL_HEADERS_MAX)
			return -E2BIG;
		ret[n++] = *h;
	}
	ret[n] = NULL;
	return 0;
}

static int build_headers(const struct model *m, const char *accept, struct buf *lines,
			 const char **ret, struct err *e)
{
	int r = buf_addf(lines, "Content-Type: application/json\nAccept: %s\n", accept) ?:
		m->wire->headers(&m->to, lines) ?:
		split_headers(m, lines->data, ret);

	return r < 0 ? err_sys(e, r, "cannot build the request's headers") : 0;
}

/* ---- what came back ---- */

static void copy_headers(const struct http_reply *reply, struct retry_cause *why)
{
	text_copy(why->retry_after, sizeof(why->retry_after), reply->retry_after);
	text_copy(why->retry_after_ms, sizeof(why->retry_after_ms),
		  reply->retry_after_ms);
	text_copy(why->should_retry, sizeof(why->should_retry), reply->should_retry);
}

/* Some servers quote the key that they did not like. */
static void hide_key(const struct model *m, char *text)
{
	size_t n = m->conf.key ? strlen(m->conf.key) : 0;

	for (char *p = n ? strstr(text, m->conf.key) : NULL; p;
	     p = strstr(p, m->conf.key))
		memset(p, '*', n);
}

static int say_status(const struct model *m, const struct retry_cause *why,
		      struct err *e)
{
	const char *var = m->conf.key_var ? m->conf.key_var : m->provider->key_var;
	const char *colon = *why->text ? ": " : "";

	err_set(e, -EREMOTEIO, "the model service at %s answered %d%s%s", m->url,
		why->status, colon, why->text);
	if (why->status == 401 || why->status == 403)
		err_hint(e, var ? "check the key in %s" : "it wants a key%s",
			 var ? var : "");
	else if (why->status == 404)
		err_hint(e, "check the URL and the model's name '%s'", m->name);
	return -EREMOTEIO;
}

static int failed_status(struct attempt *a, struct retry_cause *why, struct err *e)
{
	why->status = a->status;
	wire_error_body(buf_cstr(&a->body), a->body.len, why);
	hide_key(a->m, why->text);
	hide_key(a->m, why->code);
	if (a->status >= 200 && a->status <= 299) {
		why->transport = -EPROTONOSUPPORT;
		return err_set(
			e, -EPROTONOSUPPORT,
			"%s answered with a web page ('%s'), not as a model service",
			a->m->url, why->text);
	}
	return say_status(a->m, why, e);
}

/* Content type application/json: one value, or a stream by a server that says so. */
static int read_json(struct attempt *a, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	const char *p = buf_cstr(&a->body);
	int r;

	p += strspn(p, " \t\r\n");
	if (*p != '{' && *p != '[')
		return answer_feed(a->answer, a->body.data, a->body.len, e);
	r = json_parse_pieces(a->body.data, a->body.len, &j, e);
	if (r == -EINVAL && strchr(p, '\n')) /* one value a line */
		return answer_feed(a->answer, a->body.data, a->body.len, e);
	if (r < 0)
		return err_set(e, r == -EINVAL ? -EPROTO : r,
			       "the answer is broken: %s", e->msg);
	return answer_whole(a->answer, j, e);
}

/* The assembler's own failures: the server's words in mid-stream, or nonsense. */
static int failed_answer(struct attempt *a, int r, struct retry_cause *why,
			 struct err *e)
{
	const struct retry_cause *said = answer_cause(a->answer);

	why->transport = r;
	if (r == -EREMOTEIO) {
		text_copy(why->code, sizeof(why->code), said->code);
		text_copy(why->text, sizeof(why->text), said->text);
		hide_key(a->m, why->text);
		why->status = said->status;
		why->n_ctx = said->n_ctx;
		why->in_stream = true;
		err_set(e, r, "%s", why->text);
	}
	return err_wrap(e, "the model service at %s", a->m->url);
}

static int read_answer(struct attempt *a, uint64_t *seed, struct turn *ret,
		       struct retry_cause *why, struct err *e)
{
	int r = 0;

	if (a->kind == BODY_ERROR)
		return failed_status(a, why, e);
	if (a->kind == BODY_JSON)
		r = read_json(a, e);
	if (r == 0)
		r = answer_end(a->answer, seed, ret, e);
	return r < 0 ? failed_answer(a, r, why, e) : 0;
}

static int failed_transport(struct attempt *a, int r, struct retry_cause *why,
			    struct err *e)
{
	if (a->e.code) { /* the assembler ended it */
		*e = a->e;
		return failed_answer(a, r, why, e);
	}
	why->transport = r;
	/* A cut error body still says what the status was. */
	if (a->kind == BODY_ERROR && a->status >= 300)
		return why->transport = 0, failed_status(a, why, e);
	return err_wrap(e, "the model service at %s", a->m->url);
}

/* ---- questions beside the task ---- */

enum { PATIENCE_MS = 5000, ANSWER_MAX = 8 << 20 };

static int append(void *ctx, const void *data, size_t len)
{
	return buf_add(ctx, data, len);
}

int model_http_json(struct model *m, const char *url, const char *body,
		    struct json **ret, struct err *e)
{
	_cleanup_buf_ struct buf lines = BUF_INIT(64 << 10),
				 answer = BUF_INIT(ANSWER_MAX);
	const char *headers[MODEL_HEADERS_MAX + 1];
	struct http_request req = { .url = url,
				    .headers = headers,
				    .body = body,
				    .body_len = body ? strlen(body) : 0,
				    .connect_ms = PATIENCE_MS,
				    .total_ms = PATIENCE_MS,
				    .abort_fd = m->conf.abort_fd,
				    .on_data = append,
				    .ctx = &answer };
	struct http_reply reply = { 0 };
	int r = m->http ? 0 : http_new(&m->http, e);

	if (r < 0)
		return r;
	r = build_headers(m, "application/json", &lines, headers, e);
	if (r < 0)
		return r;
	r = http_perform(m->http, &req, &reply, e);
	if (r < 0)
		return r;
	if (reply.status != 200)
		return err_set(e, -ENOENT, "%s answered %d", url, reply.status);
	return json_parse(buf_cstr(&answer), answer.len, ret, e);
}

static int send_request(struct attempt *a, const struct model_request *what,
			const char *url, const struct buf *body,
			struct http_reply *reply, struct err *e)
{
	_cleanup_buf_ struct buf lines = BUF_INIT(64 << 10);
	const char *headers[MODEL_HEADERS_MAX + 1];
	const struct model_conf *c = &a->m->conf;
	struct http_request req = { .method = "POST",
				    .url = url,
				    .headers = headers,
				    .body = body->data,
				    .body_len = body->len,
				    .connect_ms = c->connect_ms,
				    .first_byte_ms = c->first_byte_ms,
				    .stall_ms = c->stall_ms,
				    .total_ms = what->total_ms,
				    .abort_fd = c->abort_fd,
				    .aside = what->aside,
				    .on_head = on_head,
				    .on_data = on_data,
				    .ctx = a };
	int r = build_headers(a->m, a->m->wire->accept, &lines, headers, e);

	return r < 0 ? r : http_perform(a->m->http, &req, reply, e);
}

static int prepare(struct model *m, const struct model_request *req, struct attempt *a,
		   struct buf *url, struct buf *body, struct err *e)
{
	int r = m->http ? 0 : http_new(&m->http, e);

	if (r == 0 && !req->body)
		r = m->wire->body(&m->to, &req->what, body, e);
	if (r < 0)
		return r;
	r = m->wire->url(&m->to, url);
	a->answer = answer_new(m->wire->answer, &req->sink);
	if (r < 0 || !a->answer)
		return err_sys(e, r < 0 ? r : -ENOMEM, "cannot prepare the request");
	return 0;
}

int model_http_ask(struct model *m, const struct model_request *req, struct turn *ret,
		   struct retry_cause *why, struct err *e)
{
	_cleanup_(attempt_done) struct attempt a = { .m = m, .body = BUF_INIT(1) };
	_cleanup_buf_ struct buf url = BUF_INIT(8192), body = BUF_INIT(WIRE_BODY_MAX);
	struct http_reply reply = { 0 };
	int r = prepare(m, req, &a, &url, &body, e);

	if (r < 0) {
		why->transport = r;
		retry_judge(why);
		return r;
	}
	r = send_request(&a, req, buf_cstr(&url), req->body ? req->body : &body, &reply,
			 e);
	if (r < 0)
		r = failed_transport(&a, r, why, e);
	else
		r = read_answer(&a, &m->seed, ret, why, e);
	copy_headers(&reply, why);
	retry_judge(why);
	if (r < 0)
		return r;
	text_copy(ret->request_id, sizeof(ret->request_id), reply.request_id);
	ret->first_byte_ms = reply.first_byte_ms;
	ret->total_ms = reply.total_ms;
	return 0;
}
