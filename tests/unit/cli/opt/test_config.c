#include "tests/unit/unit.h"

#include <stdio.h>
#include <sys/stat.h>

#include "cli/opt/config_load.h"

static const struct row {
	const char *name;
	enum config_key key;
	const char *text;
	uint64_t want;
	const char *msg; /* NULL = accepted */
} rows[] = {
	{ "a size", CONFIG_MEMORY, "1.5G", 3ULL << 29, NULL },
	{ "no size", CONFIG_MEMORY, "12Q", 0,
	  "bad size '12Q'; it is such as 512M or 2G" },
	{ "a size of nothing", CONFIG_MEMORY, "0", 0,
	  "bad size '0'; it is such as 512M or 2G" },
	{ "processors", CONFIG_CPUS, "0.5", 500, NULL },
	{ "no processors", CONFIG_CPUS, "0", 0,
	  "bad number '0'; it is such as 2 or 0.5" },
	{ "a count", CONFIG_MAX_ROUNDS, "7", 7, NULL },
	{ "a count of nothing", CONFIG_MAX_ROUNDS, "0", 0,
	  "bad number '0'; it is a whole number above 0" },
	{ "a negative count", CONFIG_PIDS, "-3", 0,
	  "bad number '-3'; it is a whole number above 0" },
	{ "a time", CONFIG_TIMEOUT, "2m", 120000, NULL },
	{ "no time", CONFIG_TIMEOUT, "soon", 0,
	  "bad time 'soon'; it is such as 90s, 10m or 2h" },
	{ "a switch without a word", CONFIG_KEEP, NULL, 1, NULL },
	{ "a switch that is off", CONFIG_KEEP, "no", 0, NULL },
	{ "a switch that is neither", CONFIG_KEEP, "maybe", 0,
	  "bad switch 'maybe'; it is yes or no" },
	{ "a mode", CONFIG_NET, "host", 2, NULL },
	{ "no mode", CONFIG_NET, "bridge", 0,
	  "bad mode 'bridge'; it is gate, none or host" },
	{ "a variable", CONFIG_ENV, "A_1=x y", 0, NULL },
	{ "a variable of here", CONFIG_ENV, "HOME", 0, NULL },
	{ "a variable without a name", CONFIG_ENV, "=x", 0,
	  "bad name ''; letters, digits and _ make one" },
	{ "a variable with a bad name", CONFIG_ENV, "A-B=x", 0,
	  "bad name 'A-B'; letters, digits and _ make one" },
	{ "a variable that begins with a digit", CONFIG_ENV, "1A", 0,
	  "bad name '1A'; letters, digits and _ make one" },
	{ "a pattern", CONFIG_DENY, "*.example:443", 0, NULL },
	{ "a port", CONFIG_PUBLISH, "x", 0,
	  "bad port 'x'; it is [IP:]HOSTPORT:PORT, HOSTPORT 0 for any that is free" },
	{ "dollars", CONFIG_MAX_COST, "0.25", 250, NULL },
	{ "an empty name", CONFIG_IMAGE, "", 0, "empty value ''" },
	{ "bytes of a terminal's are escaped", CONFIG_PIDS, "\033[2J", 0,
	  "bad number '\\x1b[2J'; it is a whole number above 0" },
};

static void test(const void *p)
{
	const struct row *r = p;
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;
	int got;

	config_init(&c);
	got = config_set(&c, r->key, r->text, CONFIG_FROM_FLAG, &e);
	if (r->msg) {
		assert_int_equal(got, -EINVAL);
		unit_err(&e, -EINVAL, r->msg);
		assert_false(config_is_set(&c, r->key));
		return;
	}
	unit_ok(got, &e);
	assert_int_equal(config_num(&c, r->key), r->want);
	assert_int_equal(c.v[r->key].from, CONFIG_FROM_FLAG);
}

