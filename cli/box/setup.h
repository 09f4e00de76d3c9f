/* boxsetup - from options and configuration to a box that can be started: where it is,
 * which image, which id map, which limits.
 * Needs:  cmd_parse() has filled the configuration.
 * Owns:   the open store and box directory, the spec.
 * Never:  starts a program of the box.
 *
 * What a person sets for a box by an option stays with it: its box.json keeps those
 * options beside the spec, and they hold for later commands in that directory until
 * another option says otherwise. */
#ifndef CLI_BOX_SETUP_H
#define CLI_BOX_SETUP_H

#include "cli/box/place.h"
#include "cli/box/project_file.h"
#include "cli/opt/box.h"
#include "cli/show/app.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/store.h"
#include "runtime/box/box.h"
#include "runtime/spec/spec.h"

struct boxsetup {
	struct store store;	  /* owned */
	struct boxdir dir;	  /* owned */
	struct spec spec;	  /* owned */
	struct place_found place; /* where in the project the person is */
	struct box *box;	  /* owned; NULL = not open */
	bool keep_options; /* --save, set: options of the command stay with the box */
	const char *const *forget; /* borrowed; names of options that no longer do */
	bool remove;		   /* --rm: by boxsetup_finish() */
	bool no_setup, no_cache;   /* options of those names */
	bool setup_begun; /* nothing but steps of the setup ran in the box, by its record */
	bool changed;	  /* options that stay with the box are others than before */
	bool may_join; /* nobody has asked for a review: a box that is in use without
			* one is joined all the same */
};
#define BOXSETUP_NONE       \
	((struct boxsetup){ \
		.store = STORE_NONE, .dir = BOXDIR_NONE, .spec = SPEC_NONE })
void boxsetup_done(struct boxsetup *s);
#define _cleanup_boxsetup_ _cleanup_(boxsetup_done)

/**
 * boxsetup_open() - find or make the box of app->dir, start or join it
 *
 * Pulls the image, with progress on app->err, when it is not there.
 * Return: 0, or why there is no box: CMD_NO_BOX is its status.
 */
int boxsetup_open(const struct app *app, const struct opt_box *o, struct boxsetup *s,
		  struct err *e);

/** boxsetup_prepare() - the first half of boxsetup_open(): all but starting or joining.
 *  From here on the configuration has the options that were kept with the box. */
int boxsetup_prepare(const struct app *app, const struct opt_box *o, struct boxsetup *s,
		     struct err *e);
/** boxsetup_start() - the second half; @first: see box.h, or NULL */
int boxsetup_start(const struct app *app, struct boxsetup *s,
		   const struct box_command *first, struct err *e);

/** boxsetup_locate() - only where it is, and what the project's own file says of it */
int boxsetup_locate(const struct app *app, struct boxsetup *s, enum project_ask ask,
		    struct err *e);

/** boxsetup_find() - only what is there: -ENOENT "no box for 'DIR'" when there is none.
 *  The box is not opened. */
int boxsetup_find(const struct app *app, struct boxsetup *s, struct err *e);

/** boxsetup_join() - after boxsetup_find(): open the box if it is running, -ENOENT
 *  "the box is not running" when it is not */
int boxsetup_join(const struct app *app, struct boxsetup *s, struct err *e);

/** boxsetup_running() - both of them */
int boxsetup_running(const struct app *app, struct boxsetup *s, struct err *e);

/** boxsetup_finish() - leave the box; with --rm stop and remove it */
int boxsetup_finish(struct boxsetup *s, struct err *e);

#endif
