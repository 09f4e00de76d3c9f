#include "rootfs/store/treemark.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static uint64_t mark(int dir)
{
	struct err e = ERR_NONE;
	uint64_t now = 0;

	unit_ok(treemark_of(dir, &now, &e), &e);
	return now;
}

static void tells_every_change(void)
{
	int dir = unit_top();
	uint64_t was;

	assert_true(dir >= 0);
	assert_int_equal(mkdirat(dir, "d", 0700), 0);
	unit_put(dir, "d/f", "one", 0644);
	was = mark(dir);
	assert_true(mark(dir) == was);
	unit_put(dir, "d/f", "longer", 0644);
	assert_true(mark(dir) != was);
	was = mark(dir);
	unit_put(dir, "d/g", "", 0644);
	assert_true(mark(dir) != was);
	was = mark(dir);
	assert_int_equal(unlinkat(dir, "d/g", 0), 0);
	assert_true(mark(dir) != was);
	was = mark(dir);
	assert_int_equal(symlinkat("/", dir, "d/link"), 0); /* is not followed */
	assert_true(mark(dir) != was);
	close(dir);
}

static void gives_up_on_what_is_too_deep(void)
{
	struct err e = ERR_NONE;
	uint64_t now = 7;
	int dir = unit_top(), at = dir;

	for (int i = 0; i <= TREEMARK_DEPTH; i++) {
		int below;

		assert_int_equal(mkdirat(at, "d", 0700), 0);
		below = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(below >= 0);
		if (at != dir)
			close(at);
		at = below;
	}
	close(at);
	assert_int_equal(treemark_of(dir, &now, &e), -E2BIG);
	assert_string_equal(e.msg, "the tree is too large");
	assert_int_equal(now, 7);
	close(dir);
}

/* A directory whose names may be read, and no more. */
static void says_why_a_file_could_not_be_looked_at(void)
{
	struct err e = ERR_NONE;
	const bool root = geteuid() == 0;
	uint64_t now = 7;
	int dir = unit_top(), r;

	assert_int_equal(mkdirat(dir, "d", 0755), 0);
	unit_put(dir, "d/f", "", 0644);
	assert_int_equal(fchmod(dir, 0755), 0);
	assert_int_equal(fchmodat(dir, "d", 0444, 0), 0);
	if (root)
		assert_int_equal(seteuid(65534), 0);
	r = treemark_of(dir, &now, &e);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(fchmodat(dir, "d", 0755, 0), 0);
	assert_int_equal(r, -EACCES);
	unit_err(&e, -EACCES, "cannot look at a file: Permission denied");
	assert_int_equal(now, 7);
	close(dir);
}

static const struct unit_case cases[] = {
	{ "tells every change", tells_every_change },
	{ "gives up on what is too deep", gives_up_on_what_is_too_deep },
	{ "says why a file could not be looked at",
	  says_why_a_file_could_not_be_looked_at },
};

int main(void)
{
	return unit_cases("treemark", cases);
}
