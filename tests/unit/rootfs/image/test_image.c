#include "rootfs/image/image.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "rootfs/store/tree.h"
#include "tests/unit/unit.h"

#define DIGEST_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void open_store(struct store *s)
{
	struct err e = ERR_NONE;

	setenv("XDG_DATA_HOME", unit_tmpdir(), 1);
	unit_ok(store_open(s, &e), &e);
}

static void put(const struct store *s, const char *digest, const char *map,
		const char *meta)
{
	char dir[IMAGE_DIR], path[IMAGE_DIR + 16];
	struct file_data data = { meta, strlen(meta), 0600 };
	struct err e;

	image_dir(digest, map, dir);
	assert_int_equal(sys_mkdirat(s->images, dir, 0700), 0);
	snprintf(path, sizeof(path), "%s/meta.json", dir);
	unit_ok(file_replace(s->images, path, &data, &e), &e);
	snprintf(path, sizeof(path), "%s/rootfs", dir);
	assert_int_equal(sys_mkdirat(s->images, path, 0755), 0);
}

static void three(const struct store *s)
{
	put(s, DIGEST_A, "subuid",
	    "{\"names\":{\"ubuntu:24.04\":100,\"mine\":50},\"map\":\"subuid\","
	    "\"size\":7,\"created\":40,\"source\":\"https://h/a\",\"arch\":\"amd64\"}");
	put(s, DIGEST_A, "single",
	    "{\"names\":{\"ubuntu:24.04\":90},\"map\":\"single\"}");
	put(s, DIGEST_B, "subuid",
	    "{\"names\":{\"ubuntu:24.04\":200},\"map\":\"subuid\"}");
}

