#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/show/table.h"
#include "cli/show/tty.h"

static const struct table_column columns[] = {
	{ "NAME", "name", TABLE_PATH }, { "SIZE", "size", TABLE_BYTES },
	{ NULL, "key", TABLE_TEXT },	{ "N", "n", TABLE_NUMBER },
	{ "USED", "used", TABLE_AGE },
};

struct app_out {
	struct app app;
	char *text;
	size_t len;
};

static void open_app(struct app_out *o)
{
	*o = (struct app_out){ .app = { .name = "cubby x" } };
	o->app.out = open_memstream(&o->text, &o->len);
	o->app.err = o->app.out;
	assert_non_null(o->app.out);
}

static const char *text_of(struct app_out *o)
{
	fflush(o->app.out);
	return o->text;
}

static void close_app(struct app_out *o)
{
	fclose(o->app.out);
	free(o->text);
}

static void add(struct table *t, const char *name, int64_t size, int64_t n,
		int64_t used)
{
	const struct table_cell cells[] = { { .text = name },
					    { .n = size },
					    { .text = "k" },
					    { .n = n },
					    { .n = used } };

	table_add(t, cells);
}

static void fill(struct table **t)
{
	*t = table_new(columns, ARRAY_SIZE(columns));
	add(*t, "/a", 1536, 7, 1000);
	add(*t, "/lön\n", 2, 12345, -1);
}

static void columns_are_aligned(void)
{
	_cleanup_table_ struct table *t = NULL;
	struct err e = ERR_NONE;
	struct app_out o;

	open_app(&o);
	fill(&t);
	unit_ok(table_show(t, &o.app, 1090, "nothing", "list", &e), &e);
	assert_string_equal(text_of(&o), "NAME       SIZE      N  USED\n"
					 "/a      1.5 KiB      7  90s ago\n"
					 "/lön\\n      2 B  12345  -\n");
	close_app(&o);
}

/* A name that is not known gives way to what is known next. */
static void quiet_shows_names(void)
{
	_cleanup_table_ struct table *t = NULL;
	const struct table_cell nameless[] = {
		{ .text = NULL }, { .n = 3 }, { .text = "k" }, { .n = 1 }, { .n = 1 },
	};
	struct err e = ERR_NONE;
	struct app_out o;

	open_app(&o);
	o.app.quiet = true;
	fill(&t);
	table_add(t, nameless);
	unit_ok(table_show(t, &o.app, 1090, "nothing", "list", &e), &e);
	assert_string_equal(text_of(&o), "/a\n/lön\\n\n3 B\n");
	close_app(&o);
}

static void json_has_all_as_it_is(void)
{
	_cleanup_table_ struct table *t = NULL;
	struct err e = ERR_NONE;
	struct app_out o;

	open_app(&o);
	o.app.json = true;
	fill(&t);
	unit_ok(table_show(t, &o.app, 1090, "nothing", "list", &e), &e);
	assert_string_equal(
		text_of(&o),
		"[{\"name\":\"/a\",\"size\":1536,\"key\":\"k\",\"n\":7,\"used\":1000},"
		"{\"name\":\"/lön\\n\",\"size\":2,\"key\":\"k\",\"n\":12345,"
		"\"used\":null}]\n");
	close_app(&o);
}

static void none_is_said_to_people_only(void)
{
	_cleanup_table_ struct table *t = NULL;
	struct err e = ERR_NONE;
	struct app_out o;

	open_app(&o);
	t = table_new(columns, ARRAY_SIZE(columns));
	unit_ok(table_show(t, &o.app, 0, "no boxes", "list", &e), &e);
	assert_string_equal(text_of(&o), "cubby: no boxes\n");
	close_app(&o);
	open_app(&o);
	o.app.json = true;
	unit_ok(table_show(t, &o.app, 0, "no boxes", "list", &e), &e);
	assert_string_equal(text_of(&o), "[]\n");
	close_app(&o);
}

static void a_lack_of_memory_is_said_at_the_end(void)
{
	struct err e = ERR_NONE;
	struct app_out o;

	open_app(&o);
	add(NULL, "/a", 1, 1, 1);
	(void)table_show(NULL, &o.app, 0, "no boxes", "list the boxes", &e);
	unit_err(&e, -ENOMEM, "cannot list the boxes: Cannot allocate memory");
	assert_string_equal(text_of(&o), "");
	close_app(&o);
}

static void ages_have_one_unit(void)
{
	static const struct {
		int64_t s;
		const char *want;
	} rows[] = { { -5, "0s ago" },	   { 119, "119s ago" }, { 120, "2m ago" },
		     { 7199, "119m ago" }, { 7200, "2h ago" },	{ 172799, "47h ago" },
		     { 172800, "2d ago" } };
	char out[32];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(table_age(out, sizeof(out), rows[i].s),
				    rows[i].want);
}

/* What a terminal of @cols columns shows; it must have room for all of it. */
static void shown_on(unsigned short cols, char *out, size_t size)
{
	_cleanup_table_ struct table *t = NULL;
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave;
	struct app app = { .name = "cubby x" };
	struct err e = ERR_NONE;
	size_t len = 0;
	ssize_t n;

	assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_int_equal(tty_set_size(slave, 24, cols), 0);
	app.out = fdopen(slave, "w");
	assert_non_null(app.out);
	fill(&t);
	add(t, "/home/somebody/日本/project", 1, 1, -1);
	unit_ok(table_show(t, &app, 1000, NULL, "list", &e), &e);
	fclose(app.out);
	while ((n = read(master, out + len, size - 1 - len)) > 0)
		len += (size_t)n;
	out[len] = '\0';
	close(master);
}

static void a_narrow_terminal_cuts_paths(void)
{
	char out[1024];

	shown_on(100, out, sizeof(out));
	assert_non_null(strstr(out, "\n/home/somebody/日本/project"));
	shown_on(35, out, sizeof(out));
	assert_non_null(strstr(out, "\n…本/project "));
	assert_null(strstr(out, "somebody"));
	assert_non_null(strstr(out, "12345"));
	shown_on(1, out, sizeof(out)); /* nothing can be done */
	assert_non_null(strstr(out, "\n…project "));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "columns are aligned", columns_are_aligned },
		{ "quiet shows names", quiet_shows_names },
		{ "JSON has all as it is", json_has_all_as_it_is },
		{ "none is said to people only", none_is_said_to_people_only },
		{ "a lack of memory is said at the end",
		  a_lack_of_memory_is_said_at_the_end },
		{ "ages have one unit", ages_have_one_unit },
		{ "a narrow terminal cuts paths", a_narrow_terminal_cuts_paths },
	};

	return unit_cases("table", cases);
}
