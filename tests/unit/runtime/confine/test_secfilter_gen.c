#include "runtime/confine/secfilter_gen.h"

#include <linux/audit.h>
#include <stdlib.h>

#include "base/scope.h"
#include "tests/unit/runtime/bpf.h"

#define ERRNO(n) (SECCOMP_RET_ERRNO | (n))

static const struct secfilter_rule allow = { .verdict = SECFILTER_ALLOW };
static const struct secfilter_rule refuse = { .verdict = EPERM };
static const struct secfilter_rule by_arg[] = {
	{ .verdict = EPERM,
	  .test = SECFILTER_EQ,
	  .arg = 1,
	  .mask = UINT32_MAX,
	  .value = 0x5412 },
	{ .verdict = EACCES, .test = SECFILTER_ANY, .arg = 5, .mask = 0x30 },
	{ .verdict = 0, .test = SECFILTER_EQ, .arg = 2, .mask = 0xf0, .value = 0x20 },
	{ .verdict = SECFILTER_ALLOW },
};

struct fixture {
	struct secfilter_arch arches[2];
	struct secfilter_prog prog;
};

static struct fixture *fixture_new(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->arches[0].audit_arch = AUDIT_ARCH_X86_64;
	f->arches[1].audit_arch = AUDIT_ARCH_I386;
	return f;
}

static uint32_t ask(const struct fixture *f, uint32_t arch, int nr)
{
	struct seccomp_data d = { .nr = nr, .arch = arch };

	return bpf_run(f->prog.insns, f->prog.len, &d, NULL);
}

static uint32_t ask_args(const struct fixture *f, const uint64_t args[6])
{
	struct seccomp_data d = { .nr = 16, .arch = AUDIT_ARCH_X86_64 };

	memcpy(d.args, args, sizeof(d.args));
	return bpf_run(f->prog.insns, f->prog.len, &d, NULL);
}

/* Every number against a plain array of answers, for many random sets of calls. */
static void every_number_is_answered(void)
{
	unsigned seed = 20240611;

	printf("# seed %u\n", seed);
	for (int round = 0; round < 50; round++) {
		_cleanup_free_ struct fixture *f = fixture_new();
		uint32_t want[2][700];
		struct err e = ERR_NONE;

		for (int a = 0; a < 2; a++) {
			for (int nr = 699; nr >= 0; nr--) {
				int kind = rand_r(&seed) % (2 + round % 5);

				want[a][nr] = ERRNO(ENOSYS);
				if (kind > 1 || f->arches[a].n_calls == SECFILTER_CALLS)
					continue;
				want[a][nr] = kind ? ERRNO(EPERM) : SECCOMP_RET_ALLOW;
				assert_int_equal(
					secfilter_gen_add(&f->arches[a], (uint32_t)nr,
							  kind ? &refuse : &allow, 1),
					0);
			}
		}
		unit_ok(secfilter_gen(f->arches, 2, ENOSYS, &f->prog, &e), &e);
		for (int nr = 0; nr < 700; nr++) {
			assert_int_equal(ask(f, AUDIT_ARCH_X86_64, nr), want[0][nr]);
			assert_int_equal(ask(f, AUDIT_ARCH_I386, nr), want[1][nr]);
		}
		assert_int_equal(ask(f, AUDIT_ARCH_X86_64, 0x40000000), ERRNO(ENOSYS));
		assert_int_equal(ask(f, AUDIT_ARCH_X86_64, -1), ERRNO(ENOSYS));
		assert_int_equal(ask(f, AUDIT_ARCH_ARM, 1), SECCOMP_RET_KILL_PROCESS);
	}
}

