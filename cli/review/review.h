/* review - a project under review, from the commands' side: the helper that compares, takes
 * over and takes back, and what it says.
 * Needs:  a box of the directory.
 * Owns:   the box's lock, where something is to be changed.
 * Never:  touches the project or the layer itself. */
#ifndef CLI_REVIEW_REVIEW_H
#define CLI_REVIEW_REVIEW_H

#include "rootfs/store/boxdir.h"
#include "runtime/spec/spec.h"

struct review {
	const struct boxdir *dir; /* borrowed: of the box */
	const struct spec *spec;  /* borrowed */
	int project;		  /* owned; -1 = it is not open */
	int lock;		  /* owned; -1 = only looks */
	bool running;		  /* the box is in use */
};
#define REVIEW(of_dir, of_spec) \
	((struct review){       \
		.dir = (of_dir), .spec = (of_spec), .project = -1, .lock = -1 })
/** review_close() - it may be opened again */
void review_close(struct review *rv);
#define _cleanup_review_ _cleanup_(review_close)

enum review_for {
	REVIEW_LOOK,  /* nothing is changed */
	REVIEW_GIVE,  /* the project is; the layer, where the box is not in use */
	REVIEW_ALONE, /* the layer is: nobody may use the box until review_close() */
	REVIEW_WITHIN /* as REVIEW_GIVE, by somebody who uses the box */
};

/**
 * review_open() - of a box that was found, or that has been left
 * @rv: of REVIEW()
 * Return: 0; -ENOENT: nothing was ever under review; -EBUSY: the box is in use, or
 * somebody else takes something over.
 */
int review_open(struct review *rv, enum review_for what, struct err *e);

/** review_let_go() - while a person is asked: others may use the box */
void review_let_go(struct review *rv);
/** review_again() - after that, as review_open() for REVIEW_GIVE; what was seen may be old */
int review_again(struct review *rv, struct err *e);

/** review_ask() - one operation of review_job() (runtime/worker/jobs.h)
 *  @args: an object; borrowed
 *  @ret:  an array of what it told, owned; NULL = not wanted
 *  @out:  where a patch goes; NULL = there is none */
int review_ask(const struct review *rv, const struct json *args, struct json **ret,
	       FILE *out, struct err *e);

/** review_between() - what @to would change that @from would not, and the other way round;
 *  of one project. @args: of review_args("patch" or "diff") */
int review_between(const struct review *from, const struct review *to,
		   struct json *args, struct json **ret, FILE *out, struct err *e);

/** review_since() - what is different from what the box had at a checkpoint; the rest as
 *  review_between(). -ENOENT: it has none of that name */
int review_since(const struct review *rv, const char *checkpoint, struct json *args,
		 struct json **ret, FILE *out, struct err *e);

/** review_git() - one operation of reviewgit_job(), on what it changed for git;
 *  @ret: an array of what it told */
int review_git(const struct review *rv, const struct json *args, struct json **ret,
	       struct err *e);

/** review_args() - an object that names the operation; owned, NULL = out of memory */
struct json *review_args(const char *op);
/** review_add_path() - a path that a person named who is in @cwd, to the "paths" of it
 *  Return: 0 or -EINVAL: it is not below the project. */
int review_add_path(const struct review *rv, struct json *args, const char *cwd,
		    const char *path, struct err *e);

#endif
