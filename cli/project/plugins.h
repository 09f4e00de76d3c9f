/* plugins - what "plugins" of .cubby/box.json brings into a box: scripts of cubby's own, in
 * steps, so that one that fails has a name.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  looks at the project: what a step makes is any project's. */
#ifndef CLI_PROJECT_PLUGINS_H
#define CLI_PROJECT_PLUGINS_H

#include <stdbool.h>
#include <stddef.h>

struct plugins_step {
	const char *plugin, *step, *script;
};

/** plugins_step() - the @nth step of them all, in their order; NULL: there are no more */
const struct plugins_step *plugins_step(size_t nth);
bool plugins_known(const char *name);

#endif
