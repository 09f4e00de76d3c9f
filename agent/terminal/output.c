#include "agent/terminal/output.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define NUL_SHOWN "\xe2\x90\x80" /* U+2400: what it parts would be one word without */

enum { PAD_MAX = 512 };

void output_init(struct output *o, output_fn *out, output_keys_fn *keys, void *ctx)
{
	o->state = OUTPUT_GROUND;
	o->len = o->at = o->n_params = o->n_string = 0;
	o->pad = o->n_part = 0;
	o->alternate = o->drawn = false;
	o->out = out;
	o->keys = keys;
	o->ctx = ctx;
}

bool output_full_screen(const struct output *o)
{
	return o->alternate || o->drawn;
}

/* ---- the line ------------------------------------------------------------- */

static void commit(struct output *o)
{
	if (o->len)
		o->out(o->ctx, o->line, o->len);
	o->len = o->at = 0;
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The start of the character behind, or before, the one at @i. */
static size_t next_char(const struct output *o, size_t i)
{
	for (i++; i < o->len && continues(o->line[i]); i++)
		;
	return MIN(i, o->len);
}

static size_t prev_char(const struct output *o, size_t i)
{
	while (i && continues(o->line[--i]))
		;
	return i;
}

static void append(struct output *o, const char *s, size_t n)
{
	while (n > OUTPUT_LINE - o->len) {
		size_t part = OUTPUT_LINE - o->len;

		/* a character stays whole */
		while (part && continues(s[part]))
			part--;
		memcpy(o->line + o->len, s, part);
		o->len += part;
		s += part;
		n -= part;
		commit(o);
	}
	memcpy(o->line + o->len, s, n);
	o->len += n;
	o->at = o->len;
}

/* One character of @n bytes over the one at the cursor. */
static void overprint(struct output *o, const char *s, size_t n)
{
	size_t old = next_char(o, o->at) - o->at;

	if (o->len - old + n > OUTPUT_LINE)
		return;
	memmove(o->line + o->at + n, o->line + o->at + old, o->len - o->at - old);
	memcpy(o->line + o->at, s, n);
	o->len += n - old;
	o->at += n;
}

/* Complete characters; @n > 0. */
static void print(struct output *o, const char *s, size_t n)
{
	if (output_full_screen(o))
		return;
	if (o->pad && o->at == o->len)
		for (; o->pad; o->pad--)
			append(o, " ", 1);
	while (n && o->at < o->len) {
		size_t one = 1;

		while (one < n && continues(s[one]))
			one++;
		overprint(o, s, one);
		s += one;
		n -= one;
	}
	if (n)
		append(o, s, n);
}

static void newline(struct output *o)
{
	o->pad = 0;
	if (output_full_screen(o))
		return;
	commit(o);
	o->out(o->ctx, "\n", 1);
}

static void move(struct output *o, int n)
{
	o->pad = 0;
	for (; n < 0 && o->at; n++)
		o->at = prev_char(o, o->at);
	for (; n > 0 && o->at < o->len; n--)
		o->at = next_char(o, o->at);
	if (n > 0)
		o->pad = (unsigned)MIN(n, PAD_MAX);
}

/* ESC [ K: 0 behind the cursor, 1 before it, 2 the whole line; the cursor stays. */
static void erase_line(struct output *o, int how)
{
	size_t chars = 0;

	if (how == 0)
		o->len = o->at;
	if (how != 1 && how != 2)
		return;
	for (size_t i = 0; i < o->at; i = next_char(o, i))
		chars++;
	if (how == 2) {
		o->pad = (unsigned)MIN(chars + o->pad, (size_t)PAD_MAX);
		o->len = o->at = 0;
		return;
	}
	memmove(o->line + chars, o->line + o->at, o->len - o->at);
	memset(o->line, ' ', chars);
	o->len -= o->at - chars;
	o->at = chars;
}

static void delete_chars(struct output *o, int n)
{
	size_t end = o->at;

	for (; n > 0 && end < o->len; n--)
		end = next_char(o, end);
	memmove(o->line + o->at, o->line + end, o->len - end);
	o->len -= end - o->at;
}

/* ---- sequences ------------------------------------------------------------ */

/* ESC [ ? … h and l: is one of the alternate screens among the modes? */
static bool names_alternate(const char *params)
{
	for (const char *p = params; p; p = strchr(p, ';')) {
		long mode;

		p += *p == ';' || *p == '?';
		mode = strtol(p, NULL, 10);
		if (mode == 47 || mode == 1047 || mode == 1049)
			return true;
	}
	return false;
}

static void address(struct output *o)
{
	if (output_full_screen(o))
		return;
	if (o->keys && o->keys(o->ctx))
		o->drawn = true;
	else if (o->len)
		newline(o);
}

static void csi_mode(struct output *o, char final)
{
	if (o->params[0] == '?' && names_alternate(o->params))
		o->alternate = final == 'h';
}

static void csi(struct output *o, char final)
{
	int n = (int)strtol(o->params, NULL, 10);
	int count = n < 1 ? 1 : MIN(n, OUTPUT_LINE);

	if (final == 'h' || final == 'l') {
		csi_mode(o, final);
		return;
	}
	if (o->params[0] && strspn(o->params, "0123456789;") != strlen(o->params))
		return; /* private: nothing that writes text */
	switch (final) {
	case 'H':
	case 'f':
		address(o);
		break;
	case 'K':
		erase_line(o, n);
		break;
	case 'J':
		erase_line(o, n ? 2 : 0);
		break;
	case 'C':
		move(o, count);
		break;
	case 'D':
		move(o, -count);
		break;
	case 'G':
		o->at = 0;
		move(o, count - 1);
		break;
	case 'P':
		delete_chars(o, count);
		break;
	default:
		break;
	}
}

static void control(struct output *o, char c)
{
	switch (c) {
	case '\n':
		newline(o);
		break;
	case '\r':
		o->at = 0;
		o->pad = 0;
		break;
	case '\b':
		if (o->pad)
			o->pad--;
		else
			o->at = prev_char(o, o->at);
		break;
	case '\t':
		print(o, "\t", 1);
		break;
	case '\033':
		o->state = OUTPUT_ESC;
		break;
	default:
		break; /* bell and the rest vanish */
	}
}

static void after_esc(struct output *o, char c)
{
	o->state = OUTPUT_GROUND;
	o->n_params = o->n_string = 0;
	if (c == '[')
		o->state = OUTPUT_CSI;
	else if (strchr("]PX^_", c) && c)
		o->state = OUTPUT_STRING;
	else if (c >= ' ' && c <= '/')
		o->state = OUTPUT_ESC_MORE;
	else if (c == 'c') /* full reset */
		o->alternate = o->drawn = false;
	else if ((unsigned char)c < ' ')
		control(o, c);
}

static void in_csi(struct output *o, char c)
{
	const bool cancelled = c == '\030' || c == '\032'; /* CAN, SUB */

	if ((unsigned char)c < ' ' && !cancelled) {
		control(o, c); /* acted on in the middle, as terminals do */
	} else if (c >= '@' && c <= '~') {
		o->params[MIN(o->n_params, (size_t)OUTPUT_PARAMS - 1)] = '\0';
		o->state = OUTPUT_GROUND;
		csi(o, c);
	} else if (c < ' ' || c == '\177' || ++o->n_string > OUTPUT_STRING_MAX) {
		o->state = OUTPUT_GROUND;
	} else if (o->n_params < OUTPUT_PARAMS - 1) {
		o->params[o->n_params++] = c;
	}
}

static void in_string(struct output *o, char c)
{
	if (o->state == OUTPUT_STRING_ESC && c != '\\')
		after_esc(o, c); /* the string was abandoned */
	else if (o->state == OUTPUT_STRING_ESC || c == '\a' || c == '\030' ||
		 c == '\032' || ++o->n_string > OUTPUT_STRING_MAX)
		o->state = OUTPUT_GROUND;
	else if (c == '\033')
		o->state = OUTPUT_STRING_ESC;
}

static void in_sequence(struct output *o, char c)
{
	switch (o->state) {
	case OUTPUT_ESC:
		after_esc(o, c);
		break;
	case OUTPUT_ESC_MORE:
		o->state = OUTPUT_GROUND;
		if ((unsigned char)c < ' ')
			control(o, c);
		break;
	case OUTPUT_CSI:
		in_csi(o, c);
		break;
	case OUTPUT_STRING:
	case OUTPUT_STRING_ESC:
		in_string(o, c);
		break;
	case OUTPUT_GROUND:
		break;
	}
}

/* ---- bytes ---------------------------------------------------------------- */

/* A byte of a character that is not ASCII. */
static void wide(struct output *o, char c)
{
	int n;

	o->part[o->n_part++] = c;
	n = text_utf8_len(o->part, o->n_part);
	if (n == 0)
		return;
	if (n < 0) {
		/* the bytes before @c were a start that @c does not continue */
		bool again = o->n_part > 1;

		o->n_part = 0;
		print(o, TEXT_REPLACEMENT, 3);
		if (again && (unsigned char)c >= 0x80)
			wide(o, c);
		return;
	}
	o->n_part = 0;
	if (o->part[0] == '\xc2' && (unsigned char)o->part[1] < 0xa0)
		return; /* C1 control */
	print(o, o->part, (size_t)n);
}

static void cut_part(struct output *o)
{
	if (!o->n_part)
		return;
	o->n_part = 0;
	print(o, TEXT_REPLACEMENT, 3);
}

/* How many bytes at @p are printable ASCII: eight at a time, since most are. */
static size_t plain_run(const char *p, size_t len)
{
	const uint64_t ones = 0x0101010101010101u, high = ones * 0x80;
	size_t i = 0;

	for (; i + 8 <= len; i += 8) {
		uint64_t v, low, del;

		memcpy(&v, p + i, 8);
		low = (v - ones * 0x20) & ~v; /* high bit where a byte < 0x20 */
		del = v ^ (ones * 0x7f);
		del = (del - ones) & ~del;
		if ((v | low | del) & high)
			break;
	}
	while (i < len && p[i] >= ' ' && p[i] < '\177')
		i++;
	return i;
}

/* A whole plain line that nothing was written before: straight through. Returns what
 * was consumed; 0 = not such a line. */
static size_t whole_line(struct output *o, const char *p, size_t run, size_t len)
{
	size_t n = run;

	if (o->len || o->pad || output_full_screen(o))
		return 0;
	if (n < len && p[n] == '\r')
		n++;
	if (n >= len || p[n] != '\n')
		return 0;
	if (n == run) { /* its newline lies right behind it */
		o->out(o->ctx, p, run + 1);
	} else {
		if (run)
			o->out(o->ctx, p, run);
		o->out(o->ctx, "\n", 1);
	}
	return n + 1;
}

/* At least one byte in the ground state; returns how many were consumed. */
static size_t ground(struct output *o, const char *p, size_t len)
{
	size_t run, n;

	if ((unsigned char)*p >= 0x80) {
		wide(o, *p);
		return 1;
	}
	cut_part(o);
	run = plain_run(p, len);
	n = whole_line(o, p, run, len);
	if (n)
		return n;
	if (run) {
		print(o, p, run);
		return run;
	}
	if (*p)
		control(o, *p);
	else
		print(o, NUL_SHOWN, 3);
	return 1;
}

void output_feed(struct output *o, const char *data, size_t len)
{
	if (o->drawn && len && !(o->keys && o->keys(o->ctx)))
		o->drawn = false; /* it went back to reading lines */
	for (size_t i = 0; i < len;) {
		if (o->state == OUTPUT_GROUND) {
			i += ground(o, data + i, len - i);
		} else {
			in_sequence(o, data[i]);
			i++;
		}
	}
}

void output_flush(struct output *o)
{
	commit(o);
}

void output_end(struct output *o)
{
	if (o->state == OUTPUT_GROUND)
		cut_part(o);
	commit(o);
	output_init(o, o->out, o->keys, o->ctx);
}
