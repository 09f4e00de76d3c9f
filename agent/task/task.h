/* task - the loop: ask the model, run its calls, hand the results back, until an end.
 * Needs:  a model's settings, a toolbox in a running box, a transcript to write to.
 * Owns:   the history, the budgets and the model's connection, during task_run().
 * Never:  prints (events go to callbacks); ends silently (there is always a
 *         struct task_report); runs a call before its turn has arrived whole. */
#ifndef AGENT_TASK_TASK_H
#define AGENT_TASK_TASK_H

#include <stdint.h>

#include "agent/model/model.h"
#include "agent/task/changes.h"
#include "agent/task/prompt.h"
#include "agent/tool/tool.h"
#include "base/aside.h"
#include "base/buf.h"
#include "base/err.h"

struct task_conf;

/* The values are the exit statuses of `cubby run`. */
enum task_end {
	TASK_DONE = 0,
	TASK_GAVE_UP = 1, /* the model did, or went in circles (docs/adr/0011) */
	TASK_LIMIT = 3,	  /* rounds, tokens, time, cost, context */
	TASK_SERVICE = 4, /* the model service failed */
	TASK_BOX = 5,	  /* the box or a part of cubby failed in mid-task */
	TASK_INTERRUPTED = 130
};
const char *task_end_name(enum task_end end); /* "done", "gave_up", "limit", … */

struct task_status {
	unsigned round, max_rounds;
	uint64_t tokens_in, tokens_out; /* of all requests so far */
	uint64_t tokens_cached;		/* part of tokens_in */
	bool cost_known;		/* of all requests so far */
	uint64_t cost;			/* micro-dollars */
	uint64_t context, window;	/* tokens of the next request; of the model */
	uint64_t elapsed_ms;
	uint64_t left_ms; /* UINT64_MAX = no limit */
};

struct task_call {
	const char *id, *name;
	const struct json *args; /* NULL: not even JSON */
	const char *raw;	 /* the arguments as the model wrote them */
	unsigned number;	 /* 1, 2, … within the task */
};

struct task_retry {
	unsigned attempt, max_attempts; /* of the attempt that failed; of all */
	uint64_t wait_ms;
	const char *why;
	bool compacted; /* not a wait: the history was shortened */
};

enum task_verdict { TASK_YES, TASK_NO, TASK_STOP };
struct task_answer {
	struct buf words;  /* owned by the task; the person's reason, or message */
	struct json *args; /* owned by the task; set = run with these instead */
};

struct task_report {
	enum task_end end;
	const char *cause; /* a word: "finish", "answer", "rounds", "tokens", "time",
			      "stuck", "malformed", "context", "service", … */
	struct buf answer; /* owned; the model's last words; may be empty */
	bool form;	   /* the answer had to be JSON of conf->schema, … */
	bool json;	   /* … and is */
	struct err why;	   /* filled unless done: one line for a person */
	struct task_status status;
	unsigned calls, failed_calls;
	struct changes changes; /* of the project directory; empty when not watched */
	bool replayed, resumed;
	unsigned differences; /* of a replay: results that were not the recorded ones */
};
void task_report_init(struct task_report *r);
void task_report_done(struct task_report *r);
#define _cleanup_task_report_ _cleanup_(task_report_done)

/* What happens, as it happens; any of them may be NULL. Pointers are borrowed for the
 * call. Texts are UTF-8 but otherwise as the model or the box made them: whoever shows
 * them on a terminal escapes them. */
struct task_events {
	void (*start)(void *ctx, const struct task_conf *conf, const struct model *m);
	void (*round)(void *ctx, const struct task_status *st); /* a request goes out */
	void (*words)(void *ctx, const char *text, size_t len);
	void (*reasoning)(void *ctx, const char *text, size_t len);
	void (*turn)(void *ctx, const struct task_status *st); /* it arrived whole */
	/* The words since `round` do not count: the turn was cut off or came broken. */
	void (*discarded)(void *ctx);
	void (*retry)(void *ctx, const struct task_retry *r);
	void (*call)(void *ctx, const struct task_call *c);	 /* about to run */
	void (*output)(void *ctx, const void *data, size_t len); /* live; raw bytes */
	void (*result)(void *ctx, const struct task_call *c,
		       const struct tool_result *r);
	/* Before each request: append what the person wants the model to be told. */
	void (*said)(void *ctx, struct buf *words);
	void (*notice)(void *ctx, const char *line); /* loops, budgets, compaction, … */
	/* --ask: NULL = never asked. TASK_NO takes words as the reason. */
	enum task_verdict (*ask)(void *ctx, const struct task_call *c,
				 struct task_answer *ret);
	/* interrupt_fd was readable and the current step has stopped: TASK_YES goes on
	 * (words, if any, are told to the model), TASK_STOP ends the task. NULL = stop.
	 */
	enum task_verdict (*interrupted)(void *ctx, struct task_answer *ret);
	void (*end)(void *ctx, const struct task_report *r);
};

