/* Rows of the table of crafted archives: what the reader meets, before any file. */
#include "rootfs/archive/untar.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/scope.h"
#include "tests/unit/extractbox.h"
#include "tests/unit/unit.h"

/* ---- plain tar -------------------------------------------------------------------- */

static void a04_empty(struct tarmake *t)
{
	tarmake_file(t, "", "x");
}

static void a04_nul(struct tarmake *t)
{
	tarmake_pax(t, "path", "cut\0/../../x", 12);
	tarmake_file(t, "name", "x");
}

static void a04_nul_check(const struct extractbox *x)
{
	extractbox_file(x, "cut", "x");
}

static void a04_nul_up(struct tarmake *t)
{
	tarmake_pax(t, "path", "../cut\0x", 8);
	tarmake_file(t, "name", "x");
}

static void sparse(struct tarmake *t, const char *map, const char *size)
{
	tarmake_pax(t, "GNU.sparse.size", size, strlen(size));
	tarmake_pax(t, "GNU.sparse.numblocks", "2", 1);
	tarmake_pax(t, "GNU.sparse.map", map, strlen(map));
	tarmake_file(t, "s", "firstlast.");
}

static void a27_01(struct tarmake *t)
{
	sparse(t, "0,5,1099511627776,5", "1099511627781");
}

static void a27_check(const struct extractbox *x)
{
	struct stat st = extractbox_stat(x, "s");

	assert_int_equal(st.st_size, 1099511627781LL);
	assert_true(st.st_blocks < 1000);
	assert_int_equal(x->counts.bytes, 10); /* holes do not count */
}

static void a27_00(struct tarmake *t)
{
	tarmake_pax(t, "GNU.sparse.size", "1099511627781", 13);
	tarmake_pax(t, "GNU.sparse.numblocks", "2", 1);
	tarmake_pax(t, "GNU.sparse.offset", "0", 1);
	tarmake_pax(t, "GNU.sparse.numbytes", "5", 1);
	tarmake_pax(t, "GNU.sparse.offset", "1099511627776", 13);
	tarmake_pax(t, "GNU.sparse.numbytes", "5", 1);
	tarmake_file(t, "s", "firstlast.");
}

static void a27_10(struct tarmake *t)
{
	char data[512 + 10] = "2\n0\n5\n1099511627776\n5\n";

	memcpy(data + 512, "firstlast.", 10);
	tarmake_pax(t, "GNU.sparse.major", "1", 1);
	tarmake_pax(t, "GNU.sparse.minor", "0", 1);
	tarmake_pax(t, "GNU.sparse.name", "s", 1);
	tarmake_pax(t, "GNU.sparse.realsize", "1099511627781", 13);
	tarmake_add(t, &(struct tarmake_entry){ .name = "GNUSparseFile.0/s",
						.type = '0',
						.data = data,
						.len = sizeof(data) });
}

static void a27_end_in_hole(struct tarmake *t)
{
	sparse(t, "0,10,5000,0", "5000");
}

static void a27_end_check(const struct extractbox *x)
{
	assert_int_equal(extractbox_stat(x, "s").st_size, 5000);
}

static void a28_overlap(struct tarmake *t)
{
	sparse(t, "0,5,3,5", "100");
}

static void a28_descending(struct tarmake *t)
{
	sparse(t, "50,5,0,5", "100");
}

static void a28_beyond(struct tarmake *t)
{
	sparse(t, "0,5,200,5", "100");
}

static void sized(struct tarmake *t, const char *size)
{
	tarmake_add(t, &(struct tarmake_entry){ .name = "f",
						.type = '0',
						.size = size,
						.data = "x",
						.len = 1 });
}

static void a29_8g(struct tarmake *t)
{
	sized(t, "\x80\0\0\0\0\0\0\2\0\0\0\0");
}

static void a29_2_63(struct tarmake *t)
{
	sized(t, "\x80\0\0\0\x80\0\0\0\0\0\0\0");
}

