#include "agent/terminal/live.h"

#include <string.h>

void live_init(struct live *l, live_fn *out, void *ctx)
{
	l->n = 0;
	l->out = out;
	l->ctx = ctx;
}

void live_end(struct live *l)
{
	l->n = 0;
}

/* ESC [ params intermediates final. Source: xterm's ctlseqs, "CSI" section. */
static bool csi_asks(const char *s, size_t len)
{
	char mark = s[2], final = s[len - 1];
	char before = len > 3 ? s[len - 2] : '\0';

	switch (final) {
	case 'c': /* device attributes */
	case 'n': /* status, cursor position */
	case 't': /* window reports and operations */
	case 'x': /* terminal parameters */
		return true;
	case 'p': /* DECRQM; with ! it is a soft reset */
		return before == '$';
	case 'q': /* XTVERSION; without > the cursor's shape and the leds */
		return mark == '>';
	case 'u': /* kitty's keyboard modes; bare it restores the cursor */
	case 'm': /* XTQMODKEYS; bare it is a colour */
	case 'S': /* graphics; bare it scrolls */
		return mark == '?';
	case 'y': /* checksum of a rectangle */
		return before == '*';
	default:
		return false;
	}
}

/* ESC ] number ; text: titles and links only, no question, no control within. */
static bool osc_is_kept(const char *s, size_t len)
{
	size_t end = s[len - 1] == '\\' ? len - 2 : len - 1;
	bool titles = len > 3 && (s[2] == '0' || s[2] == '1' || s[2] == '2');
	bool links = len > 3 && s[2] == '8';

	for (size_t i = 2; i < end; i++)
		if ((unsigned char)s[i] < ' ')
			return false;
	return (titles || links) && s[3] == ';' && s[4] != '?';
}

static bool is_string(char c)
{
	return c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_';
}

static bool is_kept(const char *s, size_t len)
{
	if (s[1] == '[')
		return !csi_asks(s, len);
	if (s[1] == ']')
		return osc_is_kept(s, len);
	return !is_string(s[1]) && s[1] != 'Z' && s[1] != 'c';
}

/* Is the held sequence complete? Its last byte has just come. */
static bool is_whole(const char *s, size_t len)
{
	char c = s[len - 1];

	if (len < 2)
		return false;
	if (s[1] == '[')
		return len > 2 && c >= '@' && c <= '~';
	if (is_string(s[1]))
		return c == '\a' || c == '\030' || c == '\032' ||
		       (c == '\\' && len > 3 && s[len - 2] == '\033');
	return !(c >= ' ' && c <= '/');
}

/* A control byte within a sequence, or an ESC that begins another: it was abandoned. */
static bool is_broken(const char *s, size_t len, char c)
{
	if (len > 1 && is_string(s[1]))
		return s[len - 1] == '\033' && c != '\\';
	return (unsigned char)c < ' ' || (unsigned char)c >= 0x7f;
}

static void take_byte(struct live *l, char c)
{
	if (l->n && is_broken(l->held, l->n, c)) {
		bool in_string = l->n > 1 && is_string(l->held[1]);

		l->n = 0;
		if (in_string) {
			l->held[l->n++] = '\033'; /* it begins another */
			take_byte(l, c);
			return;
		} else if (c != '\033') {
			if (c != 5)
				l->out(l->ctx, &c, 1);
			return;
		}
	}
	if (l->n == LIVE_MAX) {
		l->n = 0;
		return;
	}
	l->held[l->n++] = c;
	if (!is_whole(l->held, l->n))
		return;
	if (is_kept(l->held, l->n))
		l->out(l->ctx, l->held, l->n);
	l->n = 0;
}

/* Bytes up to the next ESC or ENQ. */
static size_t plain_run(const char *data, size_t len)
{
	const char *esc = memchr(data, '\033', len);
	const char *enq;

	if (esc)
		len = (size_t)(esc - data);
	enq = memchr(data, 5, len);
	return enq ? (size_t)(enq - data) : len;
}

void live_feed(struct live *l, const char *data, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t run = l->n ? 0 : plain_run(data + i, len - i);

		if (run) {
			l->out(l->ctx, data + i, run);
			i += run;
			continue;
		}
		if (l->n || data[i] == '\033')
			take_byte(l, data[i]);
		i++;
	}
}
