#include "rootfs/git/userconf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/unit.h"

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", unit_tmpdir(), name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

struct seen {
	unsigned n;
	char text[4096]; /* "key=value;" of each */
};

static int note(void *ctx, const struct git_config_item *it)
{
	struct seen *s = ctx;
	size_t len = strlen(s->text);

	s->n++;
	snprintf(s->text + len, sizeof(s->text) - len, "%s=%.200s;", it->key,
		 it->value);
	return 0;
}

static void setup(void)
{
	char path[256];

	setenv("HOME", unit_tmpdir(), 1);
	setenv("GIT_CONFIG_SYSTEM", "/nonexistent", 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("GIT_CONFIG_GLOBAL");
	snprintf(path, sizeof(path), "%s/.config", unit_tmpdir());
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/.config/git", unit_tmpdir());
	assert_int_equal(mkdir(path, 0700), 0);
}

static void both_files_and_what_they_include(void)
{
	struct seen s = { 0 };
	char want[1024];

	setup();
	put(".config/git/config", "[core]\n\thooksPath = ~/hooks\n");
	put(".gitconfig", "[include]\n\tpath = more\n[core]\n\tpager = less\n");
	put("more", "[core]\n\teditor = vi\n");
	git_userconf_each(note, &s);
	snprintf(want, sizeof(want),
		 "hookspath=%s/hooks;path=%s/more;editor=vi;pager=less;", unit_tmpdir(),
		 unit_tmpdir());
	assert_string_equal(s.text, want);
}

static void the_environment_names_another(void)
{
	struct seen s = { 0 };
	char path[256];

	setup();
	put(".gitconfig", "[core]\n\tpager = less\n");
	put("other", "[core]\n\tpager = more\n");
	snprintf(path, sizeof(path), "%s/other", unit_tmpdir());
	setenv("GIT_CONFIG_GLOBAL", path, 1);
	git_userconf_each(note, &s);
	assert_string_equal(s.text, "pager=more;");
}

static void one_that_includes_itself(void)
{
	struct seen s = { 0 };

	setup();
	put(".gitconfig", "[include]\n\tpath = .gitconfig\n");
	git_userconf_each(note, &s);
	assert_in_range(s.n, 1, GIT_USERCONF_FILES);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "both files and what they include",
		  both_files_and_what_they_include },
		{ "the environment names another", the_environment_names_another },
		{ "one that includes itself", one_that_includes_itself },
	};

	return unit_cases("git_userconf", cases);
}
