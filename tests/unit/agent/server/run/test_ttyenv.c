#include "agent/server/run/ttyenv.h"

#include "tests/unit/unit.h"

static const char *const all[] = { "A=1", "B=2", NULL };

static const struct row {
	const char *name;
	const char *const *all;
	const char *more;
	int want;
	const char *says; /* the list with spaces between, or the failure */
} rows[] = {
	{ "nothing", NULL, "null", 0, "TERM=xterm-256color " },
	{ "what all have", all, "{}", 0, "A=1 B=2 TERM=xterm-256color " },
	{ "more, behind it", all, "{\"A\":\"3\",\"C\":\"\"}", 0,
	  "A=1 B=2 TERM=xterm-256color A=3 C= " },
	{ "a number", all, "{\"C\":3}", -EINVAL, "env: names and texts are needed" },
	{ "a name with a sign", all, "{\"C\":\"1\",\"D=E\":\"x\"}", -EINVAL,
	  "env: names and texts are needed" },
};

static void test_make(const void *p)
{
	const struct row *row = p;
	_cleanup_json_ struct json *more = NULL;
	_cleanup_ttyenv_ struct ttyenv env = { .n_text = 0 };
	_cleanup_buf_ struct buf b = BUF_INIT(1000);
	struct err e = ERR_NONE;

	assert_int_equal(json_parse(row->more, strlen(row->more), &more, &e), 0);
	assert_int_equal(ttyenv_make(row->all, more, &env, &e), row->want);
	if (row->want < 0) {
		assert_string_equal(e.msg, row->says);
		return;
	}
	for (size_t i = 0; env.list[i]; i++)
		buf_addf(&b, "%s ", env.list[i]);
	assert_string_equal(buf_cstr(&b), row->says);
}

/* The last place is for the NULL. */
static void test_full(void)
{
	_cleanup_ttyenv_ struct ttyenv env = { .n_text = 0 };
	_cleanup_json_ struct json *more = json_object();
	const char *many[TTYENV_MAX + 1] = { NULL };
	struct err e = ERR_NONE;

	for (int i = 0; i < TTYENV_MAX; i++)
		many[i] = "A=1";
	assert_int_equal(ttyenv_make(many, NULL, &env, &e), 0);
	assert_null(env.list[TTYENV_MAX - 1]);
	assert_string_equal(env.list[TTYENV_MAX - 2], "TERM=xterm-256color");
	json_set_str(more, "B", "2");
	assert_int_equal(ttyenv_make(many, more, &env, &e), -EINVAL);
	assert_string_equal(e.msg, "env: names and texts are needed");
}

/* What a request may say is bounded. */
static void test_long(void)
{
	_cleanup_ttyenv_ struct ttyenv env = { .n_text = 0 };
	_cleanup_json_ struct json *more = json_object();
	_cleanup_free_ char *text = malloc(300 << 10);
	struct err e = ERR_NONE;

	assert_non_null(text);
	memset(text, 'x', (300 << 10) - 1);
	text[(300 << 10) - 1] = '\0';
	json_set_str(more, "LONG", text);
	assert_int_equal(ttyenv_make(NULL, more, &env, &e), -EINVAL);
	assert_string_equal(e.msg, "env: 'LONG' is too long");
}

static const struct unit_case cases[] = {
	{ "as many as there may be", test_full },
	{ "too long", test_long },
};

int main(void)
{
	return unit_rows("ttyenv_make", rows, test_make) + unit_cases("ttyenv", cases);
}
