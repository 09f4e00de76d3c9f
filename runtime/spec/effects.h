/* effects - which files of a project act on the host: by themselves, when a program of the
 * person's comes by ("held"), or once the person runs the project's own code ("marked").
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  believes a name: paths are bytes of any kind and length. */
#ifndef RUNTIME_SPEC_EFFECTS_H
#define RUNTIME_SPEC_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum effects_class { EFFECTS_PLAIN, EFFECTS_MARKED, EFFECTS_HELD };

/* "held", "marked", "plain" */
const char *effects_name(enum effects_class c);

struct effect {
	enum effects_class class;
	const char *why; /* in words, static; NULL = plain */
};

enum { EFFECTS_PATH = 4096 }; /* bytes; a longer path is held for its length */

/**
 * effects_of_path() - what a file of this name does
 * @path: relative to the project, of @len bytes; "/" separates
 *
 * Letters are compared without regard to case: some filesystems do so, too.
 */
struct effect effects_of_path(const char *path, size_t len);

/** effects_of_change() - the same for a change of it
 *  @was, @now: st_mode before and after; 0 = there is nothing
 *  @leaves:    it is a link that points out of the project
 *
 * What was taken away acts on nothing. */
struct effect effects_of_change(const char *path, mode_t was, mode_t now, bool leaves);

/** effects_is_git() - whether it lies in a .git, or is one, and is more than what a commit
 *  changes */
bool effects_is_git(const char *path, size_t len);

/** effects_leaves() - whether the link at @path (relative to the project) points out of
 *  it: its target is absolute, or goes up further than the link lies deep */
bool effects_leaves(const char *path, size_t len, const char *target,
		    size_t target_len);

#endif
