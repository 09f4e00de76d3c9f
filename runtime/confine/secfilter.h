/* secfilter - the system calls that a box may make (KERNEL.md 3.4 and 4.2). Door of
 * libseccomp: filters are compiled to BPF once and kept in the store's cache.
 * Needs:  seccomp filters (3.5).
 * Owns:   the program it returned.
 * Never:  answers EPERM for an unknown call (ENOSYS: libc falls back on that alone). */
#ifndef RUNTIME_CONFINE_SECFILTER_H
#define RUNTIME_CONFINE_SECFILTER_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum secfilter_kind {
	SECFILTER_BOX,	      /* on init, inherited by everything in the box */
	SECFILTER_SETID,      /* on init, too: what sets set-id bits asks (setid.h) */
	SECFILTER_SETID_ROOT, /* instead, in root's boxes: and accounts of the host's */
	SECFILTER_FAKE, /* on payloads of a single map: chown and friends "succeed" */
	SECFILTER_GATE	/* on the gate and nothing else: the calls that it needs */
};

/**
 * secfilter_get() - the BPF program of a filter: an array of struct sock_filter
 * @cache_dirfd: directory of the caller's for compiled filters; -1 = do not cache. A
 *               cache file is named by kind and build and is only used when it is
 * whole.
 * @ret:         filled with the program's bytes
 */
int secfilter_get(enum secfilter_kind kind, int cache_dirfd, struct buf *ret,
		  struct err *e);

/** secfilter_install() - on this process, for good; needs no_new_privs or
 *  CAP_SYS_ADMIN. Safe between clone and exec. */
int secfilter_install(const void *prog, size_t len, struct err *e);

/** secfilter_install_listen() - the same for a filter that hands calls to a listener, which is
 *  returned. -EBUSY: this process is below such a filter already. */
int secfilter_install_listen(const void *prog, size_t len, struct err *e);

#endif
