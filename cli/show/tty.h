/* tty - our terminal while a program in the box uses it: raw, and given back.
 * Needs:  the caller handles signals in its loop, so that every way out passes here.
 * Owns:   the terminal's mode from tty_raw() to tty_done().
 * Never:  touches a terminal that is not ours to change (in the background). */
#ifndef CLI_SHOW_TTY_H
#define CLI_SHOW_TTY_H

#include <stdbool.h>
#include <termios.h>

struct tty {
	int fd;		      /* borrowed; -1 = none */
	struct termios saved; /* valid while raw */
	bool raw;
};
#define TTY_NONE ((struct tty){ .fd = -1 })

/** tty_raw() - keep the mode of @fd and make it raw; again after a tty_restore() */
int tty_raw(struct tty *t, int fd);
/** tty_restore() - the mode that it had; nothing when it is not raw */
void tty_restore(struct tty *t);

/** tty_size() - rows and columns of @fd; 0 or -ENOTTY; a size of 0 is -ENOTTY */
int tty_size(int fd, unsigned short *rows, unsigned short *cols);
/** tty_set_size() - give the terminal or pty master @fd that size */
int tty_set_size(int fd, unsigned short rows, unsigned short cols);

/**
 * tty_settle() - wait until the terminal has answered all that it was asked
 * @in:  the terminal, raw; what it says until then is thrown away
 * @out: the same; it is asked CSI 5 n, and answers in order
 *
 * Blocks until the terminal has been silent for a second, five seconds at most.
 */
void tty_settle(int in, int out);

/** tty_here() - false when @fd is a terminal whose foreground is another job's: to read it,
 *  or to change its mode, would stop us */
bool tty_here(int fd);

/** tty_is() - true when @fd is a terminal */
bool tty_is(int fd);

#endif
