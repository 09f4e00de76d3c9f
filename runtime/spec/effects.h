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
 * Names are compared as some filesystems do: without regard to case, to characters that
 * nobody sees, and to dots and blanks at the end.
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

/** effects_is_above() - whether a rule names something further down in the directory @path,
 *  which is spelt as the rule has it */
bool effects_is_above(const char *path);

/** effects_leaves() - whether the link at @path (relative to the project) points out of
 *  it, or may: its target is absolute, goes up further than the link lies deep, or goes up
 *  from a name, which may be a link itself */
bool effects_leaves(const char *path, size_t len, const char *target,
		    size_t target_len);

#endif
