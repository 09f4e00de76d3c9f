/* Theory of operation
 *
 * libnghttp2 reads and writes frames, and looks at what RFC 9113 says of their order; it is
 * given bytes and gives bytes, and calls back for each part of a request.
 *
 * What a client may cost does not depend on the library's own bounds, which differ between
 * its versions. Each frame that brings nothing forward takes credit: a ping, settings, a
 * window, a priority, an empty piece of a body, a part of a head; a reset takes ten times as
 * much, since a request was begun for nothing. Credit comes back with time, with each answer
 * that was sent and with each large piece of one, which is what makes honest clients send
 * windows. Whoever has none left is told so (ENHANCE_YOUR_CALM) and ended. A head may
 * have a few parts, whatever credit there is. */
#include "base/h2.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"

#if __has_include(<nghttp2/nghttp2.h>)
#include <nghttp2/nghttp2.h>

enum {
	CREDIT_MAX = 1000,
	CREDIT_PER_S = 100,
	COST_RESET = 10,
	COST_FLOOD = 200, /* a head that grows by its own references */
	EARN_ANSWER = 2,  /* more than its request and a window cost */
	LARGE = 1024,	  /* a piece of an answer that earns */
	SMALL = 64,	  /* a piece of a body that costs */
	PARTS = 8,	  /* of a head, besides the first */
	ACKS = 64,
	SETTINGS_MAX = 32,
	NO_PRIORITIES =
		9 /* a setting; RFC 9218, 2.1: older headers have no name for it */
};

/* clang-format off */
#define FUNCTIONS(X) \
	X(nghttp2_session_callbacks_new) X(nghttp2_session_callbacks_del) \
	X(nghttp2_session_callbacks_set_on_header_callback) \
	X(nghttp2_session_callbacks_set_on_frame_recv_callback) \
	X(nghttp2_session_callbacks_set_on_data_chunk_recv_callback) \
	X(nghttp2_session_callbacks_set_on_frame_send_callback) \
	X(nghttp2_session_callbacks_set_on_stream_close_callback) \
	X(nghttp2_option_new) X(nghttp2_option_del) \
	X(nghttp2_option_set_no_auto_window_update) X(nghttp2_option_set_no_closed_streams) \
	X(nghttp2_option_set_max_outbound_ack) X(nghttp2_option_set_max_settings) \
	X(nghttp2_session_server_new2) X(nghttp2_session_del) \
	X(nghttp2_session_mem_recv) X(nghttp2_session_mem_send) \
	X(nghttp2_session_want_read) X(nghttp2_session_want_write) \
	X(nghttp2_session_terminate_session) X(nghttp2_session_consume) \
	X(nghttp2_session_consume_connection) X(nghttp2_session_resume_data) \
	X(nghttp2_session_get_last_proc_stream_id) \
	X(nghttp2_session_set_local_window_size) \
	X(nghttp2_submit_settings) X(nghttp2_submit_response) X(nghttp2_submit_headers) \
	X(nghttp2_submit_rst_stream) X(nghttp2_submit_goaway)
/* clang-format on */

struct lib {
	FUNCTIONS(DL_MEMBER)
};

static const struct dl_symbol symbols[] = { FUNCTIONS(DL_ROW) };
static const struct dl_library library = { "libnghttp2.so.14", "libnghttp2-14", symbols,
					   ARRAY_SIZE(symbols) };

struct h2_lib {
	struct lib f;
};

struct h2 {
	const struct lib *lib;	      /* borrowed */
	nghttp2_session *session;     /* owned */
	const struct h2_hooks *hooks; /* borrowed */
	void *ctx;
	int credit;
	unsigned char start[9]; /* of the frame that comes */
	unsigned have, parts;	/* of it; of the head that comes */
	bool last_part;		/* of that head, comes */
	uint32_t left;		/* of the frame, or of the connection's first bytes */
	uint64_t now_ms, earned_ms, head_since_ms;
};

int h2_load(struct h2_lib **ret, struct err *e)
{
	struct h2_lib *l = calloc(1, sizeof(*l));
	int r = l ? dl_load(&library, &l->f, e) : err_sys(e, -ENOMEM, "cannot load it");

	if (r < 0) {
		free(l);
		return r;
	}
	*ret = l;
	return 0;
}

