#include "agent/turn/transcript.h"

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static int collect(void *ctx, const struct json *record, struct err *)
{
	struct buf *out = ctx;

	return buf_addf(out, "%s;", json_get_str(record, "type"));
}

struct row {
	const char *name, *in;
	const char *out; /* types, or the message of the failure */
	int fail;
};

/* clang-format off */
static const struct row rows[] = {
	{ "nothing", "", "", 0 },
	{ "two records", "{\"type\":\"a\"}\n{\"v\":1,\"type\":\"b\"}\n", "a;b;", 0 },
	{ "blank lines", "\n{\"type\":\"a\"}\n \r\n", "a;", 0 },
	{ "no newline at the end", "{\"type\":\"a\"}\n{\"type\":\"b\"}", "a;b;", 0 },
	{ "a torn end", "{\"type\":\"a\"}\n{\"type\":\"b", "a;", 0 },
	{ "a torn middle", "{\"type\":\"a\"}\n{\"typ\n{\"type\":\"b\"}\n",
	  "transcript, line 2: bad JSON at byte 5", -EINVAL },
	{ "no object", "[]\n", "transcript, line 1: not a record", -EINVAL },
	{ "no type", "{\"a\":1}\n", "transcript, line 1: not a record", -EINVAL },
	{ "a later version", "{\"v\":9,\"type\":\"a\"}\n",
	  "transcript, line 1: version 9; this cubby reads 1", -EINVAL },
};
/* clang-format on */

static void run_row(const void *p)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1000);
	const struct row *row = p;
	struct err e = ERR_NONE;
	int r = transcript_parse(row->in, strlen(row->in), collect, &out, &e);

	assert_int_equal(r, row->fail);
	assert_string_equal(r < 0 ? e.msg : buf_cstr(&out), row->out);
}

/* Cut at any byte: whole records are read, the torn one is not, nothing fails. */
static void torn_anywhere(void)
{
	static const char text[] = "{\"type\":\"a\",\"x\":\"é\"}\n{\"type\":\"b\"}\n";

	for (size_t n = 0; n < sizeof(text); n++) {
		_cleanup_buf_ struct buf out = BUF_INIT(1000);
		struct err e = ERR_NONE;

		unit_ok(transcript_parse(text, n, collect, &out, &e), &e);
		assert_int_equal(out.len, n < 21 ? 0 : n < sizeof(text) - 2 ? 2 : 4);
	}
}

static void write_and_read(void)
{
	static const char *const secrets[] = { "s3cr\"et", "abc", "key-1234", NULL };
	_cleanup_buf_ struct buf text = BUF_INIT(10000);
	_cleanup_close_ int fd = sys_memfd("t", 0);
	struct transcript t = { .fds = { fd, -1 }, .secrets = secrets };
	struct json *j = json_object();
	struct err e = ERR_NONE;

	json_set_str(j, "text", "x key-1234 y s3cr\"et z abc");
	json_set_str(j, "key-1234", "v");
	unit_ok(transcript_put(&t, "note", j, &e), &e);
	unit_ok(transcript_put(&t, "end", NULL, &e), &e);
	sys_lseek(fd, 0, SEEK_SET);
	unit_ok(file_read_fd(fd, &text, &e), &e);
	assert_null(strstr(text.data, "key-1234"));
	assert_null(strstr(text.data, "cr\\\"et"));
	assert_non_null(
		strstr(text.data, "\"type\":\"note\",\"text\":\"x *** y *** z abc\""));
	assert_non_null(strstr(text.data, "\"seq\":2"));
	buf_truncate(&text, 0);
	unit_ok(transcript_read(fd, collect, &text, &e), &e);
	assert_string_equal(buf_cstr(&text), "note;end;");
}

static void full_disk(void)
{
	_cleanup_close_ int fd = sys_open("/dev/full", O_WRONLY);
	struct transcript t = { .fds = { fd, -1 } };
	struct err e = ERR_NONE;

	assert_int_equal(transcript_put(&t, "a", NULL, &e), -ENOSPC);
	assert_non_null(strstr(e.msg, "cannot write the transcript"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "torn at any byte", torn_anywhere },
		{ "written, read, without secrets", write_and_read },
		{ "a full disk", full_disk },
	};

	return unit_rows("transcript_parse", rows, run_row) +
	       unit_cases("transcript", cases);
}
