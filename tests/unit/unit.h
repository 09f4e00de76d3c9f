/* unit - what every unit test starts from: rows as named tests, a private directory,
 * skips that are counted. Door of cmocka.
 * Needs:  cmocka 1.1.
 * Owns:   the temporary directory, removed after each test.
 * Never:  lets a test end quietly: no row, no test, is a failure. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include "base/def.h"
#include "base/err.h"

struct json;

/* A test of a table: gets one row, whose first member is "const char *name". */
typedef void unit_row_fn(const void *row);

int unit_run_rows(const char *group, const void *rows, size_t n, size_t size,
		  unit_row_fn *fn);
/** unit_rows() - a named test per row; returns the number of failures, for main() */
#define unit_rows(group, rows, fn) \
	unit_run_rows(group, rows, ARRAY_SIZE(rows), sizeof((rows)[0]), fn)

struct unit_case {
	const char *name;
	void (*run)(void);
};
int unit_run_cases(const char *group, const struct unit_case *cases, size_t n);
/** unit_cases() - plain tests without a table */
#define unit_cases(group, cases) unit_run_cases(group, cases, ARRAY_SIZE(cases))

/** unit_skip() - end this test as skipped, with the reason printed for the runner */
void unit_skip(const char *why) _noreturn_;

/** unit_tmpdir() - absolute path of an empty directory of this test */
const char *unit_tmpdir(void);
/** unit_top() - that directory, opened; the caller's to close */
int unit_top(void);
/** unit_put() - a file with @text and @mode, whatever there was; passes no door */
void unit_put(int dir, const char *path, const char *text, mode_t mode);

/** unit_json() - of a text that is sound; the caller's to free */
struct json *unit_json(const char *text);

/**
 * unit_faults() - fail the 1st, 2nd, … door that @fn passes, until it passes none more
 * @fn:  the code under test; releases what it got when it succeeds
 *
 * Each time asserts that no descriptor leaked, that a failure filled @e with the code
 * that was returned, and at last that @fn succeeds when nothing fails. Doors passed in
 * forked children count too. Works in VARIANT=asan (tests/unit/<layer>/fault_*.c).
 */
typedef int unit_fault_fn(void *ctx, struct err *e);
void unit_faults(unit_fault_fn *fn, void *ctx);

/** unit_kills() - run @fn in a process that is killed, or that has one killed that it has
 *  forked, at the 1st, 2nd, … door, until it comes to its end (in the long pass; one in three of
 *  these else); @after looks each time at what is there then, and puts things back */
void unit_kills(unit_fault_fn *fn, void (*after)(void *ctx), void *ctx);

/* Something that another program does just then. */
struct unit_event {
	void (*happens)(void *ctx); /* in the process that runs the code under test */
	unsigned kills; /* so many doors from there on are each the last one, too, */
	unsigned
		last; /* where it happens at one of so many before the end; one in five of
			 * these pairs but in the long pass */
};
/** unit_meanwhile() - run @fn in a process of its own; before its 1st, 2nd, … door something
 *  happens; @after as that of unit_kills() */
void unit_meanwhile(unit_fault_fn *fn, const struct unit_event *x,
		    void (*after)(void *ctx), void *ctx);

/** unit_fails() - the same, where the 1st, 2nd, … door returns @code once */
void unit_fails(unit_fault_fn *fn, long code, void (*after)(void *ctx), void *ctx);

/** unit_err() - assert code and exact message of a failure */
#define unit_err(e, want_code, want_msg)                 \
	do {                                             \
		assert_int_equal((e)->code, want_code);  \
		assert_string_equal((e)->msg, want_msg); \
	} while (0)

/** unit_ok() - assert that a call did not fail; its message is shown when it did */
#define unit_ok(r, e)                                           \
	do {                                                    \
		long unit_r_ = (long)(r);                       \
		if (unit_r_ < 0)                                \
			fail_msg("%ld: %s", unit_r_, (e)->msg); \
	} while (0)

#endif
