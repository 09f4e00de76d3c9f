/* snap - the box of this directory, held still: for commands that keep its state or go back
 * to one.
 * Needs:  cmd_parse() has filled the configuration.
 * Owns:   see the fields.
 * Never:  stops a box that somebody uses. */
#ifndef CLI_SNAPSHOT_SNAP_H
#define CLI_SNAPSHOT_SNAP_H

#include "base/signals.h"
#include "cli/store/boxsetup.h"
#include "rootfs/store/snapshot.h"

/**
 * snap_open() - find the box, end it where it only lingers, take its lock
 * Return: the descriptor of the lock, owned; -ENOENT; -EBUSY: it is in use.
 */
int snap_open(struct boxsetup *s, struct err *e);

/* A box whose state is to be kept, stopped or not. */
struct snap {
	struct boxsetup s; /* owned */
	int lock;	   /* owned: the box's own, or that of what is under review */
	bool running;
	struct snapshot_copy copy;
	struct signals_held
		held;	  /* of one that runs: no copy is left, and the box goes on */
	int64_t still_ms; /* how long a box that runs stood still; -1 = it did not */
};
#define SNAP(app)                                  \
	((struct snap){ .s = BOXSETUP(app),        \
			.lock = -1,                \
			.held = SIGNALS_HELD_NONE, \
			.still_ms = -1 })
void snap_done(struct snap *s);
#define _cleanup_snap_ _cleanup_(snap_done)

/** snap_find() - snap_open(), or where the box is in use what is needed to copy it */
int snap_find(struct snap *ret, struct err *e);
/** snap_copy() - for snapshot_take() and snapshot_branch(): NULL where it is stopped;
 *  borrowed from @s, which must stay where it is */
const struct snapshot_copy *snap_copy(struct snap *s);

/** snap_tell() - how long it stood still: into @j, or for a person where that is NULL */
void snap_tell(const struct snap *s, struct json *j);

/** snap_name() - for parsers: whether @word can be the name of a snapshot or a branch; a
 *  usage error where not */
int snap_name(struct app *app, void *args, const char *word, struct err *e);

#endif
