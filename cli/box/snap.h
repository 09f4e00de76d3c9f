/* snap - the box of this directory, stopped and held still: for commands that keep its
 * state or go back to one.
 * Needs:  cmd_parse() has filled the configuration.
 * Owns:   the lock, with snap_open()'s descriptor.
 * Never:  stops a box that somebody uses. */
#ifndef CLI_BOX_SNAP_H
#define CLI_BOX_SNAP_H

#include "cli/box/setup.h"

/**
 * snap_open() - find the box, end it where it only lingers, take its lock
 * Return: the descriptor of the lock, owned; -ENOENT; -EBUSY: it is in use.
 */
int snap_open(const struct app *app, struct boxsetup *s, struct err *e);

/** snap_name() - for parsers: whether @word can be the name of a snapshot or a branch; a
 *  usage error where not */
int snap_name(struct app *app, void *args, const char *word, struct err *e);

#endif
