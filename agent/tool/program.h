/* program - one program in the box, with pipes: what is sent to it, what it says.
 * Needs:  a running box.
 * Owns:   the process's pipes, from program_start() to program_done().
 * Never:  waits for ever: a program that neither reads, writes nor ends is killed. */
#ifndef AGENT_TOOL_PROGRAM_H
#define AGENT_TOOL_PROGRAM_H

#include <signal.h>
#include <stdint.h>

#include "base/aside.h"
#include "base/buf.h"
#include "base/err.h"
#include "runtime/box/box.h"

struct program {
	struct box *box;	/* borrowed, as all here */
	const char *user, *cwd; /* NULL = root; the project directory */
	const char *const *argv;
	const char *const *env; /* added; may be NULL */
	bool applet;		/* one that is built into the box's init */
	struct buf *out, *said; /* get its output as far as it fits; NULL = unwanted */
	uint64_t stall_ms;	/* 0 = a minute: without any news */
	uint64_t total_ms;	/* 0 = no limit */
	int interrupt_fd;	/* readable = kill it; 0 or -1 = none */
	struct aside asides[2]; /* looked at meanwhile; ready NULL = none */
	/* of program.c */
	struct box_proc p;
	struct sigaction old; /* of SIGPIPE: a program that fails stops reading */
	bool started, quiet;
	uint64_t began_ms;
	const char *in;
	size_t in_len;
};

int program_start(struct program *p, struct err *e);
/** program_send() - all of @data, or as much as it reads */
int program_send(struct program *p, const void *data, size_t len, struct err *e);
/**
 * program_end() - close its input, read what it says to the end, wait for it
 * @status: its exit status, 128 + N by signal
 * Return: 0; -ETIMEDOUT or -EINTR (it was killed), or box gone.
 */
int program_end(struct program *p, int *status, struct err *e);
void program_done(struct program *p);
#define _cleanup_program_ _cleanup_(program_done)

#endif
