/* optrow - the options of a command as rows to be shown, in the order of their tables.
 * Needs:  tables of options.
 * Owns:   nothing.
 * Never:  prints. */
#ifndef CLI_OPT_OPTROW_H
#define CLI_OPT_OPTROW_H

#include "base/buf.h"
#include "cli/opt/cmd.h"

enum { OPTROW_MOST = 96 };

struct optrow {
	const struct cmd_option *option; /* borrowed */
	const char *header;		 /* of its table; NULL = none; borrowed */
	int letter;			 /* 0 = none, or it is another row's */
	bool shared;			 /* its table is that of several commands */
};

struct optrows {
	struct optrow v[OPTROW_MOST];
	size_t n;
};

/** optrow_read() - its own, shared ones, @common and, if it is about a box, @place */
void optrow_read(const struct cmd *c, const struct cmd_option *common,
		 const struct cmd_option *place, struct optrows *ret);

/**
 * optrow_names() - append "-d, --directory=DIR"
 * @quote: in front of each name and behind it; "" = nothing
 */
void optrow_names(const struct optrow *row, const char *quote, struct buf *out);

/** optrow_forms() - append a line for each form of the command, each behind @lead or @more */
void optrow_forms(const struct cmd *c, const char *lead, const char *more,
		  struct buf *out);

#endif
