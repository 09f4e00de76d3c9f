/* secfilter_gen - numbers and rows to a BPF program. Pure: no kernel, no library.
 * Needs:  calls by number for each architecture (secfilter.c asks libseccomp).
 * Owns:   nothing.
 * Never:  depends on the order in which calls were added. */
#ifndef RUNTIME_CONFINE_SECFILTER_GEN_H
#define RUNTIME_CONFINE_SECFILTER_GEN_H

#include <linux/filter.h>

#include "base/err.h"
#include "runtime/confine/secfilter_table.h"

enum { SECFILTER_ARCHES = 2, SECFILTER_CALLS = 600 };

struct secfilter_call {
	uint32_t nr;
	unsigned n_rules;
	const struct secfilter_rule *rules; /* borrowed; the last one matches always */
};

struct secfilter_arch {
	uint32_t audit_arch; /* AUDIT_ARCH_… */
	unsigned n_calls;
	struct secfilter_call calls[SECFILTER_CALLS];
};

struct secfilter_prog {
	unsigned len;
	struct sock_filter insns[BPF_MAXINSNS];
};

/** secfilter_gen_add() - a call and its rows; a second time for a number: -EEXIST */
int secfilter_gen_add(struct secfilter_arch *a, uint32_t nr,
		      const struct secfilter_rule *rules, unsigned n);

/**
 * secfilter_gen() - the program for some architectures
 * @arches:    calls are sorted in place
 * @otherwise: verdict on every number that was not added
 *
 * A call of any other architecture kills the process: the kernel makes none.
 * Return: 0, or -E2BIG when the program would be longer than the kernel takes.
 */
int secfilter_gen(struct secfilter_arch *arches, unsigned n, int16_t otherwise,
		  struct secfilter_prog *ret, struct err *e);

#endif
