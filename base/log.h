/* log - lines for whoever debugs cubby (-v, -vv), on standard error.
 * Needs:  nothing.
 * Owns:   the log level, the only mutable global of the program.
 * Never:  says anything that a user needs (that is an error, a notice or a result);
 *         holds keys, commands, input or output: lengths and states only. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/def.h"

enum log_level { LOG_QUIET, LOG_INFO /* progress names what it does */, LOG_DEBUG };

void log_set_level(enum log_level level);
enum log_level log_get_level(void);
void log_debug(const char *fmt, ...) _printf_(1, 2);

#endif
