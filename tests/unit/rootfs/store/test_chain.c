#include "tests/unit/rootfs/store/layered.h"

#include "base/file.h"

static const struct record {
	const char *name, *text;
	int want;
} records[] = {
	{ "two", "{\"layers\":[\"0123456789abcdef\",\"fedcba9876543210\"]}", 0 },
	{ "none", "{}", 0 },
	{ "a path", "{\"layers\":[\"../../images/x/a\"]}", -EINVAL },
	{ "a short name", "{\"layers\":[\"0123\"]}", -EINVAL },
	{ "no text", "{\"layers\":[7]}", -EINVAL },
	{ "a project elsewhere", "{\"project\":\"../0123456789abcd\"}", -EINVAL },
	{ "no record", "layers", -EINVAL },
};

static void test_record(const void *row)
{
	_cleanup_layered_ struct layered l;
	const struct record *x = row;
	struct err e = ERR_NONE;
	struct chain c;

	layered_open(&l);
	layered_put(l.b.dirfd, "chain", x->text);
	assert_int_equal(chain_load(l.b.dirfd, "chain", &c, &e), x->want);
	assert_int_equal(e.code, x->want);
}

static void what_is_saved_is_loaded(void)
{
	_cleanup_layered_ struct layered l;
	struct chain c = {
		.n = 1, .project = "0123456789abcdef", .mode = 0700, .made = 7
	};
	struct chain got;
	struct err e = ERR_NONE;

	strcpy(c.layers[0], "fedcba9876543210");
	layered_open(&l);
	unit_ok(chain_save(l.b.dirfd, "chain", &c, &e), &e);
	unit_ok(chain_load(l.b.dirfd, "chain", &got, &e), &e);
	assert_int_equal(got.n, 1);
	assert_string_equal(got.layers[0], c.layers[0]);
	assert_string_equal(got.project, c.project);
	assert_int_equal(got.mode, 0700);
	assert_int_equal(got.made, 7);
	assert_int_equal(chain_load(l.b.dirfd, "other", &got, &e), -ENOENT);
}

static int seal(struct layered *l, enum chain_what what, struct chain *ret,
		struct err *e)
{
	_cleanup_close_ int layers = chain_dir(&l->s, e);
	_cleanup_close_ int lock = layers < 0 ? layers : chain_lock(layers, e);

	unit_ok(lock, e);
	return chain_seal(layers, &l->b, what, ret, e);
}

/* So that an ordinary user can remove it. */
static void open_again(struct layered *l, const struct chain *c)
{
	struct err e = ERR_NONE;
	_cleanup_close_ int layers = chain_dir(&l->s, &e);
	char path[CHAIN_ID + 16];

	unit_ok(layers, &e);
	snprintf(path, sizeof(path), "%s/machine", c->layers[0]);
	assert_int_equal(fchmodat(layers, path, 0700, 0), 0);
	assert_int_equal(fchmodat(l->b.dirfd, "upper", 0700, 0), 0);
}

static void an_upper_becomes_a_layer(void)
{
	_cleanup_layered_ struct layered l;
	struct err e = ERR_NONE;
	struct stat st;
	struct chain c;

	layered_open(&l);
	layered_put(l.b.dirfd, "upper/a", "1");
	assert_int_equal(fchmodat(l.b.dirfd, "upper", 0500, 0),
			 0); /* of the box's "/" */
	unit_ok(seal(&l, CHAIN_STATE, &c, &e), &e);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.mode, 0500);
	assert_int_equal(layered_get(l.b.dirfd, "upper/a"), '-');
	assert_int_equal(layered_shows(&l, &l.b, "a"), '1');
	assert_int_equal(fstatat(l.b.dirfd, "upper", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0500);
	assert_string_equal(c.project, "");
	open_again(&l, &c);
}

static void what_is_empty_makes_no_layer(void)
{
	_cleanup_layered_ struct layered l;
	struct err e = ERR_NONE;
	struct chain c;

	layered_open(&l);
	layered_make_review(&l.b);
	unit_ok(seal(&l, CHAIN_STATE, &c, &e), &e);
	assert_int_equal(c.n, 0);
	assert_string_equal(c.project, "");
	unit_ok(seal(&l, CHAIN_ALL, &c, &e), &e); /* it is to be out of the way */
	assert_int_equal(c.n, 0);
	assert_string_equal(c.project, "");
	assert_int_equal(layered_get(l.b.dirfd, "project"), '-');
}

static void a_long_chain_is_refused(void)
{
	_cleanup_layered_ struct layered l;
	struct err e = ERR_NONE;
	struct chain c;

	layered_open(&l);
	for (unsigned i = 0; i < CHAIN_MOST; i++) {
		layered_put(l.b.dirfd, "upper/a", "1");
		unit_ok(seal(&l, CHAIN_STATE, &c, &e), &e);
		assert_int_equal(c.n, i + 1);
	}
	layered_put(l.b.dirfd, "upper/a", "2");
	assert_int_equal(seal(&l, CHAIN_STATE, &c, &e), -E2BIG);
	unit_err(
		&e, -E2BIG,
		"the box has 32 layers above its image, the most that are possible; an "
		"early snapshot, restored, has fewer");
	assert_int_equal(layered_get(l.b.dirfd, "upper/a"), '2');
}

static void a_copy_has_no_layers(void)
{
	_cleanup_layered_ struct layered l;
	struct err e = ERR_NONE;
	struct chain c;

	layered_open(&l);
	assert_int_equal(mkdirat(l.b.dirfd, "copy", 0755), 0);
	assert_int_equal(seal(&l, CHAIN_STATE, &c, &e), -EOPNOTSUPP);
	unit_err(&e, -EOPNOTSUPP,
		 "this box is a copy of its image, since no overlay is possible here, "
		 "and "
		 "has no layers");
}

static void what_is_pending_is_found_until_it_is_there(void)
{
	_cleanup_layered_ struct layered l;
	_cleanup_close_ int layers = -1, from = -1;
	struct err e = ERR_NONE;
	struct chain c;
	int none = -1;

	layered_open(&l);
	layers = chain_dir(&l.s, &e);
	assert_int_equal(chain_pending(layers, l.b.dirfd, &none, &e), 0);
	layered_make_review(&l.b);
	layered_put(l.b.dirfd, "project/upper/f", "1");
	unit_ok(seal(&l, CHAIN_STATE, &c, &e), &e);
	assert_int_equal(chain_pending(layers, l.b.dirfd, &from, &e), 1);
	assert_int_equal(layered_get(from, "upper/f"), '1');
	layered_make_review(&l.b);
	assert_int_equal(chain_pending(layers, l.b.dirfd, &none, &e), 0);
	unit_ok(chain_load(l.b.dirfd, "chain", &c, &e), &e);
	assert_string_equal(c.project, "");
}

static const struct unit_case cases[] = {
	{ "what is saved is loaded", what_is_saved_is_loaded },
	{ "an upper becomes a layer", an_upper_becomes_a_layer },
	{ "what is empty makes no layer", what_is_empty_makes_no_layer },
	{ "a long chain is refused", a_long_chain_is_refused },
	{ "a copy has no layers", a_copy_has_no_layers },
	{ "what is pending is found until it is there",
	  what_is_pending_is_found_until_it_is_there },
};

int main(void)
{
	return unit_cases("chain", cases) +
	       unit_rows("chain_load", records, test_record);
}
