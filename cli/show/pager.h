/* pager - a text that is longer than the screen, by the person's own pager.
 * Needs:  PAGER, or less; a terminal; app->pass_over.
 * Owns:   the pager, until the person has left it.
 * Never:  runs one that a box may have written, or one where there is no terminal, or for
 *         what the screen has room for. */
#ifndef CLI_SHOW_PAGER_H
#define CLI_SHOW_PAGER_H

#include "base/buf.h"
#include "cli/show/app.h"

/** pager_show() - rows for a terminal of @height rows, which app->out is; as they are where
 *  there is no pager that runs, or PAGER is "" or "cat" */
void pager_show(const struct app *app, const struct buf *rows, unsigned height);

#endif
