#include "runtime/spec/effects_watch.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static void put(int dir, const char *name)
{
	struct file_data data = { "x", 1, 0644 };
	struct err e = ERR_NONE;

	unit_ok(file_replace(dir, name, &data, &e), &e);
}

static void note(void *ctx, const char *path, const char *why, bool is_new)
{
	char *all = ctx;

	assert_non_null(why);
	snprintf(all + strlen(all), 4096 - strlen(all), "%c%s\n", is_new ? '+' : '~',
		 path);
}

static void what_changed(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_effects_watch_ struct effects_watch *before = NULL, *now = NULL;
	_cleanup_json_ struct json *list = NULL, *none = NULL;
	_cleanup_buf_ struct buf text = BUF_INIT(4096);
	char all[4096] = "";

	put(dir, ".envrc");
	put(dir, "CLAUDE.md");
	put(dir, ".npmrc");
	assert_int_equal(mkdirat(dir, ".git", 0755), 0);
	assert_int_equal(mkdirat(dir, ".git/hooks", 0755), 0);
	before = effects_watch_look(dir);
	assert_non_null(before);
	put(dir, "plain");
	put(dir, "CLAUDE.md");
	put(dir, ".git/hooks/pre-commit");
	put(dir, ".git/HEAD");
	assert_int_equal(mkdirat(dir, "sub", 0755), 0);
	put(dir, "sub/.envrc"); /* too deep for a cheap look */
	assert_int_equal(symlinkat("/etc", dir, "etc"), 0);
	assert_int_equal(symlinkat("plain", dir, "inside"), 0);
	assert_int_equal(unlinkat(dir, ".npmrc", 0), 0);
	now = effects_watch_look(dir);
	effects_watch_compare(before, now, note, all);
	assert_string_equal(all, "+.git/hooks/pre-commit\n~CLAUDE.md\n+etc\n");
	list = effects_watch_list(before, now);
	assert_int_equal(json_len(list), 3);
	unlinkat(dir, "etc", 0);
	assert_int_equal(symlinkat("/", dir, "\033c"), 0);
	effects_watch_free(&before);
	before = take(&now, effects_watch_look(dir));
	json_free(&list);
	list = effects_watch_list(before, now);
	assert_int_equal(json_print(list, false, &text), 0);
	assert_string_equal(buf_cstr(&text),
			    "[{\"path\":\"\\\\x1bc\",\"why\":\"a link that points "
			    "out of the project\",\"new\":true}]");
	none = effects_watch_list(now, now);
	assert_int_equal(json_len(none), 0);
	all[0] = '\0';
	effects_watch_compare(now, now, note, all);
	assert_string_equal(all, "");
}

static void kept(void)
{
	static const char *const bad[] = { "x", "1 2 3 4", "1 2 3 4 ", "1 2 3 x a" };
	_cleanup_close_ int dir = unit_top();
	_cleanup_effects_watch_ struct effects_watch *before = NULL, *again = NULL;
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);
	char all[4096] = "";

	put(dir, " a\n b.pth");
	put(dir, ".envrc");
	before = effects_watch_look(dir);
	assert_non_null(before);
	assert_int_equal(effects_watch_print(before, &b), 0);
	again = effects_watch_parse(b.data, b.len);
	assert_non_null(again);
	effects_watch_compare(again, before, note, all);
	effects_watch_compare(before, again, note, all);
	assert_string_equal(all, "");
	assert_null(effects_watch_parse(b.data, b.len - 1));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_null(effects_watch_parse(bad[i], strlen(bad[i]) + 1));
	effects_watch_free(&again);
	again = effects_watch_parse("", 0);
	assert_non_null(again);
	effects_watch_compare(again, before, note, all);
	assert_string_equal(all, "+ a\n b.pth\n+.envrc\n");
}

static void many_names(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_effects_watch_ struct effects_watch *w = NULL;
	char name[32];

	for (int i = 0; i < 1500; i++) {
		snprintf(name, sizeof(name), "%d.pth", i);
		assert_int_equal(symlinkat("x", dir, name), 0);
	}
	w = effects_watch_look(dir);
	assert_non_null(w);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what changed", what_changed },
		{ "kept", kept },
		{ "many names", many_names },
	};

	return unit_cases("effects_watch", cases);
}
