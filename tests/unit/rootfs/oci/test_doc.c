#include "rootfs/oci/doc.h"

#include "base/scope.h"
#include "tests/unit/unit.h"

#define A "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define MANIFEST "\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\""
#define CONFIG                                                                    \
	"\"config\":{\"mediaType\":\"application/vnd.oci.image.config.v1+json\"," \
	"\"digest\":\"" A "\",\"size\":7}"
#define LAYER(type, digest, size) \
	"{\"mediaType\":\"" type "\",\"digest\":\"" digest "\",\"size\":" size "}"
#define GZIP "application/vnd.oci.image.layer.v1.tar+gzip"
#define ENTRY(digest, more) \
	"{" MANIFEST ",\"digest\":\"" digest "\",\"size\":9" more "}"
#define PLATFORM(os, arch) \
	",\"platform\":{\"os\":\"" os "\",\"architecture\":\"" arch "\"}"
#define VARIANT(arch, v)                                                 \
	",\"platform\":{\"os\":\"linux\",\"architecture\":\"" arch "\"," \
	"\"variant\":\"" v "\"}"
#define NAMED(n) ",\"annotations\":{\"org.opencontainers.image.ref.name\":\"" n "\"}"
#define INDEX(entries) "{\"manifests\":[" entries "]}"

static const struct row {
	const char *name, *text;
	int code;
	const char *said; /* of a failure the message, else the digest's first letter */
	const char *arch, *ref;
} picks[] = {
	{ "the one of this machine",
	  INDEX(ENTRY(A, PLATFORM("linux", "arm64")) "," ENTRY(
		  B, PLATFORM("linux", "amd64"))),
	  0, "b", "amd64", NULL },
	{ "no platform", INDEX(ENTRY(A, "")), 0, "a", "amd64", NULL },
	{ "the better variant",
	  INDEX(ENTRY(A, VARIANT("arm", "v5")) "," ENTRY(B, VARIANT("arm", "v7"))), 0,
	  "b", "arm", NULL },
	{ "a variant that this processor may not know",
	  INDEX(ENTRY(A, VARIANT("amd64", "v3"))), -ENOENT,
	  "the image is there for linux/amd64/v3, and not for linux/amd64", "amd64",
	  NULL },
	{ "foreign",
	  INDEX(ENTRY(A, PLATFORM("linux", "arm64")) "," ENTRY(
		  B, PLATFORM("windows", "amd64"))),
	  -ENOENT,
	  "the image is there for linux/arm64, windows/amd64, and not for linux/amd64",
	  "amd64", NULL },
	{ "attestations alone", INDEX(ENTRY(A, PLATFORM("unknown", "unknown"))),
	  -ENOENT, "there is no image in it", "amd64", NULL },
	{ "a signature in an image's place",
	  INDEX("{" MANIFEST ",\"digest\":\"" A "\",\"size\":9,\"annotations\":"
		"{\"vnd.docker.reference.type\":\"attestation-manifest\"}}"),
	  -ENOENT, "there is no image in it", "amd64", NULL },
	{ "by name", INDEX(ENTRY(A, NAMED("x")) "," ENTRY(B, NAMED("y"))), 0, "b",
	  "amd64", "y" },
	{ "no such name", INDEX(ENTRY(A, NAMED("x"))), -ENOENT,
	  "there is no image 'z' in it; there is x", "amd64", "z" },
	{ "several, and none named",
	  INDEX(ENTRY(A, NAMED("x")) "," ENTRY(B, NAMED("y"))), -ENOTUNIQ,
	  "there are several images in it; add ':NAME' to say which one", "amd64",
	  NULL },
	{ "one name for two platforms",
	  INDEX(ENTRY(A, NAMED("x")) "," ENTRY(B, NAMED("x"))), 0, "a", "amd64", NULL },
	{ "another algorithm", INDEX(ENTRY("md5:0", "")), -EINVAL,
	  "manifest: 'md5:0' is no sha256 or sha512 digest", "amd64", NULL },
	{ "a digest that climbs", INDEX(ENTRY("sha256:../../x", "")), -EINVAL,
	  "manifest: 'sha256:../../x' is no sha256 or sha512 digest", "amd64", NULL },
	{ "empty", INDEX(""), -ENOENT, "there is no image in it", "amd64", NULL },
};

static void pick(const void *p)
{
	const struct row *row = p;
	struct oci_want want = { .arch = row->arch, .ref = row->ref };
	_cleanup_json_ struct json *doc = unit_json(row->text);
	struct err e = ERR_NONE;
	struct oci_blob got;

	assert_int_equal(oci_doc_is_index(doc, &e), 1);
	assert_int_equal(oci_doc_pick(doc, &want, &got, &e), row->code);
	if (row->code)
		unit_err(&e, row->code, row->said);
	else
		assert_int_equal(got.digest.text[7], row->said[0]);
}

