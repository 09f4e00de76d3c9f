/* asked - the member "paths" of what a review is asked: only these, and what is below them.
 * Needs:  an object as of runtime/worker/jobs.h.
 * Owns:   nothing.
 * Never:  takes an empty list for nothing: it is all. */
#ifndef RUNTIME_WORKER_ASKED_H
#define RUNTIME_WORKER_ASKED_H

#include <limits.h>

#include "base/json.h"

/** asked_path() - one of them, with a '/' in front as spec_path() has it; false: it is none */
bool asked_path(const struct json *it, char ret[PATH_MAX]);

/** asked_for() - whether @path, without that '/', is among them */
bool asked_for(const struct json *args, const char *path);

/** asked_but() - the same, but not for the sake of the directory of @dir_len bytes that @path
 *  begins with alone */
bool asked_but(const struct json *args, const char *path, size_t dir_len);

#endif
