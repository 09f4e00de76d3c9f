/* detach - what commands that stay behind in the box have printed (BOX_IO_LOG).
 * Needs:  a shell in the image.
 * Owns:   the list of words.
 * Never:  puts a word of the caller's into a script: they are its arguments. */
#ifndef CLI_RUN_DETACH_H
#define CLI_RUN_DETACH_H

#include <stdbool.h>

#include "cli/opt/words.h"

enum { DETACH_STATUS = 44 }; /* of those words: no such command was detached */

/** detach_logs() - the words that show a log
 *  @pid:  NULL = the newest
 *  @tail: how many lines of it, the last ones; NULL = all */
int detach_logs(const char *pid, const char *tail, bool follow, struct words *ret);

/** detach_wait() - the words that wait for such commands, print the status of each, a line
 *  each, and end with that of the last
 *  @pids: NULL-ended */
int detach_wait(const char *const *pids, struct words *ret);

#endif
