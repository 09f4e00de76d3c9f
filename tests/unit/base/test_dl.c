#include "base/dl.h"

#include <stdio.h>

#include "tests/unit/unit.h"

struct api {
	double (*cosine)(double);
	double (*sine)(double);
};

static const struct dl_symbol good[] = {
	DL_SYMBOL(struct api, cosine, "cos"),
	DL_SYMBOL(struct api, sine, "sin"),
};
static const struct dl_symbol bad[] = {
	DL_SYMBOL(struct api, cosine, "cos"),
	DL_SYMBOL(struct api, sine, "no_such_function"),
};

static void fills_the_table(void)
{
	struct dl_library lib = { "libm.so.6", "libc6", good, ARRAY_SIZE(good) };
	struct api api = { 0 };
	struct err e = ERR_NONE;

	for (int i = 0; i < 2; i++) { /* again: it is there already */
		unit_ok(dl_load(&lib, &api, &e), &e);
		assert_true(api.cosine(0) > 0.99 && api.sine(0) < 0.01);
	}
}

static void a_missing_function_leaves_it_empty(void)
{
	struct dl_library lib = { "libm.so.6", "libc6", bad, ARRAY_SIZE(bad) };
	struct api api = { 0 };
	struct err e = ERR_NONE;

	assert_int_equal(dl_load(&lib, &api, &e), -ELIBBAD);
	unit_err(&e, -ELIBBAD, "libm.so.6 has no 'no_such_function'; update libc6");
	assert_null(api.cosine);
}

static void a_missing_library_names_its_package(void)
{
	struct dl_library lib = { "libnone.so.7", "libnone7", good, ARRAY_SIZE(good) };
	struct api api = { 0 };
	struct err e = ERR_NONE;

	assert_int_equal(dl_load(&lib, &api, &e), -ENOPKG);
	unit_err(&e, -ENOPKG, "libnone.so.7 is not installed; install libnone7");
}

static void a_broken_library_says_why(void)
{
	struct dl_library lib = { .package = "libbroken1" };
	struct err e = ERR_NONE;
	char path[100], want[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/libbroken.so.1", unit_tmpdir());
	f = fopen(path, "we");
	fputs("no library", f);
	fclose(f);
	lib.soname = path;
	assert_int_equal(dl_load(&lib, NULL, &e), -ELIBACC);
	snprintf(want, sizeof(want),
		 "cannot load %s: %s: file too short; reinstall libbroken1", path,
		 path);
	unit_err(&e, -ELIBACC, want);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "fills the table", fills_the_table },
		{ "a missing function leaves it empty",
		  a_missing_function_leaves_it_empty },
		{ "a missing library names its package",
		  a_missing_library_names_its_package },
		{ "a broken library says why", a_broken_library_says_why },
	};

	return unit_cases("dl", cases);
}
