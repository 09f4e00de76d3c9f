/* asked - what options of this one command ask of a box that runs already: only its start
 * could give it.
 * Needs:  the effective configuration, and the answer of the monitor to "info".
 * Owns:   nothing.
 * Never:  looks at what comes from anywhere but an option of this command. */
#ifndef CLI_BOX_ASKED_H
#define CLI_BOX_ASKED_H

#include "base/json.h"
#include "cli/opt/config.h"
#include "runtime/box/box.h"
#include "runtime/spec/spec.h"

/** asked_any() - is there such an option? */
bool asked_any(const struct config *c);

/** asked_missing() - the first that the box of @info was not started with, as @s says it
 *  should have been; NULL = it has all. --publish is none: see asked_publish() */
const struct config_row *asked_missing(const struct config *c, const struct spec *s,
				       const struct json *info);

/** asked_publish() - make the running box publish a port; note says what was bound */
int asked_publish(struct box *b, const char *port, note_fn *note, void *ctx,
		  struct err *e);

/** asked_publish_all() - the same for all ports of @s that the box of @info has not */
int asked_publish_all(struct box *b, const struct spec *s, const struct json *info,
		      note_fn *note, void *ctx, struct err *e);

#endif
