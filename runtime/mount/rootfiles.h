/* rootfiles - the few files that cubby itself keeps in a box's /etc: resolv.conf, hosts,
 * hostname.
 * Needs:  the box's root, before it is entered; the host's /etc/resolv.conf for
 *         --net host.
 * Owns:   nothing.
 * Never:  follows a link of the image: a link in the place of a file is replaced. */
#ifndef RUNTIME_MOUNT_ROOTFILES_H
#define RUNTIME_MOUNT_ROOTFILES_H

#include "base/err.h"
#include "runtime/spec/spec.h"

#define ROOTFILES_HOSTNAME "cubby"

/** rootfiles_write() - bring the files to what they must say; those that do already, and
 *  a hosts file that somebody edited, stay as they are */
int rootfiles_write(int root, enum net_mode net, struct err *e);

#endif
