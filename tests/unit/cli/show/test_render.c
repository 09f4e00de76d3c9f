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
	  "cubby x: it: No space left on device; 'cubby prune', 'cubby rm' and 'cubby "
	  "rmi' make room, 'cubby ls' and 'cubby images' show what takes it; XDG_DATA_HOME "
	  "names a larger disk for the store (~/.local/share without it)\n",
	  -ENOSPC },
	{ "a full quota", "it: Disk quota exceeded", false,
	  "cubby x: it: Disk quota exceeded; 'cubby prune', 'cubby rm' and 'cubby "
	  "rmi' make room, 'cubby ls' and 'cubby images' show what takes it; XDG_DATA_HOME "
	  "names a larger disk for the store (~/.local/share without it)\n",
	  -EDQUOT },
	{ "a full disk that a program of the box met", "it: No space left on device",
	  false,
	  "cubby x: it: No space left on device; 'cubby prune', 'cubby rm' and 'cubby "
	  "rmi' make room, 'cubby ls' and 'cubby images' show what takes it; XDG_DATA_HOME "
	  "names a larger disk for the store (~/.local/share without it)\n",
	  -EIO },
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

/* What stands on a terminal: a part has a line of its own, if it is one. */
static const struct part {
	const char *name, *msg, *want;
} parts[] = {
	{ "one part", "it failed", "cubby x: it failed\n" },
	{ "what and what to do", "it failed; 'cubby stop' ends it",
	  "cubby x: it failed\n  'cubby stop' ends it\n" },
	{ "three", "a: b; c; d", "cubby x: a: b\n  c\n  d\n" },
	{ "a name with a semicolon", "no 'a; b' here; try",
	  "cubby x: no 'a; b' here\n  try\n" },
	{ "an apostrophe is no quote", "the box's end; the user's; x's",
	  "cubby x: the box's end\n  the user's\n  x's\n" },
	{ "a quote that does not end", "'a; b", "cubby x: 'a\n  b\n" },
	{ "brackets", "killed (limit 1 GiB; --memory raises it); that's it",
	  "cubby x: killed (limit 1 GiB; --memory raises it)\n  that's it\n" },
	{ "several commands stay together", "it is masked; fix: mkdir a; mkdir b",
	  "cubby x: it is masked\n  fix: mkdir a; mkdir b\n" },
	{ "a semicolon at the end", "a; ", "cubby x: a\n" },
	{ "a newline of its own is none", "a\nb; c", "cubby x: a\\nb\n  c\n" },
};

static void test_part(const void *p)
{
	const struct part *r = p;
	struct app app = { .name = "cubby x", .live = true };
	struct err e = ERR_NONE;
	char *text = NULL;
	size_t len = 0;

	app.out = app.err = open_memstream(&text, &len);
	assert_non_null(app.err);
	err_set(&e, -ENOENT, "%s", r->msg);
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

	failed += unit_rows("render_parts", parts, test_part);
	return failed + unit_cases("render", cases);
}