static void a29_negative(struct tarmake *t)
{
	sized(t, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00");
}

static void a29_limit(struct tarmake *t)
{
	tarmake_file(t, "a", "12345");
	tarmake_file(t, "b", "67890");
}

static const struct untar_limits few = {
	.bytes = 8,
	.stream = 1 << 20,
	.entries = 3,
	.ratio = 100,
	.ratio_from = 1 << 20,
	.path = 4095,
	.component = 255,
	.depth = 1024,
	.link = 4095,
	.xattrs = 4,
	.xattr_bytes = 16,
};

static void a31(struct tarmake *t)
{
	tarmake_pax(t, "comment", "of all", 6);
	tarmake_global(t);
	tarmake_pax(t, "CUBBY.unknown", "key", 3);
	tarmake_file(t, "f", "f");
}

static void a31_check(const struct extractbox *x)
{
	extractbox_file(x, "f", "f");
	extractbox_none(x, "pax");
	assert_int_equal(x->counts.entries, 1);
}

static void a31_large(struct tarmake *t)
{
	_cleanup_free_ char *big = calloc(1, 1 << 20);

	memset(big, 'x', 1 << 20);
	tarmake_pax(t, "comment", big, 1 << 20);
	tarmake_file(t, "f", "f");
}

static void a32_two_tars(struct tarmake *t)
{
	tarmake_file(t, "one", "1");
	tarmake_end(t);
	tarmake_file(t, "two", "2");
}

static void a32_two_tars_check(const struct extractbox *x)
{
	extractbox_file(x, "one", "1");
	extractbox_none(x, "two");
	assert_true(x->counts.trailing > 512);
}

static void a33_garbage(struct tarmake *t)
{
	tarmake_file(t, "f", "f");
	tarmake_end(t);
	assert_int_equal(buf_adds(&t->out, "garbage"), 0);
}

static void a33_garbage_check(const struct extractbox *x)
{
	extractbox_file(x, "f", "f");
	assert_int_equal(x->counts.trailing, 7);
}

static void cut(struct tarmake *t, size_t keep)
{
	tarmake_file(t, "f", "f");
	tarmake_file(t, "g", "data of g");
	buf_truncate(&t->out, keep);
}

static void a33_cut_header(struct tarmake *t)
{
	cut(t, 1024 + 100);
}

static void a33_cut_data(struct tarmake *t)
{
	cut(t, 1536 + 4);
}

static void a33_cut_between(struct tarmake *t)
{
	cut(t, 1024);
}

static void a35(struct tarmake *t)
{
	for (int i = 0; i < 4; i++)
		tarmake_file(t, "d/e", "");
}

static void a37_sum(struct tarmake *t)
{
	tarmake_file(t, "f", "f");
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "g", .type = '0', .bad_sum = true });
}

static void a37_magic(struct tarmake *t)
{
	tarmake_add(t, &(struct tarmake_entry){ .name = "gnu",
						.type = '0',
						.magic = "ustar  ",
						.data = "1",
						.len = 1 });
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "posix", .type = '0', .data = "2", .len = 1 });
	tarmake_add(t, &(struct tarmake_entry){ .name = "v7",
						.type = '0',
						.magic = "\0\0\0\0\0\0\0",
						.data = "3",
						.len = 1 });
}

static void a37_magic_check(const struct extractbox *x)
{
	extractbox_file(x, "gnu", "1");
	extractbox_file(x, "posix", "2");
	extractbox_file(x, "v7", "3");
}

static void raw(struct tarmake *t, const char *bytes, size_t len)
{
	char page[2048];

	memset(page, ' ', sizeof(page));
	memcpy(page, bytes, len);
	assert_int_equal(buf_add(&t->out, page, sizeof(page)), 0);
}

static void a38_zip(struct tarmake *t)
{
	raw(t, "PK\3\4\24\0\0\0\0\0", 10);
}

static void a38_cpio(struct tarmake *t)
{
	raw(t, "070701", 6);
}

static void a38_7z(struct tarmake *t)
{
	raw(t, "7z\xbc\xaf\x27\x1c", 6);
}

static void a38_script(struct tarmake *t)
{
	raw(t, "#!/bin/sh\necho hello\n", 21);
}

static void a38_html(struct tarmake *t)
{
	raw(t, "<!DOCTYPE html><html>", 21);
}

static void nothing(struct tarmake *)
{
}

