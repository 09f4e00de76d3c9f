/* spec_volume - what a box sees beside its project: SOURCE:TARGET[:ro|:rw], as a person or
 * a project's file writes it, and as the spec carries it. Pure.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  looks whether a source is there, or may be shown: that is for cli/box/volumes.h. */
#ifndef RUNTIME_SPEC_VOLUME_H
#define RUNTIME_SPEC_VOLUME_H

#include <limits.h>

#include "base/err.h"
#include "base/json.h"

enum { SPEC_VOLUMES = 8 }; /* of one box */

enum spec_volume_kind {
	SPEC_VOLUME_HOST,    /* a directory or file of the host */
	SPEC_VOLUME_PROJECT, /* what the box sees of its project, in another place */
	SPEC_VOLUME_KEPT     /* a directory of the store, by name: boxes share it */
};

enum spec_volume_access { SPEC_VOLUME_USUAL, SPEC_VOLUME_RO, SPEC_VOLUME_RW };

struct spec_volume {
	enum spec_volume_kind kind;
	enum spec_volume_access access;
	char source[PATH_MAX]; /* as written; in a spec real and absolute, or a name */
	char target[PATH_MAX]; /* absolute; no "." or ".." */
};

/** spec_volume_parse() - its text; a source with a '/' or a '~' in front is a path
 *  Return: 0 or -EINVAL. */
int spec_volume_parse(const char *text, struct spec_volume *ret, struct err *e);

/** spec_volume_cache() - the text for what a package manager keeps; NULL: none is known */
const char *spec_volume_cache(const char *name);

/** spec_volume_to_json() - owned; NULL = out of memory */
struct json *spec_volume_to_json(const struct spec_volume *v);
int spec_volume_from_json(const struct json *j, struct spec_volume *ret, struct err *e);

#endif
