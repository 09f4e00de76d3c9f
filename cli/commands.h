/* commands - all there are. Only main() and tests know them: whatever needs them is given
 * the table (app.h), so that no command needs the others.
 * Needs:  a const struct cmd of each, in its own file of cli/cmd/.
 * Owns:   nothing.
 * Never:  holds a command that nobody types. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/opt/cmd.h"

/* In the order of help; a line for each of its headings. */
/* clang-format off */
#define COMMANDS(_) \
	_(run) _(resume) _(log) _(models) \
	_(shell) _(exec) _(python) _(ps) _(top) _(kill) _(logs) _(wait) _(cp) _(stats) \
	_(ls) _(info) _(stop) _(rm) _(prune) _(mv) _(adopt) _(set) _(unset) \
	_(diff) _(apply) _(undo) _(discard) _(checkpoint) _(rewind) _(own) \
	_(snapshot) _(snapshots) _(restore) _(branch) \
	_(net) _(ports) \
	_(pull) _(images) _(rmi) _(tag) _(commit) _(save) _(push) \
	_(init) _(agree) _(up) _(down) _(volumes) \
	_(mcp) _(serve) \
	_(doctor) _(config)
/* clang-format on */

#define COMMANDS_DECLARE_(name) extern const struct cmd cmd_##name;
COMMANDS(COMMANDS_DECLARE_)

extern const struct cmd *const commands_table[]; /* NULL-ended */

#endif
