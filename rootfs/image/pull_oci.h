/* pull_oci - an image in layers: where it comes from, its layers, what becomes of them.
 * Needs:  a place in tmp/, @p->stage; somebody who unpacks.
 * Owns:   of struct pull what stands below "an image in layers".
 * Never:  shows a layer in the store before pull_oci_publish(). */
#ifndef ROOTFS_IMAGE_PULL_OCI_H
#define ROOTFS_IMAGE_PULL_OCI_H

#include "rootfs/image/pull_run.h"

/** pull_oci_done() - close what it was read from; @p may be half-built */
void pull_oci_done(struct pull *p);

/** pull_oci_find() - which image it is: p->oci, and its digest in p->fetched */
int pull_oci_find(struct pull *p, struct err *e);

/** pull_oci_unpack() - its layers, in stage; *@ret: bytes, entries, dropped{} of all */
int pull_oci_unpack(struct pull *p, struct json **ret, struct err *e);

/** pull_oci_describe() - "layers" of meta.json */
int pull_oci_describe(const struct pull *p, struct json *meta);

/** pull_oci_publish() - its layers to their places; image_lock() is held */
int pull_oci_publish(struct pull *p, struct err *e);

#endif
