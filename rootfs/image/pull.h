/* pull - bring an image into the store: find, fetch, check, unpack, name.
 * Needs:  an open store; somebody who unpacks (the runtime's confined helper).
 * Owns:   its place in tmp/.
 * Never:  leaves anything visible of a pull that failed or was interrupted; believes a
 *         download whose digest is not the one that was promised. */
#ifndef ROOTFS_IMAGE_PULL_H
#define ROOTFS_IMAGE_PULL_H

#include "base/err.h"
#include "rootfs/image/image.h"
#include "rootfs/image/pull_conf.h"

/**
 * pull_image() - get an image and give it its name
 * @ref: as source_parse() takes it
 * @ret: the image, new or already there
 *
 * An image whose digest is in the store is not unpacked again. One of the host's own
 * distribution is made from the mirror of the host's apt where nobody is to be reached
 * who has it (bootstrap.h). Return: 0, or why not, with what to do about it.
 */
int pull_image(const struct pull_conf *c, const char *ref, struct image *ret,
	       struct err *e);

/** pull_unreachable() - did pull_image() fail because nobody was to be reached? */
bool pull_unreachable(int code);

#endif
