/* diffview - a change of a file as rows: what goes is red, what comes is green. Pure.
 * Needs:  a unified diff, or the arguments of an edit.
 * Owns:   nothing.
 * Never:  lets through what is hidden. */
#ifndef CLI_TASK_VIEW_DIFFVIEW_H
#define CLI_TASK_VIEW_DIFFVIEW_H

#include "base/json.h"
#include "cli/show/wrap.h"

struct diffview {
	size_t added, removed; /* lines */
	size_t rows;	       /* that the diff has */
};

/** diffview_find() - where a unified diff begins in a text; NULL = there is none */
const char *diffview_find(const char *text);

/**
 * diffview_text() - append the rows of a unified diff
 * @w:    how wide, and whether there are colours; its fronts are not used
 * @most: rows that are shown; the rest is counted
 */
struct diffview diffview_text(const char *diff, const struct wrap *w, size_t most,
			      struct buf *out);

/** diffview_whole() - the diff of a change with @args whose result is @text (may be NULL):
 *  that of the result, or of the arguments in @own where it has none, or a part */
const char *diffview_whole(const struct json *args, const char *text, struct buf *own);

/** diffview_args() - a diff without context out of the arguments of edit_file and
 *  write_file, appended to @diff; nothing where they are no such */
void diffview_args(const struct json *args, struct buf *diff);

#endif
