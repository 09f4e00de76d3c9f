/* pulling - an image is fetched and unpacked while a person watches.
 * Needs:  an open store.
 * Owns:   the terminal's last line meanwhile.
 * Never:  leaves a pull behind that ^C interrupted. */
#ifndef CLI_IMAGE_PULLING_H
#define CLI_IMAGE_PULLING_H

#include "cli/show/app.h"
#include "rootfs/image/image.h"
#include "runtime/idmap/idmap.h"

struct pulling_ref {
	const char *ref;    /* as source_parse() takes it */
	const char *name;   /* what the image is called; NULL = as the reference says */
	const char *digest; /* what it must be, else -ESTALE; NULL = whatever it is */
	const char *source; /* what is noted as its source, where @ref is nothing that a
			     * person knows (then @name is shown); NULL = the reference */
	bool flat;	    /* layers become one directory */
};

/**
 * pulling_image() - pull_image() with progress and ^C
 * Return: 0; -ECANCELED after ^C; why not, and what can be done instead.
 */
int pulling_image(const struct app *app, const struct idmap *map,
		  const struct pulling_ref *what, struct image *ret, struct err *e);

#endif
