/* secfilter_cache - compiled filters in a directory of the caller's.
 * Needs:  a directory that only the caller can write.
 * Owns:   nothing.
 * Never:  returns a program that is not whole, or of other tables. */
#ifndef RUNTIME_CONFINE_SECFILTER_CACHE_H
#define RUNTIME_CONFINE_SECFILTER_CACHE_H

#include "base/buf.h"
#include "base/err.h"
#include "runtime/confine/secfilter_table.h"

/** secfilter_cache_load() - append the program; 0, or -ENOENT when there is none that
 *  can be used, for whatever reason: it is then made again */
int secfilter_cache_load(int dirfd, const struct secfilter_table *t, struct buf *ret);

/** secfilter_cache_save() - atomically; what fails costs the next start some time */
int secfilter_cache_save(int dirfd, const struct secfilter_table *t,
			 const struct buf *prog, struct err *e);

#endif
