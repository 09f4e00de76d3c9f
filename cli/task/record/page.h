/* page - a transcript as one HTML page that needs nothing else: to show to others.
 * Needs:  the records of a task, in order (agent/turn/transcript.h).
 * Owns:   what it has heard, until page_end(); nothing outside.
 * Never:  has a script, a link or a picture; lets a byte of the model or the box become
 *         markup. */
#ifndef CLI_TASK_RECORD_PAGE_H
#define CLI_TASK_RECORD_PAGE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "cli/task/record/recorded.h"

enum { PAGE_MAX = 256 << 20, PAGE_TERMINAL = 4 << 20 };

struct page {
	struct buf *out;	  /* borrowed */
	unsigned round, begun;	  /* the last one, and the last that has a heading */
	struct recorded recorded; /* owned, until page_end() */
};

/** page_begin() - the head, for a page called @title */
void page_begin(struct page *p, const char *title, struct buf *out);
/** page_record() - a transcript_record_fn whose context is a struct page */
int page_record(void *page, const struct json *record, struct err *e);
/** page_end() - what the terminals showed, PAGE_TERMINAL bytes of it, and the end */
void page_end(struct page *p, const char *terminal, size_t len);

#endif
