/* Theory of operation. For each architecture the calls, sorted by number, become
 * ranges of neighbours with the same verdict, and the ranges a binary tree of "number
 * >= K" jumps whose leaves answer. A filter of 350 calls has some 110 ranges: 7
 * comparisons for any call, and a quarter of the instructions of a chain with an entry
 * per call, which matters because the kernel checks and compiles the program each time
 * that a box starts (0.1 ms; 0.25 to 0.8 ms for what libseccomp makes of the table). A
 * call with rows of arguments is a range of its own whose leaf tests them in order. */
#include "runtime/confine/secfilter_gen.h"

#include <endian.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

/* The low half of an argument: what the kernel uses of everything that rows test. */
#if __BYTE_ORDER == __LITTLE_ENDIAN
enum { LOW_HALF = 0 };
#else
enum { LOW_HALF = 4 };
#endif

enum {
	JUMP_MAX = 255, /* what fits the 8 bits of a conditional jump */
	RANGES = 2 * SECFILTER_CALLS + 1,
	ANSWERS = 8
};

struct range {
	uint32_t first;
	unsigned n_rules;
	const struct secfilter_rule *rules;
};

struct ranges {
	unsigned n;
	struct range at[RANGES];
};

int secfilter_gen_add(struct secfilter_arch *a, uint32_t nr,
		      const struct secfilter_rule *rules, unsigned n)
{
	for (unsigned i = 0; i < a->n_calls; i++)
		if (a->calls[i].nr == nr)
			return -EEXIST;
	if (a->n_calls == SECFILTER_CALLS)
		return -E2BIG;
	a->calls[a->n_calls++] =
		(struct secfilter_call){ .nr = nr, .n_rules = n, .rules = rules };
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = ((const struct secfilter_call *)a)->nr;
	uint32_t y = ((const struct secfilter_call *)b)->nr;

	return x < y ? -1 : x > y;
}

static bool same_answer(const struct range *r, const struct secfilter_rule *rules,
			unsigned n)
{
	return r->n_rules == 1 && n == 1 && r->rules->verdict == rules->verdict;
}

static void add_range(struct ranges *rs, uint32_t first,
		      const struct secfilter_rule *rules, unsigned n)
{
	if (rs->n && same_answer(&rs->at[rs->n - 1], rules, n))
		return;
	rs->at[rs->n++] =
		(struct range){ .first = first, .rules = rules, .n_rules = n };
}

static void make_ranges(struct secfilter_arch *a,
			const struct secfilter_rule *otherwise, struct ranges *ret)
{
	uint32_t next = 0;

	qsort(a->calls, a->n_calls, sizeof(a->calls[0]), by_number);
	ret->n = 0;
	for (unsigned i = 0; i < a->n_calls; i++) {
		const struct secfilter_call *c = &a->calls[i];

		if (c->nr > next)
			add_range(ret, next, otherwise, 1);
		add_range(ret, c->nr, c->rules, c->n_rules);
		next = c->nr + 1;
	}
	add_range(ret, next, otherwise, 1);
}

/* ---- emission ------------------------------------------------------------------- */

/* Jumps lead forward only, so that a program is written from its end: the target of
 * every jump is there before the jump. Positions count from the end meanwhile, and the
 * whole is turned round at last. A program that is full is noticed then. */
struct writer {
	struct secfilter_prog *prog;
	unsigned n_answers;
	struct answer {
		int16_t verdict;
		unsigned at;
	} answers[ANSWERS]; /* the nearest "return verdict" of each kind */
};

static unsigned emit(struct writer *w, struct sock_filter f)
{
	if (w->prog->len < BPF_MAXINSNS)
		w->prog->insns[w->prog->len] = f;
	return w->prog->len++;
}

static bool near(const struct writer *w, unsigned at)
{
	return w->prog->len - at <= JUMP_MAX;
}

/* A conditional jump; what 8 bits do not reach is reached through a far jump. */
static unsigned emit_jump(struct writer *w, uint16_t code, uint32_t k, unsigned yes,
			  unsigned no)
{
	unsigned *ends[] = { &yes, &no };

	for (unsigned i = 0; i < 2; i++)
		if (!near(w, *ends[i]))
			*ends[i] = emit(w, (struct sock_filter)BPF_STMT(
						   BPF_JMP | BPF_JA,
						   w->prog->len - *ends[i] - 1));
	return emit(w, (struct sock_filter)BPF_JUMP(code, k,
						    (uint8_t)(w->prog->len - yes - 1),
						    (uint8_t)(w->prog->len - no - 1)));
}

static unsigned emit_load(struct writer *w, size_t offset)
{
	return emit(w, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						    (uint32_t)offset));
}