static const struct row manifests[] = {
	{ .name = "two layers",
	  .text = "{" CONFIG ",\"layers\":[" LAYER(GZIP, B, "3") "," LAYER(
		  "application/vnd.docker.image.rootfs.diff.tar.gzip", A, "0") "]}" },
	{ .name = "no layers", .text = "{" CONFIG ",\"layers\":[]}" },
	{ .name = "nothing",
	  .text = "{}",
	  .code = -EINVAL,
	  .said = "manifest: is neither an index nor an image" },
	{ .name = "both",
	  .text = "{\"manifests\":[]," CONFIG ",\"layers\":[]}",
	  .code = -EINVAL,
	  .said = "manifest: is an index and an image at once" },
	{ .name = "schema 1",
	  .text = "{\"fsLayers\":[],\"layers\":[]}",
	  .code = -EINVAL,
	  .said = "manifest: schema 1, which nothing has made since 2017; the image is "
		  "to be "
		  "pushed again" },
	{ .name = "an artifact",
	  .text = "{\"config\":{\"mediaType\":\"application/vnd.cncf.helm.config\"},"
		  "\"layers\":[]}",
	  .code = -EINVAL,
	  .said = "this is no image, but a 'application/vnd.cncf.helm.config'" },
	{ .name = "encrypted",
	  .text = "{" CONFIG ",\"layers\":[" LAYER(GZIP "+encrypted", B, "3") "]}",
	  .code = -EINVAL,
	  .said = "the image has a layer of an unknown kind, '" GZIP "+encrypted'" },
	{ .name = "negative size",
	  .text = "{" CONFIG ",\"layers\":[" LAYER(GZIP, B, "-1") "]}",
	  .code = -EINVAL,
	  .said = "manifest: 'sha256:bbbbbbbbbbbb…' has no size" },
	{ .name = "size that is no number",
	  .text = "{" CONFIG ",\"layers\":[" LAYER(GZIP, B, "\"3\"") "]}",
	  .code = -EINVAL,
	  .said = "manifest: 'sha256:bbbbbbbbbbbb…' has no size" },
	{ .name = "null where an object is expected",
	  .text = "{\"config\":null,\"layers\":[]}",
	  .code = -EINVAL,
	  .said = "this is no image, but a ''" },
};

static void manifest(const void *p)
{
	_cleanup_free_ struct oci_manifest *m = calloc(1, sizeof(*m));
	const struct row *row = p;
	_cleanup_json_ struct json *doc = unit_json(row->text);
	struct err e = ERR_NONE;
	int r = oci_doc_is_index(doc, &e);

	if (r == 0)
		r = oci_doc_manifest(doc, m, &e);
	assert_int_equal(r, row->code);
	if (row->code)
		unit_err(&e, row->code, row->said);
	else
		assert_int_equal(m->n, strstr(row->text, GZIP) ? 2 : 0);
}

static void too_many_layers(void)
{
	_cleanup_free_ struct oci_manifest *m = calloc(1, sizeof(*m));
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);
	_cleanup_json_ struct json *doc = NULL;
	struct err e = ERR_NONE;

	assert_int_equal(buf_adds(&text, "{" CONFIG ",\"layers\":["), 0);
	for (int i = 0; i <= OCI_MOST; i++)
		assert_int_equal(
			buf_addf(&text, "%s%s", i ? "," : "", LAYER(GZIP, B, "3")), 0);
	assert_int_equal(buf_adds(&text, "]}"), 0);
	doc = unit_json(buf_cstr(&text));
	assert_int_equal(oci_doc_manifest(doc, m, &e), -E2BIG);
	unit_err(&e, -E2BIG, "the image has more than 192 layers");
}

/* ---- configuration ------------------------------------------------------------------ */

#define ROOTFS "\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"" A "\"]}"

static void config(void)
{
	_cleanup_json_ struct json *doc = unit_json(
		"{\"architecture\":\"amd64\",\"os\":\"linux\"," ROOTFS ",\"config\":{"
		"\"Env\":[\"A=b\",7,null],\"Entrypoint\":null,\"Cmd\":[\"sh\"],"
		"\"User\":\"\",\"WorkingDir\":\"/"
		"x\",\"Labels\":{\"k\":\"v\",\"n\":1}}}");
	_cleanup_oci_config_ struct oci_config c = { .n = 0 };
	_cleanup_buf_ struct buf text = BUF_INIT(4096);
	struct err e = ERR_NONE;

	unit_ok(oci_doc_config(doc, "amd64", &c, &e), &e);
	assert_int_equal(c.n, 1);
	assert_int_equal(json_print(c.run, false, &text), 0);
	assert_string_equal(buf_cstr(&text),
			    "{\"env\":[\"A=b\"],\"cmd\":[\"sh\"],\"workdir\":\"/x\","
			    "\"labels\":{\"k\":\"v\"}}");
}

