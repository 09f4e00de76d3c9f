#include "cli/task/view/secret.h"

#include "tests/unit/unit.h"

static void a_screen_may_ask_for_a_password(void)
{
	static const struct {
		const char *text;
		bool want;
	} screens[] = {
		{ "Password:\n[waiting for a password]\n", true },
		{ "Name:\n[waiting for a line]\n", false },
		{ "│ Password of the administrator: │\n│ _____ │\n"
		  "[waiting for a key, full-screen program]\n",
		  true },
		{ "| Passphrase: ****__ |\n"
		  "[waiting for a key, full-screen program]\n",
		  true },
		{ "│ Directory: │\n│ The password comes later. │\n"
		  "[waiting for a key, full-screen program]\n",
		  false },
		{ "password: old\n[waiting for a key, full-screen program]\n", false },
		{ "passing:\n[waiting for a key, full-screen program]\n", false },
		{ "Password:\n[waiting for a key]\n", false },
		{ "[waiting for a key, full-screen program] password:", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(screens); i++) {
		const char *text = screens[i].text;

		assert_int_equal(view_secret_wanted(false, "shell", "waiting", text),
				 screens[i].want);
		assert_false(view_secret_wanted(true, "input", "exited", text));
	}
	/* The shell waits on while something else is done. */
	assert_true(view_secret_wanted(true, "read_file", "", "s3cret"));
	assert_true(view_secret_wanted(true, "input", NULL, "unknown key 's3cret'"));
	assert_true(view_secret_wanted(true, "python", "exited", "s3cret"));
	assert_false(view_secret_wanted(false, "read_file", "", "s3cret"));
	assert_false(view_secret_wanted(false, "python", "exited", "s3cret"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a screen may ask for a password", a_screen_may_ask_for_a_password },
	};

	return unit_cases("view_secret", cases);
}
