/* source_ubuntu - which file is the newest Ubuntu base tarball of a release.
 * Needs:  the text of a release's SHA256SUMS.
 * Owns:   nothing; pure.
 * Never:  takes a line that is not a digest and a plain file name. */
#ifndef ROOTFS_IMAGE_SOURCE_UBUNTU_H
#define ROOTFS_IMAGE_SOURCE_UBUNTU_H

#include "base/err.h"
#include "base/hash.h"

enum { SOURCE_UBUNTU_FILE = 96, SOURCE_UBUNTU_SUMS = 256 << 10 };

struct source_ubuntu {
	char file[SOURCE_UBUNTU_FILE]; /* "ubuntu-base-24.04.3-base-amd64.tar.gz" */
	char digest[HASH_HEX];
};

/** source_ubuntu_arch() - Ubuntu's name of this machine: "amd64", "arm64", …;
 *  NULL = Ubuntu has no images for it */
const char *source_ubuntu_arch(void);

/** source_ubuntu_base() - the URL below which releases lie: $CUBBY_UBUNTU_URL, or
 *  Ubuntu's own; borrowed */
const char *source_ubuntu_base(void);

/**
 * source_ubuntu_pick() - the newest point release in a SHA256SUMS
 * Return: 0; -ENOENT when there is none for @release and @arch.
 */
int source_ubuntu_pick(const char *sums, size_t len, const char *release,
		       const char *arch, struct source_ubuntu *ret, struct err *e);

#endif