static const struct extractbox_row rows[] = {
	EXTRACT_BAD("A04 empty name", a04_empty, -EINVAL, NULL),
	EXTRACT_OK("A04 NUL in a pax path", a04_nul, .check = a04_nul_check),
	EXTRACT_BAD("A04 NUL behind ..", a04_nul_up, -EINVAL,
		    "entry '../cut': has a '..' component"),
	EXTRACT_OK("A27 sparse, pax 0.0", a27_00, .check = a27_check),
	EXTRACT_OK("A27 sparse, pax 0.1", a27_01, .check = a27_check),
	EXTRACT_OK("A27 sparse, pax 1.0", a27_10, .check = a27_check),
	EXTRACT_OK("A27 ends in a hole", a27_end_in_hole, .check = a27_end_check),
	EXTRACT_BAD("A28 overlapping", a28_overlap, -EINVAL,
		    "archive has a malformed sparse file"),
	EXTRACT_BAD("A28 descending", a28_descending, -EINVAL,
		    "archive has a malformed sparse file"),
	EXTRACT_BAD("A28 beyond the size", a28_beyond, -EINVAL,
		    "archive has a malformed sparse file"),
	EXTRACT_BAD("A29 8 GiB that are not there", a29_8g, -ENODATA,
		    "archive is truncated"),
	EXTRACT_BAD("A29 2^63", a29_2_63, -EINVAL, NULL),
	EXTRACT_BAD("A29 negative", a29_negative, -EINVAL, NULL),
	EXTRACT_BAD("A29 more data than allowed", a29_limit, -E2BIG,
		    "archive has more than 8 bytes of data", .limits = &few),
	EXTRACT_OK("A31 global header, unknown keys", a31, .check = a31_check),
	EXTRACT_BAD("A31 record of 1 MiB", a31_large, -EINVAL, NULL, .large = true),
	EXTRACT_OK("A32 two archives", a32_two_tars, .check = a32_two_tars_check),
	EXTRACT_OK("A33 garbage behind the end", a33_garbage, .no_end = true,
		   .check = a33_garbage_check),
	EXTRACT_BAD("A33 cut in a header", a33_cut_header, -ENODATA,
		    "archive is truncated", .no_end = true),
	EXTRACT_BAD("A33 cut in data", a33_cut_data, -ENODATA, "archive is truncated",
		    .no_end = true),
	EXTRACT_BAD("A33 cut between entries", a33_cut_between, -ENODATA,
		    "archive is truncated", .no_end = true),
	EXTRACT_BAD("A35 more entries than allowed", a35, -E2BIG,
		    "archive has more than 3 entries", .limits = &few),
	EXTRACT_BAD("A37 bad checksum", a37_sum, -EINVAL, NULL),
	EXTRACT_OK("A37 mixed magic", a37_magic, .check = a37_magic_check),
	EXTRACT_BAD("A38 zip", a38_zip, -EINVAL, "not a tar archive", .no_end = true),
	EXTRACT_BAD("A38 cpio", a38_cpio, -EINVAL, "not a tar archive", .no_end = true),
	EXTRACT_BAD("A38 7z", a38_7z, -EINVAL, "not a tar archive", .no_end = true),
	EXTRACT_BAD("A38 script", a38_script, -EINVAL, "not a tar archive",
		    .no_end = true),
	EXTRACT_BAD("A38 HTML", a38_html, -EINVAL, "not a tar archive", .no_end = true),
	EXTRACT_BAD("A38 nothing", nothing, -EINVAL, "not a tar archive",
		    .no_end = true),
	EXTRACT_OK("only the end marker", nothing),
};

/* ---- compressed streams ------------------------------------------------------------ */

struct memory {
	const char *at;
	size_t left, chunk;
};

static ssize_t memory_read(void *ctx, const void **ret, struct err *)
{
	struct memory *m = ctx;
	size_t n = MIN(m->left, m->chunk);

	*ret = m->at;
	m->at += n;
	m->left -= n;
	return (ssize_t)n;
}

static int collect(void *ctx, const void *data, size_t len, struct err *)
{
	return buf_add(ctx, data, len);
}

static void add(struct buf *b, const void *data, size_t len)
{
	assert_int_equal(buf_add(b, data, len), 0);
}

