/* task_impl - the state of a running task. For agent/task/ alone.
 * Needs:  task.h.
 * Owns:   what struct task says.
 * Never:  leaves agent/task/. */
#ifndef AGENT_TASK_IMPL_H
#define AGENT_TASK_IMPL_H

#include "agent/model/model.h"
#include "agent/model/tokens.h"
#include "agent/task/form.h"
#include "agent/task/stuck.h"
#include "agent/task/task.h"
#include "agent/tool/toolset.h"
#include "agent/turn/history.h"
#include "agent/turn/transcript.h"
#include "agent/turn/turn.h"
#include "base/sys/sys.h"

/* What a step of the loop returns when there is no failure of cubby itself. */
enum { TASK_GO_ON = 0, TASK_ENDED = 1 };

struct task {
	const struct task_conf *conf; /* borrowed */
	const struct task_events *ev; /* borrowed */
	struct task_report *report;   /* borrowed */
	struct model *model;	      /* owned */
	const struct toolset *set;    /* borrowed from the toolbox; or own_set */
	struct toolset own_set;	      /* owned; of a task without a toolbox */
	/* what ask.c does when the context is too long: shorten.c asks for summaries itself */
	int (*shorten)(struct task *t, unsigned level, struct err *e);
	struct history history; /* owned */
	struct transcript log;
	bool log_failed;  /* told once; the task goes on without */
	struct buf patch; /* owned; as it was recorded last */
	bool slow_patch;  /* it took too long to ask for it each turn */
	struct tokens tokens;
	struct stuck stuck;
	struct task_status st;
	uint64_t start_ms;
	uint64_t tokens_allowed, cost_allowed; /* 0 = no limit */
	struct buf news;  /* owned; for the end of the next result */
	struct buf words; /* owned; the person's, for the next request */
	struct history
		seen; /* owned; pictures of this turn, until all its calls are answered */
	unsigned warned; /* budgets that have been announced; bits */
	const char
		*last_cause; /* a limit was reached: this is the last turn; else NULL */
	const char *had_ended; /* of a task that goes on: how, in words; static */
	unsigned cut;	       /* turns in a row that the output limit cut off */
	unsigned malformed;    /* turns in a row with a call that cannot be read */
	unsigned empty;	       /* turns without words and calls */
	unsigned misfits;      /* answers that did not fit conf->schema */
	bool told_real_calls;
	int no_checkpoint; /* why the last one could not be made */
	bool nudged;	   /* words without a call were doubted; until the next call */
	bool told_cut;	   /* that the server cuts prompts */
	bool told_untaken; /* why what a call did is not taken over at once */
	unsigned compactions;	   /* on errors of the context, for this request */
	unsigned poor_compactions; /* that gained less than a tenth */
	bool in_summary; /* the request is for a summary: its words are not shown */
	bool in_place;	 /* and is made of the task's own history, as it stands */
	bool showed;	 /* words of the current turn have been shown */
	size_t came;	 /* bytes of the current attempt's words and thoughts */
};

static inline uint64_t task_now(const struct task *t)
{
	return t->conf->now_ms ? t->conf->now_ms() : sys_now_ms();
}

/* In the order of the files, from the bottom: each calls those above it here. */

/* end.c */
/** task_end_with() - fill the report; TASK_ENDED */
int task_end_with(struct task_report *r, enum task_end end, const char *cause,
		  const char *fmt, ...) _printf_(4, 5);

/* log.c: one function per record */
void task_log(struct task *t, const char *type, struct json *members);
void task_log_begin(struct task *t, const char *text, const char *resumed);
void task_log_request(struct task *t, unsigned attempt, bool no_calls,
		      const struct buf *body);
/** @type: "response", or "summary" for one that is no turn of the task */
void task_log_response(struct task *t, const struct turn *turn, const char *type);
/** task_log_lost() - what a stream that broke off took, by our estimate */
void task_log_lost(struct task *t, const struct turn_usage *lost);
void task_log_error(struct task *t, unsigned attempt, const struct retry_cause *why,
		    uint64_t wait_ms, const struct err *e);
void task_log_call(struct task *t, const struct turn_call *c, const struct json *args);
void task_log_result(struct task *t, const struct turn_call *c,
		     const struct tool_result *r);
void task_log_picture(struct task *t, const char *text, const char *mime,
		      const char *base64);
void task_log_text(struct task *t, const char *type, const char *text, bool to_model);
void task_log_end(struct task *t);
/** task_log_patch() - what a project under review would get, where it is another than
 *  before */
void task_log_patch(struct task *t);

/* say.c */
/** task_say_picture() - into the history and the transcript */
int task_say_picture(struct task *t, const char *text, const char *mime,
		     const char *base64, struct err *e);
/** task_say() - put a text of ours into the history and the transcript */
int task_say(struct task *t, const char *text, struct err *e);
/** task_say_notice() - a line for the person, and for the transcript */
void task_say_notice(struct task *t, const char *fmt, ...) _printf_(2, 3);
/** task_say_words() - tell the model what the person said on ^C */
int task_say_words(struct task *t, struct err *e);
/** task_say_interrupt() - has the person pressed ^C? Asks what to do: TASK_GO_ON (0),
 *  TASK_ENDED, or a negative errno. @asked, may be NULL: it was so */
int task_say_interrupt(struct task *t, bool *asked);

/** task_say_form() - does the answer fit the schema that it has to? Then @text becomes it.
 *  Return: 1 (also where there is no schema), 0: @why is why not, or a negative errno */
int task_say_form(struct task *t, struct buf *text, char why[SCHEMA_WHY],
		  struct err *e);

/* budget.c */
/** task_budget() - before a request: TASK_GO_ON, and t->last_cause when this turn has
 *  to be the last one */
int task_budget(struct task *t, struct err *e);
uint64_t task_budget_left_ms(const struct task *t);

/* ask.c */
/** task_ask() - one whole turn, however many attempts it takes; @no_calls: in words */
int task_ask(struct task *t, bool no_calls, struct turn *ret, struct err *e);

/* calls.c */
/** task_calls() - run the calls of a turn, in order; each gets exactly one result */
int task_calls(struct task *t, struct turn *turn, struct err *e);

/* restart.c */
/** task_restart() - the history out of conf->resume_fd, before the first record */
int task_restart(struct task *t, struct err *e);
/** task_restart_say() - behind the first records: answer what was left open */
int task_restart_say(struct task *t, struct err *e);

#endif
