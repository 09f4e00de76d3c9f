/* view_secret - a password that a model types is not shown to who looks on, nor in logs.
 * Needs:  the calls and results of a task, one after the other.
 * Owns:   nothing.
 * Never:  shows a text, or a key that is a character, while a password is waited for. */
#ifndef CLI_TASK_VIEW_SECRET_H
#define CLI_TASK_VIEW_SECRET_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"

/* For why "input" failed then: its words name what was typed. */
#define VIEW_SECRET_WHY "what was typed is not shown"

/**
 * view_secret_wanted() - does a program wait for a password, after a result of @tool?
 * @was: before it; so it stays where the result tells nothing of what waits
 */
bool view_secret_wanted(bool was, const char *tool, const char *state,
			const char *text);

/** view_secret_input() - what the tool "input" types while a password is asked for: its text,
 *  and keys that are characters, are starred */
void view_secret_input(const struct json *args, struct buf *out);

#endif
