/* passover - programs that a box may have written are not run on this computer, though PATH
 * leads to them, as in a venv that is active here.
 * Needs:  an open store.
 * Owns:   PATH, of this process and of what it starts.
 * Never:  opens a box; puts into PATH what was not there. */
#ifndef CLI_STORE_PASSOVER_H
#define CLI_STORE_PASSOVER_H

#include "base/buf.h"
#include "base/json.h"
#include "rootfs/store/store.h"

/**
 * passover_boxes() - what leads into the store, into the project of any box, or into what
 *                    one has of the host to write leaves PATH
 * @project: one more; NULL = none
 *
 * What a box has to write is known as long as it runs or its record says so. Where PATH has
 * the system's own directories alone, which no box has, no other box is looked at.
 */
int passover_boxes(const struct store *st, const char *project, struct err *e);

/** passover_later() - passover_boxes() when a program is first wanted (proc_path_later()) */
int passover_later(const char *project, struct err *e);

/** passover_volumes() - the same for @volumes, a spec's */
int passover_volumes(const struct json *volumes, struct err *e);

/**
 * passover_written() - where a box of the caller's has something of the host to write, or had
 * @ret:   gets each path with its NUL
 * @marks: the same of projects by what they are known when they were renamed, for
 *         passover_is_marked()
 */
int passover_written(struct buf *ret, struct buf *marks, struct err *e);

/** passover_is_marked() - is the directory @path one of @marks? */
bool passover_is_marked(const struct buf *marks, const char *path);

#endif
