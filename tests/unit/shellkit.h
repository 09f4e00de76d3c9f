/* shellkit - sessions over real shells of this host, driven by rows of steps.
 * Needs:  the shells and programs that a row names; a row whose program is missing is
 *         skipped, and says so.
 * Owns:   the session, the port and the last result.
 * Never:  sleeps: a step ends when the session says that it has. */
#ifndef TESTS_UNIT_SHELLKIT_H
#define TESTS_UNIT_SHELLKIT_H

#include "agent/session/session.h"
#include "tests/unit/hostport.h"
#include "tests/unit/unit.h"

struct shellkit {
	struct hostport port;
	struct session *s;
	struct session_result r;
	struct err e;
	struct buf live; /* what a person saw */
	struct buf all;	 /* the texts of all results, joined */
};

void shellkit_open(struct shellkit *k, const char *shell, const char *const *secrets);
void shellkit_shut(struct shellkit *k);

void shellkit_run(struct shellkit *k, const char *text);
void shellkit_input(struct shellkit *k, const char *text);
void shellkit_keys(struct shellkit *k, const char *names);

enum shellkit_do {
	SHELLKIT_END, /* of the steps */
	SHELLKIT_RUN,
	SHELLKIT_INPUT, /* as it is */
	SHELLKIT_KEYS,
	SHELLKIT_WAIT,	/* on */
	SHELLKIT_UNTIL, /* wait on until all that it printed has .has */
	SHELLKIT_SCREEN /* what the screen shows; no other expectation */
};

/* What a step must lead to. */
enum shellkit_want {
	SHELLKIT_ANY, /* exited or not */
	SHELLKIT_EXIT,
	SHELLKIT_LINE,
	SHELLKIT_KEY,
	SHELLKIT_PASSWORD,
	SHELLKIT_WAITS, /* for a line or for keys, as the program was built */
	SHELLKIT_SOFT,
	SHELLKIT_HARD,
	SHELLKIT_DEAD
};

struct shellkit_step {
	enum shellkit_do what;
	const char *text;
	enum shellkit_want want;
	int status;		   /* with SHELLKIT_EXIT and SHELLKIT_DEAD */
	const char *is;		   /* the whole text; NULL = any */
	const char *has;	   /* found in it; NULL = nothing */
	const char *has_not;	   /* not found in it; NULL = nothing */
	uint32_t soft_ms, hard_ms; /* 0 = no soft one, 60 s the hard one */
	bool full_screen;
	bool served; /* it polls for keys while its server works: waits are no end */
};

enum { SHELLKIT_STEPS = 12 };
struct shellkit_row {
	const char *name;
	const char
		*needs; /* program in PATH; "root:" before it: and to be root, "setid:":
			  and that set-id bits work below mounts of our own; NULL = none */
	struct shellkit_step steps[SHELLKIT_STEPS];
};

/** shellkit_row() - for unit_rows(): a bash, the row's steps, then a healthy shell */
void shellkit_row(const void *row);
void shellkit_row_with(const char *shell, const struct shellkit_row *row);

#endif
