/* habits - what hands type that know docker, podman or distrobox, and what it is called here.
 * Needs:  nothing.
 * Owns:   tables.
 * Never:  stands for an option or a command: it only says which does the work. */
#ifndef CLI_OPT_HABITS_H
#define CLI_OPT_HABITS_H

#include <stdbool.h>

/** habits_command() - what does here what @word does elsewhere; NULL = no such habit */
const char *habits_command(const char *word);

/** habits_only() - are @word and the one behind it no beginning of a task? "build the docs"
 *  may be one, "network ls" and "inspect db" are none. @words: how many there are */
bool habits_only(const char *word, const char *second, int words);

/** habits_option() - the same as habits_command() for an option of @command, named without
 *  its dashes; NULL = no such habit */
const char *habits_option(const char *command, const char *name);

#endif
