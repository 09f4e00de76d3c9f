/* Whatever a registry or an archive calls a document of an image: read as each kind, it is
 * refused, or what comes out is safe to make names and limits of. */
#include <assert.h>
#include <string.h>

#include "base/scope.h"
#include "rootfs/oci/doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_digest(const struct digest *d)
{
	char path[DIGEST_TEXT], name[HASH_HEX];
	struct digest again;
	struct err e = ERR_NONE;

	assert(digest_parse(d->text, &again, &e) == 0);
	assert(!strcmp(again.text, d->text));
	digest_path(d, path);
	digest_name(d, name);
	assert(!strncmp(path, "sha", 3) && path[6] == '/' && !strpbrk(path, ".:\\"));
	assert(hash_valid(name));
}

static void check_blob(const struct oci_blob *b)
{
	if (b->path[0])
		assert(strlen(b->path) < OCI_PATH);
	else
		check_digest(&b->digest);
	assert(b->path[0] || b->size <= INT64_MAX);
}

static void check_manifest(const struct oci_manifest *m)
{
	assert(m->n <= OCI_MOST);
	check_blob(&m->config);
	for (size_t i = 0; i < m->n; i++)
		check_blob(&m->layers[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct oci_want wants[] = { { .arch = "amd64" },
						 { .arch = "arm", .ref = "x" } };
	_cleanup_free_ struct oci_manifest *m = calloc(1, sizeof(*m));
	_cleanup_oci_config_ struct oci_config c = { .n = 0 };
	_cleanup_json_ struct json *doc = NULL;
	struct err e = ERR_NONE;
	struct oci_blob b;

	if (json_parse((const char *)data, size, &doc, &e) < 0)
		return 0;
	if (oci_doc_is_index(doc, &e) == 0 && oci_doc_manifest(doc, m, &e) == 0)
		check_manifest(m);
	for (size_t i = 0; i < ARRAY_SIZE(wants); i++) {
		if (oci_doc_pick(doc, &wants[i], &b, &e) == 0)
			check_blob(&b);
		if (oci_doc_archive(doc, wants[i].ref, m, &e) == 0)
			check_manifest(m);
	}
	if (oci_doc_config(doc, "amd64", &c, &e) == 0)
		for (size_t i = 0; i < c.n; i++)
			check_digest(&c.diff_ids[i]);
	return 0;
}
