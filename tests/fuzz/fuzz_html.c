/* Any bytes, any split: of markup nothing comes out but spans of ours, each of them is
 * closed, and no quote or ampersand is the text's. */
#include <assert.h>
#include <string.h>

#include "base/def.h"
#include "cli/show/html.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t skip_tag(const char *s, int *open)
{
	static const char begin[] = "<span class=\"s";
	size_t n;

	if (strncmp(s, "</span>", 7) == 0) {
		assert((*open)-- == 1);
		return 7;
	}
	assert(strncmp(s, begin, strlen(begin)) == 0);
	assert((*open)++ == 0);
	n = strlen(begin) + strspn(s + strlen(begin), " abc0123456789");
	if (strncmp(s + n, "\" style=\"", 9) == 0)
		n += 9 + strspn(s + n + 9, "abcdefghijklmnopqrstuvwxyz:#0123456789");
	assert(s[n] == '"' && s[n + 1] == '>');
	return n + 2;
}

static void check(const struct buf *out)
{
	const char *s = buf_cstr(out);
	int open = 0;

	assert(strlen(s) == out->len);
	for (size_t i = 0; i < out->len;) {
		if (s[i] == '<') {
			i += skip_tag(s + i, &open);
			continue;
		}
		assert(!strchr(">\"'", s[i]));
		assert(s[i] == '\n' || s[i] == '\t' || (unsigned char)s[i] >= ' ');
		if (s[i] == '&')
			assert(s[i + 1] == '#' &&
			       s[i + 2 + strspn(s + i + 2, "0123456789")] == ';');
		i++;
	}
	assert(open == 0);
}

static void run(const uint8_t *data, size_t size, size_t step, struct buf *out)
{
	struct html h;

	html_begin(&h);
	for (size_t i = 0; i < size; i += step)
		html_feed(&h, (const char *)data + i, MIN(step, size - i), out);
	html_end(&h, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf whole = BUF_INIT(4 << 20), parts = BUF_INIT(4 << 20);

	if (size < 2 || size > 4096)
		return 0;
	run(data + 1, size - 1, size, &whole);
	run(data + 1, size - 1, 1 + data[0] % 8, &parts);
	assert(whole.len == parts.len);
	assert(whole.len == 0 || memcmp(whole.data, parts.data, whole.len) == 0);
	check(&whole);
	return 0;
}
