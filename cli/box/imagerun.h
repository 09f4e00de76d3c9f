/* imagerun - how an image wants to be run: its environment for every command, and its
 * command, user and directory where a person gives no command, as 'docker run' does.
 * Needs:  the image of the box.
 * Owns:   the environment and the words.
 * Never:  lets the image say anything that the person says. */
#ifndef CLI_BOX_IMAGERUN_H
#define CLI_BOX_IMAGERUN_H

#include "cli/box/env.h"
#include "cli/show/app.h"
#include "runtime/box/box.h"

struct imagerun {
	struct json *image; /* owned; NULL = it says nothing */
	struct env env;	    /* owned */
	const char **argv;  /* owned; words of image */
};
#define IMAGERUN_NONE ((struct imagerun){ .image = NULL })
void imagerun_done(struct imagerun *i);
#define _cleanup_imagerun_ _cleanup_(imagerun_done)

/** imagerun_env() - env_make(), and what the image says of the rest
 *  @image: its directory in the store (spec.image) */
int imagerun_env(const struct app *app, const char *image, struct imagerun *ret,
		 struct err *e);

/** imagerun_command() - entrypoint and command into @c, and user and directory where none
 *  were given (@placed: a directory was). -EINVAL: the image, called @name, has none. */
int imagerun_command(struct imagerun *i, const char *name, bool placed,
		     struct box_command *c, struct err *e);

#endif
