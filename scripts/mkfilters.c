/* mkfilters - makes the programs of the system call filters, while cubby is built.
 *
 * usage: mkfilters DIRECTORY     DIRECTORY/ARCH/KIND for each architecture and filter
 *
 * Tables (runtime/confine/secfilter_table.c) and generator are cubby's, the numbers of
 * calls are libseccomp's. Its own programs are longer, and cannot say all of the tables
 * (docs/adr/0006). */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/def.h"
#include "runtime/confine/secfilter_gen.h"

/* Those whose programs a box may run: the processor's own and its 32-bit sister. x32 is
 * answered as by the kernels of Debian and Ubuntu, where it is off: no such call. */
static const struct target {
	const char *name;
	uint32_t arch, sister; /* 0 = the one that this runs on; none */
} targets[] = {
	{ "x86_64", SCMP_ARCH_X86_64, SCMP_ARCH_X86 },
	{ "aarch64", SCMP_ARCH_AARCH64, SCMP_ARCH_ARM },
	{ "native", 0, 0 },
};

static const char *const kinds[] = {
	[SECFILTER_BOX] = "box",
	[SECFILTER_SETID] = "setid",
	[SECFILTER_SETID_ROOT] = "setid_root",
	[SECFILTER_FAKE] = "fake",
	[SECFILTER_GATE] = "gate",
};

struct work {
	/* What every name of the two lists stands for; rules of ranges point here. */
	struct secfilter_rule allow, refuse;
	struct secfilter_arch arches[SECFILTER_ARCHES];
	struct secfilter_prog prog;
};

static int add_call(struct secfilter_arch *a, const struct secfilter_rule *rules,
		    unsigned count)
{
	int nr = seccomp_syscall_resolve_name_arch(a->audit_arch, rules->call);

	/* i386's first one has its arguments behind a pointer; every libc calls mmap2. */
	if (a->audit_arch == SCMP_ARCH_X86 && strcmp(rules->call, "mmap") == 0)
		return 0;
	if (nr < 0) /* unknown, or a pseudo number of libseccomp's own */
		nr = secfilter_table_number(rules->call,
					    a->audit_arch == SCMP_ARCH_X86);
	return nr < 0 ? 0 : secfilter_gen_add(a, (uint32_t)nr, rules, count);
}

static int add_names(struct secfilter_arch *a, const char *const *names,
		     struct secfilter_rule *rule)
{
	int r = 0;

	for (; names && *names && r >= 0; names++) {
		rule->call = *names;
		r = add_call(a, rule, 1);
	}
	return r;
}

static int add_rules(struct secfilter_arch *a, const struct secfilter_table *t)
{
	int r = 0;

	for (size_t i = 0, end; i < t->n_rules && r >= 0; i = end) {
		for (end = i + 1; end < t->n_rules; end++)
			if (strcmp(t->rules[end].call, t->rules[i].call) != 0)
				break;
		r = add_call(a, &t->rules[i], (unsigned)(end - i));
	}
	return r;
}

static int compile(const struct target *to, const struct secfilter_table *t,
		   struct work *w, struct err *e)
{
	unsigned n = to->sister ? 2 : 1;

	memset(w, 0, sizeof(*w));
	w->allow.verdict = SECFILTER_ALLOW;
	w->refuse.verdict = EPERM;
	for (unsigned i = 0; i < n; i++) {
		struct secfilter_arch *a = &w->arches[i];

		a->audit_arch = i	   ? to->sister
				: to->arch ? to->arch
					   : seccomp_arch_native();
		if (add_names(a, t->allow, &w->allow) < 0 ||
		    add_names(a, t->refuse, &w->refuse) < 0 || add_rules(a, t) < 0)
			return err_set(e, -EINVAL, "bad table of the %s filter",
				       t->name);
	}
	return secfilter_gen(w->arches, n, t->otherwise, &w->prog, e);
}

static int save(const char *dir, const char *name, const struct secfilter_prog *p)
{
	char path[4096];
	FILE *f;
	int ok;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	ok = f && fwrite(p->insns, sizeof(p->insns[0]), p->len, f) == p->len;
	if (f && fclose(f) != 0)
		ok = 0;
	if (!ok)
		fprintf(stderr, "mkfilters: cannot write '%s': %s\n", path,
			strerror(errno));
	return ok ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct work *w = malloc(sizeof(*w));
	struct err e = ERR_NONE;

	if (argc != 2 || !w)
		return 2;
	for (size_t t = 0; t < ARRAY_SIZE(targets); t++) {
		char dir[4000];

		snprintf(dir, sizeof(dir), "%s/%s", argv[1], targets[t].name);
		(void)mkdir(argv[1], 0755);
		(void)mkdir(dir, 0755);
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			if (compile(&targets[t],
				    secfilter_table((enum secfilter_kind)k), w,
				    &e) < 0) {
				fprintf(stderr, "mkfilters: %s\n", e.msg);
				return 1;
			}
			if (save(dir, kinds[k], &w->prog) < 0)
				return 1;
		}
	}
	free(w);
	return 0;
}
