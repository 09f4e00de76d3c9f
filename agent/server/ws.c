#include "agent/server/ws.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/text.h"

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

static uint32_t rotate(uint32_t v, int n)
{
	return v << n | v >> (32 - n);
}

/* FIPS 180-4, 6.1.2. Nothing is secret here: the hash shows that this speaks WebSocket. */
static void sha1_block(uint32_t h[5], const unsigned char *p)
{
	uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)number(p + 4 * i, 4);
	for (int i = 16; i < 80; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (int i = 0; i < 80; i++) {
		uint32_t f, t;

		if (i < 20)
			f = ((b & c) | (~b & d)) + 0x5a827999;
		else if (i < 40)
			f = (b ^ c ^ d) + 0x6ed9eba1;
		else if (i < 60)
			f = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
		else
			f = (b ^ c ^ d) + 0xca62c1d6;
		t = rotate(a, 5) + f + e + w[i];
		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = t;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

void ws_accept(const char *key, char ret[WS_ACCEPT])
{
	unsigned char text[128] = { 0 }, digest[20];
	uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	int len = snprintf((char *)text, 64, "%.24s%s", key,
			   "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");

	text[len] = 128; /* at most 60 bytes: two blocks */
	text[126] = (unsigned char)(len * 8 >> 8);
	text[127] = (unsigned char)(len * 8);
	sha1_block(h, text);
	sha1_block(h, text + 64);
	for (int i = 0; i < 20; i++)
		digest[i] = (unsigned char)(h[i / 4] >> 8 * (3 - i % 4));
	base64_text(ret, digest, sizeof(digest));
}
