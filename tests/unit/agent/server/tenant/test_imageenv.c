#include "agent/server/tenant/imageenv.h"

#include <string.h>

#include "tests/unit/unit.h"

static void what_somebody_says_counts_more(void)
{
	static const char *const own[] = { "A=own", "B=", NULL };
	static const char text[] =
		"{\"env\":[\"A=image\",\"C=c\",\"=x\",\"none\",1,\"B=b\",\"C=again\"]}";
	_cleanup_json_ struct json *image = NULL;
	_cleanup_free_ const char **all = NULL;
	struct err e = ERR_NONE;

	unit_ok(json_parse(text, strlen(text), &image, &e), &e);
	all = imageenv_add(image, own);
	assert_non_null(all);
	assert_string_equal(all[0], "A=own");
	assert_string_equal(all[1], "B=");
	assert_string_equal(all[2], "C=c");
	assert_null(all[3]);
}

static void none_of_both(void)
{
	_cleanup_free_ const char **all = imageenv_add(NULL, NULL);

	assert_non_null(all);
	assert_null(all[0]);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what somebody says counts more", what_somebody_says_counts_more },
		{ "none of both", none_of_both },
	};

	return unit_cases("imageenv", cases);
}
