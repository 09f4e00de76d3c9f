/* changes - what a task did to the project directory: two snapshots and their
 * difference. Needs:  the directory as a descriptor; names and stat only, no content is
 * read. Owns:   the names it collected. Never:  follows a symbolic link or leaves the
 * directory's file system. */
#ifndef AGENT_TASK_CHANGES_H
#define AGENT_TASK_CHANGES_H

#include <stdint.h>

#include "base/err.h"
#include "base/scope.h"
#include "runtime/spec/effects.h"

enum changes_kind { CHANGES_CREATED, CHANGES_MODIFIED, CHANGES_DELETED };

enum {
	CHANGES_EXECUTABLE = 1 << 0, /* a regular file that can be run now */
	CHANGES_GIT = 1 << 1,	     /* git's own, of which a commit changes nothing */
	CHANGES_DIRECTORY = 1 << 2,
	CHANGES_SYMLINK = 1 << 3,
	CHANGES_FOREIGN =
		1 << 4, /* belongs to somebody other than the directory's owner */
	CHANGES_SETID = 1 << 5,
	CHANGES_LEAVES = 1 << 6 /* a link that points out of the directory */
};

enum {
	CHANGES_MAX_FILES = 200000, /* looked at; beyond: incomplete */
	CHANGES_MAX_LISTED = 1000   /* kept in a difference */
};

struct changes_item {
	enum changes_kind kind;
	unsigned flags;
	struct effect effect; /* what it does on the host */
	char *path;	      /* owned; relative, raw bytes: escape it for people */
	uint64_t size;
	size_t added, removed; /* lines, where they were counted */
};

struct changes {
	struct changes_item
		*items; /* owned; what acts on the host first, then by path */
	size_t n;
	size_t created, modified, deleted; /* all, listed or not */
	size_t held;			   /* the same, deleted ones aside */
	bool incomplete; /* too many files, or some could not be looked at */
	bool waits;	 /* in the box, and not in the project yet */
};
void changes_done(struct changes *c);
/** changes_add() - one more; the path is copied. Return: 0 or -ENOMEM. */
int changes_add(struct changes *c, const struct changes_item *x);

struct changes_snapshot;
int changes_snapshot(int dirfd, struct changes_snapshot **ret, struct err *e);
void changes_snapshot_free(struct changes_snapshot **s);
#define _cleanup_changes_snapshot_ _cleanup_(changes_snapshot_free)

/** changes_since() - what is different now; @ret is filled on success only */
int changes_since(const struct changes_snapshot *before, int dirfd, struct changes *ret,
		  struct err *e);

#endif
