/* layout - an image in a directory: an OCI layout, or what 'docker save' wrote, unpacked.
 * Needs:  the directory's descriptor.
 * Owns:   nothing.
 * Never:  follows a link out of the directory; opens anything but regular files. */
#ifndef ROOTFS_OCI_LAYOUT_H
#define ROOTFS_OCI_LAYOUT_H

#include "rootfs/oci/source.h"

struct oci_layout {
	int dir;	 /* borrowed */
	const char *ref; /* of a docker-archive: which image; NULL = the only one */
	bool archive;	 /* manifest.json of docker instead of index.json */
	int (*tick)(void *ctx, uint64_t more); /* bytes read; negative: give up; may be
						  NULL */
	void *ctx;
};

/** oci_layout_source() - of @l, which is borrowed as long as the source is used */
struct oci_source oci_layout_source(struct oci_layout *l);

/** oci_layout_check() - is it one at all? 0 or -EINVAL */
int oci_layout_check(const struct oci_layout *l, struct err *e);

#endif