static void rows_are_tested_in_order(void)
{
	_cleanup_free_ struct fixture *f = fixture_new();
	const uint64_t high = UINT64_C(1) << 32;
	struct err e = ERR_NONE;

	secfilter_gen_add(&f->arches[0], 16, by_arg, ARRAY_SIZE(by_arg));
	unit_ok(secfilter_gen(f->arches, 2, ENOSYS, &f->prog, &e), &e);
	assert_int_equal(ask_args(f, (uint64_t[6]){ 0 }), SECCOMP_RET_ALLOW);
	assert_int_equal(ask_args(f, (uint64_t[6]){ 0, 0x5412 }), ERRNO(EPERM));
	assert_int_equal(ask_args(f, (uint64_t[6]){ 0, high | 0x5412 }), ERRNO(EPERM));
	assert_int_equal(ask_args(f, (uint64_t[6]){ 0, 0x5413 }), SECCOMP_RET_ALLOW);
	assert_int_equal(ask_args(f, (uint64_t[6]){ 0, 0x5412, 0, 0, 0, 0x10 }),
			 ERRNO(EPERM));
	assert_int_equal(ask_args(f, (uint64_t[6]){ 0, 0, 0, 0, 0, 0x20 }),
			 ERRNO(EACCES));
	assert_int_equal(ask_args(f, (uint64_t[6]){ 0, 0, 0, 0, 0, 0x40 }),
			 SECCOMP_RET_ALLOW);
	assert_int_equal(ask_args(f, (uint64_t[6]){ 0, 0, 0x12f }), ERRNO(0));
	assert_int_equal(ask(f, AUDIT_ARCH_X86_64, 15), ERRNO(ENOSYS));
	assert_int_equal(ask(f, AUDIT_ARCH_X86_64, 17), ERRNO(ENOSYS));
}

static void a_number_is_added_once(void)
{
	_cleanup_free_ struct fixture *f = fixture_new();

	assert_int_equal(secfilter_gen_add(&f->arches[0], 3, &allow, 1), 0);
	assert_int_equal(secfilter_gen_add(&f->arches[0], 3, &refuse, 1), -EEXIST);
	for (uint32_t nr = 10; nr < 10 + SECFILTER_CALLS - 1; nr++)
		assert_int_equal(secfilter_gen_add(&f->arches[0], nr, &allow, 1), 0);
	assert_int_equal(secfilter_gen_add(&f->arches[0], 9, &allow, 1), -E2BIG);
}

static void a_long_program_is_refused(void)
{
	_cleanup_free_ struct fixture *f = fixture_new();
	struct err e = ERR_NONE;

	for (uint32_t nr = 0; nr < SECFILTER_CALLS; nr++)
		secfilter_gen_add(&f->arches[0], nr, by_arg, ARRAY_SIZE(by_arg));
	assert_int_equal(secfilter_gen(f->arches, 2, ENOSYS, &f->prog, &e), -E2BIG);
	assert_non_null(strstr(e.msg, "instructions is too long"));
}

static void no_calls_is_one_answer(void)
{
	_cleanup_free_ struct fixture *f = fixture_new();
	struct err e = ERR_NONE;

	secfilter_gen_add(&f->arches[0], 0, &refuse, 1);
	unit_ok(secfilter_gen(f->arches, 2, SECFILTER_ALLOW, &f->prog, &e), &e);
	assert_int_equal(ask(f, AUDIT_ARCH_X86_64, 0), ERRNO(EPERM));
	assert_int_equal(ask(f, AUDIT_ARCH_X86_64, 1), SECCOMP_RET_ALLOW);
	assert_int_equal(ask(f, AUDIT_ARCH_I386, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(ask(f, AUDIT_ARCH_I386, -1), SECCOMP_RET_ALLOW);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "every number of every architecture is answered",
		  every_number_is_answered },
		{ "rows are tested in order, on 32 bits", rows_are_tested_in_order },
		{ "an architecture without calls has one answer",
		  no_calls_is_one_answer },
		{ "a number is added once", a_number_is_added_once },
		{ "a program longer than the kernel takes is refused",
		  a_long_program_is_refused },
	};

	return unit_cases("secfilter_gen", cases);
}
