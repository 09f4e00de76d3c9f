/* agreed - to which texts of a project the person has said yes: settings that the project
 * brings hold only then.
 * Needs:  an open store.
 * Owns:   agreed/ in the store, a file for each project and file of it: the hash of the
 *         text.
 * Never:  takes a text that differs in a byte; lies where a box could write it. */
#ifndef CLI_PROJECT_AGREED_H
#define CLI_PROJECT_AGREED_H

#include "base/buf.h"
#include "rootfs/store/store.h"

struct agreed {
	const char *project; /* absolute */
	const char *file;    /* of it: ".cubby/box.json" */
	const struct buf *text;
};

bool agreed_to(const struct store *st, const struct agreed *a);
/** agreed_note() - from now on; another text of this file is not agreed to any more */
int agreed_note(const struct store *st, const struct agreed *a, struct err *e);

#endif
