/* Theory of operation
 *
 * One pass over the bytes with a stack of what is open: a quote, a parenthesis, a loop.
 * Reserved words count only where a command may begin, as in the grammar (POSIX, Shell
 * Command Language, 2.10). Here-documents are taken whole at the end of their line. What
 * opens and never closes takes the rest of the text, as it would in the shell. */
#include "agent/session/split.h"

#include <stdbool.h>
#include <string.h>

#include "base/def.h"

enum { DEPTH = 200, HERES = 16, WORD = 32 };

enum open {
	TOP,
	PAREN,	/* ( or $( */
	ARRAY,	/* name=( */
	ARITH,	/* (( or $((: no words, no here-documents */
	PARAM,	/* ${ */
	DOUBLE, /* "…" */
	TICK,	/* `…` */
	BRACE,
	IF,
	CASE,
	LOOP,
	TEST /* [[ */
};

struct here {
	size_t from, len; /* the delimiter as it is written */
	bool dash;	  /* <<- */
};

struct split {
	const char *s;
	size_t n, at;
	unsigned char stack[DEPTH];
	int depth; /* stack[0] is TOP */
	struct here heres[HERES];
	int n_heres;
	bool begins; /* a command may begin here: reserved words count */
	bool more;   /* what stands before the line's end wants more */
	bool some;   /* there is a command at all */
	bool names;  /* the next word is the name of a function */
};

static enum open top(const struct split *p)
{
	return (enum open)p->stack[p->depth];
}

static void push(struct split *p, enum open what)
{
	if (p->depth + 1 < DEPTH)
		p->stack[++p->depth] = (unsigned char)what;
	else
		p->at = p->n; /* nobody writes that: the rest is one */
}

static void pop(struct split *p)
{
	if (p->depth)
		p->depth--;
}

static char peek(const struct split *p, size_t ahead)
{
	return p->at + ahead < p->n ? p->s[p->at + ahead] : '\0';
}

static bool is_text(const struct split *p)
{
	return top(p) == DOUBLE || top(p) == PARAM || top(p) == ARITH;
}

static bool ends_word(char c)
{
	return memchr(" \t\n;&|()<>", c, 10) != NULL;
}

/* ---- quotes and expansions -------------------------------------------------------- */

static void skip_single(struct split *p, bool escapes)
{
	for (p->at++; p->at < p->n && p->s[p->at] != '\''; p->at++)
		if (escapes && p->s[p->at] == '\\')
			p->at++;
	p->at++;
}

static void dollar(struct split *p)
{
	char next = peek(p, 1);

	if (next == '(' && peek(p, 2) == '(') {
		push(p, ARITH);
		push(p, ARITH);
		p->at += 3;
	} else if (next == '(') {
		push(p, PAREN);
		p->begins = true;
		p->at += 2;
	} else if (next == '{') {
		push(p, PARAM);
		p->at += 2;
	} else if (next == '\'' && top(p) != DOUBLE) {
		p->at++;
		skip_single(p, true);
	} else {
		p->at++;
	}
}

static void tick(struct split *p)
{
	if (top(p) == TICK) {
		pop(p);
		p->begins = false;
	} else {
		push(p, TICK);
		p->begins = true;
	}
	p->at++;
}

static void double_quote(struct split *p)
{
	if (top(p) == DOUBLE)
		pop(p);
	else
		push(p, DOUBLE);
	p->at++;
}

/* True when the byte was one that quotes or expands, wherever it stands. */
static bool quoted(struct split *p)
{
	char c = peek(p, 0);

	if (!c || !strchr("\\'\"`$", c) || (c == '\'' && top(p) == DOUBLE))
		return false;
	p->some = true;
	if (!is_text(p))
		p->begins = p->more = false;
	if (c == '\\')
		p->at += 2;
	else if (c == '\'')
		skip_single(p, false);
	else if (c == '"')
		double_quote(p);
	else if (c == '`')
		tick(p);
	else
		dollar(p);
	return true;
}

