/* detach - commands that stay behind in the box, and what they printed: the output of
 * each goes to /var/log/cubby/PID.log in the box.
 * Needs:  a shell in the image.
 * Owns:   the list of words.
 * Never:  puts a word of the caller's into a script: they are its arguments. */
#ifndef CLI_DETACH_H
#define CLI_DETACH_H

#include <stdbool.h>

#include "cli/words.h"

/** detach_command() - the words that run @command with its output in its log; 0, -E2BIG
 *  or -ENOMEM */
int detach_command(const char *const *command, struct words *ret);

/** detach_logs() - the words that show a log
 *  @pid: NULL = the newest */
int detach_logs(const char *pid, bool follow, struct words *ret);

#endif
