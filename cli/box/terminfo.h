/* terminfo - the terminal of a box is that of the person, also where the image does not know
 * it: what this machine's terminfo says of TERM goes along, for init to give to the command
 * where the image has nothing of that name (runtime/init/payload_env.h).
 * Needs:  the host's terminfo; where it has no such terminal, the name alone goes.
 * Owns:   nothing.
 * Never:  overrules a TERMINFO of the person's or of the image's; sends what is no
 *         description of a terminal. */
#ifndef CLI_BOX_TERMINFO_H
#define CLI_BOX_TERMINFO_H

#include "cli/box/env.h"

/** terminfo_add() - the description of the TERM of @env, as ncurses 6.1 or newer takes it
 *                   from TERMINFO: "b64:" and its bytes (ncurses(3x), TERMINFO)
 *  @root: in front of the system's directories; "" = the host's */
int terminfo_add(struct env *env, const char *root, struct err *e);

#endif
