#include "rootfs/image/crew.h"

#include <signal.h>
#include <string.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"

enum { MIB = 1 << 20 };

/* What each layer does, a letter each: '.' comes, '-' is not wanted, 'n' comes with a note,
 * 'f' fails, 'k' dies, 'w' waits until it is to give up. */
static const struct row {
	const char *name, *layers;
	bool interrupted;
	int want;
	const char *msg;
	uint64_t brought; /* a bit for each that must have come */
	unsigned notes;
} rows[] = {
	{ "none at all", "", false, 0, "", 0, 0 },
	{ "one", ".", false, 0, "", 1, 0 },
	{ "more than there are hands", ".........", false, 0, "", 0x1ff, 0 },
	{ "none is wanted", "---", false, 0, "", 0, 0 },
	{ "some are wanted, and say things", ".-n-n", false, 0, "", 0x15, 2 },
	{ "one fails, and those that wait end with it", "wwf", false, -EBADMSG,
	  "layer 3 of 3: it is bad", 0, 0 },
	{ "one dies", "wk", false, -EPIPE,
	  "layer 2 of 2: the helper that brought it was killed", 0, 0 },
	{ "interrupted", "www.w", true, -ECANCELED, "interrupted", 0, 0 },
};

struct test {
	const struct row *row;
	uint64_t brought, done;
	unsigned notes;
};

static bool wanted(void *ctx, size_t i)
{
	const struct test *t = ctx;

	return t->row->layers[i] != '-';
}

static int bring(void *ctx, size_t i, struct crew_hand *h, int abort, struct json **ret,
		 struct err *e)
{
	const struct test *t = ctx;
	struct pollfd stop = { .fd = abort, .events = POLLIN };

	crew_hand_done(h, MIB);
	switch (t->row->layers[i]) {
	case 'n':
		crew_hand_note(h, "look");
		break;
	case 'f':
		return err_set(e, -EBADMSG, "it is bad");
	case 'k':
		(void)sys_kill(sys_getpid(), SIGKILL);
		break;
	case 'w':
		(void)sys_poll(&stop, 1, -1);
		return err_set(e, -ECANCELED, "interrupted");
	default:
		break;
	}
	*ret = json_object();
	return json_set_int(*ret, "layer", (int64_t)i);
}

static int brought(void *ctx, size_t i, const struct json *result, struct err *)
{
	struct test *t = ctx;

	assert_int_equal(json_get_int(result, "layer", -1), i);
	t->brought |= (uint64_t)1 << i;
	return 0;
}

static void note(void *ctx, const char *line)
{
	struct test *t = ctx;

	assert_string_equal(line, "look");
	t->notes++;
}

static void tell(void *ctx, uint64_t done)
{
	struct test *t = ctx;

	assert_true(done >= t->done);
	t->done = done;
}

static void test_crew(const void *data)
{
	struct test t = { .row = data };
	struct crew_conf conf = { .n = strlen(t.row->layers),
				  .abort_fd = -1,
				  .wanted = wanted,
				  .bring = bring,
				  .brought = brought,
				  .note = note,
				  .tell = tell,
				  .ctx = &t };
	struct err e = ERR_NONE;
	int fds[2] = { -1, -1 }, r;

	if (t.row->interrupted) {
		assert_int_equal(sys_pipe2(fds, 0), 0);
		assert_int_equal(sys_write(fds[1], "x", 1), 1);
		conf.abort_fd = fds[0];
	}
	r = crew_run(&conf, &e);
	scope_close_set(fds, 2);
	if (t.row->want < 0) {
		unit_err(&e, t.row->want, t.row->msg);
		return;
	}
	unit_ok(r, &e);
	assert_int_equal(t.brought, t.row->brought);
	assert_int_equal(t.notes, t.row->notes);
	assert_int_equal(t.done,
			 (uint64_t)MIB * (unsigned)__builtin_popcountll(t.brought));
}

int main(void)
{
	return unit_rows("crew", rows, test_crew);
}
