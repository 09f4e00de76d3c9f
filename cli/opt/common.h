/* opt_common - the options that every command takes; they go into the struct app.
 * Needs:  cmd_parse().
 * Owns:   nothing.
 * Never:  is named by a command: cmd_parse() adds it to all. */
#ifndef CLI_OPT_COMMON_H
#define CLI_OPT_COMMON_H

#include "cli/opt/cmd.h"

extern const struct argp opt_common;

/* What its parser returns when -h or --version was shown and the work is done. */
enum { OPT_COMMON_SHOWN = ECANCELED };

#endif
