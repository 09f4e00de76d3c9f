/* document - the text of a document that is none by itself (PDF, docx, …), for a model.
 * Needs:  an exchange whose tenant's box is open; pdftotext in it, or python3.
 * Owns:   the program until the answer has ended.
 * Never:  reads a byte of the document outside the box; waits longer than DOCUMENT_MS. */
#ifndef AGENT_SERVER_FILES_DOCUMENT_H
#define AGENT_SERVER_FILES_DOCUMENT_H

#include "agent/server/exchange/exchange.h"

enum { DOCUMENT_MS = 60000, DOCUMENT_TEXT_MAX = 16 << 20, DOCUMENT_WORDS = 8 };

/** document_is() - has a file of this name a text that can be had? */
bool document_is(const char *path);
/** document_remedy() - what to do about one that cannot be read here; "" = nothing is known */
const char *document_remedy(const char *path);
/** document_reader() - the program of the box that says it, NULL-ended; how many words it has.
 *  @path: of one that document_is(); borrowed */
size_t document_reader(const char *path, const char *ret[DOCUMENT_WORDS]);

struct document_lines {
	const char *path; /* absolute; copied */
	int64_t first, last;
};
/** document_read() - answer with its lines as /files/read does, or with 415 and what to
 *  install. 0, or why nothing can be asked for. */
int document_read(struct exchange *x, const struct document_lines *d, struct err *e);

#endif
