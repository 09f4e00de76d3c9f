/* commands - all there are. Only main() and tests know them: whatever needs them is given
 * the table (app.h), so that no command needs the others.
 * Needs:  a const struct cmd of each (cmd.h).
 * Owns:   nothing.
 * Never:  holds a command that nobody types. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/opt/cmd.h"

extern const struct cmd *const commands_table[]; /* in the order of help; NULL-ended */

#endif
