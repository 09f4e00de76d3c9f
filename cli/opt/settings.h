/* settings - what is in force, and where each setting comes from, as a list.
 * Needs:  the effective configuration.
 * Owns:   nothing.
 * Never:  shows a key of a service: the configuration has none. */
#ifndef CLI_OPT_SETTINGS_H
#define CLI_OPT_SETTINGS_H

#include "cli/opt/config.h"
#include "cli/show/app.h"

/** settings_show() - those from @least or a better source; @none: what to say when there
 *  is none */
int settings_show(const struct app *app, enum config_source least, const char *none,
		  struct err *e);

#endif
