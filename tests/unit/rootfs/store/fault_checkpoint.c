#include "rootfs/store/checkpoint.h"
#include "tests/unit/rootfs/store/layered.h"

/* A checkpoint in which the file is 1, and a present state in which it is 2. */
static void begin(struct layered *l)
{
	_cleanup_close_ int layers = -1, layer = -1;
	struct checkpoint c = { .name = "0" };
	struct err e = ERR_NONE;

	unit_ok(tree_remove(l->s.dirfd, "layers", &e), &e);
	boxdir_close(&l->b);
	unit_ok(tree_remove(l->s.boxes, LAYERED_A, &e), &e);
	layered_box(&l->s, LAYERED_A, &l->b);
	layers = chain_dir(&l->s, &e);
	layer = chain_layer(layers, c.project, &e);
	assert_true(layer >= 0);
	assert_int_equal(mkdirat(layer, "project", 0711), 0);
	assert_int_equal(mkdirat(layer, "project/upper", 0755), 0);
	layered_put(layer, "project/upper/f", "1");
	unit_ok(checkpoint_save(&l->b, &c, &e), &e);
	layered_make_review(&l->b);
	layered_put(l->b.dirfd, "project/upper/f", "2");
}

static int restore(void *ctx, struct err *e)
{
	struct layered *l = ctx;
	struct checkpoint c;
	int r = checkpoint_load(&l->b, "0", &c, e);

	return r < 0 ? r : checkpoint_restore(&l->b, &c, 0, e);
}

/* One of the two, whatever is collected then, and the checkpoint is still there. */
static void after(void *ctx)
{
	const struct boxdir_rm rm = { layered_rm, NULL };
	struct layered *l = ctx;
	struct err e = ERR_NONE;
	char was = layered_review(l, &l->b, "f");

	assert_non_null(strchr("12", was));
	unit_ok(snapshot_collect(&l->s, &rm, &e), &e);
	assert_int_equal(layered_review(l, &l->b, "f"), was);
	unit_ok(restore(l, &e), &e);
	assert_int_equal(layered_review(l, &l->b, "f"), '1');
	begin(l);
}

static void kills(void)
{
	_cleanup_layered_ struct layered l;

	layered_open(&l);
	begin(&l);
	unit_kills(restore, after, &l);
}

static const struct unit_case cases[] = {
	{ "killed at each call", kills },
};

int main(void)
{
	return unit_cases("checkpoint", cases);
}