/* One gzip member with one stored block; the library does not look at the sum. */
static void gzip(struct buf *b, const char *text)
{
	size_t n = strlen(text);
	const unsigned char block[] = { 1, (unsigned char)n, (unsigned char)(n >> 8),
					(unsigned char)~n, (unsigned char)(~n >> 8) };
	const unsigned char end[] = { 0, 0, 0, 0, (unsigned char)n, 0, 0, 0 };

	add(b, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
	add(b, block, sizeof(block));
	add(b, text, n);
	add(b, end, sizeof(end));
}

/* One zstd frame with one raw block and a window of 1 KiB. */
static void zstd(struct buf *b, const char *text)
{
	size_t n = strlen(text);
	const unsigned char head[] = { 1 | (unsigned char)(n << 3),
				       (unsigned char)(n >> 5), 0 };

	add(b, "\x28\xb5\x2f\xfd\0\0", 6);
	add(b, head, sizeof(head));
	add(b, text, n);
}

/* 128 KiB of zeros for each four bytes. */
static void zstd_zeros(struct buf *b, unsigned blocks)
{
	add(b, "\x28\xb5\x2f\xfd\0\x38", 6); /* window of 128 KiB */
	for (unsigned i = 0; i < blocks; i++) {
		const unsigned v = (i + 1 == blocks) | 1u << 1 | (128u << 10) << 3;
		const unsigned char block[] = { (unsigned char)v,
						(unsigned char)(v >> 8),
						(unsigned char)(v >> 16), 0 };

		add(b, block, sizeof(block));
	}
}

static void one_gzip(struct buf *b)
{
	gzip(b, "hello");
}

static void two_gzip(struct buf *b)
{
	gzip(b, "hello ");
	gzip(b, "world");
}

static void gzip_garbage(struct buf *b)
{
	gzip(b, "hello");
	add(b, "garbage", 7);
}

static void gzip_cut(struct buf *b)
{
	gzip(b, "hello");
	buf_truncate(b, 12);
}

static void gzip_broken(struct buf *b)
{
	gzip(b, "hello");
	b->data[10] = 7; /* no such kind of block */
}

static void one_zstd(struct buf *b)
{
	zstd(b, "hello");
}

static void zstd_skippable(struct buf *b)
{
	add(b, "\x50\x2a\x4d\x18\3\0\0\0abc", 11);
	zstd(b, "hello");
	add(b, "\x5f\x2a\x4d\x18\0\0\0\0", 8);
}

static void zstd_cut(struct buf *b)
{
	zstd(b, "hello");
	buf_truncate(b, 11);
}

static void zstd_window(struct buf *b)
{
	zstd(b, "hello");
	b->data[5] = (char)0xa8; /* 2 GiB */
}

static void zstd_bomb(struct buf *b)
{
	zstd_zeros(b, 64);
}

static const struct row {
	const char *name;
	void (*make)(struct buf *b);
	const char *text;
	int code;
	const char *msg;
	uint64_t trailing;
} streams[] = {
	{ "A32 one gzip member", one_gzip, "hello", 0, NULL, 0 },
	{ "A32 two gzip members", two_gzip, "hello world", 0, NULL, 0 },
	{ "A33 garbage behind gzip", gzip_garbage, "hello", 0, NULL, 7 },
	{ "A33 cut gzip", gzip_cut, NULL, -ENODATA, "archive is truncated", 0 },
	{ "broken gzip", gzip_broken, NULL, -EINVAL, NULL, 0 },
	{ "A32 zstd", one_zstd, "hello", 0, NULL, 0 },
	{ "A32 zstd with skippable frames", zstd_skippable, "hello", 0, NULL, 0 },
	{ "A33 cut zstd", zstd_cut, NULL, -ENODATA, "archive is truncated", 0 },
	{ "A34 huge zstd window", zstd_window, NULL, -EINVAL, NULL, 0 },
	{ "A34 bomb", zstd_bomb, NULL, -E2BIG, NULL, 0 },
};

static void decompress(const struct row *row, const struct buf *in, size_t chunk)
{
	struct memory m = { in->data, in->len, chunk };
	struct untar_source src = { memory_read, &m };
	_cleanup_buf_ struct buf out = BUF_INIT(16 << 20);
	struct untar_decompressed done;
	struct err e = ERR_NONE;
	int r;

	r = untar_decompress(&src, collect, &out, &few, &done, &e);
	if (!row->code)
		unit_ok(r, &e);
	assert_int_equal(r, row->code);
	if (row->msg)
		unit_err(&e, row->code, row->msg);
	if (row->code)
		return;
	assert_string_equal(buf_cstr(&out), row->text);
	assert_int_equal(done.in_bytes, in->len);
	assert_int_equal(done.trailing, row->trailing);
}

static void test_stream(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf in = BUF_INIT(1 << 20);

	row->make(&in);
	assert_true(untar_compressed(in.data, in.len));
	decompress(row, &in, SIZE_MAX);
	decompress(row, &in, 1);
}

static void magic_bytes(void)
{
	assert_true(untar_compressed("BZh9", 4));
	assert_true(untar_compressed("\xfd"
				     "7zXZ\0",
				     6));
	assert_false(untar_compressed("\x1f", 1));
	assert_false(untar_compressed("", 0));
	assert_false(untar_compressed("ustar", 5));
	assert_false(untar_compressed("BZ", 2));
}

int main(void)
{
	static const struct unit_case cases[] = { { "magic bytes", magic_bytes } };
	int failed = unit_rows("untar", rows, extractbox_row);

	failed += unit_rows("untar_decompress", streams, test_stream);
	return failed + unit_cases("untar_compressed", cases);
}
