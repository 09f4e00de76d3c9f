#include "cli/show/termfilter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/def.h"
#include "base/text.h"

enum { BEL = 0x07, SO = 0x0e, SI = 0x0f, DEL = 0x7f };

/* What is put back at the end, beside modes. */
enum changed {
	STYLE = 1,
	MARGINS = 2,
	KEYPAD = 4,
	INSERT = 8,
	CURSOR = 16, /* its shape */
	SHIFTED = 32,
	G0 = 64, /* the character set */
	G1 = 128,
};

/* The modes that programs need (CSI ? N h, l), in the order in which they are put back:
 * what was held back is drawn first, the screen changes before the cursor appears.
 * Source: xterm's ctlseqs; 2026 is synchronized output. */
static const struct mode {
	unsigned n;
	bool at_rest;
} modes[] = {
	{ 2026, false }, { 1000, false }, { 1002, false }, { 1003, false },
	{ 1004, false }, { 1005, false }, { 1006, false }, { 1015, false },
	{ 1016, false }, { 9, false },	  { 2004, false }, { 1, false },
	{ 66, false },	 { 5, false },	  { 6, false },	   { 7, true },
	{ 47, false },	 { 1047, false }, { 1049, false }, { 12, false },
	{ 25, true },
};
_Static_assert(ARRAY_SIZE(modes) <= 32, "struct termfilter has a bit for each");

static void put(struct termfilter *f, const char *data, size_t len)
{
	if (!f->failed)
		f->failed = buf_add(f->out, data, len);
}

static void put_text(struct termfilter *f, const char *s)
{
	put(f, s, strlen(s));
}

static void change(struct termfilter *f, enum changed what, bool on)
{
	f->changed = on ? f->changed | what : f->changed & ~(uint32_t)what;
}

/* ---- control sequences -------------------------------------------------------------- */

/* A control sequence, taken apart. */
struct control {
	const char *whole, *params;
	size_t len, n_params;
	char leader, intermediate, final; /* 0 = none */
};

static void control_draw(struct termfilter *f, const struct control *c)
{
	if (strspn(c->params, "0123456789;") >= c->n_params)
		put(f, c->whole, c->len);
}

/* With more parameters it is a way to follow the mouse, which stops xterm until it is
 * answered. */
static void control_scroll(struct termfilter *f, const struct control *c)
{
	if (!memchr(c->params, ';', c->n_params))
		control_draw(f, c);
}

static void control_style(struct termfilter *f, const struct control *c)
{
	change(f, STYLE, strspn(c->params, "0;") < c->n_params);
	put(f, c->whole, c->len);
}

static void control_margins(struct termfilter *f, const struct control *c)
{
	change(f, MARGINS, c->n_params > 0);
	control_draw(f, c);
}

static void control_cursor(struct termfilter *f, const struct control *c)
{
	change(f, CURSOR, strspn(c->params, "0") < c->n_params);
	control_draw(f, c);
}

static void control_insert(struct termfilter *f, const struct control *c)
{
	if (c->n_params != 1 || c->params[0] != '4') /* 2 locks the keyboard */
		return;
	change(f, INSERT, c->final == 'h');
	put(f, c->whole, c->len);
}

static void mode_set(struct termfilter *f, unsigned long n, char final)
{
	const bool on = final == 'h';
	char one[24];

	if (n == 1048) { /* the cursor is kept, or taken back */
		put_text(f, on ? "\033[?1048h" : "\033[?1048l");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		const uint32_t bit = UINT32_C(1) << i;

		if (modes[i].n != n)
			continue;
		f->modes = on == modes[i].at_rest ? f->modes & ~bit : f->modes | bit;
		snprintf(one, sizeof(one), "\033[?%lu%c", n, final);
		put_text(f, one);
	}
}

