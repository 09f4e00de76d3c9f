/* help - the short help: what cubby is for and which commands there are.
 * Needs:  the table of commands.
 * Owns:   nothing.
 * Never:  repeats what "cubby COMMAND -h" says. */
#ifndef CLI_OPT_HELP_H
#define CLI_OPT_HELP_H

#include "cli/show/app.h"

void help_short(const struct app *app);

#endif
