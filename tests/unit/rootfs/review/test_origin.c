#include "rootfs/review/origin.h"

#include <dirent.h>
#include <string.h>

#include "tests/unit/rootfs/review/layer_dirs.h"

static void begin(const struct layer_dirs *d)
{
	struct err e = ERR_NONE;
	struct timespec t;

	usleep(20000); /* the clock of the files is behind that of the wall */
	t = sys_wall();
	unit_ok(layer_begin(d->box, d->project,
			    (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec, &e),
		&e);
	usleep(20000);
}

/* How many are kept. */
static int kept(const struct layer_dirs *)
{
	char path[4096];
	struct dirent *x;
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "%s/box/project/origin", unit_tmpdir());
	dir = opendir(path);
	while (dir && (x = readdir(dir)))
		n += x->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

static void what_was(const struct layer_dirs *d, const char *path, const char *want)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_buf_ struct buf text = BUF_INIT(100);
	struct err e = ERR_NONE;
	mode_t mode = 0;
	int r;

	unit_ok(layer_open(d->box, d->project, &l, &e), &e);
	r = origin_read(&l, path, &text, &mode);
	assert_int_equal(r, want ? 0 : -ENOENT);
	if (want)
		assert_string_equal(buf_cstr(&text), want);
	if (want)
		assert_int_equal(mode, 0644);
}

static void those_that_both_have(void)
{
	struct layer_dirs d;

	layer_dirs_make(&d);
	assert_int_equal(mkdirat(d.project, "d", 0755), 0);
	layer_dirs_put(d.project, "d/f", "old\n");
	layer_dirs_put(d.project, "untouched", "old\n");
	begin(&d);
	assert_int_equal(mkdirat(d.upper, "d", 0755), 0);
	assert_int_equal(mkdirat(d.upper, "new", 0755), 0);
	layer_dirs_put(d.upper, "d/f", "new\n");
	layer_dirs_put(d.upper, "d/more", "new\n");
	layer_dirs_put(d.upper, "new/f", "new\n");
	origin_keep(d.box, d.project);
	assert_int_equal(kept(&d), 1);
	what_was(&d, "d/f", "old\n");
	what_was(&d, "d/more", NULL);
	what_was(&d, "untouched", NULL);
}

static void drop(const struct layer_dirs *d)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	struct err e = ERR_NONE;

	unit_ok(layer_open(d->box, d->project, &l, &e), &e);
	origin_drop(&l);
}

static void goes_with_its_file(void)
{
	struct layer_dirs d;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "f", "old\n");
	begin(&d);
	layer_dirs_put(d.upper, "f", "new\n");
	origin_keep(d.box, d.project);
	assert_int_equal(kept(&d), 1);
	drop(&d);
	assert_int_equal(kept(&d), 1);
	assert_int_equal(unlinkat(d.upper, "f", 0), 0);
	drop(&d);
	assert_int_equal(kept(&d), 0);
}

/* More than are looked at to keep something. */
static void goes_with_its_file_among_many(void)
{
	struct layer_dirs d;
	char name[32];

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "f", "old\n");
	layer_dirs_put(d.project, "g", "old\n");
	begin(&d);
	layer_dirs_put(d.upper, "f", "new\n");
	layer_dirs_put(d.upper, "g", "new\n");
	origin_keep(d.box, d.project);
	assert_int_equal(kept(&d), 2);
	for (int i = 0; i <= ORIGIN_LOOKED; i++) {
		snprintf(name, sizeof(name), "a%d", i);
		assert_int_equal(symlinkat("x", d.upper, name), 0);
	}
	assert_int_equal(unlinkat(d.upper, "f", 0), 0);
	drop(&d);
	assert_int_equal(kept(&d), 1);
	what_was(&d, "g", "old\n");
}

static void not_what_is_no_text_or_too_large(void)
{
	struct layer_dirs d;
	int fd;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "large", "old\n");
	fd = openat(d.project, "large", O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, ORIGIN_FILE + 1), 0);
	close(fd);
	fd = openat(d.project, "binary", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(write(fd, "a\0b", 3), 3);
	close(fd);
	assert_int_equal(symlinkat("large", d.project, "link"), 0);
	assert_int_equal(mkfifoat(d.project, "fifo", 0644), 0);
	begin(&d);
	layer_dirs_put(d.upper, "large", "new\n");
	layer_dirs_put(d.upper, "binary", "new\n");
	layer_dirs_put(d.upper, "link", "new\n");
	layer_dirs_put(d.upper, "fifo", "new\n");
	origin_keep(d.box, d.project);
	assert_int_equal(kept(&d), 0);
}

static void nothing_was_ever_under_review(void)
{
	struct layer_dirs d = { layer_dirs_open("box"), layer_dirs_open("p"), -1 };

	origin_keep(d.box, d.project);
	assert_int_equal(kept(&d), 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "those that both have", those_that_both_have },
		{ "it goes with its file", goes_with_its_file },
		{ "it goes with its file among many", goes_with_its_file_among_many },
		{ "not what is no text, or too large",
		  not_what_is_no_text_or_too_large },
		{ "nothing was ever under review", nothing_was_ever_under_review },
	};

	return unit_cases("origin", cases);
}
