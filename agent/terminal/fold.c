#include "agent/terminal/fold.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum fold_kind { NONE, APT, PIP, NPM, BUILD, DOWNLOAD, BINARY, REPEATED, SAME };

/* Equal lines stay where they cost less than to say how many there were. */
enum { SAME_LEAST = 256 };

static const char *const kind_names[] = { [APT] = "of a package manager's progress",
					  [PIP] = "of pip's progress",
					  [NPM] = "of npm's notices",
					  [BUILD] = "of a build's progress",
					  [DOWNLOAD] = "of a download's progress",
					  [BINARY] = "of binary output",
					  [REPEATED] = "like the one above",
					  [SAME] = "like the one above" };

/* How lines begin. "#" stands for digits; a blank that begins a row of APT is one of its
 * lists, which continue a run and begin none. */
static const struct row {
	const char *begin;
	enum fold_kind kind;
} rows[] = {
	{ "Get:#", APT },
	{ "Hit:#", APT },
	{ "Ign:#", APT },
	{ "Fetched #", APT },
	{ "Selecting previously unselected package ", APT },
	{ "Preparing to unpack ", APT },
	{ "Unpacking ", APT },
	{ "Setting up ", APT },
	{ "Processing triggers for ", APT },
	{ "(Reading database ", APT },
	{ "Reading package lists", APT },
	{ "Building dependency tree", APT },
	{ "Reading state information", APT },
	{ "The following NEW packages ", APT },
	{ "The following additional packages ", APT },
	{ "Suggested packages:", APT },
	{ "Recommended packages:", APT },
	{ "Need to get ", APT },
	{ "After this operation, ", APT },
	{ "update-alternatives: using ", APT },
	{ "debconf: ", APT },
	{ "invoke-rc.d: ", APT },
	{ "Extracting templates from packages", APT },
	{ "(#/#) Installing ", APT },
	{ "fetch http", APT },
	{ "Collecting ", PIP },
	{ "  Downloading ", PIP },
	{ "Downloading ", PIP },
	{ "  Using cached ", PIP },
	{ "Using cached ", PIP },
	{ "Requirement already satisfied: ", PIP },
	{ "  Preparing metadata ", PIP },
	{ "  Getting requirements to build ", PIP },
	{ "  Installing build dependencies", PIP },
	{ "  Building wheel ", PIP },
	{ "  Created wheel ", PIP },
	{ "  Stored in directory", PIP },
	{ "Building wheels for ", PIP },
	{ "Installing collected packages: ", PIP },
	{ "     \xe2\x94\x81", PIP },
	{ "   \xe2\x94\x81", PIP },
	{ "npm warn deprecated ", NPM },
	{ "npm WARN deprecated ", NPM },
	{ "npm notice", NPM },
	{ "npm http ", NPM },
	{ "npm timing ", NPM },
	{ "npm sill ", NPM },
	{ "   Compiling ", BUILD },
	{ "  Downloaded ", BUILD },
	{ "go: downloading ", BUILD },
	{ "[ #%] ", BUILD },
	{ "[  #%] ", BUILD },
	{ "[#%] ", BUILD },
	{ "[#/#] ", BUILD },
	{ "#K ..........", DOWNLOAD },
	{ " #K ..........", DOWNLOAD },
	{ "  #K ..........", DOWNLOAD },
	{ "   #K ..........", DOWNLOAD },
	{ "    #K ..........", DOWNLOAD },
};

/* Bytes with which any row begins: nearly every line is none of these at its first. */
static bool may_begin(unsigned char c)
{
	return isdigit(c) || (c && strchr("GHIFSPUR(BTNAEuditfegCDn[ ", c));
}

static bool begins(const char *line, size_t len, const char *begin)
{
	const char *end = line + len;

	for (; *begin; begin++) {
		if (*begin != '#') {
			if (line == end || *line++ != *begin)
				return false;
			continue;
		}
		if (line == end || !isdigit((unsigned char)*line))
			return false;
		while (line < end && isdigit((unsigned char)*line))
			line++;
	}
	return true;
}

