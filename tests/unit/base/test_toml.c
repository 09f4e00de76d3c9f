#include "base/toml.h"

#include "base/buf.h"
#include "tests/unit/unit.h"

/* What is said, a line each: "[table]", "table|key=text". */
static const struct row {
	const char *name, *text;
	const char *want; /* or the message, where it fails */
	bool fails;
} rows[] = {
	{ "nothing", "", "", false },
	{ "comments and empty lines", "# x\n\n  \t# y\r\n", "", false },
	{ "kinds", "a = \"x\"\nb='y'\nc = true\nd = 12 # more\ne=-1_0",
	  "|a=x\n|b=y\n|c=true\n|d=12\n|e=-1_0\n", false },
	{ "escapes", "a = \"\\\"\\\\\\t\"\nb = 'c\\d'", "|a=\"\\\t\n|b=c\\d\n", false },
	{ "an empty string", "a = \"\"\nb = ''", "|a=\n|b=\n", false },
	{ "tables", "[a]\nx = 1\n[b.\"c\"]\ny = 2", "[a]\na|x=1\n[b.c]\nb.c|y=2\n",
	  false },
	{ "tables in arrays", "[[r]]\nx='1'\n [[ r . m ]] # z\ny='2'\n[[r]]",
	  "[r]\nr|x=1\n[r.m]\nr.m|y=2\n[r]\n", false },
	{ "names with dots", "a.b = 1\n\"a.b\" = 2", "a|b=1\n|a.b=2\n", false },
	{ "arrays", "a = [ \"x\", # one\n  'y',\n]\nb = []", "|a=x\n|a=y\n", false },
	{ "tables in a line", "[r]\nm = [{l='x', i=true}, {}]",
	  "[r]\n[r.m]\nr.m|l=x\nr.m|i=true\n[r.m]\n", false },
	{ "ends of lines of others", "a=1\r\nb=2\r\n", "|a=1\n|b=2\n", false },

	{ "no value", "x = 1\n\na =", "line 3: something that is not understood",
	  true },
	{ "no =", "a", "line 1: no '=' behind a name", true },
	{ "two on a line", "a=1 b=2", "line 1: something behind what was understood",
	  true },
	{ "no end of a string", "a=\"x\n", "line 1: a string without its end", true },
	{ "several lines", "a=\"\"\"x\n\"\"\"",
	  "line 1: a string of several lines, which is not understood", true },
	{ "another escape", "a=\"\\u0041\"", "line 1: an escape that is not understood",
	  true },
	{ "a control character", "a=\"\x01\"",
	  "line 1: a control character in a string", true },
	{ "a date", "a = 2026-01-01T00:00:00Z",
	  "line 1: a value that is not understood", true },
	{ "a float", "a = 1.5", "line 1: a value that is not understood", true },
	{ "no end of an array", "a = [1\nb = 2", "line 1: a '[' without its ']'",
	  true },
	{ "no end of a table", "a = {b=1", "line 1: a '{' without its '}'", true },
	{ "no end of a header", "[a\n", "line 1: a '[' without its ']'", true },
	{ "a header of one end", "[[a]\n", "line 1: a '[' without its ']'", true },
	{ "brackets", "a=[[[[[[[[[[", "line 1: too many brackets in each other", true },
};

static int note(void *ctx, const struct toml_item *i, struct err *)
{
	if (i->kind == TOML_TABLE)
		return buf_addf(ctx, "[%s]\n", i->table);
	return buf_addf(ctx, "%s|%s=%s\n", i->table, i->key, i->text);
}

static void read_text(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	struct err e = ERR_NONE;
	int r = toml_read(row->text, strlen(row->text), note, &out, &e);

	if (row->fails) {
		assert_int_equal(r, -EINVAL);
		assert_string_equal(e.msg, row->want);
		return;
	}
	unit_ok(r, &e);
	assert_string_equal(buf_cstr(&out), row->want);
}

static int refuse(void *, const struct toml_item *, struct err *e)
{
	return err_set(e, -ENOENT, "no");
}

static void whoever_is_told(void)
{
	struct err e = ERR_NONE;

	assert_int_equal(toml_read("\na=1\nb=2", 8, refuse, NULL, &e), -ENOENT);
	assert_string_equal(e.msg, "line 2: no");
}

/* Names, words and strings that are longer than there is room for. */
static void lengths(void)
{
	_cleanup_buf_ struct buf text = BUF_INIT(8192);
	_cleanup_buf_ struct buf out = BUF_INIT(8192);
	struct err e = ERR_NONE;

	buf_adds(&text, "[a]\n");
	for (int i = 0; i < 300; i++)
		buf_adds(&text, "x");
	buf_adds(&text, "=1");
	assert_int_equal(toml_read(text.data, text.len, note, &out, &e), -EINVAL);
	assert_string_equal(e.msg, "line 2: a word that is too long");
	buf_truncate(&text, 0);
	for (int i = 0; i < 100; i++)
		buf_adds(&text, "abc.");
	buf_adds(&text, "d=1");
	assert_int_equal(toml_read(text.data, text.len, note, &out, &e), -EINVAL);
	assert_string_equal(e.msg, "line 1: a name that is too long");
	buf_truncate(&text, 0);
	buf_adds(&text, "a='");
	for (int i = 0; i < TOML_TEXT; i++)
		buf_adds(&text, "y");
	buf_adds(&text, "'");
	assert_int_equal(toml_read(text.data, text.len, note, &out, &e), -EINVAL);
	assert_string_equal(e.msg, "line 1: a string that is too long");
}

static const struct unit_case cases[] = { { "a failure of whoever is told",
					    whoever_is_told },
					  { "what is too long", lengths } };

int main(void)
{
	return unit_rows("toml", rows, read_text) + unit_cases("toml_read", cases);
}
