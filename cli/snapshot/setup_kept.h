/* setup_kept - which steps of the setup a snapshot has, so that going back to it, or a branch
 * of it, runs those that are missing there and no other.
 * Needs:  a box that is found (setup.h); the box's lock to restore.
 * Owns:   boxes/<key>/setups/<snapshot>: what "setup" of box.json was (project/setup.h).
 * Never:  says of a state that a step is done in it which is not, whenever it is killed: what
 *         is not known is run again. */
#ifndef CLI_SNAPSHOT_SETUP_KEPT_H
#define CLI_SNAPSHOT_SETUP_KEPT_H

#include "base/json.h"
#include "rootfs/store/boxdir.h"

/** setup_kept_note() - the snapshot @name, which is just made, has the steps @done
 *  @done: "setup" of box.json as it was before; NULL = none */
int setup_kept_note(const struct boxdir *dir, const char *name, const struct json *done,
		    struct err *e);

/** setup_kept_forget() - the name is free for another snapshot */
void setup_kept_forget(const struct boxdir *dir, const char *name);

/** setup_kept_claim() - @record, a box.json, is to speak of a box as the snapshot @name is */
int setup_kept_claim(const struct boxdir *dir, const char *name, struct json *record,
		     struct err *e);

/** setup_kept_restore() - snapshot_restore(), and the record with it */
int setup_kept_restore(const struct boxdir *dir, const char *name, struct err *e);

#endif
