#include "rootfs/review/diff.h"

#include "tests/unit/rootfs/review/layer_dirs.h"

/* "KIND PATH" for each item: n(ew), c(hanged), g(one); ! = in conflict. */
static void is(const struct layer_dirs *d, const char *want)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_diff_ struct diff diff = { .items = NULL };
	_cleanup_buf_ struct buf b = BUF_INIT(4096);
	struct err e = ERR_NONE;

	unit_ok(layer_open(d->box, d->project, &l, &e), &e);
	unit_ok(diff_make(&l, &diff, &e), &e);
	for (size_t i = 0; i < diff.n; i++) {
		const struct diff_item *x = &diff.items[i];

		buf_addf(&b, "%s%s %s;", x->conflict ? "!" : "",
			 x->git		? "git"
			 : !x->was.mode ? "n"
			 : !x->now.mode ? "g"
					: "c",
			 x->path);
	}
	assert_string_equal(buf_cstr(&b), want);
}

/* The run begins after all that the project has. */
static void begin(const struct layer_dirs *d)
{
	layer_dirs_put(d->box, "project/since", "18446744073709551615 ");
	assert_int_equal(faccessat(d->box, "project/upper", F_OK, 0), 0);
}

static void plain(void)
{
	struct layer_dirs d;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "same", "1");
	layer_dirs_put(d.upper, "same", "1");
	layer_dirs_put(d.project, "other", "1");
	layer_dirs_put(d.upper, "other", "2");
	layer_dirs_put(d.upper, "new", "2");
	layer_dirs_put(d.project, "mode", "1");
	layer_dirs_put(d.upper, "mode", "1");
	assert_int_equal(fchmodat(d.upper, "mode", 0755, 0), 0);
	assert_int_equal(symlinkat("x", d.project, "link"), 0);
	assert_int_equal(symlinkat("y", d.upper, "link"), 0);
	assert_int_equal(mkfifoat(d.upper, "odd", 0600), 0);
	begin(&d);
	is(&d, "c link;c mode;n new;n odd;c other;");
}

static void gone(void)
{
	struct layer_dirs d;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "a", "1");
	assert_int_equal(mkdirat(d.project, "d", 0755), 0);
	layer_dirs_put(d.project, "d/b", "1");
	layer_dirs_gone(d.upper, "a");
	layer_dirs_gone(d.upper, "d");
	layer_dirs_gone(d.upper, "never");
	begin(&d);
	is(&d, "g a;g d;g d/b;");
}

static void opaque(void)
{
	struct layer_dirs d;

	layer_dirs_make(&d);
	assert_int_equal(mkdirat(d.project, "d", 0755), 0);
	assert_int_equal(mkdirat(d.project, "d/s", 0755), 0);
	layer_dirs_put(d.project, "d/a", "1");
	layer_dirs_put(d.project, "d/s/b", "1");
	layer_dirs_put(d.project, "d/s/c", "1");
	assert_int_equal(mkdirat(d.upper, "d", 0755), 0);
	assert_int_equal(mkdirat(d.upper, "d/s", 0755), 0);
	layer_dirs_put(d.upper, "d/s/b", "2");
	begin(&d);
	is(&d, "c d/s/b;");
	layer_dirs_opaque(d.upper, "d");
	is(&d, "g d/a;c d/s/b;g d/s/c;");
}

static void kinds(void)
{
	struct layer_dirs d;

	layer_dirs_make(&d);
	assert_int_equal(mkdirat(d.project, "d", 0755), 0);
	layer_dirs_put(d.project, "d/a", "1");
	layer_dirs_put(d.upper, "d", "now a file");
	layer_dirs_put(d.project, "f", "1");
	assert_int_equal(mkdirat(d.upper, "f", 0755), 0);
	layer_dirs_put(d.upper, "f/a", "1");
	begin(&d);
	is(&d, "c d;g d/a;c f;n f/a;");
}

static void conflicts(void)
{
	struct layer_dirs d;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "a", "1");
	layer_dirs_put(d.project, "b", "1");
	layer_dirs_put(d.upper, "a", "2");
	layer_dirs_gone(d.upper, "b");
	layer_dirs_put(d.box, "project/since", "1 ");
	is(&d, "!c a;!g b;");
	begin(&d);
	is(&d, "c a;g b;");
}

