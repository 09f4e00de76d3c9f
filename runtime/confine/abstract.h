/* abstract - the host's abstract sockets, out of reach of a box. Their names belong to a network
 * namespace, so this is for a box with the host's, and for all others, which a box with the
 * host's network can hand a socket that was made there.
 * Needs:  Landlock with scopes (Linux 6.12, ABI 6), switched on.
 * Owns:   nothing.
 * Never:  comes between programs of one box. */
#ifndef RUNTIME_CONFINE_ABSTRACT_H
#define RUNTIME_CONFINE_ABSTRACT_H

#include <stdbool.h>

#include "base/err.h"

/** abstract_closable() - can this kernel do that? */
bool abstract_closable(void);
/** abstract_warning() - what a box with the host's network reaches, for its person */
const char *abstract_warning(void);
/** abstract_close() - from here on this process and what comes of it connects to abstract
 *  sockets of its own kind alone; after no_new_privs, before the filter
 *  Return: 1 = done, 0 = this kernel cannot, -errno. */
int abstract_close(struct err *e);

#endif
