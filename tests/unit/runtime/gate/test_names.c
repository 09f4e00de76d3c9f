#include "runtime/gate/names.h"

#include <stdio.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static struct gate_names *open_names(int fd)
{
	struct gate_names *d = NULL;
	struct err e = ERR_NONE;

	unit_ok(gate_names_new(fd, &d, &e), &e);
	return d;
}

static void names_keep_their_address(void)
{
	_cleanup_gate_names_ struct gate_names *d = open_names(-1);
	char text[NETADDR_TEXT];
	struct netaddr a;

	assert_int_equal(gate_names_find(d, "a.example"), GATE_NAMES_NONE);
	assert_int_equal(gate_names_add(d, "a.example"), 0);
	assert_int_equal(gate_names_add(d, "b.example"), 1);
	assert_int_equal(gate_names_add(d, "a.example"), 0);
	assert_int_equal(gate_names_count(d), 2);
	a = gate_names_addr(1);
	assert_string_equal(netaddr_format(&a, text), "198.18.0.17");
	assert_string_equal(gate_names_at(d, &a), "b.example");
	a = gate_names_addr(2);
	assert_null(gate_names_at(d, &a));
	assert_int_equal(gate_names_add(d, ""), -EINVAL);
}

static const struct range_row {
	const char *name;
	bool in;
} ranges[] = {
	{ "198.18.0.0", true },	 { "198.18.0.15", true },
	{ "198.18.0.16", true }, { "198.19.255.255", true },
	{ "198.20.0.0", false }, { "198.17.255.255", false },
	{ "127.0.0.1", false },	 { "::c612:10", false },
	{ "0.0.0.0", false },	 { "255.255.255.255", false },
};

static void knows_its_range(const void *p)
{
	const struct range_row *row = p;
	_cleanup_gate_names_ struct gate_names *d = open_names(-1);
	struct netaddr a;

	assert_int_equal(netaddr_parse(row->name, &a), 0);
	assert_int_equal(gate_names_in_range(&a), row->in);
	assert_null(gate_names_at(d, &a));
}

static void names_outlive_the_process(void)
{
	_cleanup_close_ int fd = sys_memfd("names", 0);
	struct gate_names *d;
	char name[64];

	assert_int_equal(sys_ftruncate(fd, GATE_NAMES_BYTES), 0);
	d = open_names(fd);
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "host-%d.example", i);
		assert_int_equal(gate_names_add(d, name), i);
	}
	gate_names_free(&d);
	d = open_names(fd);
	assert_int_equal(gate_names_count(d), 1000);
	assert_int_equal(gate_names_find(d, "host-777.example"), 777);
	assert_int_equal(gate_names_add(d, "new.example"), 1000);
	gate_names_free(&d);
}

/* Whatever a dead process left behind: whole records or nothing of them. */
static void odd_memory_is_survived(void)
{
	static const char left[][8] = { "\3ab",
					"\xff"
					"abc",
					"\2a\0b", "\1a\0\5abc" };
	static const int want[] = { 0, 0, 0, 1 };

	for (size_t i = 0; i < ARRAY_SIZE(left); i++) {
		_cleanup_close_ int fd = sys_memfd("names", 0);
		_cleanup_gate_names_ struct gate_names *d = NULL;

		assert_int_equal(sys_ftruncate(fd, GATE_NAMES_BYTES), 0);
		assert_true(sys_pwrite(fd, left[i], 6, 0) == 6);
		d = open_names(fd);
		assert_int_equal(gate_names_count(d), want[i]);
		assert_int_equal(gate_names_add(d, "x.example"), want[i]);
	}
}

static void full_is_full(void)
{
	_cleanup_gate_names_ struct gate_names *d = open_names(-1);
	char name[300];
	int i = 0, r;

	memset(name, 'a', sizeof(name));
	do {
		int n = snprintf(name, sizeof(name), "%d.", i);

		name[n] = 'a';
		name[253] = '\0';
		r = gate_names_add(d, name);
	} while (r == i++);
	assert_int_equal(r, -ENOSPC);
	assert_int_equal(gate_names_count(d), GATE_NAMES_BYTES / 255);
	assert_int_equal(gate_names_find(d, name), GATE_NAMES_NONE);
	name[253] = 'a';
	name[254] = '\0';
	assert_int_equal(gate_names_add(d, name), -EINVAL);
}

/* Of lengths that names have: as many as there are addresses for, also for the next process. */
static void many_fit(void)
{
	_cleanup_close_ int fd = sys_memfd("names", 0);
	struct gate_names *d;
	struct netaddr last = gate_names_addr(GATE_NAMES_MAX - 1);
	char name[64];

	assert_true(GATE_NAMES_MAX >= 65536);
	assert_true(gate_names_in_range(&last));
	assert_int_equal(sys_ftruncate(fd, GATE_NAMES_BYTES), 0);
	d = open_names(fd);
	for (int i = 0; i < GATE_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "%032d.some-where.example.org", i);
		assert_int_equal(gate_names_add(d, name), i);
	}
	assert_int_equal(gate_names_add(d, "one.more"), -ENOSPC);
	gate_names_free(&d);
	d = open_names(fd);
	assert_int_equal(gate_names_count(d), GATE_NAMES_MAX);
	assert_int_equal(gate_names_find(d, name), GATE_NAMES_MAX - 1);
	assert_string_equal(gate_names_at(d, &last), name);
	gate_names_free(&d);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "names keep their address", names_keep_their_address },
		{ "names outlive the process", names_outlive_the_process },
		{ "odd memory is survived", odd_memory_is_survived },
		{ "full is full", full_is_full },
		{ "very many fit", many_fit },
	};
	int r = unit_rows("gate_names_in_range", ranges, knows_its_range);

	return r | unit_cases("dnsnames", cases);
}
