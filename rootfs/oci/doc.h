/* doc - the documents of an image, as registries and layouts hold them: index, manifest,
 * configuration (image-spec 1.1, Docker's schema 2).
 * Needs:  the whole text, whose digest was checked.
 * Owns:   nothing but what it returns; pure.
 * Never:  takes a digest that is none (base/digest.h), a size that is none, more than OCI_MOST
 *         layers, or a document that could be read as two kinds (CVE-2021-41190). */
#ifndef ROOTFS_OCI_DOC_H
#define ROOTFS_OCI_DOC_H

#include <stdint.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/json.h"

enum {
	OCI_DOC = 4 << 20, /* bytes of a document: what registries take at least */
	OCI_LAYERS = 127,  /* of an image, as docker's */
	OCI_MOST = 192, /* of a document; more than OCI_LAYERS become one directory */
	OCI_PATH = 256
};

struct oci_blob {
	struct digest digest; /* none = not known beforehand (docker-archive) */
	uint64_t size;	      /* UINT64_MAX = not known beforehand */
	char path[OCI_PATH];  /* in a docker-archive; else "" */
	const char *data;     /* borrowed from the document: itself, base64; or NULL */
};

struct oci_manifest {
	struct oci_blob config;
	struct oci_blob layers[OCI_MOST]; /* the lowest first */
	size_t n;
};

/** oci_doc_type() - -EBADMSG: the document calls itself another type than it was sent as
 *  @told: a Content-Type; "" or NULL = nobody said */
int oci_doc_type(const struct json *doc, const char *told, struct err *e);

/** oci_doc_is_index() - 1 = an index, 0 = a manifest, -EINVAL = neither */
int oci_doc_is_index(const struct json *doc, struct err *e);

int oci_doc_manifest(const struct json *doc, struct oci_manifest *ret, struct err *e);

/* What is looked for in an index. */
struct oci_want {
	const char *arch;    /* as Go calls it: "amd64"; NULL = oci_doc_arch() */
	const char *variant; /* "v7"; NULL = none */
	const char *ref;     /* of a layout: the name of the entry; NULL = any */
};

/** oci_doc_arch() - this machine's architecture as images name it; NULL = none known */
const char *oci_doc_arch(void);

/**
 * oci_doc_pick() - the entry of an index that fits best
 * Return: 0; -ENOENT (none fits: the message says what there is); -ENOTUNIQ (a layout of
 *         several images, and no name was given).
 */
int oci_doc_pick(const struct json *doc, const struct oci_want *want,
		 struct oci_blob *ret, struct err *e);

struct oci_config {
	char arch[32];
	struct digest diff_ids[OCI_MOST];
	size_t n;
	struct json
		*run; /* owned: env[], entrypoint[], cmd[], user, workdir, stopsignal,
			     labels{}, as far as there; what is no string is left out */
};
void oci_doc_config_done(struct oci_config *c);
#define _cleanup_oci_config_ _cleanup_(oci_doc_config_done)

/** oci_doc_config() - also -ENOEXEC: for another architecture or system than @arch */
int oci_doc_config(const struct json *doc, const char *arch, struct oci_config *ret,
		   struct err *e);

/** oci_doc_archive() - manifest.json of a docker-archive
 *  @ref: "name:tag"; NULL = the only image. Return: also -ENOENT, -ENOTUNIQ. */
int oci_doc_archive(const struct json *doc, const char *ref, struct oci_manifest *ret,
		    struct err *e);

#endif
