/* Rows of the table of crafted archives: names, links and what replaces what. */
#include "rootfs/archive/extract.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/store/tree.h"
#include "tests/unit/extractbox.h"
#include "tests/unit/unit.h"

/* ---- names -------------------------------------------------------------------------- */

static void a01_up(struct tarmake *t)
{
	tarmake_file(t, "../x", "x");
}

static void a01_up_inside(struct tarmake *t)
{
	tarmake_file(t, "a/../../x", "x");
}

static void a01_up_absolute(struct tarmake *t)
{
	tarmake_file(t, "/../x", "x");
}

static void a01_up_last(struct tarmake *t)
{
	tarmake_dir(t, "a/..");
}

static void a01_up_link(struct tarmake *t)
{
	tarmake_hardlink(t, "x", "../outside/secret");
}

static void a02(struct tarmake *t)
{
	tarmake_file(t, "/one", "1");
	tarmake_file(t, "//two", "2");
	tarmake_file(t, "./three", "3");
	tarmake_file(t, "a//four", "4");
	tarmake_file(t, "a/./five", "5");
	tarmake_dir(t, "b/");
}

static void a02_check(const struct extractbox *x)
{
	extractbox_file(x, "one", "1");
	extractbox_file(x, "two", "2");
	extractbox_file(x, "three", "3");
	extractbox_file(x, "a/four", "4");
	extractbox_file(x, "a/five", "5");
	extractbox_dir(x, "b");
}

static void a03_symlink(struct tarmake *t)
{
	tarmake_symlink(t, ".", extractbox_outside());
}

static void a03_file(struct tarmake *t)
{
	tarmake_file(t, ".", "x");
}

static void a03_device(struct tarmake *t)
{
	tarmake_add(t, &(struct tarmake_entry){ .name = "./", .type = '3' });
}

static void a03_hardlink(struct tarmake *t)
{
	tarmake_hardlink(t, ".", "x");
}

static void a03_dir(struct tarmake *t)
{
	tarmake_pax(t, "SCHILY.xattr.user.mark", "m", 1);
	tarmake_add(t,
		    &(struct tarmake_entry){
			    .name = "./", .type = '5', .mode = 0751, .mtime = 1000 });
	tarmake_file(t, "x", "x");
}

static void a03_dir_check(const struct extractbox *x)
{
	char v[8];

	extractbox_mode(x, ".", 0751);
	assert_int_equal(extractbox_stat(x, ".").st_mtim.tv_sec, 1000);
	if (!x->dropped[ENTRY_DROP_XATTR])
		assert_int_equal(sys_fgetxattr(x->root, "user.mark", v, sizeof(v)), 1);
	extractbox_file(x, "x", "x");
}

static const char *repeat(char *out, const char *unit, size_t times)
{
	size_t len = strlen(unit);

	for (size_t i = 0; i < times; i++)
		memcpy(out + i * len, unit, len);
	out[len * times] = '\0';
	return out;
}

static char name[8192]; /* one test at a time */

static void a05_component_255(struct tarmake *t)
{
	tarmake_file(t, repeat(name, "n", 255), "x");
}

static void a05_component_255_check(const struct extractbox *x)
{
	extractbox_file(x, repeat(name, "n", 255), "x");
}

static void a05_component_256(struct tarmake *t)
{
	tarmake_file(t, repeat(name, "n", 256), "x");
}

static void a05_path_4095(struct tarmake *t)
{
	repeat(name, "0123456789abcde/", 255); /* 4080 bytes */
	memcpy(name + 4080, "0123456789abcde", 16);
	tarmake_file(t, name, "x");
}

static void a05_path_4095_check(const struct extractbox *x)
{
	struct err e = ERR_NONE;

	extractbox_dir(x, "0123456789abcde");
	/* the whole path is too long for whoever cleans up after this test */
	unit_ok(tree_remove(x->root, "0123456789abcde", &e), &e);
}

static void a05_path_5000(struct tarmake *t)
{
	tarmake_file(t, repeat(name, "0123456789abcdef/", 300), "x");
}