/* How often the character of three bytes @mark stands in it. */
static size_t count(const char *line, size_t len, const char *mark)
{
	const char *p = line, *end = line + len;
	size_t n = 0;

	while ((p = memchr(p, mark[0], (size_t)(end - p))) && end - p >= 3) {
		n += memcmp(p, mark, 3) == 0;
		p++;
	}
	return n;
}

/* A fifth of it is what stands for bytes that are no text, or for NUL bytes, where there are
 * bytes that are no text or many NULs: "a=b\0c=d\0" is text. In a run of such lines any. */
static bool is_binary(const struct fold *f, const char *line, size_t len)
{
	const size_t bad = count(line, len, TEXT_REPLACEMENT);
	const size_t nuls = count(line, len, "\xe2\x90\x80");

	if (f->kind == BINARY)
		return bad || nuls;
	return (bad >= 2 && (bad + nuls) * 15 >= len) ||
	       (nuls >= 64 && nuls * 6 >= len);
}

/* What stands for a warning of pip; 0 = the line is none. One that tries again says how often
 * it will, and where in its memory something is: numbers are passed over. */
static uint64_t warning(const char *line, size_t len)
{
	const char *const end = line + len;
	uint64_t sum = 0xcbf29ce484222325;
	bool retry;

	if (!len || *line != 'W' || !begins(line, len, "WARNING: "))
		return 0;
	retry = begins(line, len, "WARNING: Retrying (");
	for (const char *p = line; p < end; p++) {
		if (retry && end - p > 2 && p[0] == '0' && p[1] == 'x')
			for (p += 2; p < end && isxdigit((unsigned char)*p);)
				p++;
		while (retry && p < end && isdigit((unsigned char)*p))
			p++;
		if (p < end)
			sum = (sum ^ (unsigned char)*p) * 0x100000001b3;
	}
	return sum | 1;
}

/* @before: the line above, @before_len bytes; 0 = there is none, or it was too long */
static enum fold_kind kind_of(const struct fold *f, const char *line, size_t len,
			      const char *before, size_t before_len)
{
	if (len && may_begin((unsigned char)*line))
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			if (begins(line, len, rows[i].begin))
				return rows[i].kind;
	if (f->kind == APT && len > 2 && line[0] == ' ' && line[1] == ' ')
		return APT;
	if (f->warned && f->warned == warning(line, len))
		return REPEATED;
	if (is_binary(f, line, len))
		return BINARY;
	return len == before_len && memcmp(line, before, len) == 0 ? SAME : NONE;
}

static bool is_long(const struct fold *f)
{
	if (f->kind == SAME)
		return f->lines >= FOLD_LEAST && f->bytes >= SAME_LEAST;
	return f->lines >= FOLD_LEAST || (f->kind == BINARY && f->bytes >= 64);
}

/* The run is over. */
static void close_run(struct fold *f)
{
	char text[120];

	if (f->kind && is_long(f)) {
		int n = snprintf(text, sizeof(text),
				 "[\xe2\x80\xa6 %" PRIu64
				 " line%s %s left out, %" PRIu64
				 " bytes \xe2\x80\xa6]\n",
				 f->lines, f->lines == 1 ? "" : "s",
				 kind_names[f->kind], f->bytes);

		f->out(f->ctx, text, (size_t)n);
		f->folded = true;
	} else if (f->held.len) {
		f->out(f->ctx, f->held.data, f->held.len);
	}
	buf_truncate(&f->held, 0);
	f->kind = NONE;
	f->lines = f->bytes = 0;
}

/* A line of @kind, or as much of one as is looked at: true when it belongs to a run. */
static bool take_line(struct fold *f, enum fold_kind kind, const char *line, size_t len)
{
	if (f->kind && kind != f->kind)
		close_run(f);
	if (!kind)
		return false;
	f->kind = kind;
	f->lines++;
	f->bytes += len;
	if (!is_long(f))
		buf_add(&f->held, line, len);
	return true;
}

