/* fetch - the bytes of an archive, in a file, with their size and digest.
 * Needs:  for URLs: libcurl.
 * Owns:   the file that it returned.
 * Never:  returns bytes that it has not hashed; takes more than FETCH_BYTES. */
#ifndef ROOTFS_IMAGE_FETCH_H
#define ROOTFS_IMAGE_FETCH_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

#define FETCH_BYTES (16ULL << 30)

/* Called now and then; @total is 0 when it is not known. */
typedef void fetch_progress_fn(void *ctx, uint64_t done, uint64_t total);

struct fetch_conf {
	fetch_progress_fn *progress; /* may be NULL */
	void *progress_ctx;
	int abort_fd; /* readable = give up with -ECANCELED; -1 = none */
};

struct fetch {
	int fd; /* owned; at its start */
	uint64_t size;
	char digest[HASH_HEX];
};
#define FETCH_NONE ((struct fetch){ .fd = -1 })
void fetch_done(struct fetch *f);
#define _cleanup_fetch_ _cleanup_(fetch_done)

/**
 * fetch_url() - download into a new file @name of @dirfd
 * Return: 0; -ENOENT (404), -EREMOTEIO (another status), -EFBIG, -ENOSPC, and what
 *         http_perform() fails with.
 */
int fetch_url(const struct fetch_conf *c, const char *url, int dirfd, const char *name,
	      struct fetch *ret, struct err *e);

/** fetch_text() - append a small text file; @ret's max is the limit */
int fetch_text(const struct fetch_conf *c, const char *url, struct buf *ret,
	       struct err *e);

/** fetch_file() - hash a regular file of the caller's, which is called @path; @fd becomes
 *  that of @ret, or is closed */
int fetch_file(const struct fetch_conf *c, int fd, const char *path, struct fetch *ret,
	       struct err *e);

#endif
