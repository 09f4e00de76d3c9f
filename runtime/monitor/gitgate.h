/* gitgate - git's files of a live project while a box runs: which directories get a view
 * of their own, when what the box changed there is taken over, and what becomes of
 * repositories that the box makes.
 * Needs:  rootfs/git_*.h; the box's directory and its lock.
 * Owns:   its list of views and one process at a time, which does the work.
 * Never:  lets the monitor wait for that process, but at the end of the box. */
#ifndef RUNTIME_MONITOR_GITGATE_H
#define RUNTIME_MONITOR_GITGATE_H

#include "runtime/monitor/gitwork.h"
#include "runtime/spec/spec.h"

struct gitgate;

/**
 * gitgate_new() - for the box whose directory is @boxdir
 * @spec, @boxdir: borrowed
 */
int gitgate_new(const struct spec *spec, int boxdir, struct gitgate **ret,
		struct err *e);
void gitgate_free(struct gitgate **g);

/**
 * gitgate_find() - find repositories, and take over what an earlier monitor left
 * @mounts: what mount_project() is to do: for each KIND, PATH below the project and name of
 *          the view, each ended by NUL
 * @say:    what the person should know, also later
 */
int gitgate_find(struct gitgate *g, gitwork_say_fn *say, void *ctx, struct buf *mounts,
		 struct err *e);

/** gitgate_recover() - take over and look at what an earlier monitor, which was killed, left,
 *  for there is no next start of the box */
int gitgate_recover(const struct spec *spec, int boxdir, gitwork_say_fn *say, void *ctx,
		    struct err *e);

/** gitgate_read_only() - no view could be mounted: the git directories are read-only */
void gitgate_read_only(struct gitgate *g, int code, gitwork_say_fn *say, void *ctx);

/**
 * gitgate_watch() - hear of a repository that the box makes of the project directory itself
 * Return: a descriptor, borrowed, to be read by gitgate_seen(); or a negative errno: then
 * it is met when the command ends.
 */
int gitgate_watch(struct gitgate *g);
/** gitgate_watch_take() - its descriptor, owned by the caller: to close it takes 10 ms */
int gitgate_watch_take(struct gitgate *g);
/** gitgate_seen() - read it: whether a look is due */
bool gitgate_seen(struct gitgate *g);
/** gitgate_look() - as gitgate_begin(), only to look at what is new */
int gitgate_look(struct gitgate *g, struct err *e);

/** gitgate_pending() - whether there is something to take over or to look at */
bool gitgate_pending(struct gitgate *g);

/**
 * gitgate_begin() - start the work
 * Return: a descriptor, borrowed, that is ready to be read when it has ended.
 */
int gitgate_begin(struct gitgate *g, struct err *e);
/** gitgate_more() - read some of it when it is ready; false: the work has ended */
bool gitgate_more(struct gitgate *g);
/** gitgate_end() - after that: say what there is to say. Return: as gitwork_end() */
int gitgate_end(struct gitgate *g, gitwork_say_fn *say, void *ctx);

/** gitgate_finish() - the box has ended: take over the rest, clean the views
 *  @looked: what it made was looked at when it could make nothing more; what is new since is
 *           not its */
void gitgate_finish(struct gitgate *g, bool looked);

#endif
