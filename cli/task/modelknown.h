/* modelknown - names of models that can be told without asking anybody: of the configuration,
 * of the last answer of each service, of the table of prices.
 * Needs:  nothing.
 * Owns:   models.json of the store: a list of names for each provider.
 * Never:  asks a service; keeps or shows a name that a shell would read as more than a word. */
#ifndef CLI_TASK_MODELKNOWN_H
#define CLI_TASK_MODELKNOWN_H

#include "base/err.h"
#include "base/json.h"
#include "cli/show/app.h"
#include "cli/task/modelpick.h"

/** modelknown_keep() - what the service of @pick has answered, an array of names; silent where
 *  it cannot be kept */
void modelknown_keep(const struct modelpick *pick, const struct json *names);

/** modelknown_show() - each as --model takes it */
int modelknown_show(const struct app *app, struct err *e);

#endif