/* Inside of "…", ${…} and ((…)): only what closes them counts. */
static void text_byte(struct split *p)
{
	char c = peek(p, 0);

	if ((top(p) == PARAM && c == '}') || (top(p) == ARITH && c == ')'))
		pop(p);
	else if (top(p) == ARITH && c == '(')
		push(p, ARITH);
	p->at++;
}

/* ---- here-documents --------------------------------------------------------------- */

/* "<<" has been seen; the delimiter is the word behind it. */
static void here(struct split *p)
{
	struct here h = { .dash = peek(p, 2) == '-' };

	p->at += h.dash ? 3 : 2;
	while (peek(p, 0) == ' ' || peek(p, 0) == '\t')
		p->at++;
	h.from = p->at;
	while (p->at < p->n && !ends_word(p->s[p->at])) {
		if (p->s[p->at] == '\'')
			skip_single(p, false);
		else
			p->at += p->s[p->at] == '\\' ? 2 : 1;
	}
	p->at = MIN(p->at, p->n);
	h.len = p->at - h.from;
	if (h.len && p->n_heres < HERES)
		p->heres[p->n_heres++] = h;
}

/* Is this line the delimiter? Quotes of the delimiter count as nothing. */
static bool is_delimiter(const struct split *p, const struct here *h, size_t from,
			 size_t to)
{
	while (h->dash && from < to && p->s[from] == '\t')
		from++;
	for (size_t i = h->from; i < h->from + h->len; i++) {
		char c = p->s[i];

		if (c == '\'' || c == '"' || c == '\\')
			continue;
		if (from == to || p->s[from] != c)
			return false;
		from++;
	}
	return from == to;
}

/* At the beginning of the line behind their command. */
static void skip_heres(struct split *p)
{
	for (int i = 0; i < p->n_heres; i++) {
		bool found = false;

		while (p->at < p->n && !found) {
			const char *nl = memchr(p->s + p->at, '\n', p->n - p->at);
			size_t end = nl ? (size_t)(nl - p->s) : p->n;

			found = is_delimiter(p, &p->heres[i], p->at, end);
			p->at = nl ? end + 1 : p->n;
		}
	}
	p->n_heres = 0;
}

/* ---- words ------------------------------------------------------------------------ */

static const struct word {
	const char *text;
	enum open opens, closes; /* TOP = nothing */
	bool again;		 /* a command may begin behind it */
	bool names;		 /* a name comes behind it */
} words[] = {
	{ "if", IF, TOP, true, false },	       { "then", TOP, TOP, true, false },
	{ "else", TOP, TOP, true, false },     { "elif", TOP, TOP, true, false },
	{ "fi", TOP, IF, false, false },       { "case", CASE, TOP, false, false },
	{ "esac", TOP, CASE, false, false },   { "for", LOOP, TOP, false, false },
	{ "while", LOOP, TOP, true, false },   { "until", LOOP, TOP, true, false },
	{ "select", LOOP, TOP, false, false }, { "do", TOP, TOP, true, false },
	{ "done", TOP, LOOP, false, false },   { "{", BRACE, TOP, true, false },
	{ "}", TOP, BRACE, false, false },     { "[[", TEST, TOP, false, false },
	{ "!", TOP, TOP, true, false },	       { "time", TOP, TOP, true, false },
	{ "function", TOP, TOP, false, true },
};

static const struct word *find_word(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].text) == len && !memcmp(words[i].text, s, len))
			return &words[i];
	return NULL;
}

static void reserved(struct split *p, const struct word *w)
{
	p->begins = w->again;
	p->names = p->more = w->names;
	if (w->closes != TOP && top(p) == w->closes)
		pop(p);
	if (w->opens != TOP)
		push(p, w->opens);
}

