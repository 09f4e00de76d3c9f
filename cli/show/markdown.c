/* md4c tells the structure; rows are made at the end of each paragraph, heading, code and
 * table, with what stands in front of them for the lists and quotes that they are in. */
#include "cli/show/markdown.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "cli/show/mdlib.h"
#include "cli/show/wrap.h"

enum { LEVELS = 16, CELLS_MAX = 4096, COLUMNS_MAX = 32, RULE = 40, CELL_LEAST = 3 };

/* A list, a quote or an item around what is being rendered. */
struct level {
	MD_BLOCKTYPE type;
	bool tight, fresh; /* of an item: its mark has not been shown */
	unsigned number;   /* of the next item */
	char mark[24];	   /* of an item: in front of its first row */
};

struct cell {
	char *text; /* owned */
	size_t len;
	MD_ALIGN align;
};

struct page {
	const struct markdown_look *look;
	struct buf *out;
	struct buf text; /* owned; of the paragraph, with marks */
	struct level levels[LEVELS];
	unsigned depth;				   /* may pass LEVELS */
	unsigned bold, italic, strike, code, link; /* spans that are open */
	bool heading, rows; /* something stands above in this page */
	unsigned gap;	    /* a blank row comes before the next block */
	struct cell *cells; /* owned; of the table, row by row */
	size_t n_cells, columns;
};

/* ---- text ----------------------------------------------------------------------------- */

static void mark(struct page *p)
{
	unsigned style = 0;

	style |= p->bold || p->heading ? WRAP_BOLD : 0;
	style |= p->italic ? WRAP_ITALIC : 0;
	style |= p->strike ? WRAP_STRIKE : 0;
	style |= p->link ? WRAP_UNDERLINE : 0;
	wrap_mark(&p->text, style, p->code ? WRAP_CYAN : WRAP_PLAIN);
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE len, void *ctx)
{
	const char *entity = type == MD_TEXT_ENTITY ? mdlib_entity(s, len) : NULL;
	struct page *p = ctx;

	if (type == MD_TEXT_BR)
		buf_addc(&p->text, '\n');
	else if (type == MD_TEXT_SOFTBR)
		buf_addc(&p->text, ' ');
	else if (entity)
		buf_adds(&p->text, entity);
	else if (type == MD_TEXT_NULLCHAR)
		buf_adds(&p->text, TEXT_REPLACEMENT);
	else
		text_seen(&p->text, s, len, false);
	return 0;
}

static int on_enter_span(MD_SPANTYPE type, void *, void *ctx)
{
	struct page *p = ctx;

	p->italic += type == MD_SPAN_EM;
	p->bold += type == MD_SPAN_STRONG;
	p->strike += type == MD_SPAN_DEL;
	p->code += type == MD_SPAN_CODE;
	p->link += type == MD_SPAN_A;
	mark(p);
	if (type == MD_SPAN_CODE && !p->look->color)
		buf_addc(&p->text, '`');
	if (type == MD_SPAN_IMG)
		buf_adds(&p->text, "[picture: ");
	return 0;
}

/* The place that a link leads to is always told, unless it is the text. */
static void add_place(struct page *p, const MD_ATTRIBUTE *place)
{
	if (!place->size || (p->text.len >= place->size &&
			     memcmp(p->text.data + p->text.len - place->size,
				    place->text, place->size) == 0))
		return;
	wrap_mark(&p->text, WRAP_DIM, WRAP_PLAIN);
	buf_adds(&p->text, " (");
	text_seen(&p->text, place->text, place->size, false);
	buf_addc(&p->text, ')');
}

static int on_leave_span(MD_SPANTYPE type, void *detail, void *ctx)
{
	struct page *p = ctx;

	if (type == MD_SPAN_CODE && !p->look->color)
		buf_addc(&p->text, '`');
	if (type == MD_SPAN_IMG)
		buf_addc(&p->text, ']');
	if (type == MD_SPAN_A)
		add_place(p, &((const MD_SPAN_A_DETAIL *)detail)->href);
	else if (type == MD_SPAN_IMG)
		add_place(p, &((const MD_SPAN_IMG_DETAIL *)detail)->src);
	p->italic -= type == MD_SPAN_EM;
	p->bold -= type == MD_SPAN_STRONG;
	p->strike -= type == MD_SPAN_DEL;
	p->code -= type == MD_SPAN_CODE;
	p->link -= type == MD_SPAN_A;
	mark(p);
	return 0;
}

/* ---- rows ----------------------------------------------------------------------------- */

