#include "tests/unit/unit.h"

static void sys_appends_reason(void)
{
	struct err e = ERR_NONE;

	assert_int_equal(err_sys(&e, -ENOENT, "cannot open '%s'", "x"), -ENOENT);
	unit_err(&e, -ENOENT, "cannot open 'x': No such file or directory");
	assert_int_equal(err_wrap(&e, "cgroup '%s'", "c"), -ENOENT);
	unit_err(&e, -ENOENT, "cgroup 'c': cannot open 'x': No such file or directory");
	err_hint(&e, "make it");
	assert_non_null(strstr(e.msg, "directory; make it"));
}

static void long_texts_are_cut(void)
{
	struct err e = ERR_NONE;
	char big[2000];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&e, -EINVAL, "%s", big);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	err_wrap(&e, "outer");
	assert_memory_equal(e.msg, "outer: xxx", 10);
	err_hint(&e, "no room");
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "err_sys appends the reason", sys_appends_reason },
		{ "long texts are cut", long_texts_are_cut },
	};

	return unit_cases("err", cases);
}
