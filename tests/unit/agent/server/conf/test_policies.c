#include "agent/server/conf/policies.h"

#include <errno.h>
#include <stdio.h>

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *text, *wrong;
	unsigned n;
	const char *last; /* option of the last; NULL = it has none */
} rows[] = {
	{ "one without options", "all * *\n", NULL, 1, NULL },
	{ "two, a comment, blanks",
	  "# who\n\n  a\tx* chat:* --net=none \r\nb * * --net=gate --memory=1G", NULL,
	  2, "--memory=1G" },
	{ "none", "# nobody\n", "there is no policy", 0, NULL },
	{ "no chats", "x *\n", "line 1: NAME USERS CHATS [--OPTION=VALUE]... is needed",
	  0, NULL },
	{ "a word that is no option", "\nx * * memory=1G",
	  "line 2: an option is --NAME=VALUE", 0, NULL },
	{ "an option without value", "x * * --keep",
	  "line 1: an option is --NAME=VALUE", 0, NULL },
	{ "a name that is no part of a path", "a/b * *",
	  "line 1: a name has letters, digits, '-' and '_', 39 at most", 0, NULL },
	{ "a name twice", "x a *\nx b *", "line 2: another line has this name", 0,
	  NULL },
	{ "too many options",
	  "x * * --a= --a= --a= --a= --a= --a= --a= --a= --a= --a= --a= --a= --a= "
	  "--a= --a= --a= --a= --a= --a= --a= --a= --a= --a= --a= --a=",
	  "line 1: there are too many options", 0, NULL },
};

static void test_parse(const void *p_row)
{
	const struct row *row = p_row;
	struct err e = ERR_NONE;
	struct policies p;
	char text[400];
	unsigned n = 0;

	snprintf(text, sizeof(text), "%s", row->text);
	if (row->wrong) {
		assert_int_equal(policies_parse(text, &p, &e), -EINVAL);
		assert_string_equal(e.msg, row->wrong);
		return;
	}
	assert_int_equal(policies_parse(text, &p, &e), 0);
	assert_int_equal(p.n, row->n);
	while (p.list[p.n - 1].options[n])
		n++;
	if (row->last)
		assert_string_equal(p.list[p.n - 1].options[n - 1], row->last);
	else
		assert_int_equal(n, 0);
}

static void finds(const struct policies *p, const char *name, const char *user,
		  const char *context, const char *want)
{
	struct err e = ERR_NONE;
	const struct policy *found = NULL;
	int r = policies_find(p, name, user, context, &found, &e);

	assert_string_equal(r < 0 ? e.msg : found->name, want);
}

static void find(void)
{
	char text[] = "chats team-* chat:*\nteam team-* *\nnobody - *\n";
	const char no[] = "no policy is for this user and chat";
	struct err e = ERR_NONE;
	struct policies p;

	assert_int_equal(policies_parse(text, &p, &e), 0);
	finds(&p, NULL, "team-a", "chat:1", "chats");
	finds(&p, NULL, "team-a", NULL, "team");
	finds(&p, NULL, "other", "chat:1", no);
	finds(&p, NULL, NULL, NULL, no);
	finds(&p, "team", "team-a", "chat:1", "team");
	finds(&p, "team", "other", NULL, no);
	finds(&p, "chats", "team-a", NULL, no);
	finds(&p, "none", "team-a", NULL, "there is no policy 'none'");
}

static const struct unit_case cases[] = { { "by name, user and chat", find } };

int main(void)
{
	return unit_rows("policies_parse", rows, test_parse) +
	       unit_cases("policies_find", cases);
}
