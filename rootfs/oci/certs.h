/* certs - the certificates that docker and podman keep for one registry:
 * certs.d/HOST[:PORT]/NAME.crt (containers-certs.d(5)).
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  fails: a file that cannot be read is none. */
#ifndef ROOTFS_OCI_CERTS_H
#define ROOTFS_OCI_CERTS_H

#include "base/buf.h"

enum { CERTS_MAX = 1 << 20 };

/** certs_find() - all that the first directory with one has for @host, one behind the other
 *  @host: without a slash */
void certs_find(const char *host, struct buf *ret);

#endif
