/* bootstrap - a root filesystem of the host's own distribution, made by mmdebstrap or
 * debootstrap from the mirror that the host's apt uses: scripts/mkrootfs, which is a part
 * of the program.
 * Needs:  sh, apt and one of the two.
 * Owns:   nothing.
 * Never:  makes another distribution than the host's, or a suite that it does not know. */
#ifndef ROOTFS_IMAGE_BOOTSTRAP_H
#define ROOTFS_IMAGE_BOOTSTRAP_H

#include "base/err.h"

enum { BOOTSTRAP_WORD = 24 };

struct bootstrap {
	char host
		[BOOTSTRAP_WORD]; /* the host's distribution; "" = none with such mirrors */
	char suite[BOOTSTRAP_WORD]; /* "bookworm"; "" = the name means none of that */
};

/**
 * bootstrap_read() - what an image's name means to a host
 * @name:       "debian:12", "ubuntu:noble", "debian:latest": the host's own suite
 * @os_release: text of /etc/os-release
 *
 * Pure.
 */
void bootstrap_read(const char *name, const char *os_release, struct bootstrap *ret);

/** bootstrap_find() - the same, of this host */
void bootstrap_find(const char *name, struct bootstrap *ret);

/** bootstrap_maker() - the program that would make it; NULL = none is here that could */
const char *bootstrap_maker(void);

/**
 * bootstrap_make() - write an archive of it
 * @path:     absolute, ends in ".tar"; there is nothing yet
 * @abort_fd: readable = give up with -ECANCELED; -1 = none
 *
 * Context: blocks for a minute or so. Return: 0; -ECANCELED; -EREMOTEIO, with what the
 * maker said last.
 */
int bootstrap_make(const struct bootstrap *b, const char *path, int abort_fd,
		   struct err *e);

#endif
