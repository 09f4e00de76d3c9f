/* helper - confined processes of ours for work on files that ids of a box own, or that
 * hostile bytes become: unpacking, removing and copying trees.
 * Needs:  the binary's own path (it is executed anew); user namespaces.
 * Owns:   the process, from helper_start() to helper_wait() or helper_done().
 * Never:  lets the work see more than one directory, its input and its result: no
 *         network, an empty root, few capabilities, limits, the filter of a box. */
#ifndef RUNTIME_HELPER_H
#define RUNTIME_HELPER_H

#include "base/err.h"
#include "base/json.h"
#include "base/proc.h"
#include "rootfs/pull.h"
#include "runtime/idmap.h"

struct helper_job {
	const char *name;	 /* "unpack", "rmtree", "copytree", "dress", "count" */
	const char *arg;	 /* of the job; NULL = none */
	const struct idmap *map; /* borrowed */
	int dir; /* borrowed: the directory to work in; its owner is mapped */
	int in;	 /* borrowed: standard input of the job; -1 = none */
};

struct helper {
	struct proc proc; /* owned */
	int result;	  /* owned: pipe with a struct err and JSON text */
};
#define HELPER_NONE ((struct helper){ .proc = PROC_NONE, .result = -1 })

/** helper_start() - begin a job; returns when the process runs, not when it is done */
int helper_start(const struct helper_job *job, struct helper *ret, struct err *e);

/**
 * helper_wait() - wait for the end of a job
 * @ret: what it reported, owned; NULL pointer = not wanted
 * Return: 0; -ETIMEDOUT (it still runs); what the job failed with; -EPIPE when it was
 *         killed.
 */
int helper_wait(struct helper *h, int timeout_ms, struct json **ret, struct err *e);

/** helper_done() - end it if it still runs */
void helper_done(struct helper *h);
#define _cleanup_helper_ _cleanup_(helper_done)

/** helper_own() - give a directory of the caller's to box root, so that a helper with
 *  this map can work in it: needed for maps in which the caller is not box root */
int helper_own(const struct idmap *map, int dir, struct err *e);

/** helper_rmtree() - a boxdir_rm_fn: remove a tree that ids of a box own; @map is a
 *  struct idmap */
int helper_rmtree(void *map, int parent, const char *name, struct err *e);

/** helper_unpack() - a pull_unpack_fn: unpack or copy into a new image; @map is a struct
 *  idmap */
int helper_unpack(void *map, const struct pull_unpack *u, struct json **ret,
		  struct err *e);

/** helper_main() - the whole process; called from cli/main.c with "__helper" as argv[0],
 *  and from nowhere else. Returns the exit status. */
int helper_main(int argc, char **argv);

#endif