static void a05_depth_3000(struct tarmake *t)
{
	tarmake_dir(t, repeat(name, "a/", 3000));
}

static void a05_link_5000(struct tarmake *t)
{
	tarmake_symlink(t, "l", repeat(name, "x", 5000));
}

static void a06(struct tarmake *t)
{
	tarmake_file(t, "latin-\xe9", "1");
	tarmake_file(t, "new\nline", "2");
	tarmake_file(t, "\x1b[31mred", "3");
	tarmake_file(t, "back\\slash", "4");
	tarmake_file(t, "-dash", "5");
	tarmake_pax(t, "path", "utf8-\xc3\xa9", 7);
	tarmake_file(t, "pax", "6");
}

static void a06_check(const struct extractbox *x)
{
	extractbox_file(x, "latin-\xe9", "1");
	extractbox_file(x, "new\nline", "2");
	extractbox_file(x, "\x1b[31mred", "3");
	extractbox_file(x, "back\\slash", "4");
	extractbox_file(x, "-dash", "5");
	extractbox_file(x, "utf8-\xc3\xa9", "6");
}

static void a06_printed(struct tarmake *t)
{
	tarmake_hardlink(t, "\x1b[31m\n", "gone");
}

/* ---- links -------------------------------------------------------------------------- */

static void a07_absolute(struct tarmake *t)
{
	tarmake_symlink(t, "l", extractbox_outside());
	tarmake_file(t, "l/x", "x");
}

static void a07_relative(struct tarmake *t)
{
	tarmake_symlink(t, "l", "../outside");
	tarmake_dir(t, "outside");
	tarmake_file(t, "l/secret", "mine");
}

static void a07_relative_check(const struct extractbox *x)
{
	extractbox_file(x, "outside/secret", "mine");
}

static void a08(struct tarmake *t)
{
	tarmake_dir(t, "usr/lib");
	tarmake_symlink(t, "lib", "usr/lib");
	tarmake_symlink(t, "lib64", "/usr/lib");
	tarmake_file(t, "lib/x", "x");
	tarmake_file(t, "lib64/y", "y");
}

static void a08_check(const struct extractbox *x)
{
	extractbox_link(x, "lib", "usr/lib");
	extractbox_link(x, "lib64", "/usr/lib");
	extractbox_file(x, "usr/lib/x", "x");
	extractbox_file(x, "usr/lib/y", "y");
}

static void a09(struct tarmake *t)
{
	tarmake_dir(t, "other");
	tarmake_file(t, "d/old", "old");
	tarmake_symlink(t, "d", "/other");
	tarmake_file(t, "d/new", "new");
}

static void a09_check(const struct extractbox *x)
{
	extractbox_link(x, "d", "/other");
	extractbox_file(x, "other/new", "new");
	extractbox_none(x, "other/old");
}

static void a10(struct tarmake *t)
{
	tarmake_symlink(t, "l", "nowhere");
	tarmake_dir(t, "l");
	tarmake_file(t, "l/in", "in");
	tarmake_file(t, "d/deep/old", "old");
	tarmake_file(t, "d", "file");
	tarmake_file(t, "f", "file");
	tarmake_dir(t, "f");
}

static void a10_check(const struct extractbox *x)
{
	extractbox_file(x, "l/in", "in");
	extractbox_file(x, "d", "file");
	extractbox_dir(x, "f");
}

static void a11(struct tarmake *t)
{
	tarmake_file(t, "kept", "kept");
	tarmake_symlink(t, "in", "kept");
	tarmake_symlink(t, "out", "../outside/secret");
	tarmake_file(t, "in", "new");
	tarmake_file(t, "out", "new");
}

static void a11_check(const struct extractbox *x)
{
	extractbox_file(x, "kept", "kept");
	extractbox_file(x, "in", "new");
	extractbox_file(x, "out", "new");
}

