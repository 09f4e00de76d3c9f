/* form - an answer that has to be JSON of a schema.
 * Needs:  a schema that schema_check() took.
 * Owns:   nothing.
 * Never:  mends what a model wrote: blanks and the fence of a code block around it are all
 *         that may be left out. */
#ifndef AGENT_TASK_FORM_H
#define AGENT_TASK_FORM_H

#include "base/schema.h"

/**
 * form_answer() - is @text such an answer?
 * @ret: gets it as one line of JSON
 * @why: filled when it is not, in a line
 * Return: 1 = it is, 0 = it is not, -ENOMEM.
 */
int form_answer(const struct json *schema, const char *text, struct buf *ret,
		char why[SCHEMA_WHY]);

/** form_ask() - what the task says about it, behind the person's words */
int form_ask(const struct json *schema, struct buf *task);

#endif
