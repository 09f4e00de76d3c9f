/* Any bytes, any split: the same comes out; every sequence in it is one that a second
 * look, with a parser of its own, finds harmless; and the end leaves nothing to put
 * back. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/def.h"
#include "base/text.h"
#include "cli/show/termfilter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the length of the sequence at @s, after ESC [. */
static size_t check_control(const char *s, size_t len, bool questions)
{
	size_t n = 2;
	char final;

	while (n < len && s[n] >= ' ' && s[n] < '@')
		n++;
	assert(n < len);
	final = s[n];
	assert(final >= '@' && final <= '~');
	assert(!strchr("ioxyvwz{|}~NOQRUVWYjk", final));
	if (final == 't' || final == 'n' || final == 'c')
		assert(questions);
	if (final == 'n')
		assert(s[n - 1] != '5');
	if (final == 'q' || final == 'u')
		assert(final == 'u' || s[n - 1] == ' ' || s[2] == '>');
	if (s[2] == '>')
		assert(questions);
	return n + 1;
}

static size_t check_string(const char *s, size_t len, bool questions)
{
	size_t n = 2;

	assert(questions);
	while (n < len && ((s[n] >= '0' && s[n] <= '9') || s[n] == ';'))
		n++;
	assert(n + 1 < len && s[n] == '?');
	if (s[n + 1] == '\007')
		return n + 2;
	assert(n + 2 < len && s[n + 1] == '\033' && s[n + 2] == '\\');
	return n + 3;
}

static size_t check_sequence(const char *s, size_t len, bool questions)
{
	assert(len > 1);
	if (s[1] == '[')
		return check_control(s, len, questions);
	if (s[1] == ']')
		return check_string(s, len, questions);
	if (s[1] == '(' || s[1] == ')') {
		assert(len > 2 && strchr("0AB", s[2]));
		return 3;
	}
	assert(strchr("78=>DEHMc", s[1]));
	return 2;
}

static void check(const struct buf *out, bool questions)
{
	for (size_t i = 0; i < out->len;) {
		const char *s = out->data + i;
		unsigned c = 0;
		int n;

		if (*s == '\033') {
			i += check_sequence(s, out->len - i, questions);
			continue;
		}
		n = text_decode(s, out->len - i, &c);
		assert(n > 0 && !text_turns(c) && !(c >= 0x7f && c < 0xa0));
		assert(c >= ' ' || (c >= 7 && c <= 15));
		i += (size_t)n;
	}
}

static void run(const uint8_t *data, size_t size, size_t step, bool questions,
		struct buf *out)
{
	struct termfilter f;
	size_t before;

	termfilter_init(&f, questions);
	for (size_t i = 0; i < size; i += step)
		assert(termfilter_feed(&f, (const char *)data + i, MIN(step, size - i),
				       out) == 0);
	assert(termfilter_end(&f, out) == 0);
	before = out->len;
	assert(termfilter_end(&f, out) == 0 && out->len == before);
	assert(f.modes == 0 && f.changed == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf whole = BUF_INIT(1 << 20), parts = BUF_INIT(1 << 20);
	bool questions;

	if (size < 2 || size > 4096)
		return 0;
	questions = data[0] & 8;
	run(data + 1, size - 1, size, questions, &whole);
	run(data + 1, size - 1, 1 + data[0] % 8, questions, &parts);
	assert(whole.len == parts.len);
	assert(whole.len == 0 || memcmp(whole.data, parts.data, whole.len) == 0);
	check(&whole, questions);
	return 0;
}
