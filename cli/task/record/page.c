#include "cli/task/record/page.h"

#include <string.h>

#include "base/embed.h"
#include "base/text.h"
#include "cli/show/html.h"
#include "cli/show/mdhtml.h"
#include "cli/show/wrap.h"
#include "cli/task/view/diffview.h"

enum { PAGE_TEXT = 64 << 20 };

EMBED(page_css, "cli/task/record/page.css");

static void begin_round(struct page *p)
{
	if (p->round == p->begun)
		return;
	p->begun = p->round;
	buf_addf(p->out, "<h2>Round %u</h2>\n", p->round);
}

/* ---- pieces --------------------------------------------------------------------------- */

static void add_pre(struct page *p, const char *class, const char *label,
		    const char *text)
{
	size_t len = strlen(text);

	begin_round(p);
	while (len && text[len - 1] == '\n')
		len--;
	buf_addf(p->out, "<pre class=\"%s\">%s", class, label);
	html_text(p->out, text, len);
	buf_adds(p->out, "</pre>\n");
}

/* Rows for a terminal, their styles as spans. */
static void add_rows(struct page *p, const char *class, const struct buf *rows)
{
	struct html h;

	begin_round(p);
	buf_addf(p->out, "<pre class=\"%s\">", class);
	html_begin(&h);
	html_feed(&h, buf_cstr(rows), rows->len, p->out);
	html_end(&h, p->out);
	buf_adds(p->out, "</pre>\n");
}

static void add_words(struct page *p, const char *class, const char *text)
{
	if (!text || !*text)
		return;
	begin_round(p);
	buf_addf(p->out, "<div class=\"%s\">\n", class);
	(void)mdhtml_add(text, strlen(text), p->out, ERR_IGNORED);
	buf_adds(p->out, "</div>\n");
}

static void add_fact(struct page *p, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	buf_addf(p->out, "<dt>%s</dt><dd>", name);
	html_text(p->out, value, strlen(value));
	buf_adds(p->out, "</dd>\n");
}

/* ---- records -------------------------------------------------------------------------- */

static void on_task(struct page *p, const struct json *r)
{
	const char *task = json_get_str(r, "task");

	buf_adds(p->out, "<h1>");
	html_text(p->out, task ? task : "", task ? strlen(task) : 0);
	buf_adds(p->out, "</h1>\n<dl>\n");
	add_fact(p, "when", json_get_str(r, "time"));
	add_fact(p, "directory", json_get_str(r, "directory"));
	add_fact(p, "image", json_get_str(r, "image"));
	add_fact(p, "network", json_get_str(r, "network"));
	add_fact(p, "goes on from", json_get_str(r, "resumed"));
	buf_adds(p->out, "</dl>\n");
}

/* Its table stands below that of the task, as if it were one. */
static void on_model(struct page *p, const struct json *r)
{
	buf_adds(p->out, "<dl>\n");
	add_fact(p, "model", json_get_str(r, "model"));
	add_fact(p, "provider", json_get_str(r, "provider"));
	buf_adds(p->out, "</dl>\n");
}

static void add_said(void *page, const char *text)
{
	add_words(page, "words", text);
}

/* A round without anything to show has no heading. */
static void on_response(struct page *p, const struct json *r)
{
	const int64_t round = json_get_int(r, "round", 0);

	if (round > 0)
		p->round = (unsigned)round;
	recorded_words(r, add_said, p);
}

static void on_call(struct page *p, const struct json *r)
{
	_cleanup_buf_ struct buf b = BUF_INIT(PAGE_TEXT);
	const struct json *args = json_get(r, "args");
	const char *label;
	const enum recorded_shown how = recorded_call(&p->recorded, r, &label, &b);

	if (how == RECORDED_UNKNOWN) {
		buf_addf(&b, "%s ", json_get_str(r, "tool") ?: "?");
		if (json_len(args) == 1 && json_get_str(args, "path"))
			buf_adds(&b, json_get_str(args, "path"));
		else if (args)
			json_print(args, false, &b);
	}
	if (how != RECORDED_NOTHING)
		add_pre(p, "call", label, buf_cstr(&b));
}

