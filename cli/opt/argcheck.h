/* argcheck - the words of a command line against tables of options: which are options,
 * whose words they take, and what is wrong with them, said exactly.
 * Needs:  tables (cmd.h).
 * Owns:   nothing.
 * Never:  judges the word that an option takes: that is its goal's part. */
#ifndef CLI_OPT_ARGCHECK_H
#define CLI_OPT_ARGCHECK_H

#include "cli/opt/cmd.h"

enum { ARGCHECK_MAX = 256 }; /* options of two commands, shared ones included */

struct argcheck {
	struct argcheck_row {
		const struct cmd_option *option; /* borrowed */
		void *base;			 /* borrowed; what its goal is in */
	} v[ARGCHECK_MAX];
	size_t n;
	bool tail;	     /* options end at the first operand */
	const char *command; /* for what is said of an unknown option; NULL = none */
	/* What says which box, for a command that is not about one; NULL = for none. */
	const struct cmd_option *place;
	/* Called where they are not NULL. @word: NULL = it takes none. */
	int (*found)(void *ctx, const struct argcheck_row *row, const char *word,
		     struct err *e);
	int (*operand)(void *ctx, char **at, struct err *e);
	void *ctx;
};

/** argcheck_add() - the options of @table, whose goals are in @base */
void argcheck_add(struct argcheck *s, const struct cmd_option *table, void *base);

/**
 * argcheck() - every option is known, and has a word exactly if it takes one
 *
 * Options may be begun only, where one begins so; those behind "--" are operands.
 * Return: 0, -EINVAL with the message, or what found() or operand() failed with.
 */
int argcheck(const struct argcheck *s, int argc, char **argv, struct err *e);

/** argcheck_operand() - the index of the first operand from @at on, @argc = none; what
 *  no table knows is taken for an option without a word */
int argcheck_operand(const struct argcheck *s, int argc, char **argv, int at);

#endif
