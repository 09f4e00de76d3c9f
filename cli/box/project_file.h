/* project_file - .cubby/box.json of the project: read, agreed to by the person where it
 * widens the box, its packages and setup brought into the box once.
 * Needs:  a located project, an open store.
 * Owns:   nothing.
 * Never:  believes anything that the box can write: neither the agreement nor what was set
 *         up lies where it could. */
#ifndef CLI_BOX_PROJECT_FILE_H
#define CLI_BOX_PROJECT_FILE_H

#include "cli/show/app.h"
#include "rootfs/store/boxdir.h"
#include "runtime/box/box.h"
#include "runtime/spec/spec.h"

enum project_ask {
	PROJECT_ASK_NEVER, /* say nothing: only look */
	PROJECT_ASK,	   /* a person at a terminal, else say what does not hold */
	PROJECT_AGREE	   /* the person has said so */
};

/** project_file_load() - take its settings into app->config; 0 also when there is none */
int project_file_load(const struct app *app, const struct store *st,
		      const struct spec *s, enum project_ask ask, struct err *e);

/** project_file_setup_needed() - what it wants in the box is not what was done in it */
bool project_file_setup_needed(const struct app *app, const struct spec *s,
			       const struct boxdir *dir);

/** project_file_setup() - run its packages and setup in the box, and note that */
int project_file_setup(const struct app *app, const struct spec *s,
		       const struct boxdir *dir, struct box *b, struct err *e);

#endif
