#include "runtime/idmap/idmap.h"

#include "tests/unit/unit.h"

static const char good[] = "{\"kind\":\"subuid\",\"uid\":[[0,1000,1],[1,100000,65535]],"
			   "\"gid\":[[0,1001,1],[1,200000,65535]]}";

static struct idmap parse(const char *text)
{
	_cleanup_json_ struct json *j = unit_json(text);
	struct err e = ERR_NONE;
	struct idmap m;

	unit_ok(idmap_from_json(j, &m, &e), &e);
	return m;
}

static void kinds(void)
{
	enum idmap_kind k;

	for (unsigned i = IDMAP_SUBUID; i <= IDMAP_REAL; i++) {
		assert_int_equal(idmap_kind_parse(idmap_kind_name(i), &k), 0);
		assert_int_equal(k, i);
	}
	assert_int_equal(idmap_kind_parse("Single", &k), -EINVAL);
	assert_string_equal(idmap_kind_name(99), "unknown");
}

static void json_and_back(void)
{
	_cleanup_buf_ struct buf text = BUF_INIT(4096);
	_cleanup_json_ struct json *j = NULL;
	struct idmap m = parse(good);

	assert_int_equal(m.kind, IDMAP_SUBUID);
	assert_int_equal(m.n_uid, 2);
	assert_int_equal(m.gid[1].outside, 200000);
	j = idmap_to_json(&m);
	assert_non_null(j);
	assert_int_equal(json_print(j, false, &text), 0);
	assert_string_equal(buf_cstr(&text), good);
}

static void host_ids(void)
{
	struct idmap m = parse(good);
	uint32_t id = 7;

	assert_int_equal(idmap_host_uid(&m, 0, &id), 0);
	assert_int_equal(id, 1000);
	assert_int_equal(idmap_host_uid(&m, 65535, &id), 0);
	assert_int_equal(id, 165534);
	assert_int_equal(idmap_host_gid(&m, 1, &id), 0);
	assert_int_equal(id, 200000);
	assert_int_equal(idmap_host_uid(&m, 65536, &id), -ERANGE);
	assert_int_equal(id, 200000);
}

static const struct row {
	const char *name, *text, *msg;
} rows[] = {
	{ "not an object", "[]", "id map: no known kind" },
	{ "another kind", "{\"kind\":\"x\"}", "id map: no known kind" },
	{ "no ranges", "{\"kind\":\"single\",\"uid\":[],\"gid\":[]}",
	  "id map: bad 'uid'" },
	{ "no gid", "{\"kind\":\"single\",\"uid\":[[0,1,1]]}", "id map: bad 'gid'" },
	{ "two numbers", "{\"kind\":\"single\",\"uid\":[[0,1]]}", "id map: bad 'uid'" },
	{ "negative", "{\"kind\":\"single\",\"uid\":[[0,-1,1]]}", "id map: bad 'uid'" },
	{ "fraction", "{\"kind\":\"single\",\"uid\":[[0,0.5,1]]}",
	  "id map: bad 'uid'" },
	{ "nobody", "{\"kind\":\"single\",\"uid\":[[0,1,0]]}", "id map: bad 'uid'" },
	{ "past the end", "{\"kind\":\"single\",\"uid\":[[0,4294967295,1]]}",
	  "id map: bad 'uid'" },
};

static void refused(const void *p)
{
	const struct row *row = p;
	_cleanup_json_ struct json *j = unit_json(row->text);
	struct err e = ERR_NONE;
	struct idmap m = { .n_uid = 9 };

	assert_int_equal(idmap_from_json(j, &m, &e), -EINVAL);
	unit_err(&e, -EINVAL, row->msg);
	assert_int_equal(m.n_uid, 9);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "names of the kinds", kinds },
		{ "JSON and back", json_and_back },
		{ "ids of the host", host_ids },
	};

	return unit_cases("idmap", cases) + unit_rows("idmap", rows, refused);
}
