/* git_refs - names and values of refs: those of a git directory, and what a box made of
 * them.
 * Needs:  the files backend of git; a repository with another one has no refs here.
 * Owns:   its list.
 * Never:  follows a link; believes a name or value that git_text does not. */
#ifndef ROOTFS_GIT_REFS_H
#define ROOTFS_GIT_REFS_H

#include "base/err.h"
#include "base/json.h"
#include "rootfs/git/upper.h"

enum { GIT_REFS_MAX = 100000, GIT_REFS_BYTES = 32 << 20 };

struct git_ref {
	char *name, *value; /* owned; value: a sum or "ref: NAME" */
};

struct git_refs {
	struct git_ref *list; /* owned; sorted by name */
	size_t n;
};
void git_refs_done(struct git_refs *m);
#define _cleanup_git_refs_ _cleanup_(git_refs_done)

/** git_refs_get() - the value, borrowed, or NULL */
const char *git_refs_get(const struct git_refs *m, const char *name);
/** git_refs_set() - @value NULL removes; 0, -ENOMEM or -E2BIG */
int git_refs_set(struct git_refs *m, const char *name, const char *value);
/** git_refs_drop() - remove all below the directory @prefix, which ends in '/' */
void git_refs_drop(struct git_refs *m, const char *prefix);

/* A loose ref hides a packed one of the same name. */
struct git_refs_pair {
	struct git_refs loose, packed;
};
void git_refs_pair_done(struct git_refs_pair *p);
#define _cleanup_git_refs_pair_ _cleanup_(git_refs_pair_done)
const char *git_refs_pair_get(const struct git_refs_pair *p, const char *name);

/* Their names in an order in which case does not count. */
struct git_refs_folded {
	const char **list; /* owned; the names are borrowed */
	size_t n;
};
void git_refs_folded_done(struct git_refs_folded *f);
/** git_refs_fold() - those of @p, which must outlive @ret; 0 or -ENOMEM */
int git_refs_fold(const struct git_refs_pair *p, struct git_refs_folded *ret);
/** git_refs_is_alike() - may a filesystem that folds case take @name for another of them?
 *  What it does with letters beyond ASCII is not known: such a name may, when it is new. */
bool git_refs_is_alike(const struct git_refs_folded *f, const char *name);

/** git_refs_read() - all refs of a git directory, what is malformed left out
 *  Return: 0 or a negative errno (-E2BIG: too many). */
int git_refs_read(int git, struct git_refs_pair *ret, struct err *e);

/** git_refs_lay() - what @p becomes with a file of an upper directory over it: it is, or lies
 *  below, "refs" or "packed-refs"
 *  Return: 0; 1: git would not understand it, and nothing is changed; or -ENOMEM, -E2BIG. */
int git_refs_lay(struct git_refs_pair *p, int upper, const char *path,
		 enum upper_kind kind);
/** git_refs_lay_all() - with all files of it; 0 or a negative errno */
int git_refs_lay_all(struct git_refs_pair *p, int upper, struct err *e);

/** git_refs_news() - for a person, and left out where there is none: "branches" and "tags" that
 *  @now has and @was had not, or elsewhere; "stash" if that is so of it; "gone": those of them
 *  that only @was has, by their whole names. 100 of each at the most, as text whatever bytes
 *  they have.
 *  @ret: an object, which keeps its first failure */
void git_refs_news(const struct git_refs_pair *was, const struct git_refs_pair *now,
		   struct json *ret);

#endif
