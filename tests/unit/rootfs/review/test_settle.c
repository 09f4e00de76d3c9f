#include "rootfs/review/settle.h"

#include <sys/mman.h>
#include <sys/statfs.h>

#include "tests/unit/rootfs/review/layer_dirs.h"

enum { SIZE = 4096, TMPFS = 0x01021994 };

/* Who has a file mapped, and has written to it, can go on without a trace. */
static char *map_file(const struct layer_dirs *d)
{
	int fd = openat(d->upper, "f", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	struct statfs fs;
	char *at;

	assert_true(fd >= 0);
	assert_int_equal(fstatfs(fd, &fs), 0);
	if (fs.f_type == TMPFS)
		unit_skip("a filesystem in memory notes no time for that");
	assert_int_equal(ftruncate(fd, SIZE), 0);
	at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(at != MAP_FAILED);
	close(fd);
	memset(at, 'a', SIZE);
	return at;
}

static struct diff_item listed(const struct layer_dirs *d)
{
	return (struct diff_item){ .path = (char *)(uintptr_t) "f",
				   .now = diff_look(d->upper, "f") };
}

static bool is_as_listed(const struct layer_dirs *d, const struct diff_item *x)
{
	int fd = diff_open(d->upper, "f", &x->now);
	bool is = fd >= 0 && diff_is(fd, &x->now);

	assert_true(fd >= 0 || fd == -ESTALE);
	if (fd >= 0)
		close(fd);
	return is;
}

static void mapped(void)
{
	struct layer_dirs d;
	struct diff_item x;
	char *at;

	layer_dirs_make(&d);
	at = map_file(&d);
	x = listed(&d);
	settle_all(&(struct layer){ .upper = d.upper }, &(struct diff){ &x, 1 });
	assert_true(is_as_listed(&d, &x));
	at[0] = 'b';
	assert_false(is_as_listed(&d, &x));
	munmap(at, SIZE);
}

static void written_before(void)
{
	struct layer_dirs d;
	struct diff_item x;

	layer_dirs_make(&d);
	layer_dirs_put(d.upper, "f", "1");
	x = listed(&d);
	layer_dirs_put(d.upper, "f", "22");
	settle_all(&(struct layer){ .upper = d.upper }, &(struct diff){ &x, 1 });
	assert_false(is_as_listed(&d, &x));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what is written through a mapping later shows", mapped },
		{ "what was written before shows, too", written_before },
	};

	return unit_cases("settle_all", cases);
}
