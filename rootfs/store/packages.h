/* packages - what was installed in a box beyond its image, as its package manager noted it.
 * Needs:  an open store. Debian's lists of files, one for each package: other package
 *         managers keep other notes, and of them nothing is known here.
 * Owns:   the names that it found.
 * Never:  follows a link, for what it reads was written in the box. */
#ifndef ROOTFS_STORE_PACKAGES_H
#define ROOTFS_STORE_PACKAGES_H

#include "rootfs/store/boxdir.h"

enum { PACKAGES_NAME = 64 };

struct packages {
	char (*v)[PACKAGES_NAME]; /* owned; sorted */
	size_t n;
};
#define PACKAGES_NONE ((struct packages){ 0 })
void packages_done(struct packages *p);
#define _cleanup_packages_ _cleanup_(packages_done)

/**
 * packages_added() - those that are in the box and not in its image
 * @image: its directory below images/
 *
 * What cannot be read adds nothing: this is for a person who is asked, not for a decision.
 * Return: 0 or -ENOMEM.
 */
int packages_added(const struct boxdir *b, const char *image, struct packages *ret);

#endif
