/* Any words: what comes out has no tag but those of the table, each closed in its order, and
 * no attribute but the three that are written here. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/def.h"
#include "cli/show/mdhtml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEEP = 4096 };

static const char *const tags[] = { "blockquote", "ul",	   "ol",   "li", "p",  "pre",
				    "h3",	  "table", "tr",   "th", "td", "em",
				    "strong",	  "del",   "code", "i",	 NULL };

static size_t tag_of(const char *s, size_t len)
{
	size_t i = 0;

	while (tags[i] && (strlen(tags[i]) != len || memcmp(tags[i], s, len) != 0))
		i++;
	assert(tags[i]);
	return i;
}

/* Behind the name: nothing, class="r" or start="N". */
static void check_attribute(const char *s, size_t len)
{
	if (len == 0 || (len == 10 && memcmp(s, " class=\"r\"", 10) == 0))
		return;
	assert(len > 9 && memcmp(s, " start=\"", 8) == 0 && s[len - 1] == '"');
	assert(strspn(s + 8, "0123456789") == len - 9);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf out = BUF_INIT(64 << 20);
	size_t open[DEEP], n = 0;
	struct err e;

	(void)mdhtml_add((const char *)data, size, &out, &e);
	for (const char *s = buf_cstr(&out); (s = strchr(s, '<')); s++) {
		const char *end = strchr(s, '>');
		const bool closes = s[1] == '/';
		const char *name = s + 1 + closes;
		const size_t len = strcspn(name, " >");

		assert(end);
		if (memcmp(s, "<br>", 4) == 0 || memcmp(s, "<hr>", 4) == 0)
			continue;
		if (closes) {
			assert(n && open[--n] == tag_of(name, len) && name[len] == '>');
		} else {
			check_attribute(name + len, (size_t)(end - name) - len);
			assert(n < DEEP);
			open[n++] = tag_of(name, len);
		}
	}
	assert(n == 0);
	return 0;
}
