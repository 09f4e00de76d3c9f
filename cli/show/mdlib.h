/* mdlib - Markdown as events: the door of libmd4c, which need not be installed.
 * Needs:  a text of any kind.
 * Owns:   nothing.
 * Never:  lets HTML of the text pass as markup. */
#ifndef CLI_SHOW_MDLIB_H
#define CLI_SHOW_MDLIB_H

#include <md4c.h>
#include <stddef.h>

#include "base/err.h"

/** mdlib_parse() - call the functions of @parser, whose other members are set here, with @ctx
 *  Return: 0; -ENOPKG and others: libmd4c cannot be used, or the text not be parsed. */
int mdlib_parse(const char *s, size_t len, MD_PARSER parser, void *ctx, struct err *e);

/** mdlib_entity() - what "&amp;" and others that people and models write stand for; NULL = it
 *  is none of them */
const char *mdlib_entity(const char *s, size_t len);

#endif
