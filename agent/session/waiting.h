/* waiting - does the program in the foreground of a terminal wait for input?
 * Needs:  the pty's master; procs.h.
 * Owns:   nothing.
 * Never:  guesses from quiet or from what is on the screen: a program waits when it is
 *         blocked in a read of this terminal, or, in raw mode, in a poll. */
#ifndef AGENT_SESSION_WAITING_H
#define AGENT_SESSION_WAITING_H

#include <stdint.h>
#include <sys/types.h>

#include "base/def.h"

enum waiting_reason {
	WAITING_NOT,
	WAITING_LINE,	 /* a line, ended by Enter */
	WAITING_KEY,	 /* single keys */
	WAITING_PASSWORD /* a line that is not shown */
};

struct waiting_sample {
	enum waiting_reason reason;
	bool polls;	   /* it does not read yet: it waits for several things */
	pid_t tid;	   /* the task that waits; host's numbering */
	uint64_t switches; /* how often it has slept */
};

/**
 * waiting_look() - one sample
 * @master: of the terminal; borrowed
 * @ret:    reason WAITING_NOT when nobody waits; filled on success only
 *
 * Two equal samples at least 10 ms apart, without output between them, mean that the
 * program waits; that is the caller's to count.
 * Return: 0; -EPERM or -EACCES (the kernel does not tell: only timeouts are left);
 *         -ENOTTY (no session on the terminal), -ESRCH (it is gone).
 */
int waiting_look(int master, struct waiting_sample *ret);

/**
 * waiting_unread() - has something been typed that a read would return?
 *
 * Whoever sleeps in a read then is about to wake: on a busy machine it looks for a while
 * as if nothing had been typed. false when it cannot be told.
 */
bool waiting_unread(int master);

enum waiting_taker {
	WAITING_NOBODY, /* a program has ended, its shell has not taken over yet */
	WAITING_NEW,	/* a copy of a shell that is about to become a program */
	WAITING_TAKER
};

/**
 * waiting_taker() - whom would a signal of the terminal reach?
 *
 * Where a shell, the session's or one that is the program, runs one short program after
 * another, ^C is lost if it comes when the last has just ended, or when the next is still
 * a copy of the shell that handles it as the shell does and then becomes the program.
 * WAITING_TAKER when it cannot be told.
 */
enum waiting_taker waiting_taker(int master);

#endif
