/* split - where one command of a shell's text ends and the next begins. Pure.
 * Needs:  a text as a POSIX shell, bash or zsh reads it.
 * Owns:   nothing.
 * Never:  runs anything; is asked unless a session's option wants it: a text that it
 *         reads otherwise than the shell only makes a piece larger or a syntax error.
 *
 * A command is what the shell's grammar calls a complete command: it ends at the end of
 * a line that is in no quote, list, loop, function or here-document and has no operator
 * at its end. "a; b" and "a && b" on one line are one. */
#ifndef AGENT_SESSION_SPLIT_H
#define AGENT_SESSION_SPLIT_H

#include <stddef.h>

/** split_next() - bytes of the first command of a text, its line end and the blank and
 *  comment lines before it included; @len when the rest holds no second one */
size_t split_next(const char *text, size_t len);

/** split_count() - how many commands; 2 stands for more than one */
unsigned split_count(const char *text, size_t len);

#endif