static void on_result(struct page *p, const struct json *r)
{
	const struct wrap w = { .color = true };
	_cleanup_buf_ struct buf own = BUF_INIT(PAGE_TEXT), rows = BUF_INIT(PAGE_TEXT);
	struct recorded_result result;

	recorded_result(&p->recorded, r, &own, &result);
	if (result.diff)
		diffview_text(result.diff, &w, SIZE_MAX, &rows);
	if (rows.len)
		add_rows(p, "result", &rows);
	if (result.text)
		add_pre(p,
			result.failed || json_get_int(r, "exit", 0) > 0 ? "result bad"
									: "result",
			"", result.text);
}

static void on_user(struct page *p, const struct json *r)
{
	add_pre(p, "you", "you: ", json_get_str(r, "text") ?: "");
}

static void on_notice(struct page *p, const struct json *r)
{
	if (!json_true(json_get(r, "to_model")))
		add_pre(p, "notice", "cubby: ", json_get_str(r, "text") ?: "");
}

static void on_end(struct page *p, const struct json *r)
{
	char text[64];
	const int64_t cost = json_get_int(r, "cost_micro", 0);

	p->begun = p->round;
	buf_adds(p->out, "<h2>End</h2>\n");
	add_words(p, "answer", json_get_str(r, "answer"));
	buf_adds(p->out, "<dl>\n");
	add_fact(p, "end", json_get_str(r, "reason"));
	add_fact(p, "why", json_get_str(r, "error"));
	snprintf(text, sizeof(text), "%u, %lld calls", p->round,
		 (long long)json_get_int(r, "calls", 0));
	add_fact(p, "rounds", text);
	snprintf(text, sizeof(text), "%lld in, %lld out",
		 (long long)json_get_int(r, "tokens_in", 0),
		 (long long)json_get_int(r, "tokens_out", 0));
	add_fact(p, "tokens", text);
	snprintf(text, sizeof(text), "about $%.4f", (double)cost / 1e6);
	add_fact(p, "cost", cost > 0 ? text : "");
	add_fact(p, "time",
		 text_ms((uint64_t)MAX(json_get_int(r, "elapsed_ms", 0), (int64_t)0)));
	buf_adds(p->out, "</dl>\n");
}

static const struct {
	const char *type;
	void (*add)(struct page *p, const struct json *r);
} types[] = {
	{ "task", on_task },	 { "model", on_model },	  { "response", on_response },
	{ "call", on_call },	 { "result", on_result }, { "user", on_user },
	{ "notice", on_notice }, { "end", on_end },
};

int page_record(void *page, const struct json *record, struct err *e)
{
	struct page *p = page;
	const char *type = json_get_str(record, "type");

	for (size_t i = 0; type && i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i].type, type) == 0)
			types[i].add(p, record);
	return buf_failed(p->out) < 0
		       ? err_sys(e, buf_failed(p->out), "cannot make the page")
		       : 0;
}

/* ---- the page ------------------------------------------------------------------------- */

void page_begin(struct page *p, const char *title, struct buf *out)
{
	*p = (struct page){ .out = out };
	buf_adds(out,
		 "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" "
		 "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width\">\n"
		 "<title>");
	html_text(out, title, strlen(title));
	buf_addf(out, "</title>\n<style>\n%s</style></head><body>\n", page_css);
}

void page_end(struct page *p, const char *terminal, size_t len)
{
	struct html h;

	recorded_done(&p->recorded);
	if (len) {
		buf_addf(p->out,
			 "<details><summary>%s that the terminals showed</summary>\n"
			 "<pre class=\"terminal\">",
			 len < PAGE_TERMINAL ? "All" : "The first 4 MiB");
		html_begin(&h);
		html_feed(&h, terminal, MIN(len, (size_t)PAGE_TERMINAL), p->out);
		html_end(&h, p->out);
		buf_adds(p->out, "</pre></details>\n");
	}
	buf_adds(p->out, "</body></html>\n");
}
