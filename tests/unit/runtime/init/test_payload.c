#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/init/payload.h"
#include "runtime/init/payload_env.h"
#include "runtime/init/userdb.h"

/* clang-format off */
static const struct row {
	const char *name;
	struct wire_spawn s;
	const char *text;
	size_t len;
	unsigned extra;
	int want;
} rows[] = {
	{ "argv alone", { .n_argv = 1, .text_len = 6 }, "ls\0\0\0", 5 + 1, 0, -EBADMSG },
	{ "right", { .n_argv = 2, .n_env = 1, .text_len = 11 }, "a\0b\0K=V\0/\0\0", 11, 0, 0 },
	{ "with a descriptor", { .n_argv = 1, .n_extra = 1, .text_len = 4 }, "a\0\0\0", 4, 1,
	  0 },
	{ "no argv", { .n_argv = 0, .text_len = 2 }, "\0\0", 2, 0, -EBADMSG },
	{ "fewer strings than said", { .n_argv = 3, .text_len = 4 }, "a\0\0\0", 4, 0,
	  -EBADMSG },
	{ "more strings than said", { .n_argv = 1, .text_len = 6 }, "a\0\0\0b\0", 6, 0,
	  -EBADMSG },
	{ "no NUL at the end", { .n_argv = 1, .text_len = 4 }, "a\0\0x", 4, 0, -EBADMSG },
	{ "memfd shorter than said", { .n_argv = 1, .text_len = 9 }, "a\0\0\0", 4, 0,
	  -EBADMSG },
	{ "text of no length", { .n_argv = 1, .text_len = 0 }, "a\0\0\0", 4, 0, -EBADMSG },
	{ "text too long", { .n_argv = 1, .text_len = WIRE_TEXT + 1 }, "a\0\0\0", 4, 0,
	  -EBADMSG },
	{ "a count too large", { .n_argv = WIRE_STRINGS + 1, .text_len = 4 }, "a\0\0\0", 4,
	  0, -EBADMSG },
	{ "descriptor said and missing", { .n_argv = 1, .n_extra = 1, .text_len = 4 },
	  "a\0\0\0", 4, 0, -EBADMSG },
	{ "descriptor sent and not said", { .n_argv = 1, .text_len = 4 }, "a\0\0\0", 4, 1,
	  -EBADMSG },
	{ "the last io", { .n_argv = 1, .io = BOX_IO_LOG, .text_len = 4 }, "a\0\0\0", 4, 0, 0 },
	{ "io unknown", { .n_argv = 1, .io = BOX_IO_LOG + 1, .text_len = 4 }, "a\0\0\0", 4, 0, -EBADMSG },
};
/* clang-format on */

/* With the text in a memfd, or behind the request. */
static void parse(const struct row *row, bool apart)
{
	_cleanup_payload_ struct payload got = PAYLOAD_NONE;
	_cleanup_wire_ struct wire_msg m;
	struct err e = ERR_NONE;

	wire_msg_init(&m);
	assert_int_equal(buf_add(&m.body, &row->s, sizeof(row->s)), 0);
	if (apart) {
		m.fds[m.n_fds++] = (int)memfd_create("text", MFD_CLOEXEC);
		assert_int_equal(write(m.fds[0], row->text, row->len), row->len);
	} else {
		assert_int_equal(buf_add(&m.body, row->text, row->len), 0);
	}
	while (m.n_fds < apart + row->extra)
		m.fds[m.n_fds++] = dup(0);
	assert_int_equal(payload_parse(&m, &got, &e), row->want);
	if (row->want) {
		assert_int_equal(e.code, row->want);
		assert_null(got.argv);
		return;
	}
	assert_string_equal(got.argv[0], "a");
	assert_null(got.argv[row->s.n_argv]);
	assert_int_equal(got.n_extra, row->extra);
	assert_int_equal(got.rows, 40);
}

static void test_parse(const void *row)
{
	parse(row, true);
	parse(row, false);
}

static void a_body_of_another_size(void)
{
	_cleanup_payload_ struct payload got = PAYLOAD_NONE;
	_cleanup_wire_ struct wire_msg m;
	struct err e = ERR_NONE;

	wire_msg_init(&m);
	assert_int_equal(buf_adds(&m.body, "short"), 0);
	assert_int_equal(payload_parse(&m, &got, &e), -EBADMSG);
}

