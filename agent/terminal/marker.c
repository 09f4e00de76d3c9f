#include "agent/terminal/marker.h"

#include <stdio.h>
#include <string.h>

void marker_init(struct marker *m, const char *nonce, marker_text_fn *text,
		 marker_event_fn *event, void *ctx)
{
	m->head_len = (size_t)snprintf(m->head, sizeof(m->head), "\033]7717;%.*s;",
				       MARKER_NONCE, nonce);
	m->n_held = 0;
	m->n_bad = 0;
	m->text = text;
	m->event = event;
	m->ctx = ctx;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* In place: the decoded text is never longer. False for a bad escape or a NUL. */
static bool decode(char *s)
{
	char *out = s;

	for (; *s; s++) {
		int v = (unsigned char)*s;

		if (*s == '%') {
			int hi = hex(s[1]), lo = hi < 0 ? -1 : hex(s[2]);

			if (lo < 0 || (v = hi * 16 + lo) == 0)
				return false;
			s += 2;
		}
		*out++ = (char)v;
	}
	*out = '\0';
	return true;
}

/* "N" or "N;rest": 0 to 255, without sign or leading zeros beyond three digits. */
static bool parse_status(const char *s, int *ret, const char **rest)
{
	int v = 0, n = 0;

	for (; *s >= '0' && *s <= '9' && n < 3; n++)
		v = v * 10 + *s++ - '0';
	if (!n || v > 255 || (*s && *s != ';'))
		return false;
	*ret = v;
	*rest = *s ? s + 1 : NULL;
	return true;
}

/* @body: "C", "D;status;cwd", "P;status" or "Q;status"; changed by the decoding. */
static bool parse_body(char *body, struct marker_event *ev)
{
	const char *rest = NULL;

	*ev = (struct marker_event){ .kind = (enum marker_kind)body[0], .status = -1 };
	if (ev->kind == MARKER_COMMAND)
		return !body[1];
	if (ev->kind != MARKER_DONE && ev->kind != MARKER_PROMPT &&
	    ev->kind != MARKER_BARE)
		return false;
	if (body[1] != ';' || !parse_status(body + 2, &ev->status, &rest))
		return false;
	if (ev->kind != MARKER_DONE)
		return !rest;
	if (!rest || !decode(body + (rest - body)))
		return false;
	ev->cwd = rest;
	return true;
}

static void finish(struct marker *m)
{
	struct marker_event ev;
	char *body = m->held + m->head_len;

	m->held[m->n_held - 2] = '\0'; /* ESC \ */
	m->n_held = 0;
	if (parse_body(body, &ev))
		m->event(m->ctx, &ev);
	else
		m->n_bad++;
}

static void drop(struct marker *m)
{
	m->n_held = 0;
	m->n_bad++;
}

/* The held bytes match the head so far: one more. False: it does not belong to the
 * mark, and what was held has been handed on. */
static bool take_head(struct marker *m, char c)
{
	if (c == m->head[m->n_held]) {
		m->held[m->n_held++] = c;
		return true;
	}
	if (m->n_held)
		m->text(m->ctx, m->held, m->n_held);
	m->n_held = 0;
	return false;
}

/* Behind the nonce. False: @c ends a mark that makes no sense and is not part of it. */
static bool take_body(struct marker *m, char c)
{
	bool after_esc = m->n_held > m->head_len && m->held[m->n_held - 1] == '\033';

	if (after_esc && c != '\\') {
		/* the ESC may begin something else: give it its chance */
		m->held[0] = '\033';
		m->n_held = 1;
		m->n_bad++;
		return take_head(m, c);
	}
	if ((unsigned char)c < ' ' && c != '\033') {
		drop(m);
		return false;
	}
	if (m->n_held == MARKER_MAX) {
		drop(m);
		return false;
	}
	m->held[m->n_held++] = c;
	if (after_esc)
		finish(m);
	return true;
}

void marker_feed(struct marker *m, const char *data, size_t len)
{
	const char *end = data + len;

	while (data < end) {
		bool taken;

		if (!m->n_held) {
			const char *esc = memchr(data, '\033', (size_t)(end - data));

			if (!esc)
				esc = end;
			if (esc > data)
				m->text(m->ctx, data, (size_t)(esc - data));
			if (esc == end)
				return;
			data = esc;
		}
		taken = m->n_held < m->head_len ? take_head(m, *data)
						: take_body(m, *data);
		data += taken;
	}
}

void marker_flush(struct marker *m)
{
	if (!m->n_held || m->n_held >= m->head_len)
		return;
	m->text(m->ctx, m->held, m->n_held);
	m->n_held = 0;
}
