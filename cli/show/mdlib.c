#include "cli/show/mdlib.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/def.h"
#include "base/dl.h"
#include "base/text.h"

#define LIB_FUNCTIONS(X) X(md_parse)

struct lib {
	LIB_FUNCTIONS(DL_MEMBER)
};

int mdlib_parse(const char *s, size_t len, MD_PARSER parser, void *ctx, struct err *e)
{
	static const struct dl_symbol symbols[] = { LIB_FUNCTIONS(DL_ROW) };
	static const struct dl_library library = { "libmd4c.so.0", "libmd4c0", symbols,
						   ARRAY_SIZE(symbols) };
	_cleanup_buf_ struct buf valid = BUF_INIT(SIZE_MAX / 4);
	struct lib lib;
	int r = dl_load(&library, &lib, e);

	/* A character that the end cuts off, or that is none, leads md4c 0.4.8 beyond @s; and
	 * looking for addresses in words, it forgets the ends of spans. */
	if (r == 0 && text_utf8(&valid, s, len) < 0)
		r = err_sys(e, -ENOMEM, "cannot parse the text");
	parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS |
		       MD_FLAG_NOHTML;
	if (r == 0 &&
	    lib.md_parse(buf_cstr(&valid), (MD_SIZE)valid.len, &parser, ctx) != 0)
		r = err_set(e, -EINVAL, "cannot parse the text");
	return r;
}

const char *mdlib_entity(const char *s, size_t len)
{
	static const char *const names[][2] = {
		{ "&amp;", "&" },   { "&lt;", "<" },	{ "&gt;", ">" },
		{ "&quot;", "\"" }, { "&apos;", "'" },	{ "&nbsp;", " " },
		{ "&mdash;", "—" }, { "&ndash;", "–" }, { "&hellip;", "…" },
		{ "&copy;", "©" },  { "&times;", "×" }, { "&rarr;", "→" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i][0]) == len && memcmp(names[i][0], s, len) == 0)
			return names[i][1];
	return NULL;
}
