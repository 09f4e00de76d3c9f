/* Each rung that works on this host, made for real; write.c with it. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/idmap/idmap.h"
#include "tests/unit/unit.h"

static void ladder(void)
{
	struct buf why = BUF_INIT(4096);
	struct err e = ERR_NONE;
	struct idmap m;

	if (idmap_choose(NULL, &m, &why, &e) < 0)
		unit_skip(e.msg);
	assert_true(m.n_uid > 0 && m.n_gid > 0);
	assert_int_equal(m.uid[0].inside, 0);
	if (geteuid() != 0)
		assert_int_equal(m.uid[0].outside, geteuid());
	else
		assert_true(m.kind != IDMAP_SUBUID);
	buf_done(&why);
}

static void single(void)
{
	enum idmap_kind want = IDMAP_SINGLE;
	struct buf why = BUF_INIT(4096);
	struct err e = ERR_NONE;
	struct idmap m;

	if (idmap_choose(&want, &m, &why, &e) < 0)
		unit_skip(e.msg);
	assert_int_equal(m.kind, IDMAP_SINGLE);
	assert_int_equal(m.n_uid, 1);
	assert_int_equal(m.uid[0].outside, geteuid());
	assert_int_equal(m.gid[0].outside, getegid());
	assert_int_equal(why.len, 0);
	buf_done(&why);
}

/* Wanted and not to be had: an error, never another map. */
static void no_subids(void)
{
	enum idmap_kind want = IDMAP_SUBUID;
	struct buf why = BUF_INIT(4096);
	struct err e = ERR_NONE;
	struct idmap m = { .n_uid = 9 };

	if (setenv("PATH", unit_tmpdir(), 1))
		fail();
	if (idmap_choose(&want, &m, &why, &e) == 0)
		unit_skip("newuidmap is in a directory beside PATH");
	assert_int_equal(m.n_uid, 9);
	assert_non_null(strstr(e.msg, "cannot use subordinate ids"));
	assert_non_null(strstr(buf_cstr(&why), "users other than root are simulated"));
	buf_done(&why);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the ladder ends at a map", ladder },
		{ "a single map is the caller's", single },
		{ "a map that was asked for is not replaced", no_subids },
	};

	return unit_cases("idmap_choose", cases);
}
