#include "tests/unit/rootfs/store/layered.h"

#include <dirent.h>

#include "base/file.h"

static void keep(struct layered *l, const char *name)
{
	struct err e = ERR_NONE;
	struct chain c;

	unit_ok(snapshot_take(&l->b, name, NULL, &c, &e), &e);
}

static void restore(struct layered *l, const char *name)
{
	struct err e = ERR_NONE;

	unit_ok(snapshot_restore(&l->b, name, &e), &e);
}

/* What is in the box, and what is under review in it. */
static void is(const struct layered *l, const struct boxdir *b, const char *want)
{
	const char now[] = { layered_shows(l, b, "a"), layered_review(l, b, "f"), 0 };

	assert_string_equal(now, want);
}

static void goes_back_and_forth(void)
{
	_cleanup_layered_ struct layered l;

	layered_open(&l);
	layered_make_review(&l.b);
	layered_put(l.b.dirfd, "upper/a", "1");
	layered_put(l.b.dirfd, "project/upper/f", "1");
	keep(&l, "one");
	is(&l, &l.b, "11");
	layered_put(l.b.dirfd, "upper/a", "2");
	layered_make_review(&l.b); /* as if it had been copied, and changed */
	layered_put(l.b.dirfd, "project/upper/f", "2");
	is(&l, &l.b, "22");
	restore(&l, "one");
	is(&l, &l.b, "11");
	restore(&l, SNAPSHOT_BEFORE);
	is(&l, &l.b, "22");
	restore(&l, SNAPSHOT_BEFORE);
	is(&l, &l.b, "11");
}

/* ---- a box in use ------------------------------------------------------------------------ */

static const struct copying {
	const char *name;
	int fails;   /* of the copy */
	bool sealed; /* somebody else changes the box meanwhile */
	int want;
	const char *msg;
} copyings[] = {
	{ "whole", 0, false, 0, NULL },
	{ "no room", -ENOSPC, false, -ENOSPC, "copy: No space left on device" },
	{ "other layers", 0, true, -EBUSY,
	  "the box got other layers while it was copied; try again" },
};

struct copying_at {
	const struct copying *x;
	struct layered *l;
};

/* Nobody waits for a copy: the layers can be had. */
static int copying(void *ctx, int layer, struct err *e)
{
	struct copying_at *at = ctx;

	assert_int_equal(mkdirat(layer, "machine", 0700), 0);
	layered_put(layer, "machine/a", "1");
	if (at->x->sealed) {
		keep(at->l, "between");
	} else {
		_cleanup_close_ int layers = chain_dir(&at->l->s, e);
		_cleanup_close_ int lock = file_lock(layers, "lock", false, e);

		unit_ok(lock, e);
	}
	return at->x->fails ? err_sys(e, at->x->fails, "copy") : 0;
}

