#include "rootfs/review/given.h"

#include "tests/unit/rootfs/review/layer_dirs.h"
#include "tests/unit/unit.h"

static struct diff_item item(const char *path, uint64_t ino)
{
	return (struct diff_item){ .path = (char *)(uintptr_t)path,
				   .was = { 0100644, 1, ino, 3, 4 },
				   .now = { 0100644, 1, ino + 1, 3, 4 } };
}

static void what_is_new_replaces_what_was_there(void)
{
	int dir = layer_dirs_open("given");
	const struct diff_item first[] = { item("a", 1), item("c", 1) };
	const struct diff_item then[] = { item("b", 2), item("c", 2), item("d", 2) };
	static const uint64_t want[] = { 1, 2, 2, 2 };
	_cleanup_given_ struct given g = GIVEN_NONE;
	struct err e = ERR_NONE;

	unit_ok(given_read(dir, &g, &e), &e);
	assert_null(given_find(&g, "a"));
	unit_ok(given_add(dir, first, 2, &e), &e);
	unit_ok(given_add(dir, then, 3, &e), &e);
	unit_ok(given_read(dir, &g, &e), &e);
	assert_int_equal(g.records.n, 4);
	for (char c = 'a'; c <= 'd'; c++) {
		const struct journal_step *s = given_find(&g, (char[]){ c, '\0' });

		assert_non_null(s);
		assert_int_equal(s->was.ino, want[c - 'a']);
		assert_true(given_same(
			&s->now,
			&(struct diff_side){ 0100644, 1, s->was.ino + 1, 3, 4 }));
	}
	assert_null(given_find(&g, "e"));
	given_done(&g);
	g = GIVEN_NONE;
	given_forget(dir);
	unit_ok(given_read(dir, &g, &e), &e);
	assert_int_equal(g.records.n, 0);
	close(dir);
}

static void damage_is_said(void)
{
	int dir = layer_dirs_open("damaged");
	_cleanup_given_ struct given g = GIVEN_NONE;
	struct err e = ERR_NONE;

	layer_dirs_put(dir, "given", "nonsense");
	assert_int_equal(given_read(dir, &g, &e), -EBADMSG);
	assert_string_equal(e.msg, "cannot read what was taken over: Bad message");
	close(dir);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what is new replaces what was there",
		  what_is_new_replaces_what_was_there },
		{ "damage is said", damage_is_said },
	};

	return unit_cases("given", cases);
}
