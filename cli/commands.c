#include "cli/commands.h"

#define ROW(name) &cmd_##name,

const struct cmd *const commands_table[] = { COMMANDS(ROW) NULL };
