/* runid - the name of a command: when it was begun, and six random digits.
 * Needs:  the clock, and random bytes.
 * Owns:   nothing.
 * Never:  promises that no two are the same: six digits are 24 bits for each second. */
#ifndef AGENT_SERVER_RUN_RUNID_H
#define AGENT_SERVER_RUN_RUNID_H

#include "base/err.h"

enum { RUNID = 32 };

/** runid_make() - such as 20260309-141502-ab12cd, in UTC; 0, or -EIO */
int runid_make(char ret[RUNID], struct err *e);

#endif