/* What stands in front of a row: bars of quotes, marks of items or their width. */
static void add_front(struct page *p, bool first, struct buf *out)
{
	for (unsigned i = 0; i < MIN(p->depth, (unsigned)LEVELS); i++) {
		struct level *l = &p->levels[i];

		if (l->type == MD_BLOCK_QUOTE)
			buf_adds(out, "│ ");
		if (l->type != MD_BLOCK_LI)
			continue;
		if (first && l->fresh)
			buf_adds(out, l->mark);
		else
			buf_addf(out, "%*s", (int)wrap_cols(l->mark, strlen(l->mark)),
				 "");
		if (first)
			l->fresh = false;
	}
}

static void add_rows(struct page *p, const char *s, size_t len, const char *indent,
		     bool anywhere)
{
	_cleanup_buf_ struct buf first = BUF_INIT(4096), rest = BUF_INIT(4096);
	struct wrap w = { .cols = p->look->cols,
			  .color = p->look->color,
			  .anywhere = anywhere };

	add_front(p, true, &first);
	add_front(p, false, &rest);
	buf_adds(&first, indent);
	buf_adds(&rest, indent);
	w.first = buf_cstr(&first);
	w.rest = buf_cstr(&rest);
	wrap_add(p->out, &w, s, len);
	p->rows = true;
}

static bool is_tight(const struct page *p)
{
	for (unsigned i = MIN(p->depth, (unsigned)LEVELS); i > 0; i--)
		if (p->levels[i - 1].type == MD_BLOCK_UL ||
		    p->levels[i - 1].type == MD_BLOCK_OL)
			return p->levels[i - 1].tight;
	return false;
}

/* Between two blocks, but not in a tight list nor behind an item's mark. */
static void begin_block(struct page *p)
{
	bool fresh = false;

	for (unsigned i = 0; i < MIN(p->depth, (unsigned)LEVELS); i++)
		fresh |= p->levels[i].type == MD_BLOCK_LI && p->levels[i].fresh;
	if (p->rows && p->gap && !(is_tight(p) && fresh)) {
		_cleanup_buf_ struct buf front = BUF_INIT(4096);

		for (unsigned i = 0; i < MIN(p->depth, (unsigned)LEVELS); i++)
			if (p->levels[i].type == MD_BLOCK_QUOTE)
				buf_adds(&front, "│ ");
		buf_addf(p->out, "%s\n", buf_cstr(&front));
	}
	p->gap = 0;
	buf_truncate(&p->text, 0);
}

static void end_block(struct page *p)
{
	buf_truncate(&p->text, 0);
	p->gap = 1;
}

static void show_text(struct page *p)
{
	/* In a tight list the text of an item is in no paragraph. */
	if (!p->text.len)
		return;
	add_rows(p, p->text.data, p->text.len, "", false);
	end_block(p);
}

static void show_code(struct page *p)
{
	_cleanup_buf_ struct buf b = BUF_INIT(MARKDOWN_ROWS);
	size_t n = p->text.len;

	while (n && p->text.data[n - 1] == '\n')
		n--;
	wrap_mark(&b, 0, WRAP_CYAN);
	buf_add(&b, buf_cstr(&p->text), n);
	add_rows(p, b.data, b.len, "    ", true);
	end_block(p);
}

static void show_rule(struct page *p)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1024);
	const unsigned cols = p->look->cols;

	wrap_mark(&b, WRAP_DIM, WRAP_PLAIN);
	for (unsigned i = 0; i < (cols && cols < RULE ? cols : RULE); i++)
		buf_adds(&b, "─");
	add_rows(p, b.data, b.len, "", true);
	end_block(p);
}

/* ---- tables --------------------------------------------------------------------------- */

static void keep_cell(struct page *p, MD_ALIGN align)
{
	struct cell *more;

	if (!grow_room(p->cells, p->n_cells))
		return;
	more = &p->cells[p->n_cells++];
	more->len = p->text.len;
	more->align = align;
	more->text = buf_steal(&p->text);
	p->text = BUF_INIT(MARKDOWN_ROWS);
}

/* The widest column gives until all fit. */
static void fit_columns(size_t *widths, size_t n, size_t room)
{
	for (;;) {
		size_t sum = 3 * (n - 1), most = 0;

		for (size_t i = 0; i < n; i++) {
			sum += widths[i];
			most = widths[i] > widths[most] ? i : most;
		}
		if (sum <= room || widths[most] <= CELL_LEAST)
			return;
		widths[most]--;
	}
}

