#include "agent/server/http/multipart.h"

#include "tests/unit/unit.h"

#define HEAD "Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"

static const struct row {
	const char *name, *in, *want;
	int code;
	bool complete;
} rows[] = {
	{ "a file", "--B\r\n" HEAD "\r\nhello\r\n--B--\r\n", "<a.txt>hello|", 0, true },
	{ "fields around it",
	  "--B\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n--B\r\n" HEAD
	  "Content-Type: text/plain\r\n\r\nhello\r\n--B\r\n\r\nx\r\n--B--",
	  "<a.txt>hello|", 0, true },
	{ "a preamble", "hi\r\n--B\r\n" HEAD "\r\nx\r\n--B--", "<a.txt>x|", 0, true },
	{ "nearly a boundary within", "--B\r\n" HEAD "\r\na\r\n--A\r\n-\r\n--B--",
	  "<a.txt>a\r\n--A\r\n-|", 0, true },
	{ "an escaped name",
	  "--B\r\nContent-Disposition: form-data; filename=\"a\\\"b\"; "
	  "name=\"file\"\r\n\r\nx\r\n--B--",
	  "<a\"b>x|", 0, true },
	{ "two files", "--B\r\n" HEAD "\r\n1\r\n--B\r\n" HEAD "\r\n2\r\n--B--",
	  "<a.txt>1|", 0, true },
	{ "an empty file", "--B\r\n" HEAD "\r\n\r\n--B--", "<a.txt>|", 0, true },
	{ "cut off", "--B\r\n" HEAD "\r\nhel", "<a.txt>", 0, false },
	{ "no file",
	  "--B\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n--B--", "", 0,
	  false },
	{ "filename is not name",
	  "--B\r\nContent-Disposition: form-data; filename=\"file\"\r\n\r\n1\r\n--B--",
	  "", 0, false },
	{ "a name without an end",
	  "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\r\n\r\nx\r\n--B--",
	  "", -EBADMSG, false },
	{ "no line behind the boundary", "--Bx\r\n", "", -EBADMSG, false },
};

static int on_begin(void *ctx, const char *name)
{
	return buf_addf(ctx, "<%s>", name);
}

static int on_data(void *ctx, const char *data, size_t len)
{
	return buf_add(ctx, data, len);
}

static int on_end(void *ctx)
{
	return buf_adds(ctx, "|");
}

static void feed(const struct row *row, size_t piece)
{
	static const struct multipart_calls calls = { on_begin, on_data, on_end };
	_cleanup_buf_ struct buf seen = BUF_INIT(1000);
	_cleanup_(multipart_done) struct multipart m;
	size_t len = strlen(row->in);
	int r = 0;

	assert_int_equal(multipart_init(&m, "multipart/form-data; boundary=B"), 0);
	for (size_t at = 0; r == 0 && at < len; at += piece)
		r = multipart_feed(&m, row->in + at, MIN(piece, len - at), &calls,
				   &seen);
	assert_int_equal(r, row->code);
	assert_int_equal(multipart_complete(&m), row->complete);
	if (row->complete)
		assert_string_equal(buf_cstr(&seen), row->want);
}

static void test_feed(const void *row)
{
	feed(row, 1000);
	feed(row, 5);
	feed(row, 1);
}

static void boundaries(void)
{
	struct multipart m;

	assert_int_equal(multipart_init(&m, "multipart/form-data; boundary=\"a b\""),
			 0);
	assert_string_equal(m.delimiter, "\r\n--a b");
	multipart_done(&m);
	assert_int_equal(multipart_init(&m, "multipart/form-data"), -EINVAL);
	assert_int_equal(multipart_init(&m, "text/plain; boundary=x"), -EINVAL);
	assert_int_equal(multipart_init(&m, "multipart/form-data; boundary="), -EINVAL);
	assert_int_equal(multipart_init(&m, NULL), -EINVAL);
	assert_int_equal(
		multipart_init(
			&m,
			"multipart/form-data; boundary="
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			"aaaaaaaaaaaaaaaaaaaaaaa"),
		-EINVAL);
}

static const struct unit_case cases[] = { { "boundaries", boundaries } };

int main(void)
{
	return unit_rows("multipart_feed", rows, test_feed) +
	       unit_cases("multipart_init", cases);
}
