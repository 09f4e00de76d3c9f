#include "rootfs/store/checkpoint.h"
#include "tests/unit/rootfs/store/layered.h"

static const struct number {
	const char *name, *text;
	int64_t want;
} numbers[] = {
	{ "none", "0", 0 },	      { "one", "17", 17 },
	{ "a name", "first", -1 },    { "with a zero", "01", -1 },
	{ "with a sign", "-1", -1 },  { "empty", "", -1 },
	{ "long", "1234567890", -1 },
};

static void test_number(const void *row)
{
	const struct number *x = row;

	assert_int_equal(checkpoint_number(x->text), x->want);
}

/* What is under review is @text, and a layer of its own has it. */
static void make(struct layered *l, const char *name, const char *text)
{
	_cleanup_close_ int layers = -1, layer = -1;
	struct checkpoint c = { .sign = "7", .task = "t", .applied = 3 };
	struct err e = ERR_NONE;

	strcpy(c.name, name);
	layers = chain_dir(&l->s, &e);
	layer = chain_layer(layers, c.project, &e);
	unit_ok(layer, &e);
	assert_int_equal(mkdirat(layer, "project", 0711), 0);
	assert_int_equal(mkdirat(layer, "project/upper", 0755), 0);
	layered_put(layer, "project/upper/f", text);
	unit_ok(checkpoint_save(&l->b, &c, &e), &e);
}

static void what_is_saved_is_loaded(void)
{
	_cleanup_layered_ struct layered l;
	struct err e = ERR_NONE;
	struct checkpoint c;

	layered_open(&l);
	assert_int_equal(checkpoint_load(&l.b, "1", &c, &e), -ENOENT);
	unit_err(&e, -ENOENT,
		 "the box has no checkpoint '1'; 'cubby rewind --list' lists them");
	e = ERR_NONE;
	assert_int_equal(checkpoint_load(&l.b, "../chain", &c, &e), -ENOENT);
	e = ERR_NONE;
	assert_int_equal(checkpoint_last(&l.b, &c, &e), 0);
	make(&l, "9", "1");
	make(&l, "10", "1");
	make(&l, "zz", "1");
	unit_ok(checkpoint_load(&l.b, "9", &c, &e), &e);
	assert_string_equal(c.sign, "7");
	assert_string_equal(c.task, "t");
	assert_int_equal(c.applied, 3);
	assert_int_equal(checkpoint_last(&l.b, &c, &e), 1);
	assert_string_equal(c.name, "10");
	unit_ok(checkpoint_forget(&l.b, 10, &e), &e);
	assert_int_equal(checkpoint_last(&l.b, &c, &e), 1);
	assert_string_equal(c.name, "9");
	unit_ok(checkpoint_forget(&l.b, 0, &e), &e);
	assert_int_equal(checkpoint_last(&l.b, &c, &e), 0);
	unit_ok(checkpoint_load(&l.b, "zz", &c, &e), &e); /* a person's */
}

static void goes_back_and_forth(void)
{
	_cleanup_layered_ struct layered l;
	const struct boxdir_rm rm = { layered_rm, NULL };
	struct err e = ERR_NONE;
	struct checkpoint c;

	layered_open(&l);
	layered_put(l.b.dirfd, "upper/a", "m");
	make(&l, "0", "1");
	layered_make_review(&l.b);
	layered_put(l.b.dirfd, "project/upper/f", "2");
	unit_ok(checkpoint_load(&l.b, "0", &c, &e), &e);
	unit_ok(checkpoint_restore(&l.b, &c, 5, &e), &e);
	assert_int_equal(layered_review(&l, &l.b, "f"), '1');
	assert_int_equal(layered_get(l.b.dirfd, "upper/a"),
			 'm');			      /* the machine stays */
	unit_ok(snapshot_collect(&l.s, &rm, &e), &e); /* nothing of it goes */
	unit_ok(checkpoint_load(&l.b, CHECKPOINT_BEFORE, &c, &e), &e);
	assert_int_equal(c.applied, 5);
	unit_ok(checkpoint_restore(&l.b, &c, 5, &e), &e);
	assert_int_equal(layered_review(&l, &l.b, "f"), '2');
}

static const struct unit_case cases[] = {
	{ "what is saved is loaded", what_is_saved_is_loaded },
	{ "goes back and forth", goes_back_and_forth },
};

int main(void)
{
	return unit_cases("checkpoint", cases) +
	       unit_rows("checkpoint_number", numbers, test_number);
}
