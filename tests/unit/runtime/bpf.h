/* bpf - runs a filter as the kernel would, for any architecture and number.
 * Needs:  a program.
 * Owns:   nothing.
 * Never:  accepts an instruction that seccomp refuses. */
#ifndef TESTS_UNIT_RUNTIME_BPF_H
#define TESTS_UNIT_RUNTIME_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>

#include "tests/unit/unit.h"

/* The answer; *steps counts instructions when it is given. */
static inline uint32_t bpf_run(const struct sock_filter *f, size_t n,
			       const struct seccomp_data *d, unsigned *steps)
{
	uint32_t a = 0;

	for (size_t pc = 0; pc < n; pc++) {
		const struct sock_filter *i = &f[pc];

		if (steps)
			++*steps;
		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			assert_true(i->k + 4 <= sizeof(*d));
			memcpy(&a, (const char *)d + i->k, 4);
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= i->k;
			break;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += a == i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			pc += a >= i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			pc += a & i->k ? i->jt : i->jf;
			break;
		case BPF_RET | BPF_K:
			return i->k;
		default:
			fail_msg("instruction %zu has code %#x", pc, i->code);
		}
	}
	fail_msg("the program runs past its end");
	return 0;
}

#endif
