/* setid - calls that init answers for: no file that the host can meet gets set-id bits or
 * capabilities from the box; under review, directories of the project can be renamed.
 * Needs:  seccomp listeners (5.0) and descriptors by them (5.9); box init.
 * Owns:   the listener, and the short-lived processes that answer for it.
 * Never:  lets a call that sets such a bit go on as the caller made it: memory that its
 *         path was read from may be another by then.
 *
 * In a box, which has no_new_privs, a set-id bit gives nothing to anybody. On the project
 * it would, outside: to whoever runs the file. The filter SECFILTER_SETID hands every call
 * that sets such a bit to init, and init has a process make it in the caller's place, with
 * the caller's root, directory, identity and no more capabilities: on the box's own root
 * and /tmp as it was asked (packages and images have such files), anywhere else without
 * the bits. Whatever goes wrong is EPERM.
 *
 * That process is below the filter as well. Its own call passes by a secret in arguments
 * that the call does not have: made at each start, it is in the filter, which nobody below
 * it may read, and in the memory of init, which nobody may trace.
 *
 * A file's capability nobody in the box may make: the kernel refuses it (caps.h). On the box's
 * own root it does no harm, and packages have such files; there init's process makes it for
 * the box's root. Every other attribute goes on as it was asked for.
 *
 * A rename of anything but a directory goes on as it was made: nothing depends on it. That of
 * a directory is made in the caller's place as well, and where the kernel says EXDEV, since
 * it lies below the view, the directory is moved entry by entry (movedir.h). */
#ifndef RUNTIME_INIT_SETID_H
#define RUNTIME_INIT_SETID_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "runtime/confine/secfilter.h"

enum { SETID_AT_ONCE = 8, SETID_PLACES = 2 };

/* Mounts on which bits are set as asked: what nobody but the box sees. */
struct setid_places {
	uint64_t secret[2];
	unsigned n;
	uint64_t mount[SETID_PLACES];
};

struct setid {
	int listener; /* owned; -1 = none: refused */
	struct setid_places own;
	unsigned n;
	struct {
		pid_t pid;
		uint64_t id; /* of the call that it answers */
	} at[SETID_AT_ONCE];
};
#define SETID_NONE ((struct setid){ .listener = -1 })

/** setid_begin() - from here on calls of this process's children are handed to it, and its
 *  own as well: it must make none. Below a listener of somebody else's, as in containers
 *  whose engine intercepts calls, they are refused (EPERM), and nobody is to be served.
 *  @project: where the project is mounted
 *  @renames: renames are handed to it, too; where somebody else listens they are as they are
 *  @files: so are extended attributes: capabilities of files can be made */
int setid_begin(enum secfilter_kind kind, const char *project, bool renames, bool files,
		struct setid *ret, struct err *e);

/** setid_refused() - true: nobody in this box can set such a bit */
bool setid_refused(const struct setid *s);

/** setid_fd() - to wait for; -1 while as many calls as may be are being answered */
int setid_fd(const struct setid *s);

/** setid_serve() - the descriptor is readable: have one call answered */
void setid_serve(struct setid *s);

/** setid_reaped() - a child has ended; what it has left unanswered is refused */
void setid_reaped(struct setid *s, pid_t pid);

#endif
