/* pack - a directory becomes a tar archive: a layer of an image, in which what overlayfs
 * marks as removed is a whiteout again (image-spec, layer.md).
 * Needs:  a tree that nobody changes meanwhile, and the rights to read all of it.
 * Owns:   its records.
 * Never:  follows a link; opens anything but regular files and directories. The same tree
 *         gives the same bytes. */
#ifndef ROOTFS_ARCHIVE_PACK_H
#define ROOTFS_ARCHIVE_PACK_H

#include <stdint.h>

#include "base/err.h"

struct pack_conf {
	int root; /* borrowed: the directory, opened for reading */
	const char
		*skip; /* a path below it that is left out, with what is below; NULL */
	int out;       /* borrowed */
	uint64_t most; /* bytes of files, what they have as holes among them; 0 = any */
	void (*tick)(void *ctx,
		     uint64_t more); /* bytes that were written; NULL = nobody */
	void *ctx;		     /* borrowed */
};

/** pack_run() - 0; -E2BIG (a path of more than PATH_MAX bytes), -EFBIG (more than @most), or
 *  what reading or writing failed with. Sockets and devices are left out. Where @out is a
 *  file, long stretches of zeros become holes of it: it must end where writing begins. */
int pack_run(const struct pack_conf *conf, struct err *e);

#endif
