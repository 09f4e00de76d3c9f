/* talk - a conversation: lines of the person at a prompt, each a task in one history.
 * Needs:  a terminal; a box that runs; somebody who does a line.
 * Owns:   the prompt, its history, what is asked for by "/word".
 * Never:  loses a line that was typed while a task worked. */
#ifndef CLI_TASK_TALK_H
#define CLI_TASK_TALK_H

#include "cli/show/app.h"
#include "cli/show/lineedit.h"
#include "cli/task/view/steer.h"

struct talk {
	const struct app *app; /* borrowed */
	struct steer *steer;   /* borrowed: what was typed meanwhile */
	const char *dir;       /* borrowed; the project */
	int project_fd;	       /* borrowed; the same */
	int box_fd;	       /* borrowed; where the history of lines is kept */
	int interrupt_fd;      /* borrowed */
	struct aside aside;    /* looked at while nothing is typed */
	void *ctx;
	/* Do a line; a negative return ends the conversation with it. */
	int (*task)(void *ctx, const char *text, struct err *e);
	/* "/model NAME", "/effort LEVEL", "/compact", "/cost": false and @e: not done; a
	 * value of "" asks what it is. @said: the answer in one line. */
	int (*set)(void *ctx, const char *what, const char *value, struct buf *said,
		   struct err *e);
};

/** talk_run() - until the person leaves; the last task's return, or a negative errno */
int talk_run(const struct talk *t, struct err *e);

/** talk_complete() - what may stand in place of the word that ends @line: "/words" at
 *  its start, else names in the directory @dirfd; each with a newline */
void talk_complete(int dirfd, const char *line, struct buf *ret);

#endif
