/* setup_plan - the steps that bring packages and setup of .cubby/box.json into a box, and
 * what the result of each depends on.
 * Needs:  the project's file, checked (config_project.h).
 * Owns:   the list.
 * Never:  lets a result be taken for that of a step which could see other files: one that
 *         sees the project has a key of its directory. */
#ifndef CLI_PROJECT_SETUP_PLAN_H
#define CLI_PROJECT_SETUP_PLAN_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"

enum { SETUP_NAME = 100, SETUP_READ_MAX = 1 << 20 /* bytes of a file */ };

struct setup_step {
	char name[SETUP_NAME];	  /* for people: "apt: git, curl" */
	const char *script;	  /* borrowed of the project's file, or static */
	const struct json *words; /* borrowed; its "$@"; NULL = none */
	const char *tool,
		*package;    /* static: what it runs, and where apt has that; NULL */
	bool alone;	     /* nothing of the project is looked at */
	char text[HASH_HEX]; /* what it says, and the files that it names */
	char key[HASH_HEX];  /* of its result: this, and all that was before */
};

struct setup_plan {
	struct setup_step *v; /* owned */
	size_t n;
};
#define SETUP_PLAN_NONE   \
	{                 \
		.v = NULL \
	}
void setup_plan_done(struct setup_plan *p);
#define _cleanup_setup_plan_ _cleanup_(setup_plan_done)

/* On what all results depend, and what those depend on that see the project. */
struct setup_base {
	const char *box;     /* image, ids, network, what else it sees */
	const char *project; /* the directory */
	/* adds a file of the project to @to, if there is one of this name */
	void (*read)(void *ctx, const char *path, struct buf *to);
	void *ctx;
};

/** setup_plan_make() - @ret is empty where the project wants nothing
 *  @project: its file; borrowed as long as @ret lives; NULL = there is none */
int setup_plan_make(const struct json *project, const struct setup_base *base,
		    struct setup_plan *ret, struct err *e);

#endif
