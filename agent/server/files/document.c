/* Theory of operation
 *
 * A PDF is read by the box's pdftotext; what is XML in a zip, RTF or a message by the box's
 * Python with a program of ours (document.py): all are parsers of what strangers have made,
 * and run where it does no harm. There their lines are counted, too (runtime/init/browse.c).
 */
#include "agent/server/files/document.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "agent/server/files/pathname.h"
#include "base/embed.h"

EMBED(document_program, "agent/server/files/document.py");

/* The end of its name, in lower case; NULL = none that is known. */
static const char *kind_of(const char *path)
{
	static const char *const kinds[] = { "pdf",  "docx", "docm", "pptx",
					     "xlsx", "xlsm", "odt",  "ods",
					     "odp",  "epub", "eml",  "rtf" };
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

int document_refuse(const char *path, const struct err *why, struct err *e)
{
	const char *type = pathname_type(path);

	if (why->code == -ENOENT)
		return err_set(e, -EMEDIUMTYPE,
			       "Unsupported binary file type: %s: %s is not in the "
			       "box: apt-get install %s",
			       type, is_pdf(path) ? "pdftotext" : "python3",
			       is_pdf(path) ? "poppler-utils" : "python3");
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
