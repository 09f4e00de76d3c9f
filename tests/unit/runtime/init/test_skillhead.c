#include "runtime/init/skillhead.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *text;
	int want;
	const char *named, *says, *body;
} rows[] = {
	{ "both", "---\nname: pdf\ndescription: Reads PDF.\n---\nUse it.\n", 0, "pdf",
	  "Reads PDF.", "Use it.\n" },
	{ "no name, quotes, a carriage return",
	  "---\r\ndescription: \"a: b\"\r\n---\r\nx", 0, "", "a: b", "x" },
	{ "folded", "---\ndescription: >-\n  one\n  two\nname: 'x y'\n---\n", 0, "x y",
	  "one two", "" },
	{ "the lines of another key", "---\nmeta:\n  name: no\ndescription: d\n---\n",
	  0, "", "d", "" },
	{ "a key that begins like it", "---\nnames: no\ndescription: d\n---\n", 0, "",
	  "d", "" },
	{ "the last of two", "---\ndescription: a\ndescription: b\n---\n", 0, "", "b",
	  "" },
	{ "no head", "name: x\n", -EINVAL, NULL, NULL, NULL },
	{ "no end", "---\ndescription: d\n", -EINVAL, NULL, NULL, NULL },
	{ "no description", "---\nname: x\ndescription:\n---\n", -EINVAL, NULL, NULL,
	  NULL },
	{ "nothing", "", -EINVAL, NULL, NULL, NULL },
};

static void test_read(const void *data)
{
	const struct row *row = data;
	struct skillhead h;

	assert_int_equal(skillhead_read(row->text, strlen(row->text), &h), row->want);
	if (row->want)
		return;
	assert_string_equal(h.name, row->named);
	assert_string_equal(h.description, row->says);
	assert_string_equal(row->text + h.body, row->body);
}

static void cut_at_a_character(void)
{
	char text[4096] = "---\ndescription: x";
	struct skillhead h;

	for (int i = 0; i < 700; i++)
		strcat(text, "é");
	strcat(text, "\n---\n");
	assert_int_equal(skillhead_read(text, strlen(text), &h), 0);
	assert_int_equal(strlen(h.description), SKILLHEAD_SAYS - 1);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "cut at a character", cut_at_a_character },
	};

	return unit_rows("skillhead_read", rows, test_read) +
	       unit_cases("skillhead", cases);
}
