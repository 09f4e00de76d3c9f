/* worker - confined processes of ours for work on files that ids of a box own, or that
 * hostile bytes become: unpacking, removing and copying trees.
 * Needs:  the binary's own path (it is executed anew); user namespaces.
 * Owns:   the process, from worker_start() to worker_wait() or worker_done().
 * Never:  lets the work see more than one directory, its input and its result: no
 *         network, an empty root, few capabilities, limits, the filter of a box. */
#ifndef RUNTIME_WORKER_WORKER_H
#define RUNTIME_WORKER_WORKER_H

#include "base/err.h"
#include "base/json.h"
#include "base/proc.h"
#include "runtime/idmap/idmap.h"

struct worker_job {
	const char *name;	 /* a row of worker.c's table */
	const char *arg;	 /* of the job; NULL = none */
	const struct idmap *map; /* borrowed */
	int dir; /* borrowed: the directory to work in; its owner is mapped */
	int in;	 /* borrowed: standard input of the job; -1 = none */
	int out; /* borrowed: where a job writes more than a result; 0 = none */
};

struct worker {
	struct proc proc; /* owned */
	int result;	  /* owned: pipe with a struct err and JSON text */
};
#define WORKER_NONE ((struct worker){ .proc = PROC_NONE, .result = -1 })

/** worker_start() - begin a job; returns when the process runs, not when it is done */
int worker_start(const struct worker_job *job, struct worker *ret, struct err *e);

/**
 * worker_wait() - wait for the end of a job
 * @ret: what it reported, owned; NULL pointer = not wanted
 * Return: 0; -ETIMEDOUT (it still runs); what the job failed with; -EPIPE when it was
 *         killed.
 */
int worker_wait(struct worker *h, int timeout_ms, struct json **ret, struct err *e);

/** worker_run() - start a job and wait for its end; @ret as of worker_wait() */
int worker_run(const struct worker_job *job, struct json **ret, struct err *e);

/** worker_done() - end it if it still runs */
void worker_done(struct worker *h);
#define _cleanup_worker_ _cleanup_(worker_done)

/** worker_own() - give a directory of the caller's to box root, so that a helper with
 *  this map can work in it: needed for maps in which the caller is not box root */
int worker_own(const struct idmap *map, int dir, struct err *e);

/** worker_rmtree() - a boxdir_rm_fn: remove a tree that ids of a box own; @map is a
 *  struct idmap */
int worker_rmtree(void *map, int parent, const char *name, struct err *e);

/** worker_main() - the whole process; called from cli/main.c with "__helper" as argv[0],
 *  and from nowhere else. Returns the exit status. */
int worker_main(int argc, char **argv);

#endif
