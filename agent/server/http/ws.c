#include "agent/server/http/ws.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/sha1.h"
#include "base/text.h"

enum { LITTLE = 64 << 10 };

void ws_init(struct ws *w)
{
	*w = (struct ws){ .need = 2 };
	buf_init(&w->message, WS_MESSAGE_MAX);
	buf_init(&w->control, WS_CONTROL_MAX);
}

void ws_done(struct ws *w)
{
	buf_done(&w->message);
	buf_done(&w->control);
}

/* ---- reading -------------------------------------------------------------------- */

static uint64_t number(const unsigned char *p, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

/* The first two bytes: 0, or why not. */
static int check_start(struct ws *w)
{
	unsigned char opcode = w->head[0] & 15, size = w->head[1] & 127;
	bool fin = w->head[0] & 128, control = opcode & 8;

	if (w->head[0] & 0x70 || !(w->head[1] & 128) || opcode > WS_PONG ||
	    (opcode > WS_BINARY && !control))
		return WS_WRONG;
	if (control && (!fin || size > WS_CONTROL_MAX))
		return WS_WRONG;
	if (!control && (opcode == WS_MORE) != (w->first != 0))
		return WS_WRONG; /* goes on with nothing, or begins within another */
	w->need = 2 + 4 + (size == 126 ? 2 : size == 127 ? 8 : 0);
	w->opcode = opcode;
	w->fin = fin;
	return 0;
}

static int start_payload(struct ws *w)
{
	unsigned extra = w->need - 6;
	bool control = w->opcode & 8;

	w->left = extra ? number(w->head + 2, extra) : w->head[1] & 127;
	w->at = 0;
	w->in_payload = true;
	if (!control && w->opcode)
		w->first = w->opcode;
	if (!control && w->left > w->message.max - w->message.len)
		return WS_TOO_LARGE;
	return 0;
}

static int take_payload(struct ws *w, const char *in, size_t len)
{
	const unsigned char *mask = w->head + w->need - 4;
	struct buf *to = w->opcode & 8 ? &w->control : &w->message;

	if (buf_reserve(to, len) < 0)
		return WS_TOO_LARGE;
	for (size_t i = 0; i < len; i++, w->at++)
		to->data[to->len + i] = (char)((unsigned char)in[i] ^ mask[w->at & 3]);
	buf_commit(to, len);
	w->left -= len;
	return 0;
}

static bool is_text(const char *s, size_t len)
{
	while (len) {
		int n = text_utf8_len(s, len);

		if (n <= 0)
			return false;
		s += n;
		len -= (size_t)n;
	}
	return true;
}

static int end_frame(struct ws *w, ws_fn *fn, void *ctx)
{
	bool control = w->opcode & 8;
	struct buf *b = control ? &w->control : &w->message;
	enum ws_opcode kind = control ? w->opcode : w->first;
	int r;

	w->in_payload = false;
	w->have = 0;
	w->need = 2;
	if (!w->fin)
		return 0;
	if (!control)
		w->first = 0;
	if (kind == WS_TEXT && !is_text(buf_cstr(b), b->len))
		return WS_NOT_TEXT;
	r = fn(ctx, kind, buf_cstr(b), b->len);
	if (r != 0)
		return r;
	if (b->cap > LITTLE)
		buf_done(b);
	else
		buf_truncate(b, 0);
	return 0;
}

int ws_feed(struct ws *w, const char *in, size_t len, ws_fn *fn, void *ctx)
{
	int r = 0;

	while (r == 0 && (len || (w->in_payload && !w->left))) {
		size_t n;

		if (w->in_payload) {
			n = (size_t)MIN((uint64_t)len, w->left);
			r = n ? take_payload(w, in, n) : 0;
			in += n;
			len -= n;
			if (r == 0 && !w->left)
				r = end_frame(w, fn, ctx);
			continue;
		}
		w->head[w->have++] = (unsigned char)*in++;
		len--;
		if (w->have == 2)
			r = check_start(w);
		if (r == 0 && w->have > 2 && w->have == w->need)
			r = start_payload(w);
	}
	return r;
}

size_t ws_held(const struct ws *w)
{
	return w->message.cap > LITTLE ? w->message.cap : 0;
}

/* ---- writing -------------------------------------------------------------------- */

int ws_frame(enum ws_opcode kind, const void *data, size_t len, struct buf *out)
{
	unsigned char head[10] = { (unsigned char)(128 | kind) };
	unsigned n = len < 126 ? 0 : len <= UINT16_MAX ? 2 : 8;
	int r;

	head[1] = (unsigned char)(n == 0 ? len : n == 2 ? 126 : 127);
	for (unsigned i = 0; i < n; i++)
		head[2 + i] = (unsigned char)(len >> 8 * (n - 1 - i));
	r = buf_reserve(out, 2 + n + len);
	if (r < 0)
		return r;
	buf_add(out, head, 2 + n);
	return buf_add(out, data, len);
}

/* ---- the handshake: base64 of the SHA-1 of the key and a constant --------------- */

void ws_accept(const char *key, char ret[WS_ACCEPT])
{
	char text[64];
	uint8_t digest[SHA1_SIZE];
	int len = snprintf(text, sizeof(text), "%.24s%s", key,
			   "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");

	sha1_digest(text, (size_t)len, digest);
	base64_text(ret, digest, sizeof(digest));
}
