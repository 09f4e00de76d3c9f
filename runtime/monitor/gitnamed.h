/* gitnamed - what git's settings name in a live project: read-only in the box, and set aside
 * if the box makes it.
 * Needs:  gitrest.h, whose views it adds to.
 * Owns:   nothing.
 * Never:  refuses a start: what cannot be guarded is said. */
#ifndef RUNTIME_MONITOR_GITNAMED_H
#define RUNTIME_MONITOR_GITNAMED_H

#include "runtime/monitor/gitrest.h"

/** gitnamed_add() - one more of the views
 *  @v: taken over on success
 *  Return: 0, -E2BIG, -ENOMEM. */
int gitnamed_add(struct gitgate *g, const struct view *v);

/** gitnamed_note() - something that the box must not write, whatever it is; or make, if it is
 *  not there
 *  @ino: of what is, or was, there; 0 = nothing */
int gitnamed_note(struct gitgate *g, const char *path, ino_t ino);

/** gitnamed_own_git() - what git obeys in the git directory, or file, @path has no other name
 *  (hard link) any more: one in the project, the box could write to */
void gitnamed_own_git(int project, const char *path);

/** gitnamed_find() - all that settings name: of the project's repositories, of those that it
 *  lies in, and of the user */
void gitnamed_find(struct gitgate *g, gitwork_say_fn *say, void *ctx);

/** gitnamed_changed() - the next of them, from view @at on, that is another than it was
 *  @ret: what is to be set aside */
bool gitnamed_changed(const struct gitgate *g, size_t *at, char ret[PATH_MAX]);

#endif