static void git(void)
{
	struct layer_dirs d;

	layer_dirs_make(&d);
	assert_int_equal(mkdirat(d.project, ".git", 0755), 0);
	assert_int_equal(mkdirat(d.upper, ".git", 0755), 0);
	begin(&d);
	layer_dirs_put(d.box, "project/gits", "");
	layer_dirs_put(d.upper, ".git/HEAD", "1");
	layer_dirs_put(d.upper, ".git/config", "1");
	is(&d, "n .git/HEAD;n .git/config;");
	{
		int fd = openat(d.box, "project/gits", O_WRONLY | O_CLOEXEC);

		assert_int_equal(write(fd, ".git", 5), 5);
		close(fd);
	}
	is(&d, "git .git;n .git/config;");
}

/* Whatever the box did to it: objects and refs are taken over by meaning, and what a directory
 * that was made anew hides is no change. */
static void git_gone(void)
{
	static const char *const dirs[] = { ".git", ".git/objects", ".git/objects/aa",
					    ".git/refs", ".git/hooks" };
	struct layer_dirs d;

	layer_dirs_make(&d);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		assert_int_equal(mkdirat(d.project, dirs[i], 0755), 0);
	layer_dirs_put(d.project, ".git/objects/aa/bb", "1");
	layer_dirs_put(d.project, ".git/refs/x", "1");
	layer_dirs_put(d.project, ".git/hooks/h", "1");
	layer_dirs_put(d.project, ".git/config", "1");
	assert_int_equal(mkdirat(d.upper, ".git", 0755), 0);
	begin(&d);
	layer_dirs_put(d.box, "project/gits", "");
	{
		int fd = openat(d.box, "project/gits", O_WRONLY | O_CLOEXEC);

		assert_int_equal(write(fd, ".git", 5), 5);
		close(fd);
	}
	layer_dirs_gone(d.upper, ".git/objects");
	layer_dirs_gone(d.upper, ".git/refs");
	layer_dirs_gone(d.upper, ".git/hooks");
	is(&d, "git .git;g .git/hooks/h;");
	assert_int_equal(unlinkat(d.upper, ".git/objects", 0), 0);
	assert_int_equal(unlinkat(d.upper, ".git/refs", 0), 0);
	assert_int_equal(unlinkat(d.upper, ".git/hooks", 0), 0);
	assert_int_equal(mkdirat(d.upper, ".git/objects", 0755), 0);
	assert_int_equal(mkdirat(d.upper, ".git/objects/aa", 0755), 0);
	assert_int_equal(mkdirat(d.upper, ".git/refs", 0755), 0);
	assert_int_equal(mkdirat(d.upper, ".git/hooks", 0755), 0);
	layer_dirs_put(d.upper, ".git/config", "2");
	layer_dirs_opaque(d.upper, ".git");
	is(&d, "git .git;c .git/config;");
	layer_dirs_put(d.upper, ".git/objects/aa/cc", "2");
	is(&d, "git .git;c .git/config;");
}

/* One whose name begins as another's, one within another, and one that is a link there. */
static void directories(void)
{
	static const char *const dirs[] = { "a", "a/b", "a/b/c", "ab", "to" };
	struct layer_dirs d;

	layer_dirs_make(&d);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		char path[16];

		assert_int_equal(mkdirat(d.project, dirs[i], 0755), 0);
		assert_int_equal(mkdirat(d.upper, dirs[i], 0755), 0);
		snprintf(path, sizeof(path), "%s/f", dirs[i]);
		layer_dirs_put(d.project, path, "1");
		layer_dirs_put(d.upper, path, "2");
		snprintf(path, sizeof(path), "%s/g", dirs[i]);
		layer_dirs_put(d.upper, path, "2");
	}
	assert_int_equal(symlinkat("to", d.project, "link"), 0);
	assert_int_equal(mkdirat(d.upper, "link", 0755), 0);
	layer_dirs_put(d.upper, "link/f", "2");
	begin(&d);
	is(&d, "c a/b/c/f;n a/b/c/g;c a/b/f;n a/b/g;c a/f;n a/g;c ab/f;n ab/g;"
	       "c link;n link/f;c to/f;n to/g;");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "files, modes, links", plain },
		{ "whiteouts", gone },
		{ "a directory that replaced another", opaque },
		{ "one kind becomes another", kinds },
		{ "changed on both sides", conflicts },
		{ "directories in directories", directories },
		{ "a git directory of the host's", git },
		{ "a git directory of the host's, removed or made anew", git_gone },
	};

	return unit_cases("diff", cases);
}
