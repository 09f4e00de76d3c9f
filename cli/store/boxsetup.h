/* boxsetup - the box of a command, as far as it is known: where it is kept, what it is to be,
 * and the open box where there is one. cli/box/setup.h fills it. It is handed on as a whole to
 * what starts, joins or leaves the box; who only reads a part of it takes that part.
 * Needs:  nothing.
 * Owns:   the open directory of the box, the spec, the box.
 * Never:  looks for a box, or starts one. */
#ifndef CLI_STORE_BOXSETUP_H
#define CLI_STORE_BOXSETUP_H

#include "cli/store/place.h"
#include "rootfs/store/boxdir.h"
#include "runtime/box/box.h"
#include "runtime/spec/spec.h"

struct boxsetup {
	const struct app *app;	      /* borrowed: whose command it is */
	struct boxdir dir;	      /* owned */
	struct spec spec;	      /* owned */
	struct place_found place;     /* where in the project the person is */
	struct project_dir dir_asked; /* borrows the spec; of a start's permission */
	struct box *box;	      /* owned; NULL = not open */
	bool keep_options; /* --save, set: options of the command stay with the box */
	const char *const *forget; /* borrowed; names of options that no longer do */
	bool remove;		   /* --rm: by boxsetup_finish() */
	bool no_setup, no_cache;   /* options of those names */
	bool as_root, look;	   /* of the command: opt/box.h */
	bool setup_begun; /* nothing but steps of the setup ran in the box, by its record */
	bool changed;	  /* options that stay with the box are others than before */
	bool lingered; /* nobody used the box: it is another one, or has what is asked for */
	bool tell_links; /* a start looks for links (box/links.h), and has not yet */
	bool may_join;	 /* nobody has asked for a review: a box that is in use without
			* one is joined all the same */
};
#define BOXSETUP(of) \
	((struct boxsetup){ .app = (of), .dir = BOXDIR_NONE, .spec = SPEC_NONE })
void boxsetup_done(struct boxsetup *s);
#define _cleanup_boxsetup_ _cleanup_(boxsetup_done)

#endif