static const struct row {
	const char *name, *ref, *map;
	int code;
	const char *dir; /* or the message */
} rows[] = {
	{ "the latest of a name", "ubuntu:24.04", NULL, 0, DIGEST_B },
	{ "of one map", "ubuntu:24.04", "single", 0, DIGEST_A ".single" },
	{ "another name", "mine", NULL, 0, DIGEST_A },
	{ "by its source", "https://h/a", NULL, 0, DIGEST_A },
	{ "by a whole digest", DIGEST_B, NULL, 0, DIGEST_B },
	{ "by a beginning", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", NULL, 0, DIGEST_B },
	{ "by a beginning of two", "aaaaaaaa", "subuid", -ENOTUNIQ,
	  "'aaaaaaaa' fits several images; give more digits" },
	{ "seven digits are a name", "aaaaaaa", NULL, -ENOENT,
	  "no image 'aaaaaaa' in the store; 'cubby images' lists them" },
	{ "no such map", "mine", "root", -ENOENT,
	  "no image 'mine' in the store; 'cubby images' lists them" },
	{ "no such name", "x\n", NULL, -ENOENT,
	  "no image 'x\\n' in the store; 'cubby images' lists them" },
	{ "no path", "../images", NULL, -ENOENT,
	  "no image '../images' in the store; 'cubby images' lists them" },
};

static void find(const void *p)
{
	const struct row *row = p;
	_cleanup_store_ struct store s = STORE_NONE;
	struct err e = ERR_NONE;
	struct image i;

	open_store(&s);
	three(&s);
	assert_int_equal(image_find(&s, row->ref, row->map, &i, &e), row->code);
	if (row->code)
		unit_err(&e, row->code, row->dir);
	else
		assert_string_equal(i.dir, row->dir);
	if (row->code == 0 &&
	    strcmp(row->ref, "mine") == 0) /* not the one given last */
		assert_string_equal(i.name, "mine");
}

static const struct name_row {
	const char *name, *word;
	int code;
} names[] = {
	{ "a word", "mine", 0 },
	{ "a tag", "mine:1.2", 0 },
	{ "of a registry", "ghcr.io:443/a/b-c__d:v1", 0 },
	{ "a date", "2026-11-27", 0 },
	{ "nothing", "", -EINVAL },
	{ "blank", "a b", -EINVAL },
	{ "line", "a\n", -EINVAL },
	{ "option", "-a", -EINVAL },
	{ "tag alone", ":x", -EINVAL },
	{ "path", "/etc", -EINVAL },
	{ "up", "..", -EINVAL },
	{ "UTF-8", "\xc3\xa4", -EINVAL },
};

static void name_is(const void *p)
{
	const struct name_row *r = p;
	struct err e = ERR_NONE;

	assert_int_equal(image_name_check(r->word, &e), r->code);
	if (strcmp(r->word, "a b") == 0)
		unit_err(
			&e, -EINVAL,
			"bad name of an image 'a b'; letters and digits make one, with "
			"'.', '_', '-' and '/' between them, and ':' before a tag");
}

static void a_name_has_an_end(void)
{
	char word[IMAGE_NAME + 1] = "";
	struct err e = ERR_NONE;

	memset(word, 'a', IMAGE_NAME);
	assert_int_equal(image_name_check(word, &e), -EINVAL);
	word[IMAGE_NAME - 1] = '\0';
	assert_int_equal(image_name_check(word, &e), 0);
}

static int count(void *ctx, const struct image *)
{
	++*(unsigned *)ctx;
	return 0;
}

static void broken_ones_hide_no_others(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	struct err e = ERR_NONE;
	struct image i;
	unsigned n = 0;

	open_store(&s);
	three(&s);
	put(&s, DIGEST_B, "root", "{ not json");
	put(&s, DIGEST_B, "identity", "[\"not an object\"]");
	assert_int_equal(sys_mkdirat(s.images, "no image", 0700), 0);
	unit_ok(image_list(&s, count, &n, &e), &e);
	assert_int_equal(n, 4); /* the array reads as an image without a name */
	unit_ok(image_load(&s, DIGEST_A, &i, &e), &e);
	assert_string_equal(i.name, "ubuntu:24.04");
	assert_string_equal(i.arch, "amd64");
	assert_int_equal(i.size, 7);
	assert_int_equal(i.created, 40);
}

static void a_new_name_is_the_latest(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	struct err e = ERR_NONE;
	struct image i;

	open_store(&s);
	three(&s);
	unit_ok(image_name(&s, DIGEST_A, "ubuntu:24.04", &e), &e);
	unit_ok(image_find(&s, "ubuntu:24.04", "subuid", &i, &e), &e);
	assert_string_equal(i.dir, DIGEST_A);
}

/* Two of them in one second are as good as certain. */
static void the_last_name_of_a_second_counts(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	struct err e = ERR_NONE;
	struct image i;

	open_store(&s);
	three(&s);
	for (unsigned n = 0; n < 6; n++) {
		const char *dir = n % 2 ? DIGEST_A : DIGEST_B;

		unit_ok(image_name(&s, dir, "mine", &e), &e);
		unit_ok(image_find(&s, "mine", NULL, &i, &e), &e);
		assert_string_equal(i.dir, dir);
	}
}

static int rm(void *, int parent, const char *name, struct err *e)
{
	return tree_remove(parent, name, e);
}

/* Two pulls of one digest, each with a name of its own. */
static void no_name_is_lost(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;
	pid_t pids[2];

	open_store(&s);
	three(&s);
	for (int p = 0; p < 2; p++) {
		pids[p] = fork();
		for (int i = 0; pids[p] == 0 && i < 200; i++) {
			char name[16];

			snprintf(name, sizeof(name), "%c%d", 'a' + p, i);
			if (image_name(&s, DIGEST_A, name, &e) < 0)
				_exit(1);
		}
		if (pids[p] == 0)
			_exit(0);
	}
	for (int p = 0; p < 2; p++) {
		int status;

		assert_int_equal(waitpid(pids[p], &status, 0), pids[p]);
		assert_int_equal(status, 0);
	}
	unit_ok(image_meta(&s, DIGEST_A, &j, &e), &e);
	for (int i = 0; i < 400; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%c%d", 'a' + i % 2, i / 2);
		assert_true(json_get_int(json_get(j, "names"), name, 0) > 0);
	}
}

static void used_ones_stay(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	_cleanup_json_ struct json *j = json_object();
	struct err e = ERR_NONE;

	open_store(&s);
	three(&s);
	unit_ok(boxdir_open(&s, DIGEST_A, true, &b, &e), &e);
	assert_int_equal(json_set_str(j, "image", DIGEST_B), 0);
	unit_ok(boxdir_save(&b, j, &e), &e);
	assert_int_equal(image_remove(&s, DIGEST_B, false, rm, NULL, &e), -EBUSY);
	unit_err(&e, -EBUSY,
		 "image 'aaaaaaaaaaaa' is used by 1 box; remove them first; "
		 "--force removes it all the same");
	unit_ok(image_remove(&s, DIGEST_A, false, rm, NULL, &e), &e);
	unit_ok(image_remove(&s, DIGEST_B, true, rm, NULL, &e), &e);
	assert_int_equal(sys_faccessat(s.images, DIGEST_B, F_OK, 0), -ENOENT);
	assert_int_equal(image_remove(&s, DIGEST_B, true, rm, NULL, &e), -ENOENT);
	assert_int_equal(image_remove(&s, "../boxes", true, rm, NULL, &e), -ENOENT);
	unit_err(&e, -ENOENT, "no such image");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a name has an end", a_name_has_an_end },
		{ "broken ones hide no others", broken_ones_hide_no_others },
		{ "a new name is the latest", a_new_name_is_the_latest },
		{ "the last name of a second counts",
		  the_last_name_of_a_second_counts },
		{ "no name is lost", no_name_is_lost },
		{ "used ones stay", used_ones_stay },
	};

	return unit_rows("image_find", rows, find) +
	       unit_rows("image_name_check", names, name_is) +
	       unit_cases("image", cases);
}