struct task_picture {
	char *text;	  /* what it is */
	const char *mime; /* static */
	char *base64;
};

struct task_limits {
	unsigned rounds;   /* 0 = 200 */
	uint64_t tokens;   /* in + out of the whole task; 0 = none */
	uint64_t time_ms;  /* of the whole task; 0 = none */
	uint64_t cost;	   /* micro-dollars of the whole task; 0 = none */
	unsigned attempts; /* of one request; 0 = 6 */
};

/* How a project under review is asked what differs; without functions it is not. */
struct task_review {
	int (*changes)(void *ctx, struct changes *ret, struct err *e);
	int (*patch)(void *ctx, struct buf *ret,
		     struct err *e); /* fills it, or stops */
	/* Before each turn: keep what is there after @rounds of them. May be NULL */
	int (*checkpoint)(void *ctx, unsigned rounds, struct err *e);
	/* After each call that may have changed something: take over what may be, and append a
	 * line for each. May be NULL */
	int (*called)(void *ctx, struct buf *lines, struct err *e);
	void *ctx;
};

enum { TASK_PATCH = 64 << 10 /* bytes of a patch in the record */ };

/* Everything is borrowed for task_run(). */
struct task_conf {
	const char *text;	   /* the task */
	const struct json *schema; /* the answer has to be JSON that fits it */
	const struct task_picture *pictures; /* that go with it */
	size_t n_pictures;
	struct model_conf model;
	struct prompt_facts facts; /* directory, image, network, … (prompt.h) */
	struct task_limits limits;
	struct toolbox *tools;
	/* NULL = tool_run(); a test brings its own tools. */
	int (*run_tool)(struct toolbox *t, const char *name, const struct json *args,
			struct tool_result *ret, struct err *e);
	int project_fd;		   /* directory to report changes of; -1 = none */
	struct task_review review; /* instead of comparing that directory */
	int transcript_fd;	   /* append-only, 0600; -1 = none */
	int copy_fd;		   /* --save-transcript: a second one; -1 = none */
	int resume_fd;	     /* transcript of the task to go on with; -1 = a new task */
	const char *resumed; /* its name, for the record */
	bool same_machine; /* shell, jobs and /tmp are those of that task, and nothing is
				said of them */
	bool back;	   /* go on from where the task was after @rounds_back rounds */
	unsigned rounds_back;
	bool compact; /* shorten that task's history before the first request */
	const char *const *secrets; /* become *** in transcripts; NULL-ended */
	const char *settings; /* JSON object for the record: box, limits; may be NULL */
	int interrupt_fd;     /* eventfd, pipe or signalfd, non-blocking; the task reads
				 it empty; -1 = none */
	const struct task_events *events;
	void *ctx;
	/* Looked at while the model is awaited; it looks at tool_watch_aside() as well.
	 * ready NULL = that alone. */
	struct aside aside;
	/* Appends what the model shall be told from elsewhere than the person's terminal: 1,
	 * or 0 = nothing came. @end: the task is over, and takes no more. NULL = never */
	int (*told)(void *ctx, bool end, struct buf *words);
	void *told_ctx;
	uint64_t started_ms;	  /* set by task_run() when 0 */
	uint64_t (*now_ms)(void); /* NULL = monotonic; a test passes its own */
	int (*wait_ms)(void *ctx, uint64_t ms); /* NULL = poll; a test passes its own */
};

/**
 * task_run() - do a task from its first request to its end
 * @ret: initialised; filled always: events->end got the same
 *
 * The live output of the tools reaches events->output by task_output(), which whoever
 * made the toolbox gives it as its output function with @conf as context.
 *
 * Return: 0 when there was an end of any kind; a negative errno when the task could
 *         not begin (transcript, settings): ret->end is TASK_BOX or TASK_SERVICE then.
 */
int task_run(struct task_conf *conf, struct task_report *ret, struct err *e);

/** task_left_ms() - what is left of the task's time, for the toolbox; @conf likewise */
uint64_t task_left_ms(void *conf);

/** task_output() - a tool_output_fn for the toolbox; @conf is a struct task_conf */
void task_output(void *conf, const void *data, size_t len);

#endif
