/* recall - the options of a task that goes on: those that its transcript says.
 * Needs:  the transcript.
 * Owns:   nothing; what is read belongs to the configuration.
 * Never:  takes the place of what the command line says. */
#ifndef CLI_TASK_RECALL_H
#define CLI_TASK_RECALL_H

#include "cli/opt/config.h"

/** recall_options() - the model and all options of the transcript @fd */
int recall_options(struct config *c, int fd, struct err *e);

#endif
