/* Theory of operation
 *
 * A PDF is read by the box's pdftotext, what is XML in a zip by the box's Python with a
 * program of ours (document.py): both are parsers of what strangers have made, and run where
 * it does no harm. The text is gathered, since its lines are counted. */
#include "agent/server/files/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/server/files/fileop.h"
#include "agent/server/files/pathname.h"
#include "base/embed.h"
#include "base/json.h"
#include "base/scope.h"

EMBED(document_program, "agent/server/files/document.py");

struct document {
	char *path; /* owned */
	int64_t first, last;
};

/* The end of its name, in lower case; NULL = none that is known. */
static const char *kind_of(const char *path)
{
	static const char *const kinds[] = { "pdf",  "docx", "docm", "pptx", "xlsx",
					     "xlsm", "odt",  "ods",  "odp",  "epub" };
	const char *dot = strrchr(pathname_base(path), '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(kinds); i++)
		if (strcasecmp(dot + 1, kinds[i]) == 0)
			return kinds[i];
	return NULL;
}

bool document_is(const char *path)
{
	return kind_of(path) != NULL;
}

const char *document_remedy(const char *path)
{
	static const char *const old[][2] = {
		{ "doc",
		  "; make a docx of it first: apt-get install libreoffice-writer; "
		  "soffice --headless --convert-to docx FILE" },
		{ "xls",
		  "; make an xlsx of it first: apt-get install libreoffice-calc; "
		  "soffice --headless --convert-to xlsx FILE" },
		{ "ppt",
		  "; make a pptx of it first: apt-get install libreoffice-impress; "
		  "soffice --headless --convert-to pptx FILE" },
	};
	const char *dot = strrchr(pathname_base(path), '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(old); i++)
		if (strcasecmp(dot + 1, old[i][0]) == 0)
			return old[i][1];
	return "";
}

static bool is_pdf(const char *path)
{
	const char *kind = kind_of(path);

	return kind && strcmp(kind, "pdf") == 0;
}

size_t document_reader(const char *path, const char *ret[DOCUMENT_WORDS])
{
	const char *const pdf[] = { "pdftotext", "-q", "-layout", "-enc",
				    "UTF-8",	 path, "-",	  NULL };
	const char *const office[] = { "python3", "-I",		 "-c", document_program,
				       path,	  kind_of(path), NULL };
	const char *const *from = is_pdf(path) ? pdf : office;
	size_t n = 0;

	for (; from[n]; n++)
		ret[n] = from[n];
	ret[n] = NULL;
	return n;
}

/* ---- the answer ------------------------------------------------------------------------- */

static int refuse(const struct document *d, const struct err *why, struct err *e)
{
	const char *type = pathname_type(d->path);

	if (why->code == -ENOENT)
		return err_set(e, -EMEDIUMTYPE,
			       "Unsupported binary file type: %s: %s is not in the "
			       "box: apt-get install %s",
			       type, is_pdf(d->path) ? "pdftotext" : "python3",
			       is_pdf(d->path) ? "poppler-utils" : "python3");
	if (why->code == -EAGAIN) {
		*e = *why;
		return e->code;
	}
	if (why->code == -EMSGSIZE)
		return err_set(e, -EMSGSIZE, "the document's text is too long");
	if (why->code == -ETIMEDOUT)
		return err_set(e, -ETIMEDOUT, "the document takes too long to read");
	return err_set(e, -EMEDIUMTYPE,
		       "Unsupported binary file type: %s: it cannot be read as one",
		       type);
}

/* What the text has between two lines, as JSON; NULs are no text. */
static struct json *lines_of(const struct document *d, struct buf *text)
{
	size_t len = 0, from = 0, to = 0;
	struct json *j = json_object();
	int64_t line = 0;

	for (size_t i = 0; i < text->len; i++)
		if (text->data[i])
			text->data[len++] = text->data[i];
	for (size_t at = 0; at < len;) {
		const char *nl = memchr(text->data + at, '\n', len - at);
		size_t end = nl ? (size_t)(nl + 1 - text->data) : len;

		line++;
		if (line == d->first)
			from = to = at;
		if (line >= d->first && line <= d->last)
			to = end;
		at = end;
	}
	json_set_str(j, "path", d->path);
	json_set_int(j, "total_lines", line);
	json_set(j, "content",
		 json_stringn(to > from ? text->data + from : "", to - from));
	return j;
}

static void on_released(void *ctx)
{
	struct document *d = ctx;

	free(d->path);
	free(d);
}

static int on_text(void *ctx, struct exchange *x, struct buf *out, struct err *)
{
	struct json *j = lines_of(ctx, out);

	on_released(ctx);
	exchange_reply(x, 200, j);
	return 0;
}

static int on_failed(void *ctx, struct exchange *, const struct err *why, struct err *e)
{
	int r = refuse(ctx, why, e);

	on_released(ctx);
	return r;
}

int document_read(struct exchange *x, const struct document_lines *lines, struct err *e)
{
	const char *argv[DOCUMENT_WORDS];
	struct document *d = calloc(1, sizeof(*d));
	const struct fileop_conf c = { .argv = argv,
				       .program = true,
				       .limit_ms = DOCUMENT_MS,
				       .gather = DOCUMENT_TEXT_MAX,
				       .gathered_for = on_text,
				       .failed_for = on_failed,
				       .released = on_released,
				       .ctx = d };
	int r;

	(void)document_reader(lines->path, argv);
	if (d)
		*d = (struct document){ .path = strdup(lines->path),
					.first = lines->first,
					.last = lines->last };
	if (!d || !d->path) {
		free(d);
		return err_sys(e, -ENOMEM, "cannot read a document");
	}
	r = fileop_run(x, &c, e);
	if (r < 0)
		on_released(d);
	return r;
}
