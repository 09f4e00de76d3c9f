/* volumes - what a box is to see beside its project: each source is resolved, judged as a
 * project directory is, and put into the spec.
 * Needs:  the effective configuration; a located project.
 * Owns:   nothing.
 * Never:  follows a link that the box could have made: what a box or a project says must
 *         be free of links. */
#ifndef CLI_BOX_VOLUMES_H
#define CLI_BOX_VOLUMES_H

#include "cli/show/app.h"
#include "runtime/spec/spec.h"

/** volumes_fill() - fill @s->volumes; options of this command become what they resolve to,
 *  so that this is what --save and 'cubby set' keep
 *  Return: 0, -ENOENT, -ELOOP, -EPERM (project_dir.h), -EEXIST (two of one target) */
int volumes_fill(const struct app *app, struct spec *s, struct err *e);

/** volumes_are_new() - may the box write one, not for this start alone, that its record
 *                      @old does not have? */
bool volumes_are_new(const struct app *app, const struct spec *s,
		     const struct json *old);

#endif
