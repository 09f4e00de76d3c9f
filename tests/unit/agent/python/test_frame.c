#include "agent/python/frame.h"

#include <errno.h>

#include "tests/unit/unit.h"

static const struct row {
	const char *name;
	const char *in;
	size_t len;
	const char *want; /* frames in <> */
	int r;
} rows[] = {
	{ "one", "\2\0\0\0{}", 6, "<{}>", 0 },
	{ "two", "\1\0\0\0a\2\0\0\0bc", 11, "<a><bc>", 0 },
	{ "half a head", "\2\0\0", 3, "", 0 },
	{ "half a frame", "\1\0\0\0a\3\0\0\0bc", 11, "<a>", 0 },
	{ "an empty one", "\1\0\0\0a\0\0\0\0\1\0\0\0b", 14, "<a>", -EBADMSG },
	{ "one that is too long", "\1\0\0\1", 4, "", -EMSGSIZE },
	{ "text instead", "Traceback (most recent", 22, "", -EMSGSIZE },
	{ "a reader that ends it", "\1\0\0\0!\1\0\0\0b", 10, "<!>", -EPROTO },
	{ "nothing", "", 0, "", 0 },
};

static int on_frame(void *ctx, const char *text, size_t len)
{
	assert_int_equal(buf_addf(ctx, "<%.*s>", (int)len, text), 0);
	return *text == '!' ? -EPROTO : 0;
}

static void feed(const struct row *row, size_t piece)
{
	_cleanup_python_frame_ struct python_frame f;
	_cleanup_buf_ struct buf seen = BUF_INIT(1000);
	int r = 0;

	python_frame_init(&f, NULL);
	for (size_t at = 0; at < row->len; at += piece)
		r = python_frame_feed(&f, row->in + at, MIN(piece, row->len - at),
				      on_frame, &seen);
	assert_int_equal(r, row->r);
	assert_string_equal(buf_cstr(&seen), row->want);
	if (r < 0) /* that stays */
		assert_int_equal(python_frame_feed(&f, "\1", 1, on_frame, &seen),
				 row->r);
}

static void test_feed(const void *row)
{
	feed(row, 1000);
	feed(row, 3);
	feed(row, 1);
}

static int measure(void *ctx, const char *text, size_t len)
{
	size_t *ret = ctx;

	assert_int_equal(text[len - 1], 'x');
	*ret = len;
	return 0;
}

static void test_largest(void)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PYTHON_FRAME_MAX + 1),
				 out = BUF_INIT(PYTHON_FRAME_MAX + 100);
	_cleanup_python_frame_ struct python_frame f;
	size_t seen = 0;

	python_frame_init(&f, NULL);
	assert_int_equal(buf_reserve(&text, PYTHON_FRAME_MAX + 1), 0);
	memset(text.data, 'x', PYTHON_FRAME_MAX + 1);
	buf_commit(&text, PYTHON_FRAME_MAX + 1);
	assert_int_equal(python_frame_add(&out, text.data, PYTHON_FRAME_MAX + 1),
			 -EMSGSIZE);
	assert_int_equal(python_frame_add(&out, text.data, 0), -EMSGSIZE);
	assert_int_equal(out.len, 0);
	assert_int_equal(python_frame_add(&out, text.data, PYTHON_FRAME_MAX), 0);
	assert_int_equal(python_frame_feed(&f, out.data, out.len, measure, &seen), 0);
	assert_int_equal(seen, PYTHON_FRAME_MAX);
	/* where there is no room for the text there is no head either */
	assert_int_equal(python_frame_add(&out, text.data, 97), -EMSGSIZE);
	assert_int_equal(out.len, PYTHON_FRAME_MAX + 4);
}

/* Two share what is enough for one; what was taken comes back with the end of a message, and
 * with that of the frame. */
static void test_room(void)
{
	struct python_room room = { 3L * PYTHON_FRAME_FREE };
	struct python_frame one, two;
	_cleanup_buf_ struct buf text = BUF_INIT(4L * PYTHON_FRAME_FREE),
				 out = BUF_INIT(4L * PYTHON_FRAME_FREE);
	const size_t len = 3L * PYTHON_FRAME_FREE / 2;
	size_t seen = 0;

	assert_int_equal(buf_reserve(&text, len), 0);
	memset(text.data, 'x', len);
	buf_commit(&text, len);
	assert_int_equal(python_frame_add(&out, text.data, len), 0);
	python_frame_init(&one, &room);
	python_frame_init(&two, &room);
	assert_int_equal(python_frame_feed(&two, out.data, 5000, measure, &seen), 0);
	assert_int_equal(room.left, 3L * PYTHON_FRAME_FREE); /* little is free */
	assert_int_equal(python_frame_feed(&one, out.data, len, measure, &seen), 0);
	assert_true(room.left < len);
	assert_int_equal(
		python_frame_feed(&two, out.data + 5000, len - 5000, measure, &seen),
		-ENOBUFS);
	python_frame_done(&two);
	assert_int_equal(python_frame_feed(&one, out.data + len, 4, measure, &seen), 0);
	assert_int_equal(seen, len);
	assert_int_equal(room.left, 3L * PYTHON_FRAME_FREE);
	python_frame_done(&one);
}

int main(void)
{
	static const struct unit_case cases[] = { { "the largest", test_largest },
						  { "several share", test_room } };

	return unit_rows("python_frame", rows, test_feed) +
	       unit_cases("python_frame", cases);
}
