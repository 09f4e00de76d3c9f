/* notify - a bell and a notice of the desktop, for a person who looks elsewhere. Pure.
 * Needs:  what the terminal says of itself.
 * Owns:   nothing.
 * Never:  sends a notice twice, or to a terminal that would print it. */
#ifndef CLI_TASK_VIEW_NOTIFY_H
#define CLI_TASK_VIEW_NOTIFY_H

#include <stdbool.h>

#include "base/buf.h"

/**
 * notify_text() - append what makes a terminal ring and tell @words
 * @term:  TERM; NULL = not set
 * @vte:   a terminal of GNOME's library, by its VTE_VERSION
 * @words: of cubby's own: nothing in them is escaped
 */
int notify_text(const char *term, bool vte, const char *words, struct buf *out);

#endif
