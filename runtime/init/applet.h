/* applet - the programs built into init: they run in the box, as the box's user, and need
 * nothing of the image.
 * Needs:  to be in a forked child of init: descriptors, identity, filter in place.
 * Owns:   the process: what it returns is the exit status.
 * Never:  trusts a path to be the same at the second look.
 *
 *	get PATH MAX    "MODE SIZE\n", then the bytes of a regular file, MAX at most
 *	put PATH SIZE   SIZE bytes of standard input become the file: written beside it
 *	                without a name, synced, renamed over it; parents are made, mode
 *	                and owner kept, a link is followed. Fewer bytes: nothing changes
 *	put PATH -      the same; each part of the input has its length before it, in four
 *	                bytes, the least first; a length of 0 ends it
 *	stat PATH       "MODE SIZE\n"; MODE in octal with the file's type
 *
 * and those of applets.h.
 *
 * A failure is one line on standard error, "ERRNO what failed", and status 1. */
#ifndef RUNTIME_INIT_APPLET_H
#define RUNTIME_INIT_APPLET_H

/** applet_main() - run the applet argv[0]; messages go to standard error; 127: unknown */
int applet_main(int argc, char *const argv[]);

#endif
