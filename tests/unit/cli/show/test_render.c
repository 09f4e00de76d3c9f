#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>

#include "cli/show/render.h"

static const struct row {
	const char *name, *msg;
	bool json;
	const char *want;
	int code; /* 0 = -ENOENT */
} rows[] = {
	{ "one line", "it failed", false, "cubby x: it failed\n", 0 },
	{ "no control character gets through", "a\033[2Jb\nc", false,
	  "cubby x: a\\x1b[2Jb\\nc\n", 0 },
	{ "text that is escaped already stays", "a\\n", false, "cubby x: a\\n\n", 0 },
	{ "a tab", "a\tb", false, "cubby x: a\\tb\n", 0 },
	{ "a full disk", "it: No space left on device", false,
	  "cubby x: it: No space left on device; free some space ('cubby ls' and 'cubby "
	  "images' show what boxes and images take), or set XDG_DATA_HOME to a directory "
	  "on a larger disk\n",
	  -ENOSPC },
	{ "a full quota", "it: Disk quota exceeded", false,
	  "cubby x: it: Disk quota exceeded; free some space ('cubby ls' and 'cubby "
	  "images' show what boxes and images take), or set XDG_DATA_HOME to a directory "
	  "on a larger disk\n",
	  -EDQUOT },
	{ "a full place that says what to do", "too many rules; leave one out", false,
	  "cubby x: too many rules; leave one out\n", -ENOSPC },
	{ "a full disk of standard output", "standard output: No space left on device",
	  false, "cubby x: standard output: No space left on device\n", -ENOSPC },
	{ "an object", "it \"failed\"", true,
	  "{\"error\":{\"code\":\"ENOENT\",\"message\":\"it \\\"failed\\\"\","
	  "\"status\":5}}\n",
	  0 },
};

static void test(const void *p)
{
	const struct row *r = p;
	struct app app = { .name = "cubby x", .json = r->json };
	struct err e = ERR_NONE;
	char *text = NULL;
	size_t len = 0;

	app.out = app.err = open_memstream(&text, &len);
	assert_non_null(app.err);
	err_set(&e, r->code ?: -ENOENT, "%s", r->msg);
	render_error(&app, &e, 5);
	fclose(app.err);
	assert_string_equal(text, r->want);
	free(text);
}

static void notes_are_for_people(void)
{
	struct app app = { .name = "cubby x" };
	char *text = NULL;
	size_t len = 0;

	app.out = app.err = open_memstream(&text, &len);
	render_note(&app, "n %d", 1);
	app.quiet = true;
	render_note(&app, "n %d", 2);
	app.quiet = false;
	app.json = true;
	render_note(&app, "n %d", 3);
	app.json = false;
	app.color_err = true;
	render_note(&app, "n %d", 4);
	fclose(app.err);
	assert_string_equal(text, "cubby: n 1\n\033[2mcubby: n 4\033[0m\n");
	free(text);
}

static void a_full_disk_is_told(void)
{
	struct app app = { .name = "cubby x" };
	_cleanup_json_ struct json *j = json_object();

	app.out = fopen("/dev/full", "w");
	assert_non_null(app.out);
	assert_int_equal(render_json(&app, j), -EIO);
	fclose(app.out);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "notes are for people", notes_are_for_people },
		{ "a full disk is told", a_full_disk_is_told },
	};
	int failed = unit_rows("render", rows, test);

	return failed + unit_cases("render", cases);
}
