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

/* The first line of a /etc/gitconfig that is ours to change. */
#define ROOTFILES_GITCONFIG \
	"# cubby: from your settings; git-identity=no leaves it out\n"

/** rootfiles_write() - bring the files to what they must say; those that do already, and
 *  a hosts file that somebody edited, stay as they are
 *  @gitconfig: of the whole box, if it has no other; "" = none */
int rootfiles_write(int root, enum net_mode net, const char *gitconfig, struct err *e);

#endif
