/* python_context - an interpreter that outlives its clients: a program of the box that is
 * kept, and takes one client after the other on a socket of the box that only its user
 * can reach. A client is an interpreter with a context (python.h).
 * Needs:  a port of a box (port.h).
 * Owns:   nothing: the program ends with the box, or with python_context_stop().
 * Never:  waits for it to be ready: the client does. */
#ifndef AGENT_PYTHON_CONTEXT_H
#define AGENT_PYTHON_CONTEXT_H

#include "agent/python/python.h"

enum { PYTHON_CONTEXT_NAME = 32 };

/** python_context_serve() - start that of conf->context, which ends at once where there
 *  is one already */
int python_context_serve(const struct python_conf *conf, struct err *e);

/** python_context_stop() - end it, and wait until it has ended; 0 also where none is */
int python_context_stop(const struct python_conf *conf, struct err *e);

#endif
