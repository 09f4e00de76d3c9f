/* steer - what the person types while a task works: lines for the model, at its next turn.
 * Needs:  a terminal.
 * Owns:   its mode from steer_begin() to steer_end(); the line, and the lines that nobody
 *         has taken.
 * Never:  shows anything (view.h does); takes a sequence of the keyboard for text. */
#ifndef CLI_TASK_VIEW_STEER_H
#define CLI_TASK_VIEW_STEER_H

#include <termios.h>

#include "base/buf.h"
#include "base/err.h"

enum { STEER_LINE = 64 << 10 };

struct steer {
	int fd;		 /* borrowed; the terminal; -1 = none */
	struct buf line; /* owned; what is typed */
	struct buf said; /* owned; whole lines, for whoever takes them */
	struct buf seq;	 /* owned; the sequence that has begun; "" = none */
	bool pasting;	 /* newlines are a part of the line */
	bool on;	 /* keys are wanted */
	bool set;	 /* the mode is ours, and instead of … */
	struct termios was;
};

void steer_init(struct steer *s, int fd);
void steer_done(struct steer *s);

/** steer_begin() - keys come one by one and unseen; ^C and ^Z do what they do. In the
 *  background it waits for steer_again() */
int steer_begin(struct steer *s, struct err *e);
/** steer_again() - the terminal is ours, again: the mode that it was given meanwhile goes */
void steer_again(struct steer *s);
/** steer_end() - the mode that the terminal had; nothing where it is not ours */
void steer_end(struct steer *s);

/** steer_feed() - keys; true when a line was ended, which stands in said. Pure. */
bool steer_feed(struct steer *s, const char *keys, size_t len);

/** steer_read() - feed what was typed; 0, 1 when a line was ended, -ENODATA when the
 *  terminal is gone */
int steer_read(struct steer *s);

#endif