void h2_unload(struct h2_lib **lp)
{
	free(take(lp, NULL));
}

/* ---- what it costs --------------------------------------------------------------- */

static void earn(struct h2 *h, int n)
{
	h->credit = MIN(h->credit + n, (int)CREDIT_MAX);
}

static void earn_by_time(struct h2 *h, uint64_t now_ms)
{
	uint64_t n = (now_ms - h->earned_ms) * CREDIT_PER_S / 1000;

	h->now_ms = now_ms;
	if (!n)
		return;
	earn(h, (int)MIN(n, (uint64_t)CREDIT_MAX));
	h->earned_ms = now_ms;
}

static int cost_of(const unsigned char *f)
{
	unsigned length = (unsigned)f[0] << 16 | (unsigned)f[1] << 8 | f[2];

	switch (f[3]) {
	case NGHTTP2_DATA:
		return length < SMALL && !(f[4] & NGHTTP2_FLAG_END_STREAM);
	case NGHTTP2_RST_STREAM:
		return COST_RESET;
	default:
		return 1;
	}
}

/* RFC 9113, 4.1: length, type, flags, stream. */
static void charge(struct h2 *h, const unsigned char *f)
{
	h->credit -= cost_of(f);
	h->left = (unsigned)f[0] << 16 | (unsigned)f[1] << 8 | f[2];
	if (f[3] == NGHTTP2_HEADERS)
		h->parts = 0;
	else if (f[3] == NGHTTP2_CONTINUATION)
		h->parts++;
	else
		return;
	h->last_part = f[4] & NGHTTP2_FLAG_END_HEADERS;
	if (!h->head_since_ms)
		h->head_since_ms = h->now_ms;
}

/* A head has ended when its last part is here, not when that was announced. */
static void end_head(struct h2 *h)
{
	if (!h->last_part || h->left)
		return;
	h->last_part = false;
	h->head_since_ms = 0;
}

/* The library does not tell of every frame: they are counted as they come. */
static bool can_pay(struct h2 *h, const unsigned char *data, size_t len)
{
	for (size_t at = 0; at < len && h->credit >= 0;) {
		size_t n = MIN(len - at, h->left);

		at += n;
		h->left -= (uint32_t)n;
		end_head(h);
		while (!h->left && at < len && h->have < sizeof(h->start))
			h->start[h->have++] = data[at++];
		if (h->have < sizeof(h->start))
			continue;
		h->have = 0;
		charge(h, h->start);
		end_head(h);
	}
	return h->credit >= 0 && h->parts <= PARTS;
}

static int on_sent(nghttp2_session *, const nghttp2_frame *f, void *ctx)
{
	struct h2 *h = ctx;

	if ((f->hd.flags & NGHTTP2_FLAG_END_STREAM &&
	     (f->hd.type == NGHTTP2_DATA || f->hd.type == NGHTTP2_HEADERS)) ||
	    (f->hd.type == NGHTTP2_DATA && f->hd.length >= LARGE))
		earn(h, EARN_ANSWER);
	return 0;
}

void h2_reset(struct h2 *h, int32_t id, enum h2_code code)
{
	(void)h->lib->nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, id,
						(uint32_t)code);
}

/* ---- what comes ------------------------------------------------------------------ */

static bool is_request(const nghttp2_frame *f)
{
	return f->hd.type == NGHTTP2_HEADERS && f->headers.cat == NGHTTP2_HCAT_REQUEST;
}

/* NOLINTNEXTLINE(readability-function-size): the library's type */
static int on_field(nghttp2_session *, const nghttp2_frame *f, const uint8_t *name,
		    size_t name_len, const uint8_t *value, size_t value_len, uint8_t,
		    void *ctx)
{
	struct h2 *h = ctx;
	const struct h2_field field = { { (const char *)name, name_len },
					{ (const char *)value, value_len } };

	if (!is_request(f)) /* nobody reads trailers */
		return 0;
	if (h->hooks->field(h->ctx, f->hd.stream_id, &field))
		return 0;
	h->credit -= COST_FLOOD;
	h2_reset(h, f->hd.stream_id, H2_TOO_MUCH);
	return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* the rest is not looked at */
}

