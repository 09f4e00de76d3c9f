#include "runtime/wire/spawn_pack.h"

#include <unistd.h>

#include "runtime/init/payload.h"
#include "tests/unit/unit.h"

static char *word_of(size_t len)
{
	char *s = malloc(len + 1);

	assert_non_null(s);
	memset(s, 'x', len);
	s[len] = '\0';
	return s;
}

/* What init makes of a command with one argument of so many bytes. */
static const struct row {
	const char *name;
	size_t len;
	unsigned extra, n_fds; /* descriptors of the message */
} rows[] = {
	{ "short", 3, 0, 0 },
	{ "with descriptors", 3, 2, 2 },
	{ "the longest in the message", WIRE_INLINE - 11, 0, 0 },
	{ "one byte more", WIRE_INLINE - 10, 0, 1 },
	{ "long, with descriptors", 100 * 1024, 2, 3 },
};

static void test_both_ends(const void *data)
{
	const struct row *row = data;
	_cleanup_spawn_pack_ struct spawn_pack p = SPAWN_PACK_NONE;
	_cleanup_payload_ struct payload got = PAYLOAD_NONE;
	_cleanup_free_ char *word = word_of(row->len);
	const char *argv[] = { "a", word, NULL }, *env[] = { "K=V", NULL };
	const int extra[] = { 0, 1 };
	struct box_command c = { .argv = argv,
				 .env = env,
				 .cwd = "/",
				 .user = "u",
				 .rows = 7,
				 .extra_fds = extra,
				 .n_extra_fds = row->extra };
	_cleanup_wire_ struct wire_msg m;
	struct err e = ERR_NONE;

	unit_ok(spawn_pack(&c, 5, &p, &e), &e);
	assert_int_equal(p.head.type, WIRE_SPAWN);
	assert_int_equal(p.head.id, 5);
	assert_int_equal(p.head.len, p.body.len);
	assert_int_equal(p.n_fds, row->n_fds);
	wire_msg_init(&m);
	m.head = p.head;
	assert_int_equal(buf_add(&m.body, p.body.data, p.body.len), 0);
	for (; m.n_fds < p.n_fds; m.n_fds++)
		m.fds[m.n_fds] = dup(p.fds[m.n_fds]);
	unit_ok(payload_parse(&m, &got, &e), &e);
	assert_string_equal(got.argv[0], "a");
	assert_string_equal(got.argv[1], word);
	assert_null(got.argv[2]);
	assert_string_equal(got.env[0], "K=V");
	assert_string_equal(got.cwd, "/");
	assert_string_equal(got.user, "u");
	assert_int_equal(got.rows, 7);
	assert_int_equal(got.n_extra, row->extra);
}

static void nothing_to_run(void)
{
	_cleanup_spawn_pack_ struct spawn_pack p = SPAWN_PACK_NONE;
	const char *none[] = { NULL }, *argv[] = { "a", NULL };
	struct box_command c = { .argv = none };
	struct err e = ERR_NONE;

	assert_int_equal(spawn_pack(&c, 1, &p, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad command");
	c = (struct box_command){ .argv = argv, .n_extra_fds = WIRE_EXTRA + 1 };
	assert_int_equal(spawn_pack(&c, 1, &p, &e), -EINVAL);
}

static void too_long(void)
{
	_cleanup_spawn_pack_ struct spawn_pack p = SPAWN_PACK_NONE;
	_cleanup_free_ char *word = word_of(WIRE_TEXT);
	const char *argv[] = { "a", word, NULL };
	struct box_command c = { .argv = argv };
	struct err e = ERR_NONE;

	assert_int_equal(spawn_pack(&c, 1, &p, &e), -E2BIG);
	unit_err(&e, -E2BIG,
		 "arguments and environment are too long (2097152 bytes in 16384 "
		 "strings at the most)");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "nothing to run", nothing_to_run },
		{ "too long", too_long },
	};

	return unit_rows("spawn_pack", rows, test_both_ends) +
	       unit_cases("spawn_pack", cases);
}
