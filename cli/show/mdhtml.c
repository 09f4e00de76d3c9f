/* Every tag comes from the two tables here, and all else through html_text(). */
#include "cli/show/mdhtml.h"

#include <string.h>

#include "base/def.h"
#include "base/text.h"
#include "cli/show/html.h"
#include "cli/show/mdlib.h"

static const char *const block_tags[] = {
	/* clang-format off */
	[MD_BLOCK_QUOTE] = "blockquote",	[MD_BLOCK_UL] = "ul",
	[MD_BLOCK_OL] = "ol",			[MD_BLOCK_LI] = "li",
	[MD_BLOCK_P] = "p",			[MD_BLOCK_CODE] = "pre",
	[MD_BLOCK_H] = "h3",			[MD_BLOCK_TABLE] = "table",
	[MD_BLOCK_TR] = "tr",			[MD_BLOCK_TH] = "th",
	[MD_BLOCK_TD] = "td",
	/* clang-format on */
};

static const char *const span_tags[] = {
	[MD_SPAN_EM] = "em",
	[MD_SPAN_STRONG] = "strong",
	[MD_SPAN_DEL] = "del",
	[MD_SPAN_CODE] = "code",
};

enum { OPEN_MOST = 32 };

/* Whatever ends of spans the parser forgets or invents, each is closed once, in its block. */
struct markup {
	struct buf *out;
	const char *open[OPEN_MOST]; /* spans of the block */
	size_t n;
};

static void open_span(struct markup *m, const char *tag)
{
	if (m->n == OPEN_MOST)
		return;
	m->open[m->n++] = tag;
	buf_addf(m->out, "<%s>", tag);
}

/* With what was opened in it; NULL = all. One that is not open has no end. */
static void close_spans(struct markup *m, const char *tag)
{
	size_t at = tag ? m->n : 0;

	while (tag && at && strcmp(m->open[at - 1], tag) != 0)
		at--;
	if (tag && !at--)
		return;
	while (m->n > at)
		buf_addf(m->out, "</%s>", m->open[--m->n]);
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE len, void *ctx)
{
	const char *entity = type == MD_TEXT_ENTITY ? mdlib_entity(s, len) : NULL;
	struct buf *out = ((struct markup *)ctx)->out;

	if (type == MD_TEXT_BR)
		buf_adds(out, "<br>");
	else if (type == MD_TEXT_SOFTBR)
		buf_addc(out, '\n');
	else if (type == MD_TEXT_NULLCHAR)
		buf_adds(out, TEXT_REPLACEMENT);
	else if (entity)
		html_text(out, entity, strlen(entity));
	else
		html_text(out, s, len);
	return 0;
}

static int on_enter_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
	const MD_BLOCK_LI_DETAIL *item = detail;
	const MD_BLOCK_TD_DETAIL *cell = detail;
	struct buf *out = ((struct markup *)ctx)->out;

	close_spans(ctx, NULL);
	if (type == MD_BLOCK_HR)
		buf_adds(out, "<hr>\n");
	else if (type == MD_BLOCK_OL)
		buf_addf(out, "<ol start=\"%u\">",
			 ((const MD_BLOCK_OL_DETAIL *)detail)->start);
	else if ((type == MD_BLOCK_TH || type == MD_BLOCK_TD) &&
		 cell->align == MD_ALIGN_RIGHT)
		buf_addf(out, "<%s class=\"r\">", block_tags[type]);
	else if (type < ARRAY_SIZE(block_tags) && block_tags[type])
		buf_addf(out, "<%s>", block_tags[type]);
	if (type == MD_BLOCK_LI && item->is_task)
		buf_adds(out, item->task_mark == ' ' ? "☐ " : "☑ ");
	return 0;
}

static int on_leave_block(MD_BLOCKTYPE type, void *, void *ctx)
{
	struct markup *m = ctx;

	close_spans(m, NULL);
	if (type < ARRAY_SIZE(block_tags) && block_tags[type])
		buf_addf(m->out, "</%s>\n", block_tags[type]);
	return 0;
}

static int on_enter_span(MD_SPANTYPE type, void *, void *ctx)
{
	struct markup *m = ctx;

	if (type < ARRAY_SIZE(span_tags) && span_tags[type])
		open_span(m, span_tags[type]);
	else if (type == MD_SPAN_IMG)
		buf_adds(m->out, "[picture: ");
	return 0;
}

/* The place that a link leads to, unless it is the text. */
static void add_place(struct buf *out, const MD_ATTRIBUTE *place)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);

	html_text(&text, place->text, place->size);
	if (!text.len ||
	    (out->len >= text.len &&
	     memcmp(out->data + out->len - text.len, text.data, text.len) == 0))
		return;
	buf_addf(out, " <i>(%s)</i>", buf_cstr(&text));
}

static int on_leave_span(MD_SPANTYPE type, void *detail, void *ctx)
{
	struct markup *m = ctx;

	if (type < ARRAY_SIZE(span_tags) && span_tags[type])
		close_spans(m, span_tags[type]);
	else if (type == MD_SPAN_IMG)
		buf_addc(m->out, ']');
	if (type == MD_SPAN_IMG)
		add_place(m->out, &((const MD_SPAN_IMG_DETAIL *)detail)->src);
	else if (type == MD_SPAN_A)
		add_place(m->out, &((const MD_SPAN_A_DETAIL *)detail)->href);
	return 0;
}

int mdhtml_add(const char *s, size_t len, struct buf *out, struct err *e)
{
	const MD_PARSER parser = { .enter_block = on_enter_block,
				   .leave_block = on_leave_block,
				   .enter_span = on_enter_span,
				   .leave_span = on_leave_span,
				   .text = on_text };
	const size_t before = out->len;
	struct markup m = { .out = out };
	int r = mdlib_parse(s, len, parser, &m, e);

	if (r < 0) {
		buf_truncate(out, before);
		buf_adds(out, "<pre>");
		html_text(out, s, len);
		buf_adds(out, "</pre>\n");
	}
	return r;
}
