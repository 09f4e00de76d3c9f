/* tasklog - the transcripts of a box: one file per task, named by when it began.
 * Needs:  an open box directory.
 * Owns:   nothing.
 * Never:  changes a transcript in which something stands. */
#ifndef CLI_TASK_RECORD_TASKLOG_H
#define CLI_TASK_RECORD_TASKLOG_H

#include <time.h>

#include "rootfs/store/boxdir.h"

enum { TASKLOG_NAME = 64 };

/** tasklog_create() - a new one for appending; returns its descriptor */
int tasklog_create(const struct boxdir *b, struct timespec now, char ret[TASKLOG_NAME],
		   struct err *e);

/** tasklog_end() - the one that was open as @fd, if any, goes when nothing could be written
 *  into it: there is nothing to show, nor to go on with */
void tasklog_end(const struct boxdir *b, const char *name, int fd);

/** tasklog_dir() - the directory that they are in */
int tasklog_dir(const struct boxdir *b, struct err *e);

/** tasklog_hold() - this process writes it: told again after it was opened and closed here
 */
void tasklog_hold(int fd);
/** tasklog_writer() - the process that writes the transcript @fd; 0 = none does any more */
pid_t tasklog_writer(int fd);

/** tasklog_terminal() - the file beside transcript @name that gets what its terminals
 *  show, byte for byte; returns its descriptor */
int tasklog_terminal(const struct boxdir *b, const char *name, struct err *e);

/** tasklog_terminal_open() - that file, for reading; -ENOENT = there is none */
int tasklog_terminal_open(const struct boxdir *b, const char *name, struct err *e);

/** tasklog_open() - for reading: by name, or the beginning of one; NULL = the newest
 *  Return: the descriptor, for reading alone; -ENOENT; -ENOTUNIQ. */
int tasklog_open(const struct boxdir *b, const char *name, char ret[TASKLOG_NAME],
		 struct err *e);

/**
 * tasklog_copy() - open, empty or make the file of --save-transcript
 *
 * The project directory is the box's too: a link that it left there leads to nothing else.
 * Return: the descriptor; -ELOOP (a link, or no plain file), -EXDEV (hostpath.h), or another
 *         negative errno.
 */
int tasklog_copy(const char *name, struct err *e);

struct tasklog_list {
	char (*v)[TASKLOG_NAME]; /* owned; oldest first */
	size_t n;
};
#define TASKLOG_LIST_NONE ((struct tasklog_list){ 0 })
int tasklog_list(const struct boxdir *b, struct tasklog_list *ret, struct err *e);
void tasklog_list_done(struct tasklog_list *l);
#define _cleanup_tasklog_list_ _cleanup_(tasklog_list_done)

#endif
