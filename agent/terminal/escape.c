#include "agent/terminal/escape.h"

#include <string.h>

#include "base/def.h"
#include "base/text.h"

enum { TEXT, ESC, CONTROL, STRING, STRING_ESC };
enum { LEADER, PARAMS, INTERMEDIATES }; /* parts of a control sequence, in order */

enum {
	PIECE_MAX = 4096
}; /* bytes of text at a time: libvterm has four times it on its stack */

/* Bytes that end a sequence or stand for themselves within one (ECMA-48). */
enum { BEL = 0x07, CAN = 0x18, SUB = 0x1a, ESCAPE = 0x1b, DEL = 0x7f };

void escape_init(struct escape *x, escape_fn *fn, void *ctx)
{
	*x = (struct escape){ .fn = fn, .ctx = ctx, .repeats_max = 1 };
}

static void enter_text(struct escape *x)
{
	x->state = TEXT;
	x->n = 0;
}

static void begin(struct escape *x)
{
	x->state = ESC;
	x->seq[0] = ESCAPE;
	x->n = 1;
	x->bad = false;
}

/* Leaves room for the end of a string. */
static void keep(struct escape *x, unsigned char c)
{
	if (x->n < sizeof(x->seq) - 2)
		x->seq[x->n++] = (char)c;
	else if (x->state != STRING)
		x->bad = true;
}

static void pass(struct escape *x)
{
	if (!x->bad)
		x->fn(x->ctx, x->seq, x->n);
	enter_text(x);
}

/* ---- control sequences: CSI, leader, parameters, intermediates, final --------------- */

static void enter_control(struct escape *x)
{
	x->state = CONTROL;
	x->part = LEADER;
	x->params = x->number = 0;
	x->leader = false;
}

static void repeat(struct escape *x)
{
	if (!x->repeats_max) {
		pass(x);
		return;
	}
	enter_text(x);
	for (int n = MIN(MAX(x->number, 1), x->repeats_max); n > 0 && x->last; n--)
		x->fn(x->ctx, &x->last, 1);
}

static void control_parameter(struct escape *x, unsigned char c)
{
	if (c == ';' || c == ':') {
		x->number = 0;
		x->bad |= ++x->params >= ESCAPE_PARAMS_MAX;
	} else if (x->number * 10 + (c - '0') > ESCAPE_NUMBER_MAX) {
		return;
	} else {
		x->number = x->number * 10 + (c - '0');
	}
	keep(x, c);
}

static void control_byte(struct escape *x, unsigned char c)
{
	const int part = c < '0' ? INTERMEDIATES : c < '<' ? PARAMS : LEADER;

	if (c >= '@') {
		keep(x, c);
		if (c == 'b' && x->part != INTERMEDIATES && !x->leader && !x->bad)
			repeat(x);
		else
			pass(x);
		return;
	}
	x->bad |= part < x->part;
	x->part = part;
	x->leader |= part == LEADER;
	if (part == PARAMS)
		control_parameter(x, c);
	else
		keep(x, c);
}

/* ---- escape sequences: ESC, intermediates, final ------------------------------------ */

static void escape_byte(struct escape *x, unsigned char c)
{
	const bool first = x->n == 1;

	keep(x, c);
	if (c < '0') {
		x->bad |= c == '%'; /* another encoding (ISO 2022) */
	} else if (first && c == '[') {
		enter_control(x);
	} else if (first && strchr("PX]^_k", c)) { /* DCS SOS OSC PM APC, a title */
		x->state = STRING;
		x->length = 0;
		x->bad = c != 'P' && c != ']';
	} else {
		x->bad |=
			!first && strchr("[PX]^_", c); /* libvterm forgets the others */
		pass(x);
	}
}

/* ---- strings: their opening, anything, ST (or BEL) ---------------------------------- */

/* Requests for settings are the only control strings that libvterm answers. 0.1 takes a
 * number for a pointer where it does not know what is asked for; it may know of "". */
static void check_request(struct escape *x)
{
	static const char *const known[] = { "m", "r", "s", " q", "\"q" };
	const char *const asked = x->seq + 4;

	x->bad |= x->n < 4 || memcmp(x->seq + 2, "$q", 2) != 0;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!x->bad && x->n - 4 == strlen(known[i]) &&
		    memcmp(asked, known[i], x->n - 4) == 0)
			return;
	x->n = 4;
}

