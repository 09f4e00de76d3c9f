#include "agent/server/tenant/sessions.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/scope.h"
#include "tests/unit/unit.h"

static void kept_and_found(void)
{
	_cleanup_close_ int dir = unit_top();
	struct sessions a = { .first = NULL }, b = { .first = NULL };
	struct err e = ERR_NONE;

	assert_true(sessions_set(&a, "x", "/1"));
	assert_true(sessions_set(&a, "a \"b\"\n", "/2 \xff"));
	assert_false(sessions_set(&a, "x", "/1"));
	assert_true(sessions_set(&a, "x", "/3"));
	assert_null(sessions_get(&a, "y"));
	assert_int_equal(sessions_load(&b, dir, &e), -ENOENT);
	assert_int_equal(sessions_save(&a, dir, &e), 0);
	assert_true(sessions_set(&b, "first", "/4"));
	assert_int_equal(sessions_load(&b, dir, &e), 0);
	assert_string_equal(sessions_get(&b, "x"), "/3");
	assert_string_equal(sessions_get(&b, "a \"b\"\n"), "/2 \xef\xbf\xbd");
	assert_string_equal(sessions_get(&b, "first"), "/4");
	sessions_done(&a);
	sessions_done(&b);
	assert_null(a.first);
}

/* The last used of as many as there may be, and of those what fits. */
static void the_last_used(void)
{
	_cleanup_close_ int dir = unit_top();
	struct sessions a = { .first = NULL }, b = { .first = NULL };
	struct err e = ERR_NONE;
	char name[16], path[1024];

	memset(path, 'p', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	for (unsigned i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "%03u", i);
		assert_true(sessions_set(&a, name, path));
		assert_non_null(sessions_get(&a, "000"));
	}
	assert_null(sessions_get(&a, "044"));
	assert_non_null(sessions_get(&a, "045"));
	assert_int_equal(sessions_save(&a, dir, &e), 0);
	assert_int_equal(sessions_load(&b, dir, &e), 0);
	assert_non_null(sessions_get(&b, "045"));
	assert_non_null(sessions_get(&b, "000"));
	assert_non_null(sessions_get(&b, "299"));
	assert_null(sessions_get(&b, "100"));
	sessions_done(&a);
	sessions_done(&b);
}

static void a_file_of_others(void)
{
	static const char *const texts[] = { "{\"a\": \"relative\"}", "{\"a\": 1}",
					     "[\"/a\"]" };
	_cleanup_close_ int dir = unit_top();
	struct sessions a = { .first = NULL };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err e = ERR_NONE;

		unit_put(dir, SESSIONS_FILE, texts[i], 0600);
		assert_int_equal(sessions_load(&a, dir, &e), -EINVAL);
		unit_err(&e, -EINVAL, "'sessions.json' has no paths");
		assert_null(a.first);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "kept and found", kept_and_found },
		{ "the last used", the_last_used },
		{ "a file of others", a_file_of_others },
	};

	return unit_cases("sessions", cases);
}
