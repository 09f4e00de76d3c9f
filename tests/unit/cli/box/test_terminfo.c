#include "cli/box/terminfo.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/unit.h"

#define DESCRIBED  \
	"\x1a\x01" \
	"0123456789!"
#define AS_TEXT "b64:GgEwMTIzNDU2Nzg5IQ=="

static void write_at(const char *dir, const char *name, const char *text)
{
	struct err e = ERR_NONE;
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s%s", unit_tmpdir(), dir);
	unit_ok(file_mkdirs(AT_FDCWD, path, 0700, &e), &e);
	snprintf(path, sizeof(path), "%s%s/%s", unit_tmpdir(), dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* What goes along with @term. NULL = nothing. */
static void gives(const char *term, const char *want)
{
	_cleanup_env_ struct env env = ENV_NONE;
	struct err e = ERR_NONE;
	const char *got;

	if (term)
		assert_int_equal(env_put(&env, "TERM", term), 0);
	unit_ok(terminfo_add(&env, unit_tmpdir(), &e), &e);
	got = env_get(&env, ENV_TERMINFO);
	if (want)
		assert_string_equal(got ?: "nothing", want);
	else
		assert_null(got);
}

static void of_the_host(void)
{
	unsetenv("TERMINFO");
	setenv("HOME", unit_tmpdir(), 1);
	gives("foot", NULL);
	write_at("/lib/terminfo/f", "foot", DESCRIBED);
	gives("foot", AS_TEXT);
	gives("foo", NULL);
	gives(NULL, NULL);
	gives("", NULL);
	gives("../f/foot", NULL);
	gives(".", NULL);
	write_at("/lib/terminfo/x", "xterm-256color", DESCRIBED);
	gives("xterm-256color", NULL); /* each image has it */
	write_at("/usr/share/terminfo/78", "xterm-kitty",
		 "\x1e\x02"
		 "0123456789!");
	gives("xterm-kitty", "b64:HgIwMTIzNDU2Nzg5IQ==");
}

static void of_the_person(void)
{
	_cleanup_env_ struct env env = ENV_NONE;
	struct err e = ERR_NONE;
	char dir[PATH_MAX];

	setenv("HOME", unit_tmpdir(), 1);
	write_at("/.terminfo/m", "mine", DESCRIBED);
	gives("mine", AS_TEXT);
	snprintf(dir, sizeof(dir), "%s/theirs", unit_tmpdir());
	write_at("/theirs/t", "there", DESCRIBED);
	gives("there", NULL);
	setenv("TERMINFO", dir, 1);
	gives("there", AS_TEXT);
	setenv("TERMINFO", "theirs", 1); /* from wherever one is */
	gives("there", NULL);
	unsetenv("TERMINFO");
	assert_int_equal(env_put(&env, "TERM", "mine"), 0);
	assert_int_equal(env_put(&env, "TERMINFO", "/x"), 0);
	unit_ok(terminfo_add(&env, unit_tmpdir(), &e), &e);
	assert_null(env_get(&env, ENV_TERMINFO));
}

/* A link in its place may lead to a key. */
static void of_another_kind(void)
{
	static char large[(32 << 10) + 16];
	char path[PATH_MAX];

	setenv("HOME", unit_tmpdir(), 1);
	write_at("/.terminfo/k", "key", "-----BEGIN OPENSSH PRIVATE KEY-----\n");
	gives("key", NULL);
	write_at("/.terminfo/k", "short", "\x1a\x01");
	gives("short", NULL);
	memset(large, 'x', sizeof(large) - 1);
	memcpy(large, "\x1a\x01", 2);
	write_at("/.terminfo/k", "large", large);
	gives("large", NULL);
	snprintf(path, sizeof(path), "%s/.terminfo/k/pipe", unit_tmpdir());
	assert_int_equal(mkfifo(path, 0600), 0);
	gives("pipe", NULL);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "of the host", of_the_host },
		{ "of the person", of_the_person },
		{ "of another kind", of_another_kind },
	};

	return unit_cases("terminfo", cases);
}
