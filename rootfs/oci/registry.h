/* registry - images in a registry (distribution-spec 1.1, docker's token authentication).
 * Needs:  libcurl.
 * Owns:   its connections, its token and whom it logged in as.
 * Never:  speaks http but to this machine; hands a login or token to another host than the
 *         registry's or the one that it names over https; believes what comes: source.h
 *         proves it. */
#ifndef ROOTFS_OCI_REGISTRY_H
#define ROOTFS_OCI_REGISTRY_H

#include "rootfs/oci/name.h"
#include "rootfs/oci/source.h"

struct oci_registry_conf {
	const struct oci_name *name; /* borrowed */
	bool push;		     /* rights to write are asked for, too */
	int abort_fd;		     /* readable = give up with -ECANCELED; -1 = none */
	void (*note)(void *ctx, const char *line); /* what a person is to know */
	int (*tick)(void *ctx, uint64_t more);	   /* bytes of layers; may be NULL */
	void *ctx;				   /* of both */
};

struct oci_registry;
int oci_registry_new(const struct oci_registry_conf *conf, struct oci_registry **ret,
		     struct err *e);
void oci_registry_free(struct oci_registry **r);

/** oci_registry_name() - the image as it is called where it is had: an alias or a location
 *  may say that this is elsewhere (registries.h) */
const struct oci_name *oci_registry_name(const struct oci_registry *r);

/** oci_registry_said_by() - the kind of file that says so */
const char *oci_registry_said_by(const struct oci_registry *r);

/** oci_registry_anew() - in a process that was forked: connections of its own
 *  @abort_fd: instead of that of its conf */
int oci_registry_anew(struct oci_registry *r, int abort_fd, struct err *e);

/**
 * oci_registry_source() - what it has of the image; @r is borrowed
 *
 * A cut is gone on from where it was, an answer that asks to wait is waited for. Fails
 * with: -ENOENT (no such image, or not without a login), -EACCES, -EBUSY (too many
 * requests), -EREMOTEIO (another answer), and what http_perform() fails with.
 */
struct oci_source oci_registry_source(struct oci_registry *r);

#endif
