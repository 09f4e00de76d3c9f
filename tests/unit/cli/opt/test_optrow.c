#include "tests/unit/unit.h"

#include "cli/opt/optrow.h"

static const struct cmd_option own[] = {
	{ "all", 'a', NULL, "everything", { 0 } },
	{ "log", 0, "FILE", "where to", { .optional = true } },
	{ 0 },
};
static const struct cmd_option shared[] = {
	{ "size", 'z', "SIZE", "how large", { 0 } },
	{ "any", 'a', NULL, "whatever", { 0 } },
	{ 0 },
};
static const struct cmd_option common[] = { { "json", 0, NULL, "JSON", { 0 } }, { 0 } };
static const struct cmd_option place[] = { { "here", 0, NULL, "here", { 0 } }, { 0 } };
static const struct cmd cmd = { .name = "x",
				.words = "A\nB [C]",
				.options = own,
				.tables = {
					{ .options = shared, .header = "Shared:" } } };

static const struct row {
	const char *name;
	size_t at;
	const char *quote, *want, *header;
	bool shared;
} rows[] = {
	{ "a letter and a word", 0, "", "-a, --all", NULL, false },
	{ "a value that may be left out", 1, "", "--log[=FILE]", NULL, false },
	{ "of a shared table", 2, "`", "`-z`, `--size=SIZE`", "Shared:", true },
	{ "a letter that its own has", 3, "", "--any", "Shared:", true },
	{ "of every command", 4, "", "--json", "Common options:", true },
	{ "of those about a box", 5, "", "--here", "Common options:", true },
};

static void test(const void *p)
{
	const struct row *r = p;
	_cleanup_buf_ struct buf names = BUF_INIT(128);
	struct optrows v;

	optrow_read(&cmd, common, place, &v);
	assert_int_equal(v.n, 6);
	optrow_names(&v.v[r->at], r->quote, &names);
	assert_string_equal(buf_cstr(&names), r->want);
	assert_int_equal(v.v[r->at].shared, r->shared);
	if (r->header)
		assert_string_equal(v.v[r->at].header, r->header);
	else
		assert_null(v.v[r->at].header);
	buf_truncate(&names, 0);
	optrow_forms(&cmd, "is ", "or ", &names);
	assert_string_equal(buf_cstr(&names), "is cubby x [OPTION...] A\n"
					      "or cubby x [OPTION...] B [C]\n");
}

int main(void)
{
	return unit_rows("optrow", rows, test);
}