static int on_whole_frame(nghttp2_session *, const nghttp2_frame *f, void *ctx)
{
	struct h2 *h = ctx;
	bool last = f->hd.flags & NGHTTP2_FLAG_END_STREAM;

	if (is_request(f))
		h->hooks->head_end(h->ctx, f->hd.stream_id, last);
	else if (last && (f->hd.type == NGHTTP2_DATA || f->hd.type == NGHTTP2_HEADERS))
		h->hooks->end(h->ctx, f->hd.stream_id);
	return 0;
}

static int on_body(nghttp2_session *, uint8_t, int32_t id, const uint8_t *data,
		   size_t len, void *ctx)
{
	struct h2 *h = ctx;

	h->hooks->body(h->ctx, id, (const char *)data, len);
	return 0;
}

static int on_close(nghttp2_session *, int32_t id, uint32_t, void *ctx)
{
	struct h2 *h = ctx;

	h->hooks->closed(h->ctx, id);
	return 0;
}

/* NOLINTNEXTLINE(readability-function-size): the library's type */
static ssize_t on_answer(nghttp2_session *, int32_t id, uint8_t *data, size_t len,
			 uint32_t *flags, nghttp2_data_source *, void *ctx)
{
	struct h2 *h = ctx;
	bool last = false;
	ssize_t n = h->hooks->answer(h->ctx, id, (char *)data, len, &last);

	if (n == -EAGAIN)
		return NGHTTP2_ERR_DEFERRED;
	if (n < 0)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* a reset */
	if (last)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return n;
}

/* ---- a connection ---------------------------------------------------------------- */

void h2_free(struct h2 **hp)
{
	static const struct h2_hooks nobody = { 0 };
	struct h2 *h = take(hp, NULL);

	if (!h)
		return;
	h->hooks = &nobody;
	if (h->session)
		h->lib->nghttp2_session_del(h->session);
	free(h);
}

static int say_hello(struct h2 *h)
{
	static const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, H2_STREAMS },
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, H2_WINDOW },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, H2_FIELDS_MAX },
		{ NO_PRIORITIES, 1 },
	};

	return h->lib->nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, settings,
					       ARRAY_SIZE(settings))
		       ?: h->lib->nghttp2_session_set_local_window_size(
				  h->session, NGHTTP2_FLAG_NONE, 0, H2_WINDOW_ALL);
}

static int set_up(struct h2 *h, nghttp2_session_callbacks *c, nghttp2_option *o)
{
	const struct lib *l = h->lib;

	l->nghttp2_session_callbacks_set_on_header_callback(c, on_field);
	l->nghttp2_session_callbacks_set_on_frame_recv_callback(c, on_whole_frame);
	l->nghttp2_session_callbacks_set_on_data_chunk_recv_callback(c, on_body);
	l->nghttp2_session_callbacks_set_on_frame_send_callback(c, on_sent);
	l->nghttp2_session_callbacks_set_on_stream_close_callback(c, on_close);
	l->nghttp2_option_set_no_auto_window_update(o, 1);
	l->nghttp2_option_set_no_closed_streams(o, 1);
	l->nghttp2_option_set_max_outbound_ack(o, ACKS);
	l->nghttp2_option_set_max_settings(o, SETTINGS_MAX);
	return l->nghttp2_session_server_new2(&h->session, c, h, o) ?: say_hello(h);
}

struct h2 *h2_new(const struct h2_lib *lib, const struct h2_hooks *hooks, void *ctx)
{
	_cleanup_(h2_free) struct h2 *h = calloc(1, sizeof(*h));
	nghttp2_session_callbacks *c = NULL;
	nghttp2_option *o = NULL;
	int r = -1;

	if (!h)
		return NULL;
	*h = (struct h2){ .lib = &lib->f,
			  .hooks = hooks,
			  .ctx = ctx,
			  .credit = CREDIT_MAX,
			  .left = NGHTTP2_CLIENT_MAGIC_LEN };
	if (h->lib->nghttp2_session_callbacks_new(&c) == 0 &&
	    h->lib->nghttp2_option_new(&o) == 0)
		r = set_up(h, c, o);
	h->lib->nghttp2_option_del(o);
	h->lib->nghttp2_session_callbacks_del(c);
	return r == 0 ? take(&h, NULL) : NULL;
}

