/* work - a task at a terminal: all that it uses, from the person's words to its end.
 * Needs:  cmd_parse() has filled the configuration.
 * Owns:   what taskwork_done() releases.
 * Never:  does anything by itself: ordered.c, prepare.c, conversation.c and run.c do, one after
 *         the other. */
#ifndef CLI_TASK_WORK_H
#define CLI_TASK_WORK_H

#include "agent/task/task.h"
#include "agent/tool/machine.h"
#include "cli/box/gitnews.h"
#include "cli/box/imagerun.h"
#include "cli/store/boxsetup.h"
#include "cli/task/attach.h"
#include "cli/task/boxwords.h"
#include "cli/task/modelpick.h"
#include "cli/task/record/inbox.h"
#include "cli/task/record/tasklog.h"
#include "cli/task/run.h"
#include "cli/task/servers.h"
#include "cli/task/view/ask.h"
#include "cli/task/view/json.h"
#include "cli/task/view/steer.h"
#include "cli/task/view/ticker.h"
#include "cli/task/view/view.h"
#include "cli/task/waiting.h"

struct taskwork {
	struct app *app;	 /* borrowed */
	const struct taskrun *t; /* borrowed */
	struct modelpick pick;	 /* owned */
	struct boxsetup setup;	 /* owned */
	struct waiting waiting;
	struct imagerun image; /* owned */
	struct view view;      /* owned */
	struct view_json json;
	struct ticker ticker; /* owned */
	struct ask ask;
	struct steer steer;	   /* owned */
	struct inbox inbox;	   /* owned */
	struct task_status so_far; /* of a conversation */
	struct toolbox *tools;	   /* owned */
	struct servers servers;	   /* owned; of some of them */
	struct task_conf conf;
	struct machine machine;	  /* owned */
	struct boxwords boxwords; /* owned */
	struct gitnews gitnews;	  /* owned */
	struct attach attach;	  /* owned */
	struct json *schema;	  /* owned; of the answer; NULL = it has none */
	struct buf text;	  /* owned; the task with its files */
	char network[400], limits[160], resumed[TASKLOG_NAME], log[TASKLOG_NAME];
	/* Owned descriptors; -1 = none. */
	int replay, transcript, terminal, copy, resume, project, interrupt;
	struct buf model, settings; /* owned; "PROVIDER:NAME"; JSON for the record */
};

void taskwork_init(struct taskwork *w, struct app *app, const struct taskrun *t);
void taskwork_done(struct taskwork *w);

/** taskwork_settings() - the options and the model, as JSON for the record and for whoever goes
 *  on with the task; borrowed from @w; NULL = no memory */
const char *taskwork_settings(struct taskwork *w);

/** taskwork_keys() - while the task works keys are read one by one, for the model */
int taskwork_keys(struct taskwork *w, bool on, struct err *e);

/* The steps, in their order. All that they make goes into the work. */

/** ordered_read() - what a person orders, before any image is pulled or box started, and
 *  nothing is: words and files, the options of a task that goes on, a model to ask, a budget.
 *  Return: 0, or the exit status: what is wrong has been shown */
int ordered_read(struct taskwork *w, struct err *e);

/** prepare_task() - from a box that runs (boxsetup_open()) to a task that can begin: its
 *  record, its tools, servers, and what watches the terminal and the project meanwhile; the
 *  model is not asked */
int prepare_task(struct taskwork *w, struct err *e);

/** conversation_run() - tasks at a prompt: each line of the person's goes on in the transcript
 *  of those before it, also after one that failed: the person says when it ends.
 *  Return: the exit status; what went wrong has been shown */
int conversation_run(struct taskwork *w, struct err *e);

#endif