/* One by one: what is known passes also where it stands beside what is not. */
static void control_modes(struct termfilter *f, const struct control *c)
{
	const char *p = c->params;

	if (strspn(p, "0123456789;") < c->n_params)
		return;
	while (p < c->params + c->n_params) {
		char *end;

		mode_set(f, strtoul(p, &end, 10), c->final);
		p = end + (*end == ';');
	}
}

static void ask(struct termfilter *f, const char *whole, size_t len)
{
	if (!f->questions)
		return;
	f->asked++;
	put(f, whole, len);
}

/* Is the parameter one of @known, which stand between blanks? */
static bool param_is(const struct control *c, const char *known)
{
	for (const char *p = known; *p; p += strcspn(p, " ")) {
		p += strspn(p, " ");
		if (strcspn(p, " ") == c->n_params &&
		    memcmp(p, c->params, c->n_params) == 0)
			return true;
	}
	return false;
}

static void control_kind(struct termfilter *f, const struct control *c)
{
	if (!c->n_params || param_is(c, "0"))
		ask(f, c->whole, c->len);
}

static void control_cursor_where(struct termfilter *f, const struct control *c)
{
	if (param_is(c, c->leader ? "6 996" : "6"))
		ask(f, c->whole, c->len);
}

/* Every other number moves the window, or tells its title. */
static void control_size(struct termfilter *f, const struct control *c)
{
	if (param_is(c, "14 16 18"))
		ask(f, c->whole, c->len);
}

static void control_mode_state(struct termfilter *f, const struct control *c)
{
	if (strspn(c->params, "0123456789") >= c->n_params)
		ask(f, c->whole, c->len);
}

/* All that passes. */
static const struct known {
	char leader, intermediate;
	const char *finals;
	void (*pass)(struct termfilter *f, const struct control *c);
} known[] = {
	{ 0, 0, "@ABCDEFGHIJKLMPSXZ`abdefgsu", control_draw },
	{ 0, 0, "T", control_scroll },
	{ 0, 0, "m", control_style },
	{ 0, 0, "r", control_margins },
	{ 0, 0, "hl", control_insert },
	{ 0, 0, "c", control_kind },
	{ 0, 0, "n", control_cursor_where },
	{ 0, 0, "t", control_size },
	{ 0, '!', "p", control_draw },
	{ 0, ' ', "q", control_cursor },
	{ '?', 0, "JK", control_draw },
	{ '?', 0, "hl", control_modes },
	{ '?', 0, "n", control_cursor_where },
	{ '?', '$', "p", control_mode_state },
	{ '>', 0, "cq", control_kind },
};

/* As escape.h passes it on: ESC [, leaders, parameters, intermediates, one final. */
static void on_control(struct termfilter *f, const char *seq, size_t len)
{
	struct control c = { .whole = seq, .len = len, .params = seq + 2 };
	const char *const final = seq + len - 1;

	if (c.params < final && *c.params >= '<')
		c.leader = *c.params++;
	while (c.params + c.n_params < final && c.params[c.n_params] >= '0')
		c.n_params++;
	if (c.n_params && *c.params >= '<') /* two leaders */
		return;
	if (final - (c.params + c.n_params) > 1)
		return;
	if (final > c.params + c.n_params)
		c.intermediate = c.params[c.n_params];
	c.final = *final;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].leader == c.leader &&
		    known[i].intermediate == c.intermediate &&
		    strchr(known[i].finals, c.final))
			known[i].pass(f, &c);
}

/* ---- other sequences ---------------------------------------------------------------- */

