/* Theory of operation
 *
 * libcurl's multi interface with a single transfer: each turn of run() lets curl do
 * what it can without blocking, then looks at our own deadlines and at abort_fd, then
 * sleeps until a socket, abort_fd or the nearest deadline wakes it. So an abort is seen
 * at once, whatever curl waits for. A lookup that hangs in a resolver thread is left
 * behind (QUICK_EXIT) instead of joined.
 *
 * Redirects are followed here and not by curl, which would send our header fields to
 * any host that an answer names. */
#include "base/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "base/file.h"
#include "base/http_head.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum {
	HOPS = 10,
	HOST = 256,
	BUFFER = 256 << 10, /* one read of a download */
	NAP_MS = 1000,	    /* longest sleep; the clock is looked at after it */
	/* Before 7.85 there are no names for these (and 22.04 has 7.81); the newer
	 * options take strings, the older ones are marked as deprecated. */
	OPT_PROTOCOLS = CURLOPTTYPE_LONG + 181,
	OPT_CAINFO_BLOB = CURLOPTTYPE_BLOB + 309, /* since 7.77 */
	INFO_CAINFO = CURLINFO_STRING + 61,	  /* since 7.84 */
	CERTS = 4 << 20,			  /* of all that is trusted */
};

struct curl {
	__typeof__(&curl_global_init) global_init;
	__typeof__(&curl_global_cleanup) global_cleanup;
	__typeof__(&curl_easy_init) easy_init;
	__typeof__(&curl_easy_setopt) setopt;
	__typeof__(&curl_easy_getinfo) getinfo;
	__typeof__(&curl_easy_reset) easy_reset;
	__typeof__(&curl_easy_cleanup) easy_cleanup;
	__typeof__(&curl_easy_strerror) text;
	__typeof__(&curl_multi_init) multi_init;
	__typeof__(&curl_multi_add_handle) add;
	__typeof__(&curl_multi_remove_handle) remove;
	__typeof__(&curl_multi_perform) perform;
	__typeof__(&curl_multi_poll) poll;
	__typeof__(&curl_multi_info_read) info_read;
	__typeof__(&curl_multi_cleanup) multi_cleanup;
	__typeof__(&curl_slist_append) slist_append;
	__typeof__(&curl_slist_free_all) slist_free;
	__typeof__(&curl_url) url;
	__typeof__(&curl_url_set) url_set;
	__typeof__(&curl_url_get) url_get;
	__typeof__(&curl_url_cleanup) url_cleanup;
	__typeof__(&curl_free) free;
};

static const struct dl_symbol symbols[] = {
	DL_SYMBOL(struct curl, global_init, "curl_global_init"),
	DL_SYMBOL(struct curl, global_cleanup, "curl_global_cleanup"),
	DL_SYMBOL(struct curl, easy_init, "curl_easy_init"),
	DL_SYMBOL(struct curl, setopt, "curl_easy_setopt"),
	DL_SYMBOL(struct curl, getinfo, "curl_easy_getinfo"),
	DL_SYMBOL(struct curl, easy_reset, "curl_easy_reset"),
	DL_SYMBOL(struct curl, easy_cleanup, "curl_easy_cleanup"),
	DL_SYMBOL(struct curl, text, "curl_easy_strerror"),
	DL_SYMBOL(struct curl, multi_init, "curl_multi_init"),
	DL_SYMBOL(struct curl, add, "curl_multi_add_handle"),
	DL_SYMBOL(struct curl, remove, "curl_multi_remove_handle"),
	DL_SYMBOL(struct curl, perform, "curl_multi_perform"),
	DL_SYMBOL(struct curl, poll, "curl_multi_poll"),
	DL_SYMBOL(struct curl, info_read, "curl_multi_info_read"),
	DL_SYMBOL(struct curl, multi_cleanup, "curl_multi_cleanup"),
	DL_SYMBOL(struct curl, slist_append, "curl_slist_append"),
	DL_SYMBOL(struct curl, slist_free, "curl_slist_free_all"),
	DL_SYMBOL(struct curl, url, "curl_url"),
	DL_SYMBOL(struct curl, url_set, "curl_url_set"),
	DL_SYMBOL(struct curl, url_get, "curl_url_get"),
	DL_SYMBOL(struct curl, url_cleanup, "curl_url_cleanup"),
	DL_SYMBOL(struct curl, free, "curl_free"),
};

