/* confirm - a question that a person answers with yes or no.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  takes silence, or the end of input, for a yes. */
#ifndef CLI_SHOW_CONFIRM_H
#define CLI_SHOW_CONFIRM_H

#include "cli/show/app.h"

/** confirm_put() - print a question without its end, on a terminal broken at words */
void confirm_put(FILE *out, const char *question, bool bold);
/** confirm_fresh() - what was typed at @in before the question that follows answers nothing */
void confirm_fresh(int in);
/** confirm_person() - is there somebody at a terminal who can be asked? */
bool confirm_person(const struct app *app);
/** confirm_is_yes() - a line that was typed, with its end */
bool confirm_is_yes(const char *line);
/** confirm_ask() - print a question and how it is answered, read the answer */
bool confirm_ask(const struct app *app, const char *question);

#endif
