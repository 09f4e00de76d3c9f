/* ask - the person decides: each command with --ask, and what happens after ^C.
 * Needs:  a terminal for standard input.
 * Owns:   which programs were permitted for always.
 * Never:  takes an unclear answer, or the end of input, for a yes. */
#ifndef CLI_TASK_VIEW_ASK_H
#define CLI_TASK_VIEW_ASK_H

#include "agent/task/task.h"
#include "cli/show/app.h"

enum { ASK_ALWAYS = 64, ASK_PROGRAM = 128 };

struct ask {
	const struct app *app; /* borrowed */
	const struct toolbox
		*tools;	  /* borrowed: whose files are changed; may be NULL */
	int in;		  /* borrowed: where answers come from */
	int interrupt_fd; /* borrowed: readable = ^C; -1 = none */
	bool each;	  /* --ask: every command */
	char always[ASK_ALWAYS][ASK_PROGRAM];
	unsigned n_always;
};

/** ask_permit() - @program as it is for always; more than there is room for is asked about */
void ask_permit(struct ask *a, const char *program);

/** ask_call() - yes, no with a reason, edit, always for this program, quit */
enum task_verdict ask_call(struct ask *a, const struct task_call *c,
			   struct task_answer *ret);

/** ask_interrupted() - go on, tell the model something, or end the task */
enum task_verdict ask_interrupted(struct ask *a, struct task_answer *ret);

/** ask_program() - what "always" is for: the program as it is written in a command line,
 *  with its file where it runs what a file says ("python3 a.py"); false when the line is
 *  more than one simple command */
bool ask_program(const char *command, char *ret, size_t size);

#endif