static void config_of_another_machine(void)
{
	_cleanup_json_ struct json *doc =
		unit_json("{\"architecture\":\"arm64\",\"os\":\"linux\"," ROOTFS "}");
	_cleanup_oci_config_ struct oci_config c = { .n = 0 };
	struct err e = ERR_NONE;

	assert_int_equal(oci_doc_config(doc, "amd64", &c, &e), -ENOEXEC);
	unit_err(&e, -ENOEXEC, "the image is for linux/arm64, and not for linux/amd64");
}

static void config_with_a_bad_diff_id(void)
{
	_cleanup_json_ struct json *doc =
		unit_json("{\"architecture\":\"amd64\",\"os\":\"linux\",\"rootfs\":"
			  "{\"diff_ids\":[\"sha512:00\"]}}");
	_cleanup_oci_config_ struct oci_config c = { .n = 0 };
	struct err e = ERR_NONE;

	assert_int_equal(oci_doc_config(doc, "amd64", &c, &e), -EINVAL);
	unit_err(&e, -EINVAL,
		 "configuration: 'sha512:00' is no sha256 or sha512 digest");
}

/* ---- docker-archive ----------------------------------------------------------------- */

#define SAVED                                                               \
	"[{\"Config\":\"a.json\",\"RepoTags\":[\"one:1\"],\"Layers\":[\"a/" \
	"layer.tar\"]},"                                                    \
	"{\"Config\":\"b.json\",\"RepoTags\":[\"two:2\"],\"Layers\":[]}]"

static const struct row archives[] = {
	{ .name = "by name", .text = SAVED, .ref = "one:1" },
	{ .name = "several",
	  .text = SAVED,
	  .code = -ENOTUNIQ,
	  .said = "there are several images in it; add ':NAME' to say which one: "
		  "one:1, "
		  "two:2" },
	{ .name = "no such",
	  .text = SAVED,
	  .ref = "x",
	  .code = -ENOENT,
	  .said = "there is no image 'x' in it; there is one:1, two:2" },
	{ .name = "no array",
	  .text = "{}",
	  .code = -ENOENT,
	  .said = "there is no image '' in it" },
	{ .name = "no paths",
	  .text = "[{\"Config\":1}]",
	  .code = -EINVAL,
	  .said = "manifest.json: no path of a file" },
};

static void archive(const void *p)
{
	_cleanup_free_ struct oci_manifest *m = calloc(1, sizeof(*m));
	const struct row *row = p;
	_cleanup_json_ struct json *doc = unit_json(row->text);
	struct err e = ERR_NONE;

	assert_int_equal(oci_doc_archive(doc, row->ref, m, &e), row->code);
	if (row->code) {
		unit_err(&e, row->code, row->said);
		return;
	}
	assert_string_equal(m->config.path, "a.json");
	assert_int_equal(m->n, 1);
	assert_string_equal(m->layers[0].path, "a/layer.tar");
}

static const struct type_row {
	const char *name, *doc, *told, *said;
} types[] = {
	{ "type: nobody says", "{}", "", NULL },
	{ "type: no server says", "{\"mediaType\":\"a/b\"}", NULL, NULL },
	{ "type: it does not say", "{}", "a/b", NULL },
	{ "type: both say the same", "{\"mediaType\":\"a/B+json\"}",
	  "a/b+json; charset=utf-8", NULL },
	{ "type: the beginning of it", "{\"mediaType\":\"a/b+json\"}", "a/b",
	  "manifest: it was sent as 'a/b' and calls itself 'a/b+json'; it was refused" },
	{ "type: another", "{\"mediaType\":\"a/b\"}", "a/bc",
	  "manifest: it was sent as 'a/bc' and calls itself 'a/b'; it was refused" },
};

static void type_of(const void *p)
{
	const struct type_row *row = p;
	_cleanup_json_ struct json *doc = unit_json(row->doc);
	struct err e = ERR_NONE;
	int r = oci_doc_type(doc, row->told, &e);

	if (row->said)
		unit_err(&e, -EBADMSG, row->said);
	else
		assert_int_equal(r, 0);
}

static const struct unit_case cases[] = {
	{ "more layers than there may be", too_many_layers },
	{ "a configuration, odd values left out", config },
	{ "a configuration of another machine", config_of_another_machine },
	{ "a configuration with a bad diff id", config_with_a_bad_diff_id },
};

int main(void)
{
	return unit_rows("oci_doc_pick", picks, pick) +
	       unit_rows("oci_doc_manifest", manifests, manifest) +
	       unit_rows("oci_doc_archive", archives, archive) +
	       unit_rows("oci_doc_type", types, type_of) + unit_cases("oci_doc", cases);
}