static void a12_links(struct tarmake *t)
{
	char from[16], to[16];

	tarmake_symlink(t, "self", "self");
	tarmake_symlink(t, "a", "b");
	tarmake_symlink(t, "b", "a");
	tarmake_dir(t, "end");
	for (int i = 0; i < 41; i++) {
		snprintf(from, sizeof(from), "c%d", i);
		snprintf(to, sizeof(to), i == 40 ? "end" : "c%d", i + 1);
		tarmake_symlink(t, from, to);
	}
}

static void a12_check(const struct extractbox *x)
{
	extractbox_link(x, "self", "self");
	extractbox_link(x, "a", "b");
	extractbox_link(x, "c0", "c1");
	extractbox_link(x, "c40", "end");
}

static void a12_self(struct tarmake *t)
{
	a12_links(t);
	tarmake_file(t, "self/x", "x");
}

static void a12_loop(struct tarmake *t)
{
	a12_links(t);
	tarmake_file(t, "a/x", "x");
}

static void a12_chain(struct tarmake *t)
{
	a12_links(t);
	tarmake_file(t, "c0/x", "x");
}

static void a13(struct tarmake *t)
{
	tarmake_hardlink(t, "x", "/etc/passwd");
}

static void a14(struct tarmake *t)
{
	tarmake_symlink(t, "l", "../outside/secret");
	tarmake_hardlink(t, "h", "l");
}

static void a14_check(const struct extractbox *x)
{
	extractbox_link(x, "h", "../outside/secret");
	assert_int_equal(extractbox_stat(x, "h").st_ino,
			 extractbox_stat(x, "l").st_ino);
}

static void a15_later(struct tarmake *t)
{
	tarmake_hardlink(t, "h", "f");
	tarmake_file(t, "f", "f");
}

static void a15_dir(struct tarmake *t)
{
	tarmake_dir(t, "d");
	tarmake_hardlink(t, "h", "d");
}

static void a15_root(struct tarmake *t)
{
	tarmake_hardlink(t, "h", "/");
}

static void a15_self(struct tarmake *t)
{
	tarmake_file(t, "f", "f");
	tarmake_hardlink(t, "f", "./f");
}

static void a15_self_check(const struct extractbox *x)
{
	extractbox_file(x, "f", "f");
	assert_int_equal(extractbox_stat(x, "f").st_nlink, 1);
}

static void a16(struct tarmake *t)
{
	tarmake_add(t, &(struct tarmake_entry){ .name = "f",
						.type = '0',
						.mode = 04755,
						.data = "old",
						.len = 3 });
	tarmake_pax(t, "comment", "links of pax may have data", 26);
	tarmake_add(t, &(struct tarmake_entry){ .name = "h",
						.type = '1',
						.link = "f",
						.data = "new!",
						.len = 4 });
	tarmake_file(t, "after", "after");
}

static void a16_check(const struct extractbox *x)
{
	extractbox_file(x, "f", "old");
	extractbox_mode(x, "f", 04755);
	extractbox_file(x, "after", "after");
}

static void a17(struct tarmake *t)
{
	tarmake_file(t, "one", "old");
	tarmake_hardlink(t, "two", "one");
	tarmake_file(t, "one", "new");
}

static void a17_check(const struct extractbox *x)
{
	extractbox_file(x, "one", "new");
	extractbox_file(x, "two", "old");
}

/* ---- directories -------------------------------------------------------------------- */

static void a20(struct tarmake *t)
{
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "d", .type = '5', .mode = 010000 }); /* 0000 */
	tarmake_file(t, "d/in", "in");
	tarmake_add(
		t, &(struct tarmake_entry){ .name = "f", .type = '0', .mode = 010000 });
}

static void a20_check(const struct extractbox *x)
{
	struct err e = ERR_NONE;

	extractbox_mode(x, "d", x->single ? 0700 : 0);
	extractbox_mode(x, "f", x->single ? 0600 : 0);
	extractbox_file(x, "d/in", "in");
	unit_ok(tree_remove(x->root, "d", &e), &e);
}

static void a21_dir(struct tarmake *t)
{
	tarmake_add(t,
		    &(struct tarmake_entry){ .name = "d", .type = '5', .mtime = 4242 });
	tarmake_file(t, "d/later", "x");
}

