#include "runtime/idmap/lease.h"

#include <unistd.h>

#include "base/scope.h"
#include "runtime/idmap/range.h"
#include "tests/unit/unit.h"

enum { BASE = 0x70040000 };

static const struct row {
	const char *name, *text;
	bool want;
} rows[] = {
	{ "no text", "", false },
	{ "elsewhere", "user:100000:65536\nother:165536:65536\n", false },
	{ "around it", "user:1000000000:1000000000\n", true },
	{ "its last id", "a:1:2\nuser:1879441407:1\n", true },
	{ "right behind it", "user:1879441408:65536\n", false },
	{ "up to it", "user:1879310335:1\n", false },
	{ "into it", "user:1879310335:2\n", true },
	{ "no numbers", "user:x:y\n:::\nuser\n", false },
	{ "a line without an end", "user:1879310336:1", true },
};

static void given(const void *p)
{
	const struct row *row = p;

	assert_int_equal(idmap_lease_is_given(row->text, BASE), row->want);
}

static void each_has_its_own(void)
{
	_cleanup_close_ int one = -1, two = -1;
	struct err e = ERR_NONE;
	uint32_t a = 0, b = 0;

	if (geteuid() != 0)
		unit_skip("only root has ranges");
	one = idmap_lease_take("one", &a, &e);
	unit_ok(one, &e);
	two = idmap_lease_take("two", &b, &e);
	unit_ok(two, &e);
	assert_true(a != b);
	assert_true(a > IDMAP_RANGE_FIRST && b > IDMAP_RANGE_FIRST);
	assert_int_equal(a % IDMAP_RANGE_SIZE, 0);
	assert_true(a <= 2147352576U - IDMAP_RANGE_SIZE);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "each has its own", each_has_its_own },
	};

	return unit_rows("idmap_lease", rows, given) +
	       unit_cases("idmap_lease locks", cases);
}
