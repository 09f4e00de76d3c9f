#include "rootfs/oci/source.h"

#include <stdio.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/oci/layout.h"
#include "tests/unit/unit.h"

static void put(int dir, const char *name, const char *text)
{
	struct err e = ERR_NONE;

	unit_ok(file_replace(dir, name, &(struct file_data){ text, strlen(text), 0600 },
			     &e),
		&e);
}

/* A blob by its digest, or wrongly by @as. */
static void put_blob(int dir, const char *text, const char *as, char digest[HASH_HEX])
{
	char path[128];
	struct err e = ERR_NONE;

	hash_text(text, strlen(text), digest);
	unit_ok(file_mkdirs(dir, "blobs/sha256", 0700, &e), &e);
	snprintf(path, sizeof(path), "blobs/sha256/%s", as ? as : digest);
	put(dir, path, text);
}

struct layout {
	char layer[HASH_HEX], config[HASH_HEX], manifest[HASH_HEX];
};

/* In the directory of the test, of documents that the test says. */
static void make(int dir, const char *arch, struct layout *ret)
{
	char text[1024];

	put_blob(dir, "layer", NULL, ret->layer);
	snprintf(text, sizeof(text),
		 "{\"architecture\":\"%s\",\"os\":\"linux\",\"rootfs\":{\"diff_ids\":"
		 "[\"sha256:%s\"]}}",
		 arch, ret->layer);
	put_blob(dir, text, NULL, ret->config);
	snprintf(text, sizeof(text),
		 "{\"config\":{\"mediaType\":\"application/"
		 "vnd.oci.image.config.v1+json\","
		 "\"digest\":\"sha256:%s\",\"size\":%zu},\"layers\":[{\"mediaType\":"
		 "\"application/vnd.oci.image.layer.v1.tar\",\"digest\":\"sha256:%s\","
		 "\"size\":5}]}",
		 ret->config, strlen(text), ret->layer);
	put_blob(dir, text, NULL, ret->manifest);
	snprintf(text, sizeof(text),
		 "{\"manifests\":[{\"mediaType\":\"application/"
		 "vnd.oci.image.manifest.v1+json\","
		 "\"digest\":\"sha256:%s\",\"size\":%zu}]}",
		 ret->manifest, strlen(text));
	put(dir, "index.json", text);
}

static int resolve(int dir, struct oci_image *image, struct err *e)
{
	struct oci_layout l = { .dir = dir };
	struct oci_source s = oci_layout_source(&l);
	struct oci_want want = { .arch = "amd64" };

	return oci_source_resolve(&s, &want, image, e);
}

static int keep(void *ctx, const void *data, size_t len, struct err *)
{
	return buf_add(ctx, data, len);
}

static void a_layout(void)
{
	_cleanup_oci_image_ struct oci_image *image = oci_source_image();
	_cleanup_close_ int dir = unit_top();
	_cleanup_buf_ struct buf got = BUF_INIT(64);
	struct oci_layout l = { .dir = dir };
	struct oci_source s = oci_layout_source(&l);
	struct err e = ERR_NONE;
	struct layout made;

	make(dir, "amd64", &made);
	unit_ok(oci_layout_check(&l, &e), &e);
	unit_ok(resolve(dir, image, &e), &e);
	assert_string_equal(image->digest, made.manifest);
	assert_int_equal(image->manifest.n, 1);
	unit_ok(oci_source_fetch(&s, &image->manifest.layers[0],
				 &(struct oci_put){ keep, &got }, &e),
		&e);
	assert_string_equal(buf_cstr(&got), "layer");
}

static void no_layout(void)
{
	_cleanup_close_ int dir = unit_top();
	struct oci_layout l = { .dir = dir };
	struct err e = ERR_NONE;

	assert_int_equal(oci_layout_check(&l, &e), -EINVAL);
	unit_err(&e, -EINVAL, "no OCI layout: it has no index.json");
	l.archive = true;
	assert_int_equal(oci_layout_check(&l, &e), -EINVAL);
	unit_err(&e, -EINVAL, "no archive of 'docker save': it has no manifest.json");
}

static void another_machine(void)
{
	_cleanup_oci_image_ struct oci_image *image = oci_source_image();
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	struct layout made;

	make(dir, "s390x", &made);
	assert_int_equal(resolve(dir, image, &e), -ENOEXEC);
}

/* What the bytes are is proven before any of them is parsed, and before a layer counts. */
static const struct row {
	const char *name, *text, *said; /* @said: behind the digest's first digits */
} rows[] = {
	{ "other bytes", "LAYER", "is not what was announced" },
	{ "more bytes", "layer and more",
	  "is larger than the 5 bytes that were announced" },
	{ "fewer bytes", "lay", "ended after 3 of 5 bytes" },
};

