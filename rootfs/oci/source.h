/* source - where the documents and layers of an image come from, and the proof that what
 * comes is what was asked for.
 * Needs:  somebody who reads blobs: layout.h, registry.h.
 * Owns:   what oci_source_resolve() returns.
 * Never:  parses a document before its digest is proven; hands on more bytes of a blob
 *         than were announced. What a sink was given counts only once the call succeeded. */
#ifndef ROOTFS_OCI_SOURCE_H
#define ROOTFS_OCI_SOURCE_H

#include "base/buf.h"
#include "rootfs/oci/doc.h"

/* Takes bytes of a blob; 0 or a negative errno with @e filled. */
typedef int oci_put_fn(void *ctx, const void *data, size_t len, struct err *e);

struct oci_put {
	oci_put_fn *fn;
	void *ctx;
};

struct oci_source {
	/* The document that a person's name leads to, and its digest if that is promised
	 * ("" else). A docker-archive has no such: it fills @ret and returns 1. */
	int (*top)(void *ctx, struct buf *doc, struct digest *digest,
		   struct oci_manifest *ret, struct err *e);
	/* A document or layer by its digest; unverified. */
	int (*blob)(void *ctx, const struct oci_blob *b, bool document,
		    const struct oci_put *put, struct err *e);
	/* What the last document was said to be, borrowed; "" or NULL = nothing was said. */
	const char *type;
	void *ctx;
};

/** oci_source_fetch() - a layer, proven by size and digest; -EBADMSG when it is another */
int oci_source_fetch(const struct oci_source *s, const struct oci_blob *b,
		     const struct oci_put *put, struct err *e);

struct oci_image {
	char digest
		[HASH_HEX]; /* SHA-256 of the manifest; of a docker-archive: of the config */
	struct oci_manifest manifest;
	struct json *doc; /* owned: the manifest as it came, for what it lends */
	struct oci_config config; /* owned */
	struct buf text;	  /* owned: the configuration as it came */
};
struct oci_image *oci_source_image(void);
void oci_source_image_free(struct oci_image **i);
#define _cleanup_oci_image_ _cleanup_(oci_source_image_free)

/** oci_source_resolve() - from a name to the one image that fits this machine
 *  @ret: from oci_source_image(). Return: 0, or what doc.h, the source or json.h failed with. */
int oci_source_resolve(const struct oci_source *s, const struct oci_want *want,
		       struct oci_image *ret, struct err *e);

#endif