int h2_recv(struct h2 *h, const void *data, size_t len, uint64_t now_ms)
{
	bool spent;

	earn_by_time(h, now_ms);
	spent = !can_pay(h, data, len);
	if (!spent && h->lib->nghttp2_session_mem_recv(h->session, data, len) >= 0)
		return 0;
	(void)h->lib->nghttp2_session_terminate_session(
		h->session, spent ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR);
	return -EPROTO;
}

int h2_send(struct h2 *h, struct buf *out, size_t most)
{
	while (out->len < most) {
		const uint8_t *data;
		ssize_t n = h->lib->nghttp2_session_mem_send(h->session, &data);

		if (n <= 0)
			return n < 0 ? -EPROTO : 0;
		if (buf_add(out, data, (size_t)n) < 0)
			return -ENOMEM;
	}
	return 0;
}

bool h2_over(const struct h2 *h)
{
	return !h->lib->nghttp2_session_want_read(h->session) &&
	       !h->lib->nghttp2_session_want_write(h->session);
}

uint64_t h2_head_since(const struct h2 *h)
{
	return h->head_since_ms;
}

void h2_answer(struct h2 *h, int32_t id, int status, const struct h2_field *fields,
	       size_t n, bool body)
{
	const nghttp2_data_provider from = { .read_callback = on_answer };
	nghttp2_nv list[H2_ANSWER_FIELDS + 1];
	char text[4] = { (char)('0' + status / 100 % 10),
			 (char)('0' + status / 10 % 10), (char)('0' + status % 10),
			 '\0' };
	int r;

	n = MIN(n, (size_t)H2_ANSWER_FIELDS);
	list[0] = (nghttp2_nv){ (uint8_t *)(uintptr_t) ":status", (uint8_t *)text, 7, 3,
				NGHTTP2_NV_FLAG_NONE };
	for (size_t i = 0; i < n; i++)
		list[i + 1] = (nghttp2_nv){ (uint8_t *)(uintptr_t)fields[i].name.s,
					    (uint8_t *)(uintptr_t)fields[i].value.s,
					    fields[i].name.len, fields[i].value.len,
					    NGHTTP2_NV_FLAG_NONE };
	if (status < 200)
		r = h->lib->nghttp2_submit_headers(h->session, NGHTTP2_FLAG_NONE, id,
						   NULL, list, n + 1, NULL);
	else
		r = h->lib->nghttp2_submit_response(h->session, id, list, n + 1,
						    body ? &from : NULL);
	if (r < 0)
		h2_reset(h, id, H2_BROKEN);
}

void h2_more(struct h2 *h, int32_t id)
{
	(void)h->lib->nghttp2_session_resume_data(h->session, id);
}

void h2_took(struct h2 *h, int32_t id, size_t len)
{
	(void)(id ? h->lib->nghttp2_session_consume(h->session, id, len)
		  : h->lib->nghttp2_session_consume_connection(h->session, len));
}

void h2_goodbye(struct h2 *h)
{
	(void)h->lib->nghttp2_submit_goaway(
		h->session, NGHTTP2_FLAG_NONE,
		h->lib->nghttp2_session_get_last_proc_stream_id(h->session),
		NGHTTP2_NO_ERROR, NULL, 0);
}

#else /* built without the library's header: there is no connection to be made */

int h2_load(struct h2_lib **ret, struct err *e)
{
	*ret = NULL;
	return err_set(e, -ENOPKG, "this cubby was built without libnghttp2-dev");
}

void h2_unload(struct h2_lib **lp)
{
	*lp = NULL;
}

struct h2 *h2_new(const struct h2_lib *, const struct h2_hooks *, void *)
{
	return NULL;
}

void h2_free(struct h2 **hp)
{
	*hp = NULL;
}

int h2_recv(struct h2 *, const void *, size_t, uint64_t)
{
	return -EPROTO;
}

int h2_send(struct h2 *, struct buf *, size_t)
{
	return -EPROTO;
}

bool h2_over(const struct h2 *)
{
	return true;
}

uint64_t h2_head_since(const struct h2 *)
{
	return 0;
}

void h2_answer(struct h2 *, int32_t, int, const struct h2_field *, size_t, bool)
{
}

void h2_more(struct h2 *, int32_t)
{
}

void h2_took(struct h2 *, int32_t, size_t)
{
}

void h2_reset(struct h2 *, int32_t, enum h2_code)
{
}

void h2_goodbye(struct h2 *)
{
}

#endif
