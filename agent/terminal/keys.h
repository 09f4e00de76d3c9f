/* keys - the bytes that a terminal sends for a key's name.
 * Needs:  the mode of the cursor keys that the program has set.
 * Owns:   nothing.
 * Never:  sends; guesses: an unknown name is an error that lists the known ones. */
#ifndef AGENT_TERMINAL_KEYS_H
#define AGENT_TERMINAL_KEYS_H

#include "base/buf.h"
#include "base/err.h"

/**
 * keys_add() - append the bytes of space-separated key names
 * @names:       "C-c", "CTRL+x", "M-x", "Enter", "F5 Down Down Enter"; any case
 * @application: cursor keys send ESC O … instead of ESC [ … (DECCKM)
 * @out:         unchanged on failure
 *
 * Return: 0, -EINVAL (unknown name, or none), -EMSGSIZE or -ENOMEM.
 */
int keys_add(const char *names, bool application, struct buf *out, struct err *e);

#endif
