/* git_vet - a repository that a box made in the project: whether git on the host may meet
 * it, and what becomes of one that it may not.
 * Needs:  the project as a descriptor.
 * Owns:   nothing.
 * Never:  lets stay what can name a program or lead elsewhere; removes anything. */
#ifndef ROOTFS_GIT_VET_H
#define ROOTFS_GIT_VET_H

#include "base/err.h"

struct git_vet {
	int project;	  /* borrowed */
	const char *root; /* its absolute path; borrowed */
	const char *path; /* of the ".git", or of the bare repository, below it */
	bool brief;	  /* a git of the box may be at work on it just now */
	const char *const
		*guarded;	  /* NULL-ended: git directories below the project that
				       a box cannot write; borrowed */
	const char *const *named; /* NULL-ended: what settings name, and the box did not
				     make; borrowed; NULL = nothing */
};

/** git_vet_look() - NULL = harmless, else why it is not */
const char *git_vet_look(const struct git_vet *v);

/** git_vet_link() - whether a ".git" file leads into one of the guarded directories */
bool git_vet_link(const struct git_vet *v, const char *text, size_t len);

/** git_vet_aside() - rename it to NAME.from-box, or NAME.from-box.N, and its HEAD, so that
 *  it is no repository any more
 *  @ret: the new path, PATH_MAX bytes */
int git_vet_aside(const struct git_vet *v, char *ret, struct err *e);

/** git_vet_put_aside() - the same; @line: what the person is told of it */
void git_vet_put_aside(const struct git_vet *v, const char *why, char *line,
		       size_t size);

#endif
