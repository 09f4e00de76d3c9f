/* imagepick - the image that a new box is made from: found in the store, or pulled with
 * progress on the terminal.
 * Needs:  an open store; an id map, because images are unpacked for one.
 * Owns:   nothing.
 * Never:  pulls what is there.  */
#ifndef CLI_IMAGE_PICK_H
#define CLI_IMAGE_PICK_H

#include "cli/show/app.h"
#include "rootfs/store/store.h"
#include "runtime/spec/spec.h"

/**
 * imagepick_get() - fill s->image and s->image_name
 * @name: what the person called it
 * @s:    its map is that of the box
 */
int imagepick_get(const struct app *app, const char *name, struct spec *s,
		  struct err *e);

/** imagepick_hint() - an image that cannot be had is no dead end when another is there: add
 *  that to @e; returns its code */
int imagepick_hint(const struct store *st, const char *map, struct err *e);

/** imagepick_name() - check a name that an image is to have: of an option or an operand */
int imagepick_name(struct app *app, void *args, const char *name, struct err *e);

/** imagepick_same() - true when @name means the image that @s has already */
bool imagepick_same(const struct store *st, const char *name, const struct spec *s);

#endif
