/* push - an image of a layout goes to a registry (distribution-spec 1.1).
 * Needs:  a registry that was opened to push.
 * Owns:   nothing.
 * Never:  sends a byte or a login to another host than the registry's own, whatever that
 *         answers; gives the image its name before all that it is made of is there. */
#ifndef ROOTFS_OCI_PUSH_H
#define ROOTFS_OCI_PUSH_H

#include "rootfs/oci/layout.h"
#include "rootfs/oci/registry.h"

/**
 * oci_push() - what the registry has not, then the manifest by the name of its conf
 * @l: borrowed; an OCI layout
 * @image: of oci_source_resolve() of it
 *
 * A blob that fails in a way that may pass is sent again from its start. Return: 0;
 * -EACCES (not allowed), -EPROTO (an upload is to go elsewhere), -EBADMSG (the layout is
 * not what it says), and what registry.h says.
 */
int oci_push(struct oci_registry *r, const struct oci_layout *l,
	     const struct oci_image *image, struct err *e);

#endif