static unsigned emit_answer(struct writer *w, int16_t verdict)
{
	uint32_t k = SECCOMP_RET_ERRNO | ((uint32_t)verdict & SECCOMP_RET_DATA);
	unsigned i = 0;

	if (verdict == SECFILTER_ALLOW)
		k = SECCOMP_RET_ALLOW;
	else if (verdict == SECFILTER_NOTIFY)
		k = SECCOMP_RET_USER_NOTIF;
	while (i < w->n_answers && w->answers[i].verdict != verdict)
		i++;
	if (i < w->n_answers && near(w, w->answers[i].at))
		return w->answers[i].at;
	if (i == ANSWERS) /* more kinds than are kept: this one is not shared */
		i = 0;
	w->answers[i] = (struct answer){ .verdict = verdict, .at = w->prog->len };
	w->n_answers = MAX(w->n_answers, i + 1);
	return emit(w, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, k));
}

static size_t offset_of(const struct secfilter_rule *r)
{
	size_t half = r->arg & SECFILTER_HIGH ? 4 - LOW_HALF : LOW_HALF;

	return offsetof(struct seccomp_data, args) +
	       8 * (size_t)(r->arg & ~SECFILTER_HIGH) + half;
}

/* True when behind @r, having not matched, the accumulator still has its argument. */
static bool keeps_argument(const struct secfilter_rule *r)
{
	return r->test == SECFILTER_ANY || r->mask == UINT32_MAX;
}

static unsigned emit_rules(struct writer *w, const struct secfilter_rule *rules,
			   unsigned n)
{
	unsigned next = emit_answer(w, rules[n - 1].verdict);

	for (unsigned i = n - 1; i-- > 0;) {
		const struct secfilter_rule *r = &rules[i];
		bool any = r->test == SECFILTER_ANY;

		next = emit_jump(w, BPF_JMP | BPF_K | (any ? BPF_JSET : BPF_JEQ),
				 any ? r->mask : r->value, emit_answer(w, r->verdict),
				 next);
		if (!keeps_argument(r))
			next = emit(w, (struct sock_filter)BPF_STMT(
					       BPF_ALU | BPF_AND | BPF_K, r->mask));
		if (!i || r[-1].arg != r->arg || !keeps_argument(&r[-1]))
			next = emit_load(w, offset_of(r));
	}
	return next;
}

static unsigned emit_tree(struct writer *w, const struct range *rs, unsigned n)
{
	unsigned mid = n / 2, left, right;

	if (n == 1)
		return emit_rules(w, rs->rules, rs->n_rules);
	right = emit_tree(w, rs + mid, n - mid);
	left = emit_tree(w, rs, mid);
	return emit_jump(w, BPF_JMP | BPF_JGE | BPF_K, rs[mid].first, right, left);
}

static unsigned emit_arch(struct writer *w, struct secfilter_arch *a,
			  const struct secfilter_rule *otherwise)
{
	struct ranges rs;
	unsigned at;

	make_ranges(a, otherwise, &rs);
	at = emit_tree(w, rs.at, rs.n);
	if (at != w->prog->len - 1) /* one range: an answer that was there already */
		emit(w, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA,
						     w->prog->len - at - 1));
	return emit_load(w, offsetof(struct seccomp_data, nr));
}

static void turn_round(struct secfilter_prog *p)
{
	for (unsigned i = 0, j = p->len - 1; i < j; i++, j--) {
		struct sock_filter f = p->insns[i];

		p->insns[i] = p->insns[j];
		p->insns[j] = f;
	}
}

int secfilter_gen(struct secfilter_arch *arches, unsigned n, int16_t otherwise,
		  struct secfilter_prog *ret, struct err *e)
{
	const struct secfilter_rule rest = { .verdict = otherwise,
					     .test = SECFILTER_ALWAYS };
	struct writer w = { .prog = ret };
	unsigned at[SECFILTER_ARCHES], next;

	ret->len = 0;
	next = emit(&w, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						     SECCOMP_RET_KILL_PROCESS));
	for (unsigned i = 0; i < n; i++)
		at[i] = emit_arch(&w, &arches[i], &rest);
	for (unsigned i = n; i-- > 0;)
		next = emit_jump(&w, BPF_JMP | BPF_JEQ | BPF_K, arches[i].audit_arch,
				 at[i], next);
	emit_load(&w, offsetof(struct seccomp_data, arch));
	if (ret->len > BPF_MAXINSNS)
		return err_set(e, -E2BIG, "filter of %u instructions is too long",
			       ret->len);
	turn_round(ret);
	return 0;
}
