/* boxsetup - from options and configuration to a box that can be started: where it is,
 * which image, which id map, which limits.
 * Needs:  cmd_parse() has filled the configuration.
 * Owns:   nothing: what it opens is the struct's (store/boxsetup.h).
 * Never:  starts a program of the box.
 *
 * What a person sets for a box by an option stays with it: its box.json keeps those
 * options beside the spec, and they hold for later commands in that directory until
 * another option says otherwise. */
#ifndef CLI_BOX_SETUP_H
#define CLI_BOX_SETUP_H

#include "cli/opt/box.h"
#include "cli/project/file.h"
#include "cli/show/app.h"
#include "cli/store/boxsetup.h"
#include "runtime/box/box.h"

/**
 * boxsetup_open() - find or make the box of s->app->dir, start or join it
 *
 * Pulls the image, with progress on s->app->err, when it is not there.
 * Return: 0, or why there is no box: CMD_NO_BOX is its status.
 */
int boxsetup_open(const struct opt_box *o, struct boxsetup *s, struct err *e);

/** boxsetup_prepare() - the first half of boxsetup_open(): all but starting or joining.
 *  From here on the configuration has the options that were kept with the box. */
int boxsetup_prepare(const struct opt_box *o, struct boxsetup *s, struct err *e);
/** boxsetup_start() - the second half; @first: see box.h, or NULL */
int boxsetup_start(struct boxsetup *s, const struct box_command *first, struct err *e);

/** boxsetup_locate() - only where it is, and what the project's own file says of it
 *  Return: as project_file_load() */
int boxsetup_locate(struct boxsetup *s, enum project_ask ask, struct err *e);

/** boxsetup_find() - only what is there: -ENOENT "no box for 'DIR'" when there is none.
 *  The box is not opened. A project's file that cannot be read is said, and does not count. */
int boxsetup_find(struct boxsetup *s, struct err *e);

/** boxsetup_join() - after boxsetup_find(): open the box if it is running, -ENOENT
 *  "the box is not running" when it is not */
int boxsetup_join(struct boxsetup *s, struct err *e);

/** boxsetup_running() - both of them */
int boxsetup_running(struct boxsetup *s, struct err *e);

/** boxsetup_tell_later() - where the box runs: that it does not heed yet what was set. One
 *  that only lingers is started anew by the next command */
void boxsetup_tell_later(struct boxsetup *s);

/** boxsetup_finish() - leave the box; with --rm stop and remove it */
int boxsetup_finish(struct boxsetup *s, struct err *e);

#endif
