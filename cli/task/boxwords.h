/* boxwords - which of the project's words for models (AGENTS.md, ...) a task of this box has
 * written: the next one is told so, until they are other words.
 * Needs:  the box's directory in the store.
 * Owns:   words.json in it, the marks of such words by their path.
 * Never:  takes words for the box's that were the same before the task, or that are not
 *         among its changes where all of these are known. */
#ifndef CLI_TASK_BOXWORDS_H
#define CLI_TASK_BOXWORDS_H

#include "agent/task/changes.h"
#include "base/json.h"
#include "rootfs/store/boxdir.h"

struct boxwords {
	const struct boxdir *dir; /* borrowed */
	int project;		  /* borrowed */
	struct json *before;	  /* owned; marks of all such words */
	struct json *boxs;	  /* owned; of those that the box wrote */
	struct json *touched;	  /* owned; their paths, of this task */
	bool unknown;		  /* it changed more than was listed */
};
#define BOXWORDS_NONE ((struct boxwords){ .project = -1 })

/** boxwords_begin() - before a task */
void boxwords_begin(struct boxwords *w, const struct boxdir *dir, int project);
/** boxwords_note() - what it has changed, there or in the box */
void boxwords_note(struct boxwords *w, const struct changes *c);
/** boxwords_end() - when what is to reach the project has reached it */
int boxwords_end(struct boxwords *w, struct err *e);
void boxwords_done(struct boxwords *w);

#endif
