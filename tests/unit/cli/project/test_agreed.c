#include "tests/unit/unit.h"

#include <fcntl.h>

#include "cli/project/agreed.h"

static struct buf text(const char *s)
{
	struct buf b = BUF_INIT(100);

	assert_int_equal(buf_adds(&b, s), 0);
	return b;
}

static void only_that_text_of_that_file(void)
{
	_cleanup_store_ struct store st = STORE_NONE;
	_cleanup_buf_ struct buf one = text("one"), two = text("two");
	const struct agreed a = { "/p", ".cubby/box.json", &one };
	const struct agreed other_text = { "/p", ".cubby/box.json", &two };
	const struct agreed other_file = { "/p", ".cubby/config.json", &one };
	const struct agreed other_project = { "/p2", ".cubby/box.json", &one };
	const struct agreed shifted = { "/p/", "cubby/box.json", &one };
	struct err e = ERR_NONE;

	st.dirfd = unit_top();
	assert_false(agreed_to(&st, &a));
	unit_ok(agreed_note(&st, &a, &e), &e);
	assert_true(agreed_to(&st, &a));
	assert_false(agreed_to(&st, &other_text));
	assert_false(agreed_to(&st, &other_file));
	assert_false(agreed_to(&st, &other_project));
	assert_false(agreed_to(&st, &shifted));
	unit_ok(agreed_note(&st, &other_text, &e), &e);
	assert_true(agreed_to(&st, &other_text));
	assert_false(agreed_to(&st, &a));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "only that text of that file", only_that_text_of_that_file },
	};

	return unit_cases("agreed", cases);
}
