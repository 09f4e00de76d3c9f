/* effects_watch - a cheap look at the files of a project that act on the host by
 * themselves, before and after something ran in its box.
 * Needs:  the project directory as a descriptor.
 * Owns:   the names that it saw.
 * Never:  looks at more than a fixed number of names, or follows a link.
 *
 * Seen are names of the table (effects.h) in the project's own directory and in those of
 * its directories that the table names, and links out of it. What lies deeper, and rights
 * to run, only the comparison after a task sees. */
#ifndef RUNTIME_SPEC_EFFECTS_WATCH_H
#define RUNTIME_SPEC_EFFECTS_WATCH_H

#include "base/buf.h"
#include "base/json.h"
#include "base/scope.h"

struct effects_watch;

/** effects_watch_look() - what is there now; NULL: it cannot be looked at */
struct effects_watch *effects_watch_look(int dirfd);
/** effects_watch_print() - what effects_watch_parse() makes one of again */
int effects_watch_print(const struct effects_watch *w, struct buf *out);
/** effects_watch_parse() - NULL: that is none */
struct effects_watch *effects_watch_parse(const char *data, size_t len);
void effects_watch_free(struct effects_watch **w);
#define _cleanup_effects_watch_ _cleanup_(effects_watch_free)

/* @path: relative, raw bytes: escape it for people. */
typedef void effects_watch_fn(void *ctx, const char *path, const char *why,
			      bool is_new);

/** effects_watch_compare() - call @fn for each file of @now that @before has not, or has
 *  in another state, sorted by name */
void effects_watch_compare(const struct effects_watch *before,
			   const struct effects_watch *now, effects_watch_fn *fn,
			   void *ctx);

/** effects_watch_describe() - a file that was named: {"path", "why", "new"}, the path
 *  escaped for people */
struct json *effects_watch_describe(const char *path, const char *why, bool is_new);
/** effects_watch_list() - all that effects_watch_compare() names, described */
struct json *effects_watch_list(const struct effects_watch *before,
				const struct effects_watch *now);

#endif