static const struct dl_library library = { "libcurl.so.4", "libcurl4", symbols,
					   ARRAY_SIZE(symbols) };

struct http {
	struct curl c;
	bool global;  /* curl_global_init() was done */
	CURLM *multi; /* owned */
	CURL *easy;   /* owned; keeps its connections between requests */
};

/* Where a request goes: taken from the URL for messages and redirects. */
struct target {
	char host[HOST]; /* escaped; with the port, if the URL has one */
	bool https;
};

/* One request, all its hops. */
struct exchange {
	struct http *h;			/* borrowed */
	const struct http_request *req; /* borrowed */
	struct http_head head;
	struct target to;	    /* of this hop */
	bool redirect;		    /* this hop's answer only points elsewhere */
	char range[32];		    /* "N-" */
	bool foreign;		    /* this hop goes to another host than the first */
	int code;		    /* what a callback returned */
	uint64_t start_ms, last_ms; /* the call; the last body bytes */
	bool has_byte;		    /* of the body; first_byte_ms is when */
	uint64_t first_byte_ms;
	uint64_t sent; /* of the file */
	char detail[CURL_ERROR_SIZE];
};

int http_new(struct http **ret, struct err *e)
{
	_cleanup_http_ struct http *h = calloc(1, sizeof(*h));
	int r;

	if (!h)
		return err_sys(e, -ENOMEM, "cannot start an HTTP client");
	r = dl_load(&library, &h->c, e);
	if (r < 0)
		return r;
	h->global = h->c.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
	if (h->global) {
		h->multi = h->c.multi_init();
		h->easy = h->c.easy_init();
	}
	if (!h->multi || !h->easy)
		return err_sys(e, -ENOMEM, "cannot start an HTTP client");
	*ret = take(&h, NULL);
	return 0;
}

void http_free(struct http **hp)
{
	struct http *h = take(hp, NULL);

	if (!h)
		return;
	if (h->easy)
		h->c.easy_cleanup(h->easy);
	if (h->multi)
		h->c.multi_cleanup(h->multi);
	if (h->global)
		h->c.global_cleanup();
	free(h);
}

/* ---- where to ------------------------------------------------------------ */

static bool url_part(struct http *h, CURLU *u, CURLUPart part, char *ret, size_t size)
{
	char *text = NULL;
	bool ok = !h->c.url_get(u, part, &text, 0);

	if (ok)
		text_escaped(ret, size, text, strlen(text));
	h->c.free(text);
	return ok;
}

static int read_target(struct http *h, const char *url, struct target *ret,
		       struct err *e)
{
	CURLU *u = h->c.url();
	char scheme[16] = "", host[HOST - 8], port[8];
	struct target t = { 0 };
	bool ok;

	if (!u)
		return err_sys(e, -ENOMEM, "cannot read a URL");
	ok = !h->c.url_set(u, CURLUPART_URL, url, 0) &&
	     url_part(h, u, CURLUPART_SCHEME, scheme, sizeof(scheme)) &&
	     url_part(h, u, CURLUPART_HOST, host, sizeof(host));
	if (ok) {
		bool has_port = url_part(h, u, CURLUPART_PORT, port, sizeof(port));

		snprintf(t.host, sizeof(t.host), "%s%s%s", host, has_port ? ":" : "",
			 has_port ? port : "");
	}
	h->c.url_cleanup(u);
	t.https = !strcmp(scheme, "https");
	if (!ok || (!t.https && strcmp(scheme, "http") != 0))
		return err_set(e, -EINVAL,
			       "bad URL; it must be http:// or https:// and a host");
	*ret = t;
	return 0;
}

/* ---- what curl calls ----------------------------------------------------- */

/* A body, or a method that changes something, must not go where an answer says. */
static bool follows(const struct http_request *r)
{
	return r->follow && !r->body && !r->file &&
	       (!r->method || !strcmp(r->method, "GET"));
}

