#include "tests/unit/unit.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/spec/spec.h"

static void fill(struct spec *s)
{
	*s = SPEC_NONE;
	strcpy(s->project, "/home/me/a b\n\xff\\x");
	strcpy(s->store, "/home/me/.local/share/cubby");
	memset(s->key, 'a', 64);
	strcpy(s->image, "0123.single");
	strcpy(s->image_name, "ubuntu:24.04");
	s->map = (struct idmap){ .kind = IDMAP_SINGLE,
				 .n_uid = 1,
				 .n_gid = 1,
				 .uid = { { 0, 1000, 1 } },
				 .gid = { { 0, 1000, 1 } } };
	s->net = NET_NONE;
	s->limits = (struct limits){ 4ULL << 30, 1024, 500, 10ULL << 30 };
	s->git_writable = true;
	s->discard = true;
	s->rules = json_array();
	assert_int_equal(json_add(s->rules, json_string("allow example.org")), 0);
}

static void round_trip(void)
{
	_cleanup_spec_ struct spec a, b = { 0 };
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;

	fill(&a);
	j = spec_to_json(&a);
	assert_non_null(j);
	unit_ok(spec_from_json(j, &b, &e), &e);
	assert_string_equal(a.project, b.project);
	assert_string_equal(a.store, b.store);
	assert_string_equal(a.key, b.key);
	assert_string_equal(a.image, b.image);
	assert_string_equal(a.image_name, b.image_name);
	assert_memory_equal(&a.map, &b.map, sizeof(a.map));
	assert_int_equal(a.net, b.net);
	assert_memory_equal(&a.limits, &b.limits, sizeof(a.limits));
	assert_true(b.git_writable);
	assert_false(b.keep);
	assert_true(b.discard);
	assert_int_equal(json_len(b.rules), 1);
	assert_int_equal(json_len(b.publish), 0);
}

/* What a damaged or forged box.json may say. */
static const struct row {
	const char *name, *key, *value;
} rows[] = {
	{ "key is no digest", "key", "../../etc" },
	{ "image leaves the store", "image", "../../x" },
	{ "image is hidden", "image", ".." },
	{ "image is empty", "image", "" },
	{ "project is relative", "project", "home" },
	{ "project with NUL", "project", "/a\\x00b" },
	{ "project with a bad escape", "project", "/a\\y" },
	{ "project cut in an escape", "project", "/a\\x4" },
	{ "net unknown", "net", "some" },
};

static void test_bad(const void *p)
{
	const struct row *row = p;
	_cleanup_spec_ struct spec a, b = { 0 };
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;

	fill(&a);
	j = spec_to_json(&a);
	assert_int_equal(json_set_str(j, row->key, row->value), 0);
	assert_int_equal(spec_from_json(j, &b, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad description of a box");
	assert_int_equal(b.project[0], 0);
}

static void locate_refuses(void)
{
	_cleanup_spec_ struct spec s = SPEC_NONE;
	struct err e = ERR_NONE;

	assert_int_equal(spec_locate(&s, "/nonexistent\x1b", &e), -ENOENT);
	unit_err(&e, -ENOENT,
		 "cannot use directory '/nonexistent\\x1b': No such file or directory");
	assert_int_equal(spec_locate(&s, "/etc/passwd", &e), -ENOTDIR);
}

static void one_directory_has_one_key(void)
{
	_cleanup_spec_ struct spec a, b;
	struct err e = ERR_NONE;
	char dir[PATH_MAX], link[PATH_MAX];

	a = SPEC_NONE;
	b = SPEC_NONE;
	snprintf(dir, sizeof(dir), "%s/d", unit_tmpdir());
	snprintf(link, sizeof(link), "%s/l", unit_tmpdir());
	assert_int_equal(mkdir(dir, 0755), 0);
	assert_int_equal(symlink(dir, link), 0);
	unit_ok(spec_locate(&a, dir, &e), &e);
	unit_ok(spec_locate(&b, link, &e), &e);
	assert_string_equal(a.key, b.key);
	assert_string_equal(b.project, dir);
	/* A link that came after the path was looked at. */
	unit_ok(spec_locate_real(&a, dir, &e), &e);
	assert_int_equal(spec_locate_real(&b, link, &e), -ESTALE);
	assert_non_null(strstr(e.msg, "/l' changed meanwhile"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "round trip", round_trip },
		{ "locate refuses", locate_refuses },
		{ "one directory has one key", one_directory_has_one_key },
	};

	return unit_rows("spec_from_json", rows, test_bad) + unit_cases("spec", cases);
}
