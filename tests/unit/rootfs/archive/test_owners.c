#include "rootfs/archive/owners.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *value;
	int code;
	struct owners_stat want;
} rows[] = {
	{ "plain", "1:2:0644", 0, { 1, 2, 0644 } },
	{ "with a type behind", "0:0:0755:dir", 0, { 0, 0, 0755 } },
	{ "largest ids",
	  "4294967294:4294967294:7777",
	  0,
	  { 4294967294u, 4294967294u, 07777 } },
	{ "id too large", "4294967295:0:0644", -EINVAL, { 0 } },
	{ "negative", "-1:0:0644", -EINVAL, { 0 } },
	{ "mode too large", "0:0:10000", -EINVAL, { 0 } },
	{ "mode no octal", "0:0:0648", -EINVAL, { 0 } },
	{ "part missing", "0:0644", -EINVAL, { 0 } },
	{ "empty", "", -EINVAL, { 0 } },
	{ "empty parts", "::", -EINVAL, { 0 } },
	{ "space", "0: 0:0644", -EINVAL, { 0 } },
	{ "too long",
	  "1:1:00000000000000000000000000000000000000000000000644",
	  -EINVAL,
	  { 0 } },
};

static void parse(const void *p)
{
	const struct row *row = p;
	struct owners_stat got = { 0 };

	assert_int_equal(owners_parse(row->value, strlen(row->value), &got), row->code);
	assert_int_equal(got.uid, row->want.uid);
	assert_int_equal(got.gid, row->want.gid);
	assert_int_equal(got.mode, row->want.mode);
}

static void what_is_written_is_read(void)
{
	const struct owners_stat st = { 4294967294u, 7, 04755 };
	char text[OWNERS_VALUE];
	struct owners_stat got;

	owners_format(text, &st);
	assert_string_equal(text, "4294967294:7:04755");
	assert_int_equal(owners_parse(text, strlen(text), &got), 0);
	assert_memory_equal(&got, &st, sizeof(st));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what is written is read", what_is_written_is_read },
	};

	return unit_rows("owners_parse", rows, parse) + unit_cases("owners", cases);
}
