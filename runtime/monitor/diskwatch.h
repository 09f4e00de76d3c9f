/* diskwatch - the disk limit of a box: counts what its layer takes, since quotas are root's
 * to set (docs/adr/0009).
 * Needs:  the box's directory and its /proc; user namespaces, for the helper that counts.
 * Owns:   descriptors of the layer, the project's and the sealed ones; the helper while it
 *         counts.
 * Never:  counts in this process: a layer may be large, and box users' files are not the
 *         caller's to see; waits. */
#ifndef RUNTIME_MONITOR_DISKWATCH_H
#define RUNTIME_MONITOR_DISKWATCH_H

#include <stdint.h>

#include "base/err.h"
#include "rootfs/store/chain.h"
#include "runtime/worker/worker.h"

enum { DISKWATCH_MS = 100 }; /* how often diskwatch_look() wants to be called */

/* What a filesystem has left: bytes, and inodes where it has a table of them. */
struct diskroom {
	uint64_t bytes, names;
};

struct diskwatch {
	int dir;	   /* owned: what the helper works in; -1 = not watching */
	const char *layer; /* its part that is counted; static */
	const struct idmap *map; /* borrowed */
	int sealed;	    /* owned: layers/, as long as one is to be counted; or -1 */
	struct chain chain; /* those below the box's own, which do not change */
	size_t next;	    /* of them */
	uint64_t below;	    /* bytes of those before it */
	int reviews[CHAIN_VIEWS]; /* owned: what holds each; -1 = none */
	size_t at; /* how many of them are counted: then the box's own layer is */
	int proc;  /* borrowed */
	uint64_t reviewed[CHAIN_VIEWS], written; /* bytes at the last count */
	uint64_t unlinked;			 /* by files without a name */
	uint64_t limit, used;			 /* bytes; used: at the last count */
	struct diskroom free;			 /* when that count began */
	uint64_t began_ms, due_ms;
	struct worker helper; /* owned while counting */
	bool counting, counted;
	unsigned failures; /* in a row */
};
#define DISKWATCH_NONE                                  \
	((struct diskwatch){ .dir = -1,                 \
			     .sealed = -1,              \
			     .reviews = { -1, -1, -1 }, \
			     .helper = WORKER_NONE })

struct diskwatch_conf {
	int boxdir;		 /* boxes/<key>; borrowed for the call */
	const char *layer;	 /* its part to count: "upper", "copy"; static */
	const struct idmap *map; /* borrowed */
	const char *store;	 /* its path; borrowed for the call */
	int proc;		 /* the box's; borrowed */
	uint64_t limit;		 /* bytes */
};
int diskwatch_open(const struct diskwatch_conf *conf, struct diskwatch *ret,
		   struct err *e);
void diskwatch_close(struct diskwatch *w);

/**
 * diskwatch_look() - start a count when one may be worth it, see to one that was started
 * Return: 1 = the layers take more than the limit; 0 = not known to; a negative errno =
 *         it cannot be counted, again and again.
 */
int diskwatch_look(struct diskwatch *w, struct err *e);

#endif