/* Tells the caller about the head, once, when the answer is the final one. */
static int head_done(struct exchange *x)
{
	int s = x->head.reply.status;

	x->redirect = follows(x->req) && x->head.reply.location[0] &&
		      (s == 301 || s == 302 || s == 303 || s == 307 || s == 308);
	if (x->redirect || !x->req->on_head)
		return 0;
	return x->req->on_head(x->req->ctx, &x->head.reply);
}

static size_t on_header(char *line, size_t one, size_t len, void *ctx)
{
	struct exchange *x = ctx;
	bool before = x->head.done;

	http_head_line(&x->head, line, one * len);
	if (!before && x->head.done)
		x->code = head_done(x);
	return x->code < 0 ? 0 : one * len;
}

static size_t on_body(char *data, size_t one, size_t len, void *ctx)
{
	struct exchange *x = ctx;

	x->last_ms = sys_now_ms();
	if (x->redirect)
		return one * len;
	if (!x->has_byte)
		x->first_byte_ms = x->last_ms - x->start_ms;
	x->has_byte = true;
	if (x->req->on_data)
		x->code = x->req->on_data(x->req->ctx, data, one * len);
	return x->code < 0 ? 0 : one * len;
}

static size_t on_send(char *to, size_t one, size_t len, void *ctx)
{
	struct exchange *x = ctx;
	const struct http_file *f = x->req->file;
	size_t want = (size_t)MIN((uint64_t)(one * len), f->size - x->sent);
	ssize_t n = sys_pread(f->fd, to, want, (off_t)x->sent);

	if (n < 0 || (n == 0 && want))
		x->code = n < 0 ? (int)n : -EIO; /* it has become shorter */
	else if (f->tick)
		x->code = f->tick(f->ctx, (uint64_t)n);
	if (x->code < 0)
		return CURL_READFUNC_ABORT;
	x->sent += (uint64_t)n;
	x->last_ms = sys_now_ms();
	return (size_t)n;
}

/* ---- one hop ------------------------------------------------------------- */

/* The header fields of this hop; NULL when out of memory. */
static struct curl_slist *make_headers(const struct exchange *x)
{
	const struct curl *c = &x->h->c;
	struct curl_slist *list = c->slist_append(NULL, "Expect:"), *longer;
	const char *const *line = x->foreign ? NULL : x->req->headers;

	for (; list && line && *line; line++) {
		longer = c->slist_append(list, *line);
		if (!longer) {
			c->slist_free(list);
			return NULL;
		}
		list = longer;
	}
	return list;
}

static void set_method(struct exchange *x)
{
	const struct http_request *req = x->req;
	__typeof__(x->h->c.setopt) set = x->h->c.setopt;
	CURL *easy = x->h->easy;

	if (req->body || (req->method && !strcmp(req->method, "POST"))) {
		set(easy, CURLOPT_POST, 1L);
		set(easy, CURLOPT_POSTFIELDS, req->body ? req->body : "");
		set(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)req->body_len);
	}
	if (req->file) {
		set(easy, CURLOPT_UPLOAD, 1L);
		set(easy, CURLOPT_READFUNCTION, on_send);
		set(easy, CURLOPT_READDATA, x);
		set(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)req->file->size);
	}
	if (req->method && !strcmp(req->method, "HEAD"))
		set(easy, CURLOPT_NOBODY, 1L);
	else if (req->method)
		set(easy, CURLOPT_CUSTOMREQUEST, req->method);
}

/* A blob is instead of curl's file, which is put before it therefore. */
static void set_certs(struct exchange *x)
{
	const struct buf *own = x->foreign ? NULL : x->req->ca;
	_cleanup_buf_ struct buf all = BUF_INIT((size_t)CERTS);
	const char *path = getenv("SSL_CERT_FILE");
	struct curl_blob blob = { .flags = CURL_BLOB_COPY };

	if (path && *path)
		x->h->c.setopt(x->h->easy, CURLOPT_CAINFO, path);
	else
		x->h->c.getinfo(x->h->easy, (CURLINFO)INFO_CAINFO, &path);
	if (!own || !own->len)
		return;
	if (path && *path && file_read(AT_FDCWD, path, &all, ERR_IGNORED) == 0)
		(void)buf_adds(&all, "\n");
	(void)buf_add(&all, own->data, own->len);
	blob.data = buf_failed(&all) < 0 ? own->data : all.data;
	blob.len = buf_failed(&all) < 0 ? own->len : all.len;
	x->h->c.setopt(x->h->easy, (CURLoption)OPT_CAINFO_BLOB, &blob);
}

