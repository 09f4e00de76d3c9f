/* gitrest - git's files while nothing runs in the box: whether they are as they were. And
 * what gitgate.c shares with this part of it alone.
 * Needs:  gitgate.h.
 * Owns:   nothing.
 * Never:  changes a view. */
#ifndef RUNTIME_MONITOR_GITREST_H
#define RUNTIME_MONITOR_GITREST_H

#include <sys/stat.h>

#include "rootfs/git/dirs.h"
#include "rootfs/git/take.h"
#include "runtime/monitor/gitgate.h"
#include "runtime/monitor/gitwatch.h"

enum {
	GITGATE_OVERLAYS =
		200,	      /* the others are read-only: a start must not take long */
	GITGATE_VIEWS = 1000, /* no box beyond */
	GITGATE_ID = 17
};

struct view {
	char *path; /* owned; below the project */
	char id[GITGATE_ID];
	int git, upper, state; /* owned; -1 = a file or link, which is only guarded */
	ino_t ino;	       /* of the thing itself; 0 = there was none */
	bool outside; /* the repository of a worktree or a submodule: @path is absolute */
	bool tree;    /* the worktree's own directory, of the repository before it */
	struct git_take_tree own; /* of such a repository; git -1 = it has none */
	bool named; /* by the host's settings: what comes in its place is set aside */
	uint64_t sign;	/* of the upper when it was last taken over */
	uint64_t first; /* the same at the start: all that was kept before */
	uint64_t host;	/* of the git directory, while nothing runs */
	bool read_only; /* of the host: the box sees it as it is, and cannot write */
};

struct gitgate {
	const struct spec *spec; /* borrowed */
	int boxdir;		 /* borrowed */
	int project, dir;	 /* owned; dir: boxes/KEY/git */
	struct git_dirs dirs;	 /* owned */
	struct view *views;	 /* owned: gitnamed_add() */
	size_t n;
	bool open;    /* a box may have used the views */
	bool partial; /* what the look at the start was */
	bool closed;  /* the same */
	struct gitwork work;
	struct gitwatch watch;
};

/** gitgate_is_pending() - as gitgate_pending(), or with all that the box kept, for its end */
bool gitgate_is_pending(struct gitgate *g, bool at_end);

/** gitgate_note() - the file "open": a box may write the views */
int gitgate_note(const struct gitgate *g, struct err *e);

/** gitrest_begin() - nothing runs in the box: what git has here is remembered. false: there
 *  is something to be done by gitgate_finish(), or too much to look at */
bool gitrest_begin(struct gitgate *g);
/** gitrest_wake() - after that: true = all is as it was */
bool gitrest_wake(struct gitgate *g);

#endif