static void better_source_wins_in_any_order(void)
{
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	config_init(&c);
	assert_int_equal(config_set(&c, CONFIG_IMAGE, "flag", CONFIG_FROM_FLAG, &e), 0);
	assert_int_equal(config_set(&c, CONFIG_IMAGE, "file", CONFIG_FROM_FILE, &e), 0);
	assert_string_equal(config_text(&c, CONFIG_IMAGE), "flag");
	assert_int_equal(config_set(&c, CONFIG_USER, "file", CONFIG_FROM_FILE, &e), 0);
	assert_int_equal(config_set(&c, CONFIG_USER, "env", CONFIG_FROM_ENV, &e), 0);
	assert_string_equal(config_text(&c, CONFIG_USER), "env");
}

static void lists_do_not_mix_sources(void)
{
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	config_init(&c);
	assert_int_equal(config_set(&c, CONFIG_ALLOW, "a", CONFIG_FROM_FILE, &e), 0);
	assert_int_equal(config_set(&c, CONFIG_ALLOW, "b", CONFIG_FROM_FLAG, &e), 0);
	assert_int_equal(config_set(&c, CONFIG_ALLOW, "c", CONFIG_FROM_FLAG, &e), 0);
	assert_int_equal(config_set(&c, CONFIG_ALLOW, "d", CONFIG_FROM_ENV, &e), 0);
	assert_string_equal(config_list(&c, CONFIG_ALLOW)[0], "b");
	assert_string_equal(config_list(&c, CONFIG_ALLOW)[1], "c");
	assert_null(config_list(&c, CONFIG_ALLOW)[2]);
}

static void write_file(const char *text)
{
	char path[256];
	FILE *f;

	setenv("XDG_CONFIG_HOME", unit_tmpdir(), 1);
	snprintf(path, sizeof(path), "%s/cubby", unit_tmpdir());
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/cubby/config.json", unit_tmpdir());
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void environment_beats_the_file(void)
{
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	write_file("{\"max-rounds\": 3, \"pids\": 7}");
	setenv("CUBBY_MAX_ROUNDS", "9", 1);
	setenv("CUBBY_ALLOW", " a.example  b.example ", 1);
	config_init(&c);
	unit_ok(config_load(&c, &e), &e);
	unsetenv("CUBBY_MAX_ROUNDS");
	unsetenv("CUBBY_ALLOW");
	assert_int_equal(config_num(&c, CONFIG_MAX_ROUNDS), 9);
	assert_int_equal(config_num(&c, CONFIG_PIDS), 7);
	assert_string_equal(config_list(&c, CONFIG_ALLOW)[1], "b.example");
	assert_null(config_list(&c, CONFIG_ALLOW)[2]);
}

static void a_bad_variable_is_named(void)
{
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	setenv("XDG_CONFIG_HOME", unit_tmpdir(), 1);
	setenv("CUBBY_MEMORY", "lots", 1);
	config_init(&c);
	assert_int_equal(config_load(&c, &e), -EINVAL);
	unsetenv("CUBBY_MEMORY");
	unit_err(&e, -EINVAL,
		 "CUBBY_MEMORY: bad size 'lots'; it is such as 512M or 2G");
}

static void no_file_is_no_error(void)
{
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	setenv("XDG_CONFIG_HOME", unit_tmpdir(), 1);
	config_init(&c);
	unit_ok(config_load(&c, &e), &e);
	assert_null(c.file);
	assert_true(config_num(&c, CONFIG_MEMORY) > 0);
	assert_true(config_num(&c, CONFIG_MEMORY) <= 4ULL << 30);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the better source wins in any order",
		  better_source_wins_in_any_order },
		{ "lists do not mix sources", lists_do_not_mix_sources },
		{ "the environment beats the file", environment_beats_the_file },
		{ "a bad variable is named", a_bad_variable_is_named },
		{ "no file is no error", no_file_is_no_error },
	};
	int failed = unit_rows("config", rows, test);

	return failed + unit_cases("config", cases);
}
