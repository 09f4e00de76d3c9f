/* zip - the applet that packs files and directories into a zip archive.
 * Needs:  to be in an applet (applet.h); absolute paths.
 * Owns:   nothing.
 * Never:  follows a link; compresses; packs a file of 4 GiB or more, or more than ZIP_MOST.
 *         Source: APPNOTE.TXT 6.3.3 of PKWARE. */
#ifndef RUNTIME_INIT_ZIP_H
#define RUNTIME_INIT_ZIP_H

#include "base/err.h"

enum { ZIP_MOST = 65000 };

/** zip_run() - argv[1]…: what goes in, each under its own name; to standard output */
int zip_run(char *const argv[], struct err *e);

#endif
