/* document - the text of a document that is none by itself (PDF, docx, …), for a model.
 * Needs:  pdftotext in the box, or python3.
 * Owns:   nothing.
 * Never:  reads a byte of the document outside the box. */
#ifndef AGENT_SERVER_FILES_DOCUMENT_H
#define AGENT_SERVER_FILES_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { DOCUMENT_MS = 60000, DOCUMENT_WORDS = 8 };

/** document_is() - has a file of this name a text that can be had? */
bool document_is(const char *path);
/** document_remedy() - what to do about one that cannot be read here; "" = nothing is known */
const char *document_remedy(const char *path);
/** document_reader() - the program of the box that says it, NULL-ended; how many words it has.
 *  @path: of one that document_is(); borrowed */
size_t document_reader(const char *path, const char *ret[DOCUMENT_WORDS]);

/** document_refuse() - what is said of one whose reader failed: 415 and what to install, if
 *  nothing else; always negative */
int document_refuse(const char *path, const struct err *why, struct err *e);

#endif
