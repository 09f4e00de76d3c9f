/* secfilter_table - which system calls each filter answers how, as data.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  holds a number that the installed libseccomp can give, but for new calls. */
#ifndef RUNTIME_CONFINE_SECFILTER_TABLE_H
#define RUNTIME_CONFINE_SECFILTER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/confine/secfilter.h"

/* A verdict: one of these, or the errno that the call fails with; 0 = it "succeeds"
 * without being made. */
enum {
	SECFILTER_ALLOW = -1,
	SECFILTER_NOTIFY = -2 /* the listener answers (setid.h) */
};

enum secfilter_test {
	SECFILTER_ALWAYS, /* the row decides */
	SECFILTER_EQ,	  /* ... when (argument & mask) == value */
	SECFILTER_ANY	  /* ... when (argument & mask) != 0 */
};

enum { SECFILTER_HIGH = 8 }; /* beside an argument's number: its high half */

/* One row. The rows of a call stand together and the first that matches decides. Only
 * the low 32 bits of an argument are looked at, as the kernel does for everything that
 * is tested here: a high half cannot carry a call past its row (CVE-2019-10063). Of a
 * pointer both halves count. */
struct secfilter_rule {
	const char *call;
	int16_t verdict;
	uint8_t test;
	uint8_t arg; /* 0-5, and SECFILTER_HIGH */
	uint32_t mask, value;
};

struct secfilter_table {
	const char *name;
	int16_t otherwise;	   /* verdict on every call that is not named */
	const char *const *allow;  /* NULL-ended; may be NULL */
	const char *const *refuse; /* EPERM; NULL-ended; may be NULL */
	const struct secfilter_rule *rules;
	size_t n_rules;
};

const struct secfilter_table *secfilter_table(enum secfilter_kind kind);

/**
 * secfilter_table_number() - of a call for which libseccomp 2.5 gives no number: newer
 * ones, the same on every architecture, and those that i386 also has behind socketcall
 * and ipc
 * Return: -1 = not such a call.
 */
int secfilter_table_number(const char *call, bool i386);

#endif
