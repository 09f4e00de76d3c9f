/* jobs - what a shell left running in the background.
 * Needs:  the shell, the leader of its session; procs.h.
 * Owns:   nothing.
 * Never:  asks the shell, which may be at work: the kernel knows; takes a program's words
 *         for more than a name. */
#ifndef AGENT_SESSION_JOBS_H
#define AGENT_SESSION_JOBS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

enum { JOBS_MAX = 16, JOBS_COMMAND = 120, JOBS_PATH = 256 };

struct job {
	pid_t pid;    /* of its first process, in the host's numbering */
	pid_t inside; /* the same as the box knows it */
	pid_t last;   /* of the last process of a pipeline, which has its output */
	bool stopped;
	bool subshell; /* a copy of the shell: it may be about to become a program */
	char command[JOBS_COMMAND]; /* escaped */
};

/* Who was there when there was no job. A look at every process of a box takes longer than
 * a short command; as long as the same are there, there is still none. */
struct jobs_none {
	pid_t shell, parent; /* 0 = not known yet */
	uint64_t key;	     /* of the children of both */
};

/**
 * jobs_list() - process groups of the shell's session beside the shell, oldest first
 * @none: of earlier calls for this session; {0} before the first
 *
 * Those that the shell waits for, and those whose parent has ended (children of the
 * shell's own parent); what made a session of its own is none of them.
 * Return: how many were written to @ret, at most @max.
 */
size_t jobs_list(pid_t shell, struct jobs_none *none, struct job *ret, size_t max);

/** jobs_left() - what a shell that is dead has left, its own or sessions of their own: all
 *  children of who takes its orphans. @like: another such shell, to know copies of it */
size_t jobs_left(pid_t like, pid_t parent, struct job *ret, size_t max);

/** jobs_key() - differs when the list does: other jobs, or one was stopped; 0 = none */
uint64_t jobs_key(const struct job *jobs, size_t n);

/** jobs_add() - append "PID COMMAND; PID COMMAND (stopped)" */
int jobs_add(const struct job *jobs, size_t n, struct buf *out);

/** jobs_output() - where its output goes: a path in the box; "" = not to a file */
void jobs_output(const struct job *job, char ret[JOBS_PATH]);

#endif
