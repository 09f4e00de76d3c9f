/* agree - the project's own settings are read once the person has said that they may be.
 * Needs:  cmd_parse() has filled the configuration.
 * Owns:   nothing: agreed.h keeps what was agreed to.
 * Never:  takes a text that differs in a byte from the one that was seen; follows a link
 *         of the project. */
#ifndef CLI_TASK_AGREE_H
#define CLI_TASK_AGREE_H

#include "cli/show/app.h"

/** agree_load() - .cubby/config.json of the project joins the configuration, if there is
 *  one and the person agreed or agrees now; if not, a note says so */
void agree_load(const struct app *app);

#endif