static void a21_dir_check(const struct extractbox *x)
{
	assert_int_equal(extractbox_stat(x, "d").st_mtim.tv_sec, 4242);
}

static void a21_odd(struct tarmake *t)
{
	tarmake_pax(t, "mtime", "-1", 2);
	tarmake_file(t, "minus", "x");
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "far", .type = '0', .mtime = 1ULL << 33 });
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "max", .type = '0', .mtime = 1ULL << 63 });
	tarmake_pax(t, "mtime", "12.5", 4);
	tarmake_file(t, "half", "x");
}

static void a21_odd_check(const struct extractbox *x)
{
	assert_int_equal(extractbox_stat(x, "minus").st_mtim.tv_sec, -1);
	assert_true(extractbox_stat(x, "far").st_mtim.tv_sec == 1LL << 33);
	assert_int_equal(extractbox_stat(x, "half").st_mtim.tv_nsec, 500000000);
	extractbox_file(x, "max", "");
}

static void a26(struct tarmake *t)
{
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "d", .type = '5', .mode = 0777, .mtime = 1 });
	tarmake_symlink(t, "d", "../outside");
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "e", .type = '5', .mode = 0777, .mtime = 1 });
	tarmake_symlink(t, "e", extractbox_outside());
}

static void a26_check(const struct extractbox *x)
{
	extractbox_link(x, "d", "../outside");
	extractbox_link(x, "e", extractbox_outside());
}

static void a36(struct tarmake *t)
{
	for (int i = 0; i < 500; i++) {
		tarmake_file(t, "x", "file");
		tarmake_add(t, &(struct tarmake_entry){ .name = "x",
							.type = '5',
							.mode = i == 499 ? 0711 : 0700,
							.mtime = 7 });
		tarmake_file(t, "x/in", "in");
	}
}

static void a36_check(const struct extractbox *x)
{
	extractbox_file(x, "x/in", "in");
	extractbox_mode(x, "x", 0711);
}

static void merged(struct tarmake *t)
{
	tarmake_pax(t, "SCHILY.xattr.user.old", "1", 1);
	tarmake_add(t,
		    &(struct tarmake_entry){ .name = "d", .type = '5', .mode = 0700 });
	tarmake_file(t, "d/in", "in");
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "./d/", .type = '5', .mode = 0750 });
}

static void merged_check(const struct extractbox *x)
{
	_cleanup_close_ int d = sys_openat(x->root, "d", O_RDONLY | O_DIRECTORY, 0);
	char v[8];

	extractbox_file(x, "d/in", "in");
	extractbox_mode(x, "d", 0750);
	assert_true(sys_fgetxattr(d, "user.old", v, sizeof(v)) < 0);
}