/* Of strings only questions for colours: OSC 10, 11, 12 ; ? and OSC 4 ; N ; ?. */
static void on_string(struct termfilter *f, const char *seq, size_t len)
{
	static const char *const ends[] = { "?\007", "?\033\\" };
	size_t n = 2, digits;

	while (n + 1 < len && seq[n] >= '0' && seq[n] <= '9')
		n++;
	if (seq[n] != ';' ||
	    (strncmp(seq + 2, "10;", 3) && strncmp(seq + 2, "11;", 3) &&
	     strncmp(seq + 2, "12;", 3) && strncmp(seq + 2, "4;", 2)))
		return;
	n++;
	if (seq[2] == '4') {
		digits = strspn(seq + n, "0123456789");
		if (digits < 1 || digits > 3 || seq[n + digits] != ';')
			return;
		n += digits + 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (len - n == strlen(ends[i]) &&
		    memcmp(seq + n, ends[i], len - n) == 0)
			ask(f, seq, len);
}

/* Keep and take back the cursor, its moves, tab stops, the keypad, a new start; and
 * the set of characters that draws lines. */
static void on_short(struct termfilter *f, const char *seq, size_t len)
{
	if (len == 3 && strchr("()", seq[1]) && strchr("0AB", seq[2]))
		change(f, seq[1] == '(' ? G0 : G1, seq[2] != 'B');
	else if (len != 2 || !strchr("78=>DEHMc", seq[1]))
		return;
	if (seq[1] == '=' || seq[1] == '>')
		change(f, KEYPAD, seq[1] == '=');
	put(f, seq, len);
}

/* ---- text --------------------------------------------------------------------------- */

/* How many bytes at @s are not to pass: a control character that does not place text, or
 * a mark that turns its direction. */
static size_t unwanted(struct termfilter *f, const char *s, size_t len)
{
	const unsigned char c = (unsigned char)*s;
	unsigned point;
	int n;

	if (c == SO || c == SI) {
		change(f, SHIFTED, c == SO);
		return 0;
	}
	if (c < ' ')
		return c < BEL || c > '\r';
	if (c == DEL)
		return 1;
	if (c != 0xe2 && c != 0xd8)
		return 0;
	n = text_decode(s, len, &point);
	return n > 0 && text_turns(point) ? (size_t)n : 0;
}

static void on_text(struct termfilter *f, const char *data, size_t len)
{
	size_t from = 0, at = 0;

	while (at < len) {
		const size_t drop = unwanted(f, data + at, len - at);

		if (drop) {
			put(f, data + from, at - from);
			from = at + drop;
		}
		at += drop ? drop : 1;
	}
	put(f, data + from, len - from);
}

static void on_piece(void *ctx, const char *data, size_t len)
{
	struct termfilter *f = ctx;

	if (data[0] != '\033' || len < 2)
		on_text(f, data, len);
	else if (data[1] == '[')
		on_control(f, data, len);
	else if (data[1] == ']')
		on_string(f, data, len);
	else if (data[1] != 'P')
		on_short(f, data, len);
}

void termfilter_init(struct termfilter *f, bool questions)
{
	*f = (struct termfilter){ .questions = questions };
	escape_init(&f->escape, on_piece, NULL);
	f->escape.repeats_max = 0;
}

int termfilter_feed(struct termfilter *f, const char *data, size_t len, struct buf *out)
{
	f->escape.ctx = f;
	f->out = out;
	f->failed = 0;
	escape_feed(&f->escape, data, len);
	return f->failed;
}

int termfilter_end(struct termfilter *f, struct buf *out)
{
	/* Setting margins moves the cursor home. */
	static const struct {
		enum changed what;
		const char *back;
	} rest[] = {
		{ MARGINS, "\0337\033[r\0338" },
		{ INSERT, "\033[4l" },
		{ KEYPAD, "\033>" },
		{ CURSOR, "\033[0 q" },
		{ SHIFTED, "\017" },
		{ G0, "\033(B" },
		{ G1, "\033)B" },
		{ STYLE, "\033[m" },
	};

	f->escape.ctx = f;
	f->out = out;
	f->failed = 0;
	escape_end(&f->escape);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (f->modes & UINT32_C(1) << i)
			mode_set(f, modes[i].n, modes[i].at_rest ? 'h' : 'l');
	for (size_t i = 0; i < ARRAY_SIZE(rest); i++)
		if (f->changed & rest[i].what)
			put_text(f, rest[i].back);
	f->changed = 0;
	return f->failed;
}
