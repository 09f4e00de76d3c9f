#include "rootfs/git/index.h"

#include "base/buf.h"
#include "tests/unit/unit.h"

static void be32(struct buf *b, uint32_t v)
{
	const uint8_t p[] = { (uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8),
			      (uint8_t)v };

	assert_int_equal(buf_add(b, p, 4), 0);
}

static void entry(struct buf *b, uint32_t mode, const char *path)
{
	static const char zeros[64];
	size_t start = b->len, n;

	assert_int_equal(buf_add(b, zeros, 24), 0);
	be32(b, mode);
	assert_int_equal(buf_add(b, zeros, 12 + 20), 0);
	assert_int_equal(buf_addc(b, 0), 0);
	assert_int_equal(buf_addc(b, (char)strlen(path)), 0);
	assert_int_equal(buf_adds(b, path), 0);
	n = 8 - (b->len - start) % 8;
	assert_int_equal(buf_add(b, zeros, n), 0);
}

static void index_of(struct buf *b, uint32_t version, uint32_t count, const char *path)
{
	static const char zeros[20];

	assert_int_equal(buf_adds(b, "DIRC"), 0);
	be32(b, version);
	be32(b, count);
	entry(b, 0100644, "a");
	entry(b, GIT_INDEX_GITLINK, path);
	assert_int_equal(buf_add(b, zeros, 20), 0);
}

static int print(void *ctx, const struct git_index_entry *x)
{
	return buf_addf(ctx, "%o %s;", x->mode, x->path);
}

static int read_all(const struct buf *b, struct buf *out)
{
	return git_index_read((const uint8_t *)b->data, b->len, 20, print, out);
}

static void entries(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096), out = BUF_INIT(4096);

	index_of(&b, 2, 2, "sub/x");
	assert_int_equal(read_all(&b, &out), 0);
	assert_string_equal(out.data, "100644 a;160000 sub/x;");
}

static void cut(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096), out = BUF_INIT(1 << 20);

	index_of(&b, 2, 2, "sub/x");
	while (b.len) {
		buf_truncate(&b, b.len - 1);
		assert_int_equal(read_all(&b, &out), -EBADMSG);
	}
}

static void refused(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096), out = BUF_INIT(4096);
	static const char link[] = "link\0\0\0";

	index_of(&b, 5, 2, "x");
	assert_int_equal(read_all(&b, &out), -EBADMSG);
	buf_truncate(&b, 0);
	index_of(&b, 2, 3, "x");
	assert_int_equal(read_all(&b, &out), -EBADMSG);
	buf_truncate(&b, 0);
	index_of(&b, 2, 2, "x");
	buf_truncate(&b, b.len - 20);
	assert_int_equal(buf_add(&b, link, 8), 0);
	assert_int_equal(buf_add(&b, (char[20]){ 0 }, 20), 0);
	assert_int_equal(read_all(&b, &out), -EOPNOTSUPP);
}

static void meaning(void)
{
	_cleanup_buf_ struct buf a = BUF_INIT(4096), b = BUF_INIT(4096);
	uint64_t x = 0, y = 0;

	index_of(&a, 2, 2, "x");
	index_of(&b, 2, 2, "y");
	assert_int_equal(git_index_meaning((uint8_t *)a.data, a.len, 20, &x), 0);
	assert_int_equal(git_index_meaning((uint8_t *)b.data, b.len, 20, &y), 0);
	assert_true(x && y && x != y);
	a.data[12 + 8] = 1; /* a time */
	assert_int_equal(git_index_meaning((uint8_t *)a.data, a.len, 20, &y), 0);
	assert_true(x == y);
}

/* An entry of its own, whose times and flags the test sets. */
static uint8_t *index_one(struct buf *b, const char *path, uint8_t time)
{
	assert_int_equal(buf_adds(b, "DIRC"), 0);
	be32(b, 3);
	be32(b, 1);
	entry(b, 0100644, path);
	memset(b->data + 12, time, 24);
	assert_int_equal(buf_adds(b, "TREE"), 0);
	be32(b, 4);
	assert_int_equal(buf_add(b, (char[24]){ 0 }, 24), 0);
	return (uint8_t *)b->data;
}

static const struct own_row {
	const char *name, *path; /* of the box's; the host has "name" */
	uint8_t flags, host_flags;
	uint64_t since_ns;
	uint8_t want_time, want_flags;
} own_rows[] = {
	{ "the host's times", "name", 0, 0, UINT64_MAX, 7, 0 },
	{ "times that tell nothing", "name", 0, 0, 1, 0, 0 },
	{ "another file", "nama", 0, 0, UINT64_MAX, 0, 0 },
	{ "a file behind the host's", "nami", 0, 0, UINT64_MAX, 0, 0 },
	{ "not to be looked at", "name", 0x80, 0, UINT64_MAX, 7, 0 },
	{ "as the host wishes", "name", 0x80, 0x80, UINT64_MAX, 7, 0x80 },
};

static void own(const void *data)
{
	const struct own_row *row = data;
	_cleanup_buf_ struct buf host = BUF_INIT(4096), box = BUF_INIT(4096);
	_cleanup_buf_ struct buf got = BUF_INIT(4096);
	struct git_index_own conf = { .since_ns = row->since_ns };

	index_one(&host, "name", 7)[12 + 60] |= row->host_flags;
	index_one(&box, row->path, 9)[12 + 60] |= row->flags;
	conf.host = host.data;
	conf.host_len = host.len;
	assert_int_equal(git_index_own((uint8_t *)box.data, box.len, 20, &conf, &got),
			 0);
	assert_int_equal(got.len, box.len - 12); /* without the extension */
	assert_int_equal(got.data[12], row->want_time);
	assert_int_equal((uint8_t)got.data[12 + 60], row->want_flags);
	assert_string_equal(got.data + 12 + 62, row->path);
}

static void own_of_bad_bytes(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096), got = BUF_INIT(4096);
	struct git_index_own conf = { .host = "DIRC", .host_len = 4 };

	index_one(&b, "name", 9);
	assert_int_equal(git_index_own((uint8_t *)b.data, b.len, 20, &conf, &got), 0);
	assert_int_equal(git_index_own((uint8_t *)b.data, 60, 20, &conf, &got),
			 -EBADMSG);
}

static const struct path {
	const char *name;
	bool want;
} paths[] = {
	{ "a/b", true },     { ".gitignore", true }, { "a/.git2", true },
	{ ".git/x", false }, { "a/.GIT", false },    { "a//b", false },
	{ "../a", false },   { "a/./b", false },     { "git~1/config", false },
	{ "/a", false },     { "", false },
};

static void test_path(const void *p)
{
	const struct path *row = p;

	assert_int_equal(git_index_path_ok(row->name), row->want);
}

static const struct unit_case cases[] = {
	{ "entries", entries },
	{ "cut anywhere", cut },
	{ "refused", refused },
	{ "meaning", meaning },
	{ "own of bad bytes", own_of_bad_bytes },
};

int main(void)
{
	return unit_cases("git_index", cases) +
	       unit_rows("git_index_own", own_rows, own) +
	       unit_rows("git_index_path_ok", paths, test_path);
}
