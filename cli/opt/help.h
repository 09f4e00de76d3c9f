/* help - what cubby is for and which commands there are; what a command is for and its
 * options.
 * Needs:  the table of commands.
 * Owns:   nothing.
 * Never:  reads a command line. */
#ifndef CLI_OPT_HELP_H
#define CLI_OPT_HELP_H

#include "cli/opt/cmd.h"

/** help_short() - what cubby is for, and which commands there are */
void help_short(const struct app *app);

/** help_command() - "cubby COMMAND -h", or "cubby help COMMAND"
 * @common, @place: what all such commands have */
void help_command(const struct app *app, const struct cmd *c,
		  const struct cmd_option *common, const struct cmd_option *place);

#endif
