/* prompt - what the model is told before it begins: the system prompt, in one file.
 * Needs:  facts about the box; the project directory as a descriptor.
 * Owns:   nothing.
 * Never:  says anything that changes while a task runs (no clock, no counter): the
 *         prompt is the first part of what a server caches. */
#ifndef AGENT_TASK_PROMPT_H
#define AGENT_TASK_PROMPT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum {
	PROMPT_MAX = 256 << 10, /* the whole system prompt */
	PROMPT_FILE_MAX =
		32 << 10,     /* of CUBBY.md, AGENTS.md or CLAUDE.md, nested ones too */
	PROMPT_LIST_MAX = 100 /* entries of the directory's listing */
};

/* Borrowed; NULL leaves the fact out. */
struct prompt_facts {
	const char *directory; /* of the project, absolute, the same in the box */
	const char *project;   /* what becomes of changes there: ", read-only" */
	const char *cwd;       /* in it, where the person is */
	const char *image;     /* "ubuntu:24.04" */
	const char *system;    /* "Ubuntu 24.04 LTS, apt, x86_64, 2 processors, …" */
	const char *programs;  /* "there are …; there are not …" */
	const char *user;      /* NULL = root */
	const char *network;   /* one sentence: what can be reached */
	const char *limits;    /* memory, processors, processes */
	const char *extra;     /* --system-extra */
	unsigned rounds;       /* of the task */
	uint64_t time_ms;      /* likewise; 0 = no limit */
	size_t keep;	       /* characters of a result */
	bool ask;	       /* a person sees each call */
	bool talk;	       /* a person is there, and answers */
	const struct json *boxs_words; /* marks of the project's words that the box
					* wrote */
	bool stays; /* what runs in the background goes on when the task ends */
};

/**
 * prompt_build() - append the system prompt to @out
 * @dirfd: project directory, for its listing, and its AGENTS.md and nested ones; -1 = none
 */
int prompt_build(const struct prompt_facts *f, int dirfd, struct buf *out,
		 struct err *e);

/** prompt_marks() - the words that the project has of its own: an object of marks by path,
 *                   equal only for equal words; owned */
struct json *prompt_marks(int dirfd);

#endif
