/* docs - an OpenAPI document as a page for people. Pure.
 * Needs:  one of openapi.h.
 * Owns:   nothing.
 * Never:  has a script or a style in it. */
#ifndef AGENT_SERVER_ABOUT_DOCS_H
#define AGENT_SERVER_ABOUT_DOCS_H

#include "base/json.h"

/** docs_page() - 0, -ENOMEM or -EMSGSIZE */
int docs_page(const struct json *doc, struct buf *out);

#endif
