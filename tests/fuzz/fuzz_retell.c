#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "agent/server/http/head.h"
#include "agent/server/http/retell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BODY_MAX = 1 << 20 };

/* Lines of the input are "name=value"; a value may hold anything but a line feed. */
static unsigned tell(struct retell *r, const char *text, size_t len)
{
	unsigned n = 0;

	for (const char *at = text, *end = text + len; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at)) ?: end;
		const char *eq = memchr(at, '=', (size_t)(stop - at)) ?: stop;
		const struct h2_field f = {
			{ at, (size_t)(eq - at) },
			{ eq < stop ? eq + 1 : stop,
			  (size_t)(eq < stop ? stop - eq - 1 : 0) },
		};

		if (!retell_field(r, &f))
			break;
		n++;
		at = stop + 1;
	}
	return n;
}

/* What was told is one head of HTTP/1.1, with no more in it than was told. */
static void check_request(const char *text, size_t len, bool last)
{
	_cleanup_buf_ struct buf out = BUF_INIT(4L * HEAD_MAX);
	struct retell r;
	struct head h;
	unsigned n;

	retell_init(&r);
	n = tell(&r, text, len);
	if (retell_head(&r, last, &out) == 0) {
		int64_t length = r.length;

		assert(head_length(out.data, out.len) == out.len);
		if (head_parse(out.data, out.len, &h) == 0) {
			assert(h.count <= n + 2 && h.minor == 1 && !h.websocket);
			assert(h.length == (length >= 0 ? length
					    : last	? 0
							: HEAD_CHUNKED));
			assert(h.keep_alive && !head_field(&h, "connection") &&
			       !head_field(&h, "upgrade"));
		}
	}
	retell_done(&r);
}

/* An answer: @step bytes at a time, to its end or its first fault. */
static int read_answer(const char *text, size_t len, size_t step, bool to_head,
		       struct buf *body, int *status)
{
	struct retell_answer a;
	int r = 0;

	retell_answer_init(&a, to_head);
	for (size_t at = 0, used; r >= 0 && at < len && !a.whole; at += used) {
		r = retell_answer(&a, text + at, MIN(step, len - at), &used, body);
		assert(r < 0 || used);
		for (size_t i = 0; r == 1 && i < a.n; i++) {
			const struct h2_field *f = &a.fields[i];

			assert(!memchr(f->name.s, '\n', f->name.len) &&
			       !memchr(f->value.s, '\n', f->value.len));
		}
	}
	*status = a.status;
	r = r < 0 ? r : retell_answer_end(&a);
	retell_answer_done(&a);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf one = BUF_INIT(BODY_MAX), many = BUF_INIT(BODY_MAX);
	bool flag = size && data[0] & 1;
	int r, s, status_one, status_many;

	if (!size)
		return 0;
	check_request((const char *)data + 1, size - 1, flag);
	r = read_answer((const char *)data + 1, size - 1, size, flag, &one,
			&status_one);
	s = read_answer((const char *)data + 1, size - 1, 1, flag, &many, &status_many);
	assert((r < 0) == (s < 0) && (r == 1) == (s == 1));
	assert(r < 0 || (status_one == status_many && one.len == many.len &&
			 !memcmp(buf_cstr(&one), buf_cstr(&many), one.len)));
	return 0;
}
