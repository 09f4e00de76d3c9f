#include "rootfs/review/patch.h"

#include "base/file.h"
#include "tests/unit/rootfs/review/layer_dirs.h"

static const struct row {
	const char *name, *was, *now; /* NULL = nothing */
	const char *want;
	size_t added, removed;
} rows[] = {
	{ "new", NULL, "1\n2\n",
	  "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n"
	  "@@ -0,0 +1,2 @@\n+1\n+2\n",
	  2, 0 },
	{ "deleted", "1\n", NULL,
	  "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n"
	  "@@ -1 +0,0 @@\n-1\n",
	  0, 1 },
	{ "no newline at the end", "1", "1\n",
	  "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n"
	  "\\ No newline at end of file\n+1\n",
	  1, 1 },
	{ "two hunks", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
	  "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n"
	  "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n",
	  2, 2 },
	{ "one hunk", "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
	  "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n "
	  "4\n"
	  " 5\n 6\n-b\n+B\n",
	  2, 2 },
	{ "empty", NULL, "", "diff --git a/f b/f\nnew file mode 100644\n", 0, 0 },
};

static void put(int dir, const char *text)
{
	if (text)
		layer_dirs_put(dir, "f", text);
}

static void patches(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf b = BUF_INIT(PATCH_MAX);
	struct layer_dirs d;
	struct diff_item x = { .path = (char *)(uintptr_t) "f" };
	struct patch_count n;

	layer_dirs_make(&d);
	put(d.project, row->was);
	put(d.upper, row->now);
	x.was = diff_look(d.project, "f");
	x.now = diff_look(d.upper, "f");
	assert_int_equal(
		patch_item(&(struct patch_sides){ .was = d.project, .now = d.upper },
			   &x, &b, &n),
		0);
	assert_string_equal(buf_cstr(&b), row->want);
	assert_int_equal(n.added, row->added);
	assert_int_equal(n.removed, row->removed);
}

static void names(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1000);

	assert_int_equal(patch_name(&b, "a/", "x y"), 0);
	assert_int_equal(patch_name(&b, " b/", "\t\n\"\\\x01\xff\x7f"), 0);
	assert_string_equal(b.data, "a/x y\" b/\\t\\n\\\"\\\\\\001\\377\\177\"");
}

/* What git takes for no text, and what is larger than is read. */
static void no_text(void)
{
	static const struct {
		size_t len;
		char fill;
	} files[] = { { 1, '\0' }, { (8 << 20) + 1, '\n' } };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_buf_ struct buf b = BUF_INIT(PATCH_MAX),
					 x = BUF_INIT(PATCH_MAX);
		struct layer_dirs d;
		struct diff_item item = { .path = (char *)(uintptr_t) "f" };
		struct patch_count n;
		struct err e = ERR_NONE;

		for (size_t k = 0; k < files[i].len; k++)
			buf_addc(&x, files[i].fill);
		layer_dirs_make(&d);
		assert_int_equal(
			file_replace(d.upper, "f",
				     &(struct file_data){ x.data, x.len, 0644 }, &e),
			0);
		item.now = diff_look(d.upper, "f");
		assert_int_equal(patch_item(&(struct patch_sides){ .was = d.project,
								   .now = d.upper },
					    &item, &b, &n),
				 0);
		assert_true(n.binary);
		assert_string_equal(buf_cstr(&b),
				    "diff --git a/f b/f\nnew file mode 100644\n"
				    "index 0000000..0000000\n"
				    "Binary files /dev/null and b/f differ\n");
	}
}

/* Of a box that goes on: what is shown is what was listed, or nothing. */
static void another_by_now(void)
{
	struct diff_item item = { .path = (char *)(uintptr_t) "d/f" };
	_cleanup_buf_ struct buf b = BUF_INIT(PATCH_MAX);
	struct patch_count n;
	struct layer_dirs d;

	layer_dirs_make(&d);
	assert_int_equal(mkdirat(d.upper, "d", 0755), 0);
	assert_int_equal(mkdirat(d.upper, "e", 0755), 0);
	layer_dirs_put(d.upper, "d/f", "1\n");
	layer_dirs_put(d.upper, "e/f", "2\n");
	item.now = diff_look(d.upper, "d/f");
	assert_int_equal(renameat2(d.upper, "d", d.upper, "e", RENAME_EXCHANGE), 0);
	assert_int_equal(
		patch_item(&(struct patch_sides){ .was = d.project, .now = d.upper },
			   &item, &b, &n),
		-ESTALE);
	assert_string_equal(buf_cstr(&b), "");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "names", names },
		{ "no text, or too large", no_text },
		{ "not as it was listed", another_by_now },
	};

	return unit_rows("patch_item", rows, patches) + unit_cases("patch", cases);
}