static void set_options(struct exchange *x, const char *url, struct curl_slist *headers)
{
	__typeof__(x->h->c.setopt) set = x->h->c.setopt;
	uint64_t connect_ms = x->req->connect_ms ? x->req->connect_ms : 15000;
	CURL *easy = x->h->easy;

	x->h->c.easy_reset(easy); /* keeps its connections */
	set(easy, CURLOPT_URL, url);
	set(easy, (CURLoption)OPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	set(easy, CURLOPT_HTTPHEADER, headers);
	set(easy, CURLOPT_USERAGENT, "cubby/" CUBBY_VERSION);
	set(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
	set(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	set(easy, CURLOPT_NOSIGNAL, 1L);
	set(easy, CURLOPT_QUICK_EXIT, 1L); /* before 7.87: an abort waits for DNS */
	set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	set(easy, CURLOPT_BUFFERSIZE, (long)BUFFER);
	set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	set(easy, CURLOPT_HEADERFUNCTION, on_header);
	set(easy, CURLOPT_HEADERDATA, x);
	set(easy, CURLOPT_WRITEFUNCTION, on_body);
	set(easy, CURLOPT_WRITEDATA, x);
	set(easy, CURLOPT_ERRORBUFFER, x->detail);
	set_certs(x);
	if (x->req->range_from)
		set(easy, CURLOPT_RANGE, x->range);
	set_method(x);
}

static bool is_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return fd >= 0 && sys_poll(&p, 1, 0) > 0;
}

/* When this wait is over, and what to say then. */
struct deadline {
	uint64_t at_ms;
	const char *what;
	uint64_t limit_ms;
};

static struct deadline next_deadline(const struct exchange *x)
{
	const struct http_request *q = x->req;
	struct deadline d = { x->start_ms, "sent nothing for",
			      q->first_byte_ms ? q->first_byte_ms : 600000 };

	if (x->sent) /* it answers when it has all of it */
		d.at_ms = x->last_ms;
	if (x->has_byte)
		d = (struct deadline){ x->last_ms, "sent nothing more for",
				       q->stall_ms ? q->stall_ms : 120000 };
	d.at_ms += MIN(d.limit_ms, UINT64_MAX - d.at_ms);
	if (q->total_ms && q->total_ms < d.at_ms - x->start_ms)
		d = (struct deadline){ x->start_ms + q->total_ms,
				       "did not finish within", q->total_ms };
	return d;
}

static int timed_out(const struct exchange *x, const struct deadline *d, struct err *e)
{
	return err_set(e, -ETIMEDOUT, "'%s' %s %s", x->to.host, d->what,
		       text_ms(d->limit_ms));
}

static int no_memory(const struct exchange *x, struct err *e)
{
	return err_sys(e, -ENOMEM, "request to '%s'", x->to.host);
}

static int canceled(const struct exchange *x, struct err *e)
{
	return err_set(e, -ECANCELED, "request to '%s' was interrupted", x->to.host);
}

/* Until curl has finished, well or not. */
static int run(struct exchange *x, struct err *e)
{
	struct http *h = x->h;
	const struct aside *aside = &x->req->aside;
	struct curl_waitfd extra[2] = { { .events = CURL_WAIT_POLLIN },
					{ .events = CURL_WAIT_POLLIN } };
	unsigned extras = 0;
	int running = 1;

	if (x->req->abort_fd >= 0)
		extra[extras++].fd = x->req->abort_fd;
	if (aside->ready && aside->fd >= 0)
		extra[extras++].fd = aside->fd;

	for (;;) {
		struct deadline d;
		uint64_t now;

		if (is_readable(x->req->abort_fd))
			return canceled(x, e);
		if (h->c.perform(h->multi, &running) != CURLM_OK)
			return no_memory(x, e);
		if (!running)
			return 0;
		d = next_deadline(x);
		now = sys_now_ms();
		if (now >= d.at_ms)
			return timed_out(x, &d, e);
		if (h->c.poll(h->multi, extra, extras,
			      (int)MIN(d.at_ms - now, (uint64_t)NAP_MS),
			      NULL) != CURLM_OK)
			return no_memory(x, e);
		if (aside->ready && is_readable(aside->fd))
			aside->ready(aside->ctx);
	}
}

static CURLcode result_of(struct http *h)
{
	CURLMsg *m;
	int left;

	while ((m = h->c.info_read(h->multi, &left)))
		if (m->msg == CURLMSG_DONE)
			return m->data.result;
	return CURLE_OK;
}

/* What curl's codes mean here; any other one is -EPROTO. The text is "before
 * 'host'after: detail; hint". */
static const struct failure {
	CURLcode curl;
	int code;
	const char *before, *after;
	const char *hint; /* may be NULL */
} failures[] = {
	{ CURLE_COULDNT_RESOLVE_HOST, -EHOSTUNREACH, "cannot find host", "",
	  "check the name and the network" },
	{ CURLE_COULDNT_RESOLVE_PROXY, -EHOSTUNREACH, "cannot find the proxy for", "",
	  "check https_proxy" },
	{ CURLE_COULDNT_CONNECT, -ECONNREFUSED, "cannot connect to", "",
	  "check that it runs, and the network" },
	{ CURLE_OPERATION_TIMEDOUT, -ETIMEDOUT, "cannot connect to", " in time",
	  "check the network" }, /* we set no other time limit in curl */
	{ CURLE_PEER_FAILED_VERIFICATION, -EKEYREJECTED, "cannot verify", "",
	  "check the clock, or name your certificates in SSL_CERT_FILE" },
	{ CURLE_SSL_ISSUER_ERROR, -EKEYREJECTED, "cannot verify", "", NULL },
	{ CURLE_SSL_INVALIDCERTSTATUS, -EKEYREJECTED, "cannot verify", "", NULL },
	{ CURLE_SSL_CACERT_BADFILE, -ENOKEY, "cannot verify", "",
	  "install ca-certificates, or correct SSL_CERT_FILE" },
	{ CURLE_SEND_ERROR, -ECONNRESET, "connection to", " was cut off", NULL },
	/* curl would send a file again by itself, and to the same place */
	{ CURLE_SEND_FAIL_REWIND, -ECONNRESET, "connection to", " was cut off", NULL },
	{ CURLE_RECV_ERROR, -ECONNRESET, "connection to", " was cut off", NULL },
	{ CURLE_PARTIAL_FILE, -ECONNRESET, "connection to", " was cut off", NULL },
	{ CURLE_GOT_NOTHING, -ECONNRESET, "connection to", " was cut off", NULL },
	{ CURLE_HTTP2, -ECONNRESET, "connection to", " was cut off", NULL },
	{ CURLE_HTTP2_STREAM, -ECONNRESET, "connection to", " was cut off", NULL },
	{ CURLE_OUT_OF_MEMORY, -ENOMEM, "request to", " failed", NULL },
};

/* Why, in the kernel's words if it was a system call, else in curl's. */
static const char *detail(struct exchange *x, CURLcode code)
{
	const char *text = NULL;
	long os = 0;

	if (code == CURLE_COULDNT_CONNECT)
		x->h->c.getinfo(x->h->easy, CURLINFO_OS_ERRNO, &os);
	if (os > 0)
		text = strerrordesc_np((int)os);
	if (strstr(x->detail,
		   "chunk")) /* "… hexadecimal sequence in chunked-encoding" */
		text = "the answer breaks HTTP's rules (in its chunks)";
	if (!text && x->detail[0])
		text = x->detail;
	return text ? text : x->h->c.text(code);
}

static int failed(struct exchange *x, CURLcode code, struct err *e)
{
	struct failure f = { code, -EPROTO, "request to", " failed", NULL };
	char why[CURL_ERROR_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(failures); i++)
		if (failures[i].curl == code)
			f = failures[i];
	text_escaped(why, sizeof(why), detail(x, code), strlen(detail(x, code)));
	if (code == CURLE_COULDNT_RESOLVE_HOST) /* curl would only say it again */
		err_set(e, f.code, "%s '%s'", f.before, x->to.host);
	else
		err_set(e, f.code, "%s '%s'%s: %s", f.before, x->to.host, f.after, why);
	return f.hint ? err_hint(e, "%s", f.hint) : f.code;
}

static int hop(struct exchange *x, const char *url, struct err *e)
{
	struct http *h = x->h;
	struct curl_slist *headers = make_headers(x);
	int r;

	if (!headers)
		return no_memory(x, e);
	x->head = HTTP_HEAD_INIT;
	x->redirect = false;
	set_options(x, url, headers);
	r = h->c.add(h->multi, h->easy) == CURLM_OK ? run(x, e) : no_memory(x, e);
	if (!r) {
		CURLcode code = result_of(h);

		if (x->code < 0)
			r = err_sys(e, x->code, "answer of '%s'", x->to.host);
		else if (code != CURLE_OK)
			r = failed(x, code, e);
	}
	h->c.remove(h->multi, h->easy);
	h->c.slist_free(headers);
	return r;
}

/* ---- the whole request --------------------------------------------------- */

/* The absolute URL that the answer points at; owned by the caller. */
static int next_url(struct exchange *x, char **ret, struct err *e)
{
	char *url = NULL;

	x->h->c.getinfo(x->h->easy, CURLINFO_REDIRECT_URL, &url);
	if (!url)
		return err_set(e, -EPROTO, "'%s' redirects to nowhere", x->to.host);
	*ret = strdup(url); /* curl's own is gone with the next option */
	return *ret ? 0 : no_memory(x, e);
}

static int follow(struct exchange *x, const struct target *first, char **url,
		  struct err *e)
{
	_cleanup_free_ char *next = NULL;
	struct target from = x->to;
	int r = next_url(x, &next, e);

	if (r >= 0)
		r = read_target(x->h, next, &x->to, e);
	if (r < 0)
		return err_wrap(e, "redirect of '%s'", from.host);
	if (from.https && !x->to.https)
		return err_set(e, -EPROTO, "'%s' redirects from https to http",
			       from.host);
	x->foreign = x->foreign || first->https != x->to.https ||
		     strcmp(first->host, x->to.host) != 0;
	free(*url);
	*url = take(&next, NULL);
	return 0;
}

static int exchange_run(struct exchange *x, struct err *e)
{
	_cleanup_free_ char *url = strdup(x->req->url);
	struct target first;
	int r = url ? read_target(x->h, url, &first, e)
		    : err_sys(e, -ENOMEM, "cannot read a URL");

	if (r < 0)
		return r;
	x->to = first;
	for (int hops = 0;; hops++) {
		r = hop(x, url, e);
		if (r < 0 || !x->redirect)
			return r;
		if (hops == HOPS)
			return err_set(e, -EPROTO, "'%s' redirects too often",
				       x->to.host);
		r = follow(x, &first, &url, e);
		if (r < 0)
			return r;
	}
}

int http_perform(struct http *h, const struct http_request *req, struct http_reply *ret,
		 struct err *e)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	struct exchange x = { .h = h, .req = req, .head = HTTP_HEAD_INIT };
	int r;

	x.start_ms = sys_now_ms();
	snprintf(x.range, sizeof(x.range), "%llu-",
		 (unsigned long long)req->range_from);
	/* With NOSIGNAL a peer that closes may still kill us by the TLS library. */
	(void)sys_sigaction(SIGPIPE, &ignore, &old);
	r = exchange_run(&x, e);
	(void)sys_sigaction(SIGPIPE, &old, NULL);
	x.head.reply.first_byte_ms = x.first_byte_ms;
	x.head.reply.total_ms = sys_now_ms() - x.start_ms;
	*ret = x.head.reply;
	return r;
}