/* The line @line of a cell that was wrapped, filled to the column's width. */
static bool add_cell_line(struct buf *row, const struct buf *rows, size_t line,
			  size_t width, MD_ALIGN align)
{
	const char *s = buf_cstr(rows), *end;
	size_t cols, pad, left = 0;

	for (; line && *s; line--)
		s = strchrnul(s, '\n') + 1;
	end = strchrnul(s, '\n');
	cols = wrap_cols(s, (size_t)(end - s));
	pad = width > cols ? width - cols : 0;
	if (align == MD_ALIGN_RIGHT)
		left = pad;
	else if (align == MD_ALIGN_CENTER)
		left = pad / 2;
	buf_addf(row, "%*s", (int)left, "");
	buf_add(row, s, (size_t)(end - s));
	buf_addf(row, "%*s", (int)(pad - left), "");
	return *end && end[1];
}

/* Marks stay in a wrapped cell: they become sequences with the row. */
static void wrap_cell(const struct cell *c, size_t width, bool head, struct buf *out)
{
	_cleanup_buf_ struct buf rows = BUF_INIT(MARKDOWN_ROWS);
	const struct wrap w = { .cols = width };

	/* Without colours the styles of a cell would be lost to the wrapping: those of a
	 * table are the heading's alone. */
	wrap_add(&rows, &w, c->text ? c->text : "", c->len);
	for (const char *s = buf_cstr(&rows); *s; s = strchrnul(s, '\n') + 1) {
		const int n = (int)(strchrnul(s, '\n') - s);

		if (head)
			wrap_mark(out, WRAP_BOLD, WRAP_PLAIN);
		buf_addf(out, "%.*s", n, s);
		if (head)
			wrap_mark(out, 0, WRAP_PLAIN);
		buf_addc(out, '\n');
	}
}

static void show_table_row(struct page *p, const struct cell *cells,
			   const size_t *widths, bool head)
{
	struct buf wrapped[COLUMNS_MAX];
	bool more = true;

	for (size_t i = 0; i < p->columns; i++) {
		wrapped[i] = BUF_INIT(MARKDOWN_ROWS);
		wrap_cell(&cells[i], widths[i], head, &wrapped[i]);
	}
	for (size_t line = 0; more; line++) {
		_cleanup_buf_ struct buf row = BUF_INIT(MARKDOWN_ROWS);

		more = false;
		for (size_t i = 0; i < p->columns; i++) {
			if (i)
				buf_adds(&row, " │ ");
			more |= add_cell_line(&row, &wrapped[i], line, widths[i],
					      cells[i].align);
		}
		add_rows(p, row.data, row.len, "", false);
	}
	for (size_t i = 0; i < p->columns; i++)
		buf_done(&wrapped[i]);
}

static void show_table_rule(struct page *p, const size_t *widths)
{
	_cleanup_buf_ struct buf row = BUF_INIT(64 << 10);

	for (size_t i = 0; i < p->columns; i++) {
		if (i)
			buf_adds(&row, "─┼─");
		for (size_t n = 0; n < widths[i]; n++)
			buf_adds(&row, "─");
	}
	add_rows(p, row.data, row.len, "", true);
}

static void show_table(struct page *p)
{
	size_t widths[COLUMNS_MAX] = { 0 };
	_cleanup_buf_ struct buf front = BUF_INIT(4096);
	size_t used;

	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *c = &p->cells[i];
		size_t *w = &widths[i % p->columns];

		*w = MAX(*w, c->text ? wrap_cols(c->text, c->len) : 0);
		*w = MAX(*w, (size_t)1);
	}
	add_front(p, false, &front);
	used = wrap_cols(buf_cstr(&front), front.len);
	if (p->look->cols)
		fit_columns(widths, p->columns,
			    p->look->cols > used ? p->look->cols - used : 1);
	for (size_t at = 0; at + p->columns <= p->n_cells; at += p->columns) {
		show_table_row(p, p->cells + at, widths, at == 0);
		if (at == 0)
			show_table_rule(p, widths);
	}
	end_block(p);
}

static void drop_table(struct page *p)
{
	for (size_t i = 0; i < p->n_cells; i++)
		free(p->cells[i].text);
	free(p->cells);
	p->cells = NULL;
	p->n_cells = 0;
}

/* ---- blocks --------------------------------------------------------------------------- */

static void push(struct page *p, MD_BLOCKTYPE type, bool tight, unsigned number)
{
	if (p->depth < LEVELS)
		p->levels[p->depth] = (struct level){ .type = type,
						      .tight = tight,
						      .number = number };
	p->depth++;
}

