#include "runtime/confine/secfilter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "base/log.h"
#include "base/sys/sys.h"
#include "runtime/confine/secfilter_cache.h"
#include "runtime/confine/secfilter_gen.h"

/* libseccomp is asked for the numbers of calls and nothing else, and only when there
 * is no compiled filter in the cache: loading it costs 0.2 ms at every start. */
struct numbers {
	int (*by_name)(uint32_t arch, const char *name);
	uint32_t (*native)(void);
};

static int numbers_load(struct numbers *n, struct err *e)
{
	static const struct dl_symbol symbols[] = {
		DL_SYMBOL(struct numbers, by_name, "seccomp_syscall_resolve_name_arch"),
		DL_SYMBOL(struct numbers, native, "seccomp_arch_native"),
	};
	static const struct dl_library lib = { .soname = "libseccomp.so.2",
					       .package = "libseccomp2",
					       .symbols = symbols,
					       .count = ARRAY_SIZE(symbols) };

	return dl_load(&lib, n, e);
}

/* The architectures whose programs a box may run: ours and its 32-bit sister. x32 is
 * answered as by the kernels of Debian and Ubuntu, where it is off: no such call. */
static unsigned arches_of(const struct numbers *n, uint32_t ret[SECFILTER_ARCHES])
{
	ret[0] = n->native();
	if (ret[0] == SCMP_ARCH_X86_64)
		ret[1] = SCMP_ARCH_X86;
	else if (ret[0] == SCMP_ARCH_AARCH64)
		ret[1] = SCMP_ARCH_ARM;
	else
		return 1;
	return 2;
}

static int add_call(const struct numbers *n, struct secfilter_arch *a,
		    const struct secfilter_rule *rules, unsigned count)
{
	int nr = n->by_name(a->audit_arch, rules->call);

	if (nr < 0) /* unknown, or a pseudo number of libseccomp's own */
		nr = secfilter_table_number(rules->call,
					    a->audit_arch == SCMP_ARCH_X86);
	return nr < 0 ? 0 : secfilter_gen_add(a, (uint32_t)nr, rules, count);
}

static int add_names(const struct numbers *n, struct secfilter_arch *a,
		     const char *const *names, struct secfilter_rule *rule)
{
	for (; names && *names; names++) {
		int r;

		rule->call = *names;
		r = add_call(n, a, rule, 1);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_rules(const struct numbers *n, struct secfilter_arch *a,
		     const struct secfilter_table *t)
{
	for (size_t i = 0, end; i < t->n_rules; i = end) {
		int r;

		for (end = i + 1; end < t->n_rules; end++)
			if (strcmp(t->rules[end].call, t->rules[i].call) != 0)
				break;
		r = add_call(n, a, &t->rules[i], (unsigned)(end - i));
		if (r < 0)
			return r;
	}
	return 0;
}

struct work {
	/* What every name of the two lists stands for; rules of ranges point here. */
	struct secfilter_rule allow, refuse;
	struct secfilter_arch arches[SECFILTER_ARCHES];
	struct secfilter_prog prog;
};

static int compile(const struct secfilter_table *t, struct work *w, struct err *e)
{
	struct numbers n;
	uint32_t ids[SECFILTER_ARCHES];
	unsigned n_arches;
	int r = numbers_load(&n, e);

	if (r < 0)
		return r;
	w->allow.verdict = SECFILTER_ALLOW;
	w->refuse.verdict = EPERM;
	n_arches = arches_of(&n, ids);
	for (unsigned i = 0; i < n_arches; i++) {
		struct secfilter_arch *a = &w->arches[i];

		a->audit_arch = ids[i];
		r = add_names(&n, a, t->allow, &w->allow);
		if (r >= 0)
			r = add_names(&n, a, t->refuse, &w->refuse);
		if (r >= 0)
			r = add_rules(&n, a, t);
		if (r < 0)
			return err_sys(e, r, "bad table of the %s filter", t->name);
	}
	return secfilter_gen(w->arches, n_arches, t->otherwise, &w->prog, e);
}

int secfilter_get(enum secfilter_kind kind, int cache_dirfd, struct buf *ret,
		  struct err *e)
{
	const struct secfilter_table *t = secfilter_table(kind);
	_cleanup_free_ struct work *w = NULL;
	_cleanup_buf_ struct buf prog =
		BUF_INIT(BPF_MAXINSNS * sizeof(struct sock_filter));
	struct err ignored = ERR_NONE;
	int r;

	if (cache_dirfd >= 0 && secfilter_cache_load(cache_dirfd, t, ret) >= 0)
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return err_sys(e, -ENOMEM, "cannot make the %s filter", t->name);
	r = compile(t, w, e);
	if (r < 0)
		return err_wrap(e, "system call filter");
	r = buf_add(&prog, w->prog.insns, w->prog.len * sizeof(w->prog.insns[0]));
	if (r >= 0)
		r = buf_add(ret, prog.data, prog.len);
	if (r < 0)
		return err_sys(e, r, "cannot make the %s filter", t->name);
	if (cache_dirfd >= 0 &&
	    secfilter_cache_save(cache_dirfd, t, &prog, &ignored) < 0)
		log_debug("%s", ignored.msg);
	return 0;
}
