#include "tests/unit/unit.h"

#include <dirent.h>
#include <stdio.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/store/hardlinks.h"

static int open_dir(const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", unit_tmpdir(), name);
	(void)mkdir(path, 0755);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* By the C library's calls: only those of the work itself are to fail. */
static void begin(int project, int store)
{
	int fd;

	(void)unlinkat(store, "a", 0);
	(void)unlinkat(project, "a", 0);
	(void)unlinkat(project, "b", 0);
	fd = openat(store, "a", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text", 4), 4);
	close(fd);
	assert_int_equal(linkat(store, "a", project, "a", 0), 0);
	assert_int_equal(linkat(store, "a", project, "b", 0), 0);
}

static void is_whole(int dir, const char *name)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char text[8] = "";

	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_string_equal(text, "text");
}

static unsigned count_names(int dir)
{
	DIR *d = fdopendir(dup(dir));
	unsigned n = 0;

	assert_non_null(d);
	rewinddir(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static int break_up(void *, struct err *e)
{
	_cleanup_close_ int project = open_dir("project"), store = open_dir("store");
	struct hardlinks h = { 0 };
	struct stat st;
	int r;

	begin(project, store);
	r = hardlinks_break(project, false, &h, e);
	is_whole(store, "a");
	is_whole(project, "a");
	is_whole(project, "b");
	assert_int_equal(count_names(project), 4); /* nothing is left over */
	if (r == 0 && !h.kept && !h.incomplete) {
		assert_int_equal(fstatat(store, "a", &st, 0), 0);
		assert_int_equal(st.st_nlink, 1);
	}
	return r;
}

static void old_or_new(void)
{
	unit_faults(break_up, NULL);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "each name has the old file or the new one", old_or_new },
	};

	return unit_cases("fault_hardlinks", cases);
}
