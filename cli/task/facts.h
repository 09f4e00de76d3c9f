/* facts - what a model is told of its box's network, project and limits: the rules as they are.
 * Needs:  a spec; it is pure.
 * Owns:   nothing.
 * Never:  promises what a rule refuses. */
#ifndef CLI_TASK_FACTS_H
#define CLI_TASK_FACTS_H

#include "runtime/spec/spec.h"

/** facts_network() - "any public name and address, but not …"; cut to @size */
void facts_network(const struct spec *s, char *ret, size_t size);

/** facts_project() - what becomes of changes there, behind "the person's files" */
const char *facts_project(const struct spec *spec);

/** facts_limits() - "2.0 GiB of memory, 1024 processes" */
void facts_limits(const struct limits *l, char *ret, size_t size);

#endif
