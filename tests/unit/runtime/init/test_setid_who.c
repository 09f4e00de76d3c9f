#include "runtime/init/setid_who.h"

#include "base/scope.h"
#include "tests/unit/unit.h"

#define STATUS(uid, gid, groups, caps)                                      \
	"Name:\tUid:\\nGid:\nUmask:\t0022\nState:\tR (running)\nUid:\t" uid \
	"\nGid:\t" gid "\nFDSize:\t64\nGroups:\t" groups                    \
	"\nCapPrm:\tffff\nCapEff:\t" caps "\nCapBnd:\t0\n"

static const struct row {
	const char *name, *text;
	int want;
	uid_t uid;
	gid_t gid;
	uint64_t effective;
	size_t n_groups;
	gid_t groups[4];
} rows[] = {
	{ "root",
	  STATUS("0\t0\t0\t0", "0\t0\t0\t0", " ", "00000000000405fb"),
	  0,
	  0,
	  0,
	  0x405fb,
	  0,
	  { 0 } },
	{ "the ids for files are the fourth",
	  STATUS("1\t2\t3\t4", "5\t6\t7\t8", "9 10 4294967294 ", "0"),
	  0,
	  4,
	  8,
	  0,
	  3,
	  { 9, 10, 4294967294U } },
	{ "one group",
	  STATUS("0\t0\t0\t0", "0\t0\t0\t0", "5", "1"),
	  0,
	  0,
	  0,
	  1,
	  1,
	  { 5 } },
	{ "no text", "", -EBADMSG, 0, 0, 0, 0, { 0 } },
	{ "three ids",
	  STATUS("0\t0\t0", "0\t0\t0\t0", "", "0"),
	  -EBADMSG,
	  0,
	  0,
	  0,
	  0,
	  { 0 } },
	{ "no capabilities",
	  STATUS("0\t0\t0\t0", "0\t0\t0\t0", "", "x"),
	  -EBADMSG,
	  0,
	  0,
	  0,
	  0,
	  { 0 } },
};

static void reads(const void *p)
{
	const struct row *row = p;
	_cleanup_(setid_who_done) struct setid_who w = SETID_WHO_NONE;

	assert_int_equal(setid_who_read(row->text, &w), row->want);
	if (row->want < 0) {
		assert_null(w.groups);
		return;
	}
	assert_int_equal(w.uid, row->uid);
	assert_int_equal(w.gid, row->gid);
	assert_int_equal(w.umask, 022);
	assert_true(w.effective == row->effective);
	assert_int_equal(w.n_groups, row->n_groups);
	for (size_t i = 0; i < row->n_groups; i++)
		assert_int_equal(w.groups[i], row->groups[i]);
}

int main(void)
{
	return unit_rows("setid_who", rows, reads);
}
