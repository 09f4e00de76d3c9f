/* python_shim - the interpreter's program, as data.
 * Needs:  the file agent/python/shim.py at build time.
 * Owns:   nothing.
 * Never:  interprets it. */
#ifndef AGENT_PYTHON_SHIM_H
#define AGENT_PYTHON_SHIM_H

#include "base/err.h"

/** shim_open() - a sealed memfd with the program, at its start; owned by the caller */
int shim_open(struct err *e);

#endif
