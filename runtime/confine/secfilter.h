/* secfilter - the system calls that a box may make: finished
 * programs, made by libseccomp's numbers and our tables when this was built.
 * Needs:  seccomp filters (3.5).
 * Owns:   nothing.
 * Never:  answers EPERM for an unknown call (ENOSYS: libc falls back on that alone). */
#ifndef RUNTIME_CONFINE_SECFILTER_H
#define RUNTIME_CONFINE_SECFILTER_H

#include <stddef.h>

#include "base/err.h"

enum secfilter_kind {
	SECFILTER_BOX,	      /* on init, inherited by everything in the box */
	SECFILTER_SETID,      /* on init, too: what sets set-id bits asks (setid.h) */
	SECFILTER_SETID_ROOT, /* instead, in root's boxes: and accounts of the host's */
	SECFILTER_FAKE, /* on payloads of a single map: chown and friends "succeed" */
	SECFILTER_GATE	/* on the gate and nothing else: the calls that it needs */
};

/** secfilter_program() - an array of struct sock_filter, of @len bytes */
const void *secfilter_program(enum secfilter_kind kind, size_t *len);

/** secfilter_apply() - install it on this process, for good; needs no_new_privs or
 *  CAP_SYS_ADMIN. Safe between clone and exec. */
int secfilter_apply(enum secfilter_kind kind, struct err *e);

/** secfilter_install() - the same for any program */
int secfilter_install(const void *prog, size_t len, struct err *e);

/** secfilter_install_listen() - the same for a filter that hands calls to a listener, which is
 *  returned. -EBUSY: this process is below such a filter already. */
int secfilter_install_listen(const void *prog, size_t len, struct err *e);

#endif