static void push_item(struct page *p, const MD_BLOCK_LI_DETAIL *d)
{
	struct level *list =
		p->depth && p->depth <= LEVELS ? &p->levels[p->depth - 1] : NULL;
	struct level *item;

	push(p, MD_BLOCK_LI, true, 0);
	if (p->depth > LEVELS || !list)
		return;
	item = &p->levels[p->depth - 1];
	item->fresh = true;
	if (d->is_task)
		text_copy(item->mark, sizeof(item->mark),
			  d->task_mark == ' ' ? "☐ " : "☑ ");
	else if (list->type == MD_BLOCK_OL)
		snprintf(item->mark, sizeof(item->mark), "%u. ", list->number++);
	else
		text_copy(item->mark, sizeof(item->mark), "• ");
}

static int on_enter_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
	struct page *p = ctx;

	switch (type) {
	case MD_BLOCK_QUOTE:
	case MD_BLOCK_UL:
	case MD_BLOCK_OL:
		show_text(p);
		push(p, type,
		     (type == MD_BLOCK_UL &&
		      ((const MD_BLOCK_UL_DETAIL *)detail)->is_tight) ||
			     (type == MD_BLOCK_OL &&
			      ((const MD_BLOCK_OL_DETAIL *)detail)->is_tight),
		     type == MD_BLOCK_OL ? ((const MD_BLOCK_OL_DETAIL *)detail)->start
					 : 0);
		/* a list stands right below the text of the item that it is in */
		if (p->depth > 1 && p->depth <= LEVELS &&
		    p->levels[p->depth - 2].type == MD_BLOCK_LI)
			p->gap = 0;
		break;
	case MD_BLOCK_LI:
		push_item(p, detail);
		begin_block(p);
		break;
	case MD_BLOCK_TABLE:
		begin_block(p);
		p->columns = ((const MD_BLOCK_TABLE_DETAIL *)detail)->col_count;
		break;
	case MD_BLOCK_H:
		begin_block(p);
		p->heading = true;
		mark(p);
		break;
	case MD_BLOCK_TH:
	case MD_BLOCK_TD:
		buf_truncate(&p->text, 0);
		break;
	case MD_BLOCK_P:
	case MD_BLOCK_CODE:
	case MD_BLOCK_HTML:
	case MD_BLOCK_HR:
		show_text(p);
		begin_block(p);
		break;
	default:
		break;
	}
	return p->columns > COLUMNS_MAX || p->n_cells > CELLS_MAX ? -EMSGSIZE : 0;
}

static int on_leave_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
	struct page *p = ctx;

	switch (type) {
	case MD_BLOCK_QUOTE:
	case MD_BLOCK_UL:
	case MD_BLOCK_OL:
		p->depth--;
		p->gap = 1;
		break;
	case MD_BLOCK_LI:
		show_text(p);
		p->depth--;
		break;
	case MD_BLOCK_CODE:
		show_code(p);
		break;
	case MD_BLOCK_HR:
		show_rule(p);
		break;
	case MD_BLOCK_TH:
	case MD_BLOCK_TD:
		keep_cell(p, ((const MD_BLOCK_TD_DETAIL *)detail)->align);
		break;
	case MD_BLOCK_TABLE:
		show_table(p);
		drop_table(p);
		break;
	case MD_BLOCK_H:
	case MD_BLOCK_P:
	case MD_BLOCK_HTML:
		show_text(p);
		p->heading = false;
		break;
	default:
		break;
	}
	return 0;
}

/* ---- a text --------------------------------------------------------------------------- */

static void plain_rows(const char *s, size_t len, const struct markdown_look *look,
		       struct buf *out)
{
	_cleanup_buf_ struct buf safe = BUF_INIT(MARKDOWN_ROWS);
	const struct wrap w = { .cols = look->cols };

	text_seen(&safe, s, len, false);
	wrap_add(out, &w, buf_cstr(&safe), safe.len);
}

int markdown_rows(const char *s, size_t len, const struct markdown_look *look,
		  struct buf *out, struct err *e)
{
	const MD_PARSER parser = { .enter_block = on_enter_block,
				   .leave_block = on_leave_block,
				   .enter_span = on_enter_span,
				   .leave_span = on_leave_span,
				   .text = on_text };
	struct page p = { .look = look, .out = out, .text = BUF_INIT(MARKDOWN_ROWS) };
	const size_t before = out->len;
	int r = mdlib_parse(s, len, parser, &p, e);

	if (r < 0) {
		buf_truncate(out, before);
		plain_rows(s, len, look, out);
	}
	drop_table(&p);
	buf_done(&p.text);
	return r;
}