static void environment(void)
{
	static const struct userdb_user user = { .name = "app",
						 .home = "/home/app",
						 .shell = "/bin/zsh" };
	char a[] = "TERM=dumb", b[] = "X=1", c[] = "X=2", d[] = "novalue", f[] = "=bad";
	char *added[] = { a, b, c, d, f, NULL };
	_cleanup_free_ char **env = NULL;

	assert_int_equal(payload_env_make(&user, added, &env), 0);
	assert_string_equal(payload_env_get(env, "HOME"), "/home/app");
	assert_string_equal(payload_env_get(env, "USER"), "app");
	assert_string_equal(payload_env_get(env, "SHELL"), "/bin/zsh");
	assert_string_equal(payload_env_get(env, "TERM"), "dumb");
	assert_string_equal(payload_env_get(env, "X"), "2");
	assert_non_null(payload_env_get(env, "PATH"));
	assert_null(payload_env_get(env, "novalue"));
	assert_null(payload_env_get(env, ""));
}

static void make(const char *dir)
{
	char path[PATH_MAX];
	struct err e = ERR_NONE;

	snprintf(path, sizeof(path), "%s%s", unit_tmpdir(), dir);
	unit_ok(file_mkdirs(AT_FDCWD, path, 0755, &e), &e);
}

static void what_the_image_lacks(void)
{
	char lang[] = "LANG=de_DE.UTF-8", ctype[] = "LC_CTYPE=de_DE.UTF-8",
	     time[] = "LC_TIME=fr_FR.UTF-8", term[] = "TERM=../../etc";
	char *env[] = { lang, ctype, time, term, NULL };

	make("/lib/terminfo");
	payload_env_fit(env,
			unit_tmpdir()); /* neither locales nor terminals: all stays */
	assert_string_equal(env[0], "LANG=de_DE.UTF-8");
	assert_string_equal(env[3], "TERM=../../etc");
	make("/lib/terminfo/x/xterm-256color");
	make("/usr/lib/locale/de_DE.utf8");
	payload_env_fit(env, unit_tmpdir());
	assert_string_equal(env[0], "LANG=de_DE.UTF-8");
	assert_string_equal(env[1], "LC_CTYPE=de_DE.UTF-8");
	assert_string_equal(env[2], "LC_TIME=");
	assert_string_equal(env[3], "TERM=xterm-256color");
	env[0] = (char[]){ "LANG=xx_XX.UTF-8" };
	env[3] = (char[]){ "TERM=kitty" };
	make("/lib/terminfo/6b/kitty");
	payload_env_fit(env, unit_tmpdir());
	assert_string_equal(env[0], "LANG=C.UTF-8");
	assert_string_equal(env[3], "TERM=kitty");
}

static void a_terminal_that_the_image_lacks(void)
{
	char name[] = "TERM=foot", said[] = "CUBBY_TERMINFO=b64:GgE=", other[] = "A=b";
	char *env[] = { said, other, name, NULL };
	char *has[] = { name, said, other, NULL };
	char bad[] = "TERM=../foot", *odd[] = { bad, other, said, NULL };
	char *last[] = { other, said, NULL };

	make("/lib/terminfo/x/xterm-256color");
	payload_env_fit(env, unit_tmpdir());
	assert_string_equal(env[0], "TERMINFO=b64:GgE=");
	assert_string_equal(env[2], "TERM=foot");
	assert_null(env[3]);
	payload_env_fit(odd, unit_tmpdir());
	assert_string_equal(odd[0], "TERM=xterm-256color");
	assert_string_equal(odd[1], "A=b");
	assert_null(odd[2]);
	make("/usr/share/terminfo/f/foot");
	payload_env_fit(has, unit_tmpdir());
	assert_string_equal(has[0], "TERM=foot");
	assert_string_equal(has[1], "A=b");
	assert_null(has[2]);
	payload_env_fit(last, unit_tmpdir());
	assert_string_equal(last[0], "A=b");
	assert_null(last[1]);
}

static void a_zone_that_the_image_lacks(void)
{
	char rule[] = "CUBBY_TZ=CET-1", name[] = "TZ=Europe/Berlin", other[] = "A=b";
	char *env[] = { rule, other, name, NULL };
	char *has[] = { name, rule, other, NULL };
	char *last[] = { other, rule, NULL };

	payload_env_fit(env, unit_tmpdir());
	assert_string_equal(env[0], "TZ=CET-1");
	assert_string_equal(env[1], "A=b");
	assert_null(env[2]);
	make("/usr/share/zoneinfo/Europe/Berlin");
	payload_env_fit(has, unit_tmpdir());
	assert_string_equal(has[0], "TZ=Europe/Berlin");
	assert_string_equal(has[1], "A=b");
	assert_null(has[2]);
	payload_env_fit(last, unit_tmpdir());
	assert_string_equal(last[0], "A=b");
	assert_null(last[1]);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a body of another size", a_body_of_another_size },
		{ "environment", environment },
		{ "what the image lacks", what_the_image_lacks },
		{ "a terminal that the image lacks", a_terminal_that_the_image_lacks },
		{ "a zone that the image lacks", a_zone_that_the_image_lacks },
	};

	return unit_rows("payload_parse", rows, test_parse) +
	       unit_cases("payload", cases);
}