/* Plain letters up to what quotes, expands or ends a word. */
static void word(struct split *p)
{
	size_t from = p->at, len;
	const struct word *w;

	while (p->at < p->n && !ends_word(p->s[p->at]) &&
	       !memchr("\\'\"`$", p->s[p->at], 5))
		p->at++;
	len = p->at - from;
	w = p->begins && top(p) != ARRAY && len < WORD &&
			    (p->at == p->n || ends_word(p->s[p->at]))
		    ? find_word(p->s + from, len)
		    : NULL;
	p->some = true;
	if (p->names) { /* "function f": its body follows */
		p->names = false;
		p->begins = p->more = true;
		return;
	}
	p->more = false;
	if (top(p) == TEST && len == 2 && !memcmp(p->s + from, "]]", 2))
		pop(p);
	else if (top(p) == CASE && len == 2 && !memcmp(p->s + from, "in", 2))
		p->begins = true;
	else if (w)
		reserved(p, w);
	else
		p->begins = false;
}

/* ---- operators -------------------------------------------------------------------- */

static void open_paren(struct split *p)
{
	bool array = p->at && p->s[p->at - 1] == '=';

	if (!array && peek(p, 1) == ')') { /* "f()": its body follows */
		p->at += 2;
		p->begins = p->more = true;
	} else if (p->begins && peek(p, 1) == '(') {
		push(p, ARITH);
		push(p, ARITH);
		p->at += 2;
		p->begins = p->more = false;
	} else {
		push(p, array ? ARRAY : PAREN);
		p->at++;
		p->begins = !array;
		p->more = false;
	}
	p->some = true;
}

static void close_paren(struct split *p)
{
	bool pattern = top(p) == CASE;

	if (top(p) == PAREN || top(p) == ARRAY)
		pop(p);
	p->begins = pattern;
	p->some = true;
	p->at++;
}

/* Comments begin where a word would. */
static bool is_comment(const struct split *p)
{
	return peek(p, 0) == '#' && (!p->at || ends_word(p->s[p->at - 1]));
}

static void operator(struct split *p)
{
	char c = peek(p, 0);

	if (c == '<' && peek(p, 1) == '<' && peek(p, 2) == '<') {
		p->at += 3;
	} else if (c == '<' && peek(p, 1) == '<') {
		here(p);
	} else if (c == '(') {
		open_paren(p);
	} else if (c == ')') {
		close_paren(p);
	} else {
		if (c == ';' || c == '&' || c == '|') {
			bool both = c == '&' && peek(p, 1) == '&';

			/* "a &" ends a command, "a &&" does not; ">&" is neither */
			p->begins = p->at == 0 || p->s[p->at - 1] != '>';
			p->more = c == '|' || both ||
				  (c == '&' && p->at && p->s[p->at - 1] == '|');
			p->at += both;
		}
		p->at++;
	}
}

/* ---- the whole -------------------------------------------------------------------- */

/* True when a command ended with this line. */
static bool line_end(struct split *p)
{
	p->at++;
	skip_heres(p);
	if (top(p) == TEST || top(p) == ARRAY)
		return false;
	p->begins = true;
	return !p->depth && p->some && !p->more;
}

static void step(struct split *p)
{
	char c = p->s[p->at];

	if (quoted(p))
		return;
	if (is_text(p))
		text_byte(p);
	else if (c == ' ' || c == '\t')
		p->at++;
	else if (is_comment(p))
		while (p->at < p->n && p->s[p->at] != '\n')
			p->at++;
	else if (ends_word(c))
		operator(p);
	else
		word(p);
}

/* Nothing but blanks and comments. */
static bool is_empty(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '#')
			while (i < n && s[i] != '\n')
				i++;
		else if (!memchr(" \t\n", s[i], 3))
			return false;
	}
	return true;
}

size_t split_next(const char *text, size_t len)
{
	struct split p = { .s = text, .n = len, .begins = true };
	bool ended = false;

	while (p.at < p.n && !ended) {
		if (text[p.at] == '\n' && !is_text(&p))
			ended = line_end(&p);
		else
			step(&p);
	}
	return p.at >= len || is_empty(text + p.at, len - p.at) ? len : p.at;
}

unsigned split_count(const char *text, size_t len)
{
	if (is_empty(text, len))
		return 0;
	return split_next(text, len) < len ? 2 : 1;
}
