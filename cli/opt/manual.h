/* manual - the page of a command: its tables with the words of docs/commands; pages of the
 * book.
 * Needs:  the tables of options; docs/commands/NAME.md and the pages of docs that the Makefile
 *         names (TOPICS), which the build takes in.
 * Owns:   nothing.
 * Never:  says what an option is in other words than its table.
 *
 * The man pages are made from it (scripts/mkman), so that both are the same. */
#ifndef CLI_OPT_MANUAL_H
#define CLI_OPT_MANUAL_H

#include "base/buf.h"
#include "cli/opt/cmd.h"

/** manual_text() - append the page of @c as Markdown; @common, @place: as help_command() */
void manual_text(const struct cmd *c, const struct cmd_option *common,
		 const struct cmd_option *place, struct buf *out);

/** manual_show() - the same as rows on a terminal, by a pager; as Markdown elsewhere */
void manual_show(const struct app *app, const struct cmd *c,
		 const struct cmd_option *common, const struct cmd_option *place);

/** manual_topics() - append the names of the pages of the book, with blanks between */
void manual_topics(struct buf *out);
/** manual_show_topic() - show that page; false: there is none */
bool manual_show_topic(const struct app *app, const char *topic);

/** manual_near_topic() - append the name of the page that @word was meant to be; false: none */
bool manual_near_topic(const char *word, struct buf *ret);

/* How a message names a page of the book (scripts/check-docs: it is there). */
#define MANUAL_PAGE(topic) "'cubby help " topic "'"

#endif
