/* sys - the one door to the kernel: every system call of cubby is made here.
 * Needs:  Linux; glibc.
 * Owns:   nothing.
 * Never:  logs, retries where that is unsafe, or decides anything. A door returns 0
 *         or more, or a negative errno, and sets CLOEXEC on every descriptor it makes.
 *
 * Doors stand by subject in fs.h, mount.h, proc.h and net.h, which are
 * included from here and from nowhere else. */
#ifndef BASE_SYS_SYS_H
#define BASE_SYS_SYS_H

#include "base/sys/fs.h"    /* IWYU pragma: export */
#include "base/sys/mount.h" /* IWYU pragma: export */
#include "base/sys/net.h"   /* IWYU pragma: export */
#include "base/sys/proc.h"  /* IWYU pragma: export */

#endif
