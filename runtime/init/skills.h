/* skills - the applets that find the skills of a home: .agents/skills/NAME/SKILL.md and
 * where other programs keep them.
 * Needs:  to be in an applet (applet.h); absolute paths.
 * Owns:   nothing.
 * Never:  shows a second one of a name. */
#ifndef RUNTIME_INIT_SKILLS_H
#define RUNTIME_INIT_SKILLS_H

#include "base/err.h"

/* Each is an applet: argv[0] is its name; JSON goes to standard output. */
int skills_list(char *const argv[], struct err *e);
int skills_read(char *const argv[], struct err *e);

#endif
