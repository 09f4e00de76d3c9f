/* Rows of the table of crafted archives: whiteouts. */
#include "rootfs/archive/whiteout.h"

#include "base/sys/sys.h"
#include "tests/unit/extractbox.h"
#include "tests/unit/unit.h"

static void a39_wh(struct tarmake *t)
{
	tarmake_file(t, "d/.wh.", "");
}

static void a39_wh_dot(struct tarmake *t)
{
	tarmake_file(t, ".wh..", "");
}

static void a39_wh_dotdot(struct tarmake *t)
{
	tarmake_file(t, "d/.wh...", "");
}

static void lower_foo(int root)
{
	extractbox_put(root, "foo", "lower");
	extractbox_put(root, "kept", "lower");
}

static void a40_before(struct tarmake *t)
{
	tarmake_file(t, ".wh.foo", "");
	tarmake_file(t, "foo", "upper");
}

static void a40_after(struct tarmake *t)
{
	tarmake_file(t, "foo", "upper");
	tarmake_file(t, ".wh.foo", "");
}

static void a40_check(const struct extractbox *x)
{
	extractbox_file(x, "foo", "upper");
	extractbox_file(x, "kept", "lower");
	extractbox_none(x, ".wh.foo");
}

static void a40_only(struct tarmake *t)
{
	tarmake_file(t, ".wh.foo", "");
	tarmake_file(t, ".wh.never", "");
	tarmake_file(t, "none/.wh.never", "");
}

static void a40_only_check(const struct extractbox *x)
{
	extractbox_none(x, "foo");
	extractbox_none(x, "none");
	extractbox_file(x, "kept", "lower");
}

static void lower_dir(int root)
{
	extractbox_mkdir(root, "d");
	extractbox_put(root, "d/low", "lower");
	extractbox_put(root, "d/own1", "lower");
	extractbox_mkdir(root, "d/sub");
	extractbox_put(root, "d/sub/low", "lower");
	extractbox_put(root, "kept", "lower");
}

static void a41_before(struct tarmake *t)
{
	tarmake_dir(t, "d");
	tarmake_file(t, "d/.wh..wh..opq", "");
	tarmake_file(t, "d/own1", "upper");
	tarmake_file(t, "d/sub/own2", "upper");
}

static void a41_between(struct tarmake *t)
{
	tarmake_file(t, "d/own1", "upper");
	tarmake_file(t, "d/.wh..wh..opq", "");
	tarmake_file(t, "d/sub/own2", "upper");
}

static void a41_after(struct tarmake *t)
{
	tarmake_file(t, "d/own1", "upper");
	tarmake_file(t, "d/sub/own2", "upper");
	tarmake_file(t, "d/.wh..wh..opq", "");
}

static void a41_check(const struct extractbox *x)
{
	extractbox_file(x, "d/own1", "upper");
	extractbox_file(x, "d/sub/own2", "upper");
	extractbox_none(x, "d/low");
	extractbox_none(x, "d/sub/low");
	extractbox_file(x, "kept", "lower");
}

static void lower_foo_dir(int root)
{
	extractbox_mkdir(root, "foo");
	extractbox_put(root, "foo/bar", "lower");
}

static void a42(struct tarmake *t)
{
	tarmake_file(t, ".wh.foo", "");
	tarmake_file(t, "foo/.wh.bar", "");
}

static void a42_check(const struct extractbox *x)
{
	extractbox_none(x, "foo");
}

static void lower_link(int root)
{
	extractbox_mkdir(root, "dir");
	extractbox_mkdir(root, "outside");
	extractbox_put(root, "outside/secret", "inner");
	assert_int_equal(sys_symlinkat("/outside", root, "dir/link"), 0);
	assert_int_equal(sys_symlinkat("../../outside", root, "dir/up"), 0);
}

static void a43(struct tarmake *t)
{
	tarmake_file(t, "dir/link/.wh.secret", "");
}

static void a43_up(struct tarmake *t)
{
	tarmake_file(t, "dir/up/.wh.secret", "");
}

static void a43_check(const struct extractbox *x)
{
	extractbox_none(x, "outside/secret");
	extractbox_dir(x, "outside");
}

static void a44_link(struct tarmake *t)
{
	tarmake_file(t, "dir/.wh.link", "");
}

static void a44_link_check(const struct extractbox *x)
{
	extractbox_none(x, "dir/link");
	extractbox_file(x, "outside/secret", "inner");
}

static void a45(struct tarmake *t)
{
	tarmake_file(t, ".wh..wh.plnk", "x");
	tarmake_file(t, ".wh..wh.aufs", "x");
	tarmake_dir(t, ".wh..wh.orph");
	tarmake_file(t, "f", "f");
}

static void a45_check(const struct extractbox *x)
{
	extractbox_file(x, "f", "f");
	extractbox_none(x, ".wh..wh.plnk");
	extractbox_none(x, ".wh..wh.aufs");
	extractbox_none(x, ".wh..wh.orph");
}

static void lower_deep(int root)
{
	lower_dir(root);
	extractbox_mkdir(root, "d/sub/e");
	extractbox_put(root, "d/sub/e/low", "lower");
}

static void own_below(struct tarmake *t)
{
	tarmake_file(t, "d/sub/e/own", "upper");
	tarmake_file(t, ".wh.d", "");
}

static void own_below_check(const struct extractbox *x)
{
	extractbox_file(x, "d/sub/e/own", "upper");
	extractbox_none(x, "d/sub/e/low");
	extractbox_none(x, "d/low");
}

static const struct extractbox_row rows[] = {
	EXTRACT_BAD("A39 .wh.", a39_wh, -EINVAL,
		    "entry 'd/.wh.': is no valid whiteout"),
	EXTRACT_BAD("A39 .wh..", a39_wh_dot, -EINVAL,
		    "entry '.wh..': is no valid whiteout"),
	EXTRACT_BAD("A39 .wh... (A44: of ..)", a39_wh_dotdot, -EINVAL,
		    "entry 'd/.wh...': is no valid whiteout"),
	EXTRACT_OK("A40 whiteout before", a40_before, .check = a40_check,
		   .before = lower_foo),
	EXTRACT_OK("A40 whiteout after", a40_after, .check = a40_check,
		   .before = lower_foo),
	EXTRACT_OK("A40 whiteout alone", a40_only, .check = a40_only_check,
		   .before = lower_foo),
	EXTRACT_OK("A41 opaque before", a41_before, .check = a41_check,
		   .before = lower_dir),
	EXTRACT_OK("A41 opaque between", a41_between, .check = a41_check,
		   .before = lower_dir),
	EXTRACT_OK("A41 opaque after", a41_after, .check = a41_check,
		   .before = lower_dir),
	EXTRACT_OK("A42 whiteout below a whiteout", a42, .check = a42_check,
		   .before = lower_foo_dir),
	EXTRACT_OK("A43 below an absolute link", a43, .check = a43_check,
		   .before = lower_link),
	EXTRACT_OK("A43 below a relative link", a43_up, .check = a43_check,
		   .before = lower_link),
	EXTRACT_OK("A44 whiteout of a link", a44_link, .check = a44_link_check,
		   .before = lower_link),
	EXTRACT_OK("A45 metadata of AUFS", a45, .check = a45_check),
	EXTRACT_OK("own things deep below", own_below, .check = own_below_check,
		   .before = lower_deep),
};

int main(void)
{
	return unit_rows("layer", rows, extractbox_row);
}
