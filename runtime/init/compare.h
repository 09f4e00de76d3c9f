/* compare - the applet "compare": what differs between two files, as JSON for a panel.
 * Needs:  to be in an applet (applet.h); absolute paths.
 * Owns:   nothing.
 * Never:  shows a part of a text as if it were all of it: what is too large is refused.
 *
 * The shape of the answer is Open Terminal's, POST /files/compare:
 *	{"original": {"path", "name", "notices": []}, "revised": …, "additions", "deletions",
 *	 "hunks": [{"header", "lines": [{"type": "context"|"removed"|"added", "oldNumber",
 *	 "newNumber", "content", "revisedContent" (of context), "segments": [{"text",
 *	 "changed"}]}]}]} */
#ifndef RUNTIME_INIT_COMPARE_H
#define RUNTIME_INIT_COMPARE_H

#include "base/err.h"

/** compare_run() - argv: "compare", the original, the revised, "w" = blanks do not count */
int compare_run(char *const argv[], struct err *e);

#endif
