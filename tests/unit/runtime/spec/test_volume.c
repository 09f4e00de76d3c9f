#include "tests/unit/unit.h"

#include <stdio.h>

#include "runtime/spec/volume.h"

static const struct row {
	const char *name, *text;
	enum spec_volume_kind kind;
	enum spec_volume_access access;
	const char *source, *target; /* NULL = refused */
	const char *why;
} rows[] = {
	{ "path", "/a:/b", SPEC_VOLUME_HOST, SPEC_VOLUME_USUAL, "/a", "/b", NULL },
	{ "read-only", "./a:/b:ro", SPEC_VOLUME_HOST, SPEC_VOLUME_RO, "./a", "/b",
	  NULL },
	{ "writable", "~/a:/b:rw", SPEC_VOLUME_HOST, SPEC_VOLUME_RW, "~/a", "/b",
	  NULL },
	{ "name", "data:/b", SPEC_VOLUME_KEPT, SPEC_VOLUME_USUAL, "data", "/b", NULL },
	{ "home", "~:/b", SPEC_VOLUME_HOST, SPEC_VOLUME_USUAL, "~", "/b", NULL },
	{ "colon in the source", "/a:b:/c", SPEC_VOLUME_HOST, SPEC_VOLUME_USUAL, "/a:b",
	  "/c", NULL },
	{ "target is tidied", "/a://b//c/", SPEC_VOLUME_HOST, SPEC_VOLUME_USUAL, "/a",
	  "/b/c", NULL },
	{ "what is nearly :ro", "/a:/b:rx", 0, 0, NULL, NULL,
	  "bad volume '/a:/b:rx': it is SOURCE:/TARGET, :ro or :rw may follow" },
	{ "no target", "/a", 0, 0, NULL, NULL,
	  "bad volume '/a': it is SOURCE:/TARGET, :ro or :rw may follow" },
	{ "only an access", ":ro", 0, 0, NULL, NULL,
	  "bad volume ':ro': it is SOURCE:/TARGET, :ro or :rw may follow" },
	{ "no source", ":/b", 0, 0, NULL, NULL,
	  "bad volume ':/b': it is SOURCE:/TARGET, :ro or :rw may follow" },
	{ "empty", "", 0, 0, NULL, NULL,
	  "bad volume '': it is SOURCE:/TARGET, :ro or :rw may follow" },
	{ "root", "/a:/", 0, 0, NULL, NULL,
	  "bad volume '/a:/': the target must be a path of the box without '..'" },
	{ "upwards", "/a:/b/..", 0, 0, NULL, NULL,
	  "bad volume '/a:/b/..': the target must be a path of the box without '..'" },
	{ "the kernel's", "/a:/proc/x", 0, 0, NULL, NULL,
	  "bad volume '/a:/proc/x': the target is the box's own in every box" },
	{ "memory", "/a:/tmp", 0, 0, NULL, NULL,
	  "bad volume '/a:/tmp': the target is the box's own in every box" },
	{ "bad name", "a b:/b", 0, 0, NULL, NULL,
	  "bad volume 'a b:/b': a name has letters, digits, '.', '_' and '-', a path a "
	  "'/'" },
};

static void test_parse(const void *p)
{
	const struct row *row = p;
	struct spec_volume v, again;
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;
	int r = spec_volume_parse(row->text, &v, &e);

	if (!row->target) {
		unit_err(&e, -EINVAL, row->why);
		return;
	}
	unit_ok(r, &e);
	assert_int_equal(v.kind, row->kind);
	assert_int_equal(v.access, row->access);
	assert_string_equal(v.source, row->source);
	assert_string_equal(v.target, row->target);
	if (v.kind == SPEC_VOLUME_HOST)
		strcpy(v.source, "/real/\xff");
	j = spec_volume_to_json(&v);
	unit_ok(spec_volume_from_json(j, &again, &e), &e);
	assert_string_equal(again.source, v.source);
	assert_string_equal(again.target, v.target);
	assert_int_equal(again.kind, v.kind);
}

/* What a damaged or forged box.json may say. */
static const struct forged {
	const char *name, *kind, *source, *target;
} forged[] = {
	{ "unknown kind", "x", "/a", "/b" },
	{ "relative source", "host", "a", "/b" },
	{ "name with a slash", "kept", "../a", "/b" },
	{ "no source", "host", NULL, "/b" },
	{ "target upwards", "host", "/a", "/b/../c" },
	{ "target not tidy", "host", "/a", "/b/" },
	{ "target over memory", "host", "/a", "/tmp" },
	{ "no target", "host", "/a", NULL },
};

static void test_forged(const void *p)
{
	const struct forged *row = p;
	_cleanup_json_ struct json *j = json_object();
	struct spec_volume v;
	struct err e = ERR_NONE;

	json_set_str(j, "kind", row->kind);
	if (row->source) {
		json_set_str(j, "source", row->source);
		json_set_str(j, "name", row->source);
	}
	if (row->target)
		json_set_str(j, "target", row->target);
	assert_int_equal(spec_volume_from_json(j, &v, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad description of a box");
}

static void test_caches(void)
{
	static const char *const names[] = { "pip", "uv",    "npm",   "cargo",
					     "go",  "maven", "ccache" };
	struct spec_volume v;
	struct err e = ERR_NONE;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		unit_ok(spec_volume_parse(spec_volume_cache(names[i]), &v, &e), &e);
		assert_int_equal(v.kind, SPEC_VOLUME_KEPT);
	}
	assert_null(spec_volume_cache("x"));
}

int main(void)
{
	static const struct unit_case cases[] = { { "caches", test_caches } };

	return unit_rows("spec_volume_parse", rows, test_parse) +
	       unit_rows("spec_volume_from_json", forged, test_forged) +
	       unit_cases("spec_volume_cache", cases);
}
