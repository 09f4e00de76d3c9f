/* argcheck - what is wrong with the options of a command line, said exactly, before
 * argp reads it: argp's own words name neither the nearest option nor fit --json.
 * Needs:  the option tables that argp will use.
 * Owns:   nothing.
 * Never:  judges a value: that is the parser's part. */
#ifndef CLI_OPT_ARGCHECK_H
#define CLI_OPT_ARGCHECK_H

#include "cli/opt/cmd.h"

/**
 * argcheck() - every option is known, and has a value exactly if it takes one
 * @root:  the parser, with its children
 * @tail:  options end at the first operand (ARGP_IN_ORDER)
 *
 * Return: 0, or -EINVAL with the message.
 */
int argcheck(const struct argp *root, int argc, char **argv, bool tail, struct err *e);

/** argcheck_operand() - the index of the first operand from @at on, @argc = none; what
 *  no table knows is taken for an option without a value */
int argcheck_operand(const struct argp *root, int argc, char **argv, int at);

/** argcheck_volume() - whether @word behind a -v is a volume, as it is for docker: never
 *  where the tables have no --volume, and where it could be anything else */
bool argcheck_volume(const struct argp *root, const char *word);

#endif
