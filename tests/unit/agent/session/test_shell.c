#include "agent/session/shell.h"
#include "tests/unit/unit.h"

#define NONCE "0123456789abcdef0123456789abcdef"

static const struct row {
	const char *name, *path, *shell; /* NULL: none */
} rows[] = {
	{ "by name", "bash", "bash" },
	{ "by path", "/opt/x/zsh", "zsh" },
	{ "with a version", "/usr/bin/bash-5.2", "bash" },
	{ "digits", "bash5", "bash" },
	{ "dash is not sh", "/bin/dash", "dash" },
	{ "sh", "sh", "sh" },
	{ "another program", "fish", NULL },
	{ "only its start", "bashful", NULL },
	{ "only its end", "rbash", NULL },
	{ "nothing", "", NULL },
	{ "a directory", "/bin/", NULL },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	const struct shell *sh = shell_find(row->path);

	if (!row->shell)
		assert_null(sh);
	else
		assert_string_equal(sh->name, row->shell);
}

static void texts_are_filled_in(void)
{
	static const char *const names[] = { "bash", "zsh", "dash", "sh" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct shell *sh = shell_find(names[i]);
		_cleanup_buf_ struct buf with = BUF_INIT(SHELL_INTEGRATION_MAX);
		_cleanup_buf_ struct buf without = BUF_INIT(SHELL_INTEGRATION_MAX);

		assert_int_equal(shell_integration(sh, NONCE, true, &with), 0);
		assert_int_equal(shell_integration(sh, NONCE, false, &without), 0);
		assert_non_null(strstr(buf_cstr(&with), "=" NONCE));
		assert_null(strstr(buf_cstr(&with), "NONCE"));
		assert_null(strstr(buf_cstr(&without), "\nRC\n"));
		assert_int_equal(with.len, without.len + strlen(sh->rc));
		/* one line of a terminal takes it */
		assert_true(strlen(sh->loop) < 4096);
	}
}

static void commands_are_encoded(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(256);

	assert_int_equal(shell_encode(shell_find("bash"), "a\\\nb", 4, &b), 0);
	assert_int_equal(b.len, 5);
	assert_memory_equal(b.data, "a\\\nb\0", 5);
	buf_truncate(&b, 0);
	assert_int_equal(shell_encode(shell_find("dash"), "a\\\nb", 4, &b), 0);
	assert_string_equal(buf_cstr(&b), "a\\0134\\0012b\n");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "texts are filled in", texts_are_filled_in },
		{ "commands are encoded", commands_are_encoded },
	};

	return unit_rows("shell_find", rows, test_row) + unit_cases("shell", cases);
}