static const struct extractbox_row rows[] = {
	EXTRACT_BAD("A01 ../x", a01_up, -EINVAL, "entry '../x': has a '..' component"),
	EXTRACT_BAD("A01 a/../../x", a01_up_inside, -EINVAL,
		    "entry 'a/../../x': has a '..' component"),
	EXTRACT_BAD("A01 /../x", a01_up_absolute, -EINVAL,
		    "entry '/../x': has a '..' component"),
	EXTRACT_BAD("A01 a/..", a01_up_last, -EINVAL,
		    "entry 'a/..': has a '..' component"),
	EXTRACT_BAD("A01 hard link to ../", a01_up_link, -EINVAL,
		    "target of a hard link: entry '../outside/secret': has a '..' "
		    "component"),
	EXTRACT_OK("A02 slashes and dots", a02, .check = a02_check),
	EXTRACT_BAD("A03 root as symlink", a03_symlink, -EINVAL,
		    "entry '/': the root can only be a directory"),
	EXTRACT_BAD("A03 root as device", a03_device, -EINVAL,
		    "entry '/': the root can only be a directory"),
	EXTRACT_BAD("A03 root as hard link", a03_hardlink, -EINVAL,
		    "entry '/': the root can only be a directory"),
	EXTRACT_BAD("A03 root as file", a03_file, -EINVAL,
		    "entry '/': the root can only be a directory"),
	EXTRACT_OK("A03 root as directory", a03_dir, .check = a03_dir_check),
	EXTRACT_OK("A05 component of 255", a05_component_255,
		   .check = a05_component_255_check),
	EXTRACT_BAD("A05 component of 256", a05_component_256, -E2BIG, NULL),
	EXTRACT_OK("A05 path of 4095", a05_path_4095, .check = a05_path_4095_check),
	EXTRACT_BAD("A05 path of 5000", a05_path_5000, -E2BIG, NULL),
	EXTRACT_BAD("A05 depth of 3000", a05_depth_3000, -E2BIG, NULL),
	EXTRACT_BAD("A05 link target of 5000", a05_link_5000, -E2BIG,
		    "archive has a link target of more than 4095 bytes"),
	EXTRACT_OK("A06 odd bytes in names", a06, .check = a06_check),
	EXTRACT_BAD(
		"A06 odd bytes in messages", a06_printed, -ENOENT,
		"entry '\\x1b[31m\\n': hard link to 'gone': No such file or directory"),
	EXTRACT_BAD("A07 through an absolute link", a07_absolute, -ENOENT, NULL),
	EXTRACT_OK("A07 through a relative link", a07_relative,
		   .check = a07_relative_check),
	EXTRACT_OK("A08 lib -> usr/lib", a08, .check = a08_check),
	EXTRACT_OK("A09 directory becomes link", a09, .check = a09_check),
	EXTRACT_OK("A10 each kind by another", a10, .check = a10_check),
	EXTRACT_OK("A11 file over a link", a11, .check = a11_check),
	EXTRACT_OK("A12 loops and chains", a12_links, .check = a12_check),
	EXTRACT_BAD("A12 file through a self link", a12_self, -ELOOP,
		    "cannot make the directory of 'self/x': Too many levels of "
		    "symbolic links"),
	EXTRACT_BAD("A12 file through a loop", a12_loop, -ELOOP,
		    "cannot make the directory of 'a/x': Too many levels of symbolic "
		    "links"),
	EXTRACT_BAD("A12 file through 41 links", a12_chain, -ELOOP,
		    "cannot make the directory of 'c0/x': Too many levels of symbolic "
		    "links"),
	EXTRACT_BAD("A13 hard link to the host", a13, -ENOENT,
		    "entry 'x': hard link to 'etc/passwd': No such file or directory"),
	EXTRACT_OK("A14 hard link to a symlink", a14, .check = a14_check),
	EXTRACT_BAD("A15 hard link to a later entry", a15_later, -ENOENT,
		    "entry 'h': hard link to 'f': No such file or directory"),
	EXTRACT_BAD("A15 hard link to a directory", a15_dir, -EINVAL,
		    "entry 'h': hard link to a directory"),
	EXTRACT_BAD("A15 hard link to the root", a15_root, -EINVAL,
		    "entry 'h': hard link to the root"),
	EXTRACT_OK("A15 hard link to itself", a15_self, .check = a15_self_check),
	EXTRACT_OK("A16 hard link with data", a16, .check = a16_check),
	EXTRACT_OK("A17 first name again", a17, .check = a17_check),
	EXTRACT_OK("A20 mode 0000", a20, .check = a20_check),
	EXTRACT_OK("A20 mode 0000, single map", a20, .check = a20_check,
		   .single = true),
	EXTRACT_OK("A21 time of a directory", a21_dir, .check = a21_dir_check),
	EXTRACT_OK("A21 odd times", a21_odd, .check = a21_odd_check),
	EXTRACT_OK("A26 directory, then a link", a26, .check = a26_check),
	EXTRACT_OK("A36 file and directory in turn", a36, .check = a36_check,
		   .large = true),
	EXTRACT_OK("a directory twice", merged, .check = merged_check),
};

int main(void)
{
	return unit_rows("extract", rows, extractbox_row);
}