static int entries(int parent, const char *name)
{
	DIR *dir = fdopendir(openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *d;
	int n = 0;

	assert_non_null(dir);
	while ((d = readdir(dir)))
		n += *d->d_name != '.' && strcmp(d->d_name, "lock") != 0;
	closedir(dir);
	return n;
}

static void test_copying(const void *row)
{
	_cleanup_layered_ struct layered l;
	struct copying_at at = { row, &l };
	const struct snapshot_copy copy = { copying, &at, { layered_rm, NULL } };
	struct err e = ERR_NONE;
	struct chain c;
	int r;

	layered_open(&l);
	layered_put(l.b.dirfd, "upper/a", "0");
	r = snapshot_take(&l.b, "live", &copy, &c, &e);
	assert_int_equal(r, at.x->want);
	if (r < 0)
		unit_err(&e, r, at.x->msg);
	assert_int_equal(entries(l.s.dirfd, "tmp"), 0);
	assert_int_equal(entries(l.s.dirfd, "layers"), r == 0 || at.x->sealed);
	if (r < 0)
		return;
	restore(&l, "live");
	is(&l, &l.b, "1-");
}

static void a_name_is_used_once(void)
{
	_cleanup_layered_ struct layered l;
	struct err e = ERR_NONE;
	struct chain c;

	layered_open(&l);
	keep(&l, "one");
	assert_int_equal(snapshot_take(&l.b, "one", NULL, &c, &e), -EEXIST);
	unit_err(&e, -EEXIST,
		 "the box has a snapshot 'one'; 'cubby snapshots --remove one' removes "
		 "it");
	e = ERR_NONE;
	assert_int_equal(snapshot_take(&l.b, "../chain", NULL, &c, &e), -EINVAL);
	unit_err(&e, -EINVAL, "'../chain' cannot be the name of a snapshot");
	e = ERR_NONE;
	assert_int_equal(snapshot_restore(&l.b, "two", &e), -ENOENT);
	unit_err(&e, -ENOENT,
		 "the box has no snapshot 'two'; 'cubby snapshots' lists them");
	e = ERR_NONE;
	assert_int_equal(snapshot_forget(&l.b, "two", &e), -ENOENT);
	assert_int_equal(snapshot_forget(&l.b, "one", &e), 0);
	assert_int_equal(snapshot_forget(&l.b, "one", &e), -ENOENT);
}

static int branch(struct layered *l, const char *from, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	struct snapshot_branch to = { .from = from, .key = LAYERED_B, .box = j };

	return snapshot_branch(&l->b, &to, e);
}

static unsigned count_layers(const struct layered *l)
{
	_cleanup_close_ int dir =
		openat(l->s.dirfd, "layers", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[4096];
	unsigned n = 0;
	ssize_t len;

	assert_true(dir >= 0);
	while ((len = sys_getdents64(dir, name, sizeof(name))) > 0)
		for (ssize_t at = 0; at < len;) {
			const struct dirent64 *d = (const void *)(name + at);

			n += strlen(d->d_name) == CHAIN_ID - 1;
			at += d->d_reclen;
		}
	return n;
}

static void a_branch_has_a_life_of_its_own(void)
{
	_cleanup_layered_ struct layered l;
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	struct err e = ERR_NONE;

	layered_open(&l);
	layered_make_review(&l.b);
	layered_put(l.b.dirfd, "upper/a", "1");
	layered_put(l.b.dirfd, "project/upper/f", "1");
	unit_ok(branch(&l, NULL, &e), &e);
	assert_int_equal(branch(&l, NULL, &e), -EEXIST);
	unit_ok(boxdir_open(&l.s, LAYERED_B, false, &b, &e), &e);
	is(&l, &b, "11");
	layered_put(l.b.dirfd, "upper/a", "2");
	is(&l, &l.b, "21");
	is(&l, &b, "11");
}

static const struct boxdir_rm rm = { layered_rm, NULL };

static void collect(struct layered *l, unsigned left)
{
	struct err e = ERR_NONE;

	unit_ok(snapshot_collect(&l->s, &rm, &e), &e);
	assert_int_equal(count_layers(l), left);
}

static void what_anything_refers_to_stays(void)
{
	_cleanup_layered_ struct layered l;
	struct err e = ERR_NONE;

	layered_open(&l);
	layered_put(l.b.dirfd, "upper/a", "1");
	keep(&l, "one");
	layered_put(l.b.dirfd, "upper/a", "2");
	keep(&l, "two");
	unit_ok(branch(&l, "one", &e), &e);
	collect(&l, 2);
	unit_ok(snapshot_forget(&l.b, "one", &e), &e);
	collect(&l, 2);
	boxdir_close(&l.b);
	unit_ok(boxdir_wipe(&l.s, LAYERED_A, false, &rm, &e), &e);
	collect(&l, 1); /* that of the branch */
	unit_ok(boxdir_wipe(&l.s, LAYERED_B, false, &rm, &e), &e);
	collect(&l, 0);
}

static void nothing_is_collected_where_a_list_cannot_be_read(void)
{
	_cleanup_layered_ struct layered l;
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	struct err e = ERR_NONE;

	layered_open(&l);
	layered_put(l.b.dirfd, "upper/a", "1");
	keep(&l, "one");
	layered_box(&l.s, LAYERED_B, &b);
	layered_put(b.dirfd, "chain", "what is this");
	assert_int_equal(snapshot_collect(&l.s, &rm, &e), -EINVAL);
	assert_int_equal(count_layers(&l), 1);
}

static void what_layers_take_counts(void)
{
	_cleanup_layered_ struct layered l;
	char text[70000];
	uint64_t before;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	layered_open(&l);
	before = snapshot_bytes(&l.b);
	layered_put(l.b.dirfd, "upper/a", text);
	keep(&l, "one");
	keep(&l, "two");
	assert_true(snapshot_bytes(&l.b) >= before + 65536);
	assert_true(snapshot_bytes(&l.b) < before + 2 * 65536);
}

static const struct unit_case cases[] = {
	{ "goes back and forth", goes_back_and_forth },
	{ "a name is used once", a_name_is_used_once },
	{ "a branch has a life of its own", a_branch_has_a_life_of_its_own },
	{ "what anything refers to stays", what_anything_refers_to_stays },
	{ "nothing is collected where a list cannot be read",
	  nothing_is_collected_where_a_list_cannot_be_read },
	{ "what layers take counts", what_layers_take_counts },
};

int main(void)
{
	return unit_cases("snapshot", cases) +
	       unit_rows("snapshot_copy", copyings, test_copying);
}