static void a_bad_layer(const void *p)
{
	_cleanup_oci_image_ struct oci_image *image = oci_source_image();
	const struct row *row = p;
	_cleanup_close_ int dir = unit_top();
	_cleanup_buf_ struct buf got = BUF_INIT(64);
	struct oci_layout l = { .dir = dir };
	struct oci_source s = oci_layout_source(&l);
	char digest[HASH_HEX];
	struct err e = ERR_NONE;
	struct layout made;

	make(dir, "amd64", &made);
	unit_ok(resolve(dir, image, &e), &e);
	put_blob(dir, row->text, made.layer, digest);
	assert_int_equal(oci_source_fetch(&s, &image->manifest.layers[0],
					  &(struct oci_put){ keep, &got }, &e),
			 -EBADMSG);
	assert_non_null(strstr(e.msg, row->said));
	assert_true(got.len <= 5);
}

static void a_bad_manifest(void)
{
	_cleanup_oci_image_ struct oci_image *image = oci_source_image();
	_cleanup_close_ int dir = unit_top();
	char digest[HASH_HEX];
	struct err e = ERR_NONE;
	struct layout made;

	make(dir, "amd64", &made);
	put_blob(dir, "{", made.manifest, digest);
	assert_int_equal(resolve(dir, image, &e), -EBADMSG);
}

/* A blob that is a link is followed inside; one that is a fifo holds nobody up. */
static void blobs_of_other_kinds(void)
{
	_cleanup_oci_image_ struct oci_image *image = oci_source_image();
	_cleanup_close_ int dir = unit_top();
	char path[128];
	struct err e = ERR_NONE;
	struct layout made;

	make(dir, "amd64", &made);
	snprintf(path, sizeof(path), "blobs/sha256/%s", made.config);
	assert_int_equal(sys_unlinkat(dir, path, 0), 0);
	assert_int_equal(sys_symlinkat("/etc/passwd", dir, path), 0);
	assert_int_equal(resolve(dir, image, &e), -ENOENT);
	assert_int_equal(sys_unlinkat(dir, path, 0), 0);
	assert_int_equal(sys_mknodat(dir, path, S_IFIFO | 0600, 0), 0);
	assert_int_equal(resolve(dir, image, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "is no regular file"));
}

/* What stands in its descriptor is not asked for; but it is proven. */
static void data_of_a_descriptor(void)
{
	static const char *const datas[][2] = {
		{ "bGF5ZXI=", "" },
		{ "bGF5ZXIh", "is larger than the 5 bytes" },
		{ "bGF5", "ended after 3 of 5 bytes" },
		{ "TEFZRVI=", "is not what was announced" },
		{ "la?er", "is no base64" },
		{ "", "ended after 0 of 5 bytes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(datas); i++) {
		_cleanup_close_ int dir = unit_top();
		_cleanup_buf_ struct buf got = BUF_INIT(64);
		struct oci_layout l = { .dir = dir };
		struct oci_source s = oci_layout_source(&l);
		struct oci_blob b = { .size = 5, .data = datas[i][0] };
		struct err e = ERR_NONE;
		int r;

		unit_ok(digest_of(&b.digest, "layer", 5, &b.digest, &e), &e);
		r = oci_source_fetch(&s, &b, &(struct oci_put){ keep, &got }, &e);
		assert_int_equal(r, *datas[i][1] ? -EBADMSG : 0);
		assert_non_null(strstr(e.msg, datas[i][1]));
		assert_true(r < 0 || strcmp(buf_cstr(&got), "layer") == 0);
	}
}

/* An index that names itself, by way of a digest that nobody can make, would be endless:
 * levels are counted. */
static void indexes_in_indexes(void)
{
	_cleanup_oci_image_ struct oci_image *image = oci_source_image();
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	struct layout made;
	char text[512];

	make(dir, "amd64", &made);
	for (int i = 0; i < 4; i++) {
		char digest[HASH_HEX];
		size_t size = i ? strlen(text) : 0;

		if (!i)
			memcpy(digest, made.manifest, HASH_HEX);
		else
			put_blob(dir, text, NULL, digest);
		snprintf(text, sizeof(text),
			 "{\"manifests\":[{\"mediaType\":"
			 "\"application/vnd.oci.image.index.v1+json\",\"digest\":"
			 "\"sha256:%s\",\"size\":%zu}]}",
			 digest, i ? size : 4096);
	}
	put(dir, "index.json", text);
	assert_true(resolve(dir, image, &e) < 0);
	assert_true(e.code == -ELOOP || e.code == -EBADMSG);
}

static const struct unit_case cases[] = {
	{ "a layout", a_layout },
	{ "no layout", no_layout },
	{ "an image of another machine", another_machine },
	{ "a manifest of other bytes is not parsed", a_bad_manifest },
	{ "the data of a descriptor", data_of_a_descriptor },
	{ "blobs that are no files", blobs_of_other_kinds },
	{ "indexes in indexes", indexes_in_indexes },
};

int main(void)
{
	return unit_rows("a layer", rows, a_bad_layer) +
	       unit_cases("oci_source", cases);
}
