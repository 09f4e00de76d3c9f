/* git_text - the small files of a git directory: links to other directories, values of
 * refs, packed refs, names of refs.
 * Needs:  whole files; whoever reads them sets the limit.
 * Owns:   nothing.
 * Never:  believes a byte: a box may have written them. Pure. */
#ifndef ROOTFS_GIT_TEXT_H
#define ROOTFS_GIT_TEXT_H

#include <limits.h>

#include "base/def.h"

enum {
	GIT_TEXT_VALUE = 320, /* bytes of a value: a sum, or "ref: NAME" */
	GIT_TEXT_NAME = 256   /* bytes of a ref's name, NUL included */
};

/** git_text_link() - where a ".git" file leads: the path behind "gitdir: "
 *  Return: 0 or -EBADMSG. */
int git_text_link(const char *text, size_t len, char ret[PATH_MAX]);

/** git_text_path() - the one path of a "commondir" or "gitdir" file; 0 or -EBADMSG */
int git_text_path(const char *text, size_t len, char ret[PATH_MAX]);

/** git_text_is_sum() - 40 or 64 lower-case hex digits */
bool git_text_is_sum(const char *s, size_t len);

/** git_text_is_ref() - a name below refs/ that git itself would take, without blanks */
bool git_text_is_ref(const char *name, size_t len);

/**
 * git_text_value() - what HEAD or a file below refs/ says
 * @ret: a sum, or "ref: " and a good name below refs/
 * Return: 0 or -EBADMSG.
 */
int git_text_value(const char *text, size_t len, char ret[GIT_TEXT_VALUE]);

/** git_text_is_quoted() - nothing but words that a shell takes as they are, or as git quotes
 *  them, none of which stands for names of files; with @remarks also lines of those */
bool git_text_is_quoted(const char *s, size_t len, bool remarks);

/* A negative result ends git_text_packed(), which returns it. */
typedef int git_text_fn(void *ctx, const char *name, const char *sum);

/** git_text_packed() - call @fn for each ref of a packed-refs file; 0 or -EBADMSG */
int git_text_packed(const char *text, size_t len, git_text_fn *fn, void *ctx);

#endif
