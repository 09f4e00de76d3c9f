/* runid - the name of a command: when it was begun, and six digits that nobody can guess.
 * Needs:  the clock, and random bytes.
 * Owns:   nothing.
 * Never:  gives the same name again. */
#ifndef AGENT_SERVER_RUN_RUNID_H
#define AGENT_SERVER_RUN_RUNID_H

#include "base/err.h"

enum { RUNID = 32 };

/** runid_make() - such as 20260309-141502-ab12cd, in UTC; 0, or -EIO */
int runid_make(char ret[RUNID], struct err *e);

#endif