/* @end closes it; there is room for two bytes. */
static void end_string(struct escape *x, const char *end)
{
	if (x->seq[1] == 'P')
		check_request(x);
	while (*end)
		x->seq[x->n++] = *end++;
	pass(x);
}

static void string_byte(struct escape *x, unsigned char c)
{
	if (c == BEL) {
		end_string(x, "\007");
	} else if (c >= ' ' && c != DEL) {
		keep(x, c);
	}
}

/* One byte within a sequence; false: the sequence is over and the byte is text. */
static bool sequence_byte(struct escape *x, unsigned char c)
{
	if (x->state == STRING_ESC) {
		if (c == '\\') {
			end_string(x, "\033\\");
			return true;
		}
		begin(x); /* the string was cancelled */
	}
	if (c == ESCAPE && x->state == STRING) {
		x->state = STRING_ESC;
	} else if (c == ESCAPE) {
		begin(x);
	} else if (c == CAN || c == SUB) {
		enter_text(x);
	} else if (x->state == STRING && x->length++ < ESCAPE_STRING_MAX) {
		string_byte(x, c);
	} else if (c < ' ' && x->state != STRING) {
		x->fn(x->ctx, &(char){ (char)c }, 1); /* is done at once */
	} else if (c >= 0x80 || x->state == STRING) { /* one that is too long */
		enter_text(x);
		return false;
	} else if (c != DEL) {
		x->state == ESC ? escape_byte(x, c) : control_byte(x, c);
	}
	return true;
}

/* ---- text: whole characters; seq holds one whose end has not come yet --------------- */

/* As text_utf8_len(); controls of two bytes are no characters: for libvterm they are
 * less than nothing wide and move the cursor out of the screen. */
static int character(const char *s, size_t len)
{
	int n = text_utf8_len(s, len);

	return n == 2 && s[0] == '\xc2' && (unsigned char)s[1] < 0xa0 ? -1 : n;
}

static void say(struct escape *x, const char *data, size_t len)
{
	for (size_t i = len; i; i--) {
		const unsigned char c = (unsigned char)data[i - 1];

		if (c < ' ')
			continue;
		x->last = c < DEL ? (char)c : '\0';
		break;
	}
	if (len)
		x->fn(x->ctx, data, len);
}

static void say_invalid(struct escape *x)
{
	say(x, TEXT_REPLACEMENT, strlen(TEXT_REPLACEMENT));
}

/* The character in seq is none: each of its bytes is invalid by itself. */
static void give_up(struct escape *x)
{
	for (; x->n; x->n--)
		say_invalid(x);
}

/* The next byte of the character in seq; returns how many bytes were used. */
static size_t complete(struct escape *x, char c)
{
	int n;

	x->seq[x->n] = c;
	n = character(x->seq, x->n + 1);
	if (n < 0) {
		give_up(x);
		return 0;
	}
	x->n++;
	if (n > 0) {
		say(x, x->seq, x->n);
		x->n = 0;
	}
	return 1;
}

static void add_text(struct escape *x, const char *data, const char *end)
{
	while (data < end) {
		const char *good = data;
		int n = 1;

		if (x->n) {
			data += complete(x, *data);
			continue;
		}
		while (good < end && good - data < PIECE_MAX &&
		       (n = character(good, (size_t)(end - good))) > 0)
			good += n;
		say(x, data, (size_t)(good - data));
		data = good;
		if (n == 0)
			while (data < end)
				x->seq[x->n++] = *data++;
		else if (n < 0)
			say_invalid(x), data++;
	}
}

bool escape_open(const struct escape *x)
{
	return x->state != TEXT;
}

void escape_end(struct escape *x)
{
	if (x->state == TEXT)
		give_up(x);
	enter_text(x);
}

/* ---- bytes -------------------------------------------------------------------------- */

void escape_feed(struct escape *x, const char *data, size_t len)
{
	const char *const end = data + len;

	while (data < end) {
		const char *esc;

		if (x->state != TEXT && sequence_byte(x, (unsigned char)*data)) {
			data++;
			continue;
		}
		esc = memchr(data, ESCAPE, (size_t)(end - data));
		add_text(x, data, esc ? esc : end);
		if (esc) {
			give_up(x);
			begin(x);
		}
		data = esc ? esc + 1 : end;
	}
}
