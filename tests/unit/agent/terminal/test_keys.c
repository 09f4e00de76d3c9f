#include "agent/terminal/keys.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name, *keys;
	bool application;
	const char *want; /* NULL: -EINVAL */
} rows[] = {
	{ "control", "C-c", false, "\003" },
	{ "control in words", "ctrl-d CTRL+z", false, "\004\032" },
	{ "control sign", "C-\\ C-[", false, "\034\033" },
	{ "meta", "M-x", false, "\033x" },
	{ "enter", "Enter", false, "\r" },
	{ "any case", "eNTER tAB s-TAB", false, "\r\t\033[Z" },
	{ "arrows", "Up Down Left Right", false, "\033[A\033[B\033[D\033[C" },
	{ "arrows of an application", "Up Home End", true, "\033OA\033OH\033OF" },
	{ "editing", "BS Del Ins PgUp PgDn", false,
	  "\177\033[3~\033[2~\033[5~\033[6~" },
	{ "functions", "F1 F4 F5 F12", false, "\033OP\033OS\033[15~\033[24~" },
	{ "several spaces", "  Esc   Enter ", false, "\033\r" },
	{ "characters", "y q !", false, "yq!" },
	{ "unknown", "Hyper", false, NULL },
	{ "no letter", "C-", false, NULL },
	{ "two letters", "C-xx", false, NULL },
	{ "nothing", "  ", false, NULL },
	{ "one bad of two", "Enter Bogus", false, NULL },
	{ "too long", "EnterEnterEnterEnterEnterEnterEnterEnter", false, NULL },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	struct err e = ERR_NONE;
	_cleanup_buf_ struct buf out = BUF_INIT(256);
	int r = keys_add(row->keys, row->application, &out, &e);

	if (row->want) {
		unit_ok(r, &e);
		assert_string_equal(buf_cstr(&out), row->want);
		return;
	}
	assert_int_equal(r, -EINVAL);
	assert_int_equal(out.len, 0);
	assert_int_equal(e.code, -EINVAL);
}

static void names_the_key(void)
{
	struct err e = ERR_NONE;
	_cleanup_buf_ struct buf out = BUF_INIT(256);

	assert_int_equal(keys_add("Enter Hy\033per", false, &out, &e), -EINVAL);
	assert_ptr_equal(strstr(e.msg, "unknown key 'Hy\\x1bper'; keys are C-a"),
			 e.msg);
	assert_int_equal(keys_add("", false, &out, &e), -EINVAL);
	unit_err(&e, -EINVAL, "no key is named");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "an unknown key is named", names_the_key },
	};

	return unit_rows("keys_add (X9)", rows, test_row) + unit_cases("keys", cases);
}
