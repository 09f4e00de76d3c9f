/* boxguess - a first .cubby/box.json from what a project says to other tools: a Dockerfile,
 * a devcontainer.json, the files that it has. Pure.
 * Needs:  texts of the project, whatever they hold.
 * Owns:   what it made.
 * Never:  understands a half: a line is taken as it is meant, or named as left out. */
#ifndef CLI_PROJECT_BOXGUESS_H
#define CLI_PROJECT_BOXGUESS_H

#include "base/buf.h"
#include "base/json.h"

enum { BOXGUESS_TEXT = 256 << 10, BOXGUESS_LEFT = 16 << 10, BOXGUESS_NAME = 256 };

struct boxguess {
	struct json *box;		/* owned; an object */
	struct buf left;		/* lines for the person: what is not in it */
	char dockerfile[BOXGUESS_NAME]; /* that a devcontainer.json names; "" = none */
	unsigned locked; /* files whose lock was seen: it says how they are set up */
};
int boxguess_init(struct boxguess *g);
void boxguess_done(struct boxguess *g);
#define _cleanup_boxguess_ _cleanup_(boxguess_done)

/** boxguess_dockerfile() - its last stage: FROM, RUN, ENV, EXPOSE
 *  Return: 0, -EMSGSIZE, -ENOMEM. */
int boxguess_dockerfile(const char *text, size_t len, struct boxguess *g,
			struct err *e);

/** boxguess_devcontainer() - image, Dockerfile, ports, environment, commands; JSON that may
 *  have comments and commas too many
 *  Return: 0, -EMSGSIZE, -EINVAL (no such object), -ENOMEM. */
int boxguess_devcontainer(const char *text, size_t len, struct boxguess *g,
			  struct err *e);

/** boxguess_file() - what a file called @name in the project's directory asks for; a lock file
 *  comes before the one that it is of */
int boxguess_file(const char *name, struct boxguess *g);

#endif