static void remember(struct fold *f, const char *line, size_t len)
{
	f->warned = warning(line, len);
	f->last_len = len <= sizeof(f->last) ? len : 0;
	memcpy(f->last, line, f->last_len);
}

/* The line's begin has no room: what it is shows by now. */
static void give_up(struct fold *f)
{
	if (take_line(f, kind_of(f, f->line, f->len, NULL, 0), f->line, f->len)) {
		f->rest = FOLD_DROP;
	} else {
		f->out(f->ctx, f->line, f->len);
		f->rest = FOLD_PASS;
	}
	f->len = f->last_len = 0;
}

/* Up to the end of a line whose beginning is gone. */
static size_t take_rest(struct fold *f, const char *text, size_t len)
{
	const char *nl = memchr(text, '\n', len);
	size_t n = nl ? (size_t)(nl + 1 - text) : len;

	if (f->rest == FOLD_PASS)
		f->out(f->ctx, text, n);
	else
		f->bytes += n;
	if (nl)
		f->rest = FOLD_AT_START;
	return n;
}

/* As many bytes of a line that came in pieces as there are. */
static size_t take_piece(struct fold *f, const char *text, size_t len)
{
	const char *nl = memchr(text, '\n', len);
	size_t n = MIN(nl ? (size_t)(nl + 1 - text) : len, sizeof(f->line) - f->len);

	memcpy(f->line + f->len, text, n);
	f->len += n;
	if (f->line[f->len - 1] == '\n') {
		enum fold_kind kind = kind_of(f, f->line, f->len, f->last, f->last_len);

		if (!take_line(f, kind, f->line, f->len))
			f->out(f->ctx, f->line, f->len);
		remember(f, f->line, f->len);
		f->len = 0;
	} else if (f->len == sizeof(f->line)) {
		give_up(f);
	}
	return n;
}

/* Whole lines, as they lie there; those of no run are handed on together. */
static size_t take_lines(struct fold *f, const char *text, size_t len)
{
	const char *before = f->last, *nl;
	size_t at = 0, from = 0, before_len = f->last_len;

	while (at < len && (nl = memchr(text + at, '\n', len - at))) {
		size_t n = (size_t)(nl + 1 - (text + at));
		enum fold_kind kind = kind_of(f, text + at, n, before, before_len);

		if (kind || f->kind) {
			if (at > from)
				f->out(f->ctx, text + from, at - from);
			from = at;
			if (take_line(f, kind, text + at, n))
				from = at + n;
		}
		f->warned = warning(text + at, n);
		before = text + at;
		before_len = n;
		at += n;
	}
	if (at > from)
		f->out(f->ctx, text + from, at - from);
	if (at)
		remember(f, before, before_len);
	return at;
}

void fold_feed(struct fold *f, const char *text, size_t len)
{
	while (len) {
		size_t n = 0;

		if (f->rest != FOLD_AT_START)
			n = take_rest(f, text, len);
		else if (!f->len)
			n = take_lines(f, text, len);
		if (!n)
			n = take_piece(f, text, len);
		text += n;
		len -= n;
	}
}

void fold_flush(struct fold *f)
{
	close_run(f);
	f->warned = 0;
	f->last_len = 0;
	if (f->len) {
		f->out(f->ctx, f->line, f->len);
		f->rest = FOLD_PASS;
	}
	f->len = 0;
}

void fold_reset(struct fold *f)
{
	f->rest = FOLD_AT_START;
	f->folded = false;
}

void fold_init(struct fold *f, fold_fn *out, void *ctx)
{
	*f = (struct fold){ .out = out, .ctx = ctx };
	buf_init(&f->held, (size_t)FOLD_LEAST * FOLD_LINE);
}

void fold_done(struct fold *f)
{
	buf_done(&f->held);
}
