/* checkpoint - states of what is under review, one for each turn of a task: what was in the
 * project when so many turns were done.
 * Needs:  the lock of the layers (chain_lock()) to change any.
 * Owns:   boxes/<key>/checkpoints/<name>: the layer that has it, and what was taken over.
 * Never:  says anything of the machine: what is installed is a snapshot's matter. */
#ifndef ROOTFS_STORE_CHECKPOINT_H
#define ROOTFS_STORE_CHECKPOINT_H

#include <stdint.h>

#include "base/json.h"
#include "rootfs/store/chain.h"

/* What rewinding keeps of the state that it leaves. */
#define CHECKPOINT_BEFORE "before-rewind"

enum { CHECKPOINT_SIGN = 24, CHECKPOINT_TASK = 96, CHECKPOINT_NAME = 64 };

struct checkpoint {
	char name[CHECKPOINT_NAME];
	char project[CHAIN_ID];	    /* the layer */
	char sign[CHECKPOINT_SIGN]; /* of what it has */
	char task[CHECKPOINT_TASK]; /* the transcript; "" = of no task */
	int64_t applied;	    /* the last apply then, of those not taken back */
	int64_t made;		    /* seconds since 1970 */
	int64_t written; /* bytes, by this one and those of the task before it */
};

/** checkpoint_load() - -ENOENT with the remedy */
int checkpoint_load(const struct boxdir *b, const char *name, struct checkpoint *ret,
		    struct err *e);
/** checkpoint_save() - under its name */
int checkpoint_save(const struct boxdir *b, const struct checkpoint *c, struct err *e);

typedef int checkpoint_fn(void *ctx, const struct checkpoint *c);
/** checkpoint_list() - in no order; a negative return of @each ends it */
int checkpoint_list(const struct boxdir *b, checkpoint_fn *each, void *ctx,
		    struct err *e);

/** checkpoint_number() - the turn that @name stands for; -1 = it is a person's name */
int64_t checkpoint_number(const char *name);

/** checkpoint_last() - the one with the highest number; 1, or 0: there is none */
int checkpoint_last(const struct boxdir *b, struct checkpoint *ret, struct err *e);

/** checkpoint_forget() - all numbers from @first on */
int checkpoint_forget(const struct boxdir *b, int64_t first, struct err *e);

/** checkpoint_restore() - what is under review is what @c has; what it was is
 *  CHECKPOINT_BEFORE. The box is stopped and locked. */
int checkpoint_restore(const struct boxdir *b, const struct checkpoint *c,
		       int64_t applied, struct err *e);

/** checkpoint_rewind() - note that all applies after the number @after are being taken back,
 *  also by who comes next where this one is killed; -1 = not any more
 *  Return: 0 or a negative errno. */
int checkpoint_rewind(int boxdir, int64_t after, struct err *e);
/** checkpoint_rewinding() - the number of that note; -1 = there is none */
int64_t checkpoint_rewinding(int boxdir);

#endif
