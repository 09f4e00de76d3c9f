#include "rootfs/git/upper.h"

#include "base/buf.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static int print(void *ctx, const struct upper_entry *x, struct err *)
{
	return buf_addf(ctx, "%d:%s:%s;", (int)x->kind, x->path, x->name);
}

static void nested(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int fd = -1;
	_cleanup_buf_ struct buf out = BUF_INIT(1000);
	struct err e = ERR_NONE;

	assert_int_equal(sys_mkdirat(dir, "a", 0700), 0);
	assert_int_equal(sys_mkdirat(dir, "a/b", 0700), 0);
	fd = sys_openat(dir, "a/b/c", O_CREAT | O_WRONLY, 0600);
	assert_int_equal(upper_walk(dir, print, &out, &e), 0);
	assert_string_equal(out.data, "1:a:a;1:a/b:b;0:a/b/c:c;3:a/b:b;3:a:a;");
}

static void kinds(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_buf_ struct buf out = BUF_INIT(1000);
	struct err e = ERR_NONE;

	assert_int_equal(sys_mkdirat(dir, "d", 0700), 0);
	assert_int_equal(sys_mknodat(dir, "d/fifo", S_IFIFO | 0600, 0), 0);
	if (sys_mknodat(dir, "d/gone", S_IFCHR, 0) < 0)
		unit_skip("no device 0:0 can be made here");
	assert_int_equal(upper_walk(dir, print, &out, &e), 0);
	assert_non_null(strstr(out.data, "7:d/fifo:fifo;"));
	assert_non_null(strstr(out.data, "5:d/gone:gone;"));
}

static void sign(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int fd = -1;
	struct err e = ERR_NONE;
	uint64_t a = 1, b = 0;

	assert_int_equal(upper_sign(dir, &a, &e), 0);
	assert_int_equal(a, 0);
	fd = sys_openat(dir, "x", O_CREAT | O_WRONLY, 0600);
	assert_int_equal(upper_sign(dir, &a, &e), 0);
	assert_true(a != 0);
	assert_int_equal(sys_write(fd, "x", 1), 1);
	assert_int_equal(upper_sign(dir, &b, &e), 0);
	assert_true(a != b);
}

/* One that is no layer: with its top, and nothing of it unseen. */
static void sign_of_a_tree(void)
{
	_cleanup_close_ int dir = unit_top();
	const bool root = geteuid() == 0;
	struct err e = ERR_NONE;
	uint64_t was, now = 7;
	int r;

	assert_int_equal(sys_mkdirat(dir, "d", 0755), 0);
	unit_put(dir, "d/f", "one", 0644);
	unit_ok(upper_sign_tree(dir, &was, &e), &e);
	unit_ok(upper_sign_tree(dir, &now, &e), &e);
	assert_true(now == was);
	assert_int_equal(fchmod(dir, 0755), 0);
	unit_ok(upper_sign_tree(dir, &was, &e), &e);
	assert_true(now != was);
	assert_int_equal(sys_unlinkat(dir, "d/f", 0), 0);
	unit_ok(upper_sign_tree(dir, &now, &e), &e);
	assert_true(now != was);
	assert_int_equal(sys_fchmodat(dir, "d", 0, 0), 0);
	if (root)
		assert_int_equal(seteuid(65534), 0);
	r = upper_sign_tree(dir, &was, &e);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(sys_fchmodat(dir, "d", 0755, 0), 0);
	assert_int_equal(r, -EACCES);
	unit_err(&e, -EACCES, "cannot look into 'd': Permission denied");
}

static void objects(void)
{
	_cleanup_close_ int dir = unit_top();
	struct upper_objects n;

	upper_objects(dir, &n);
	assert_true(n.loose == 0 && n.packs == 0);
	assert_int_equal(sys_mkdirat(dir, "objects", 0700), 0);
	assert_int_equal(sys_mkdirat(dir, "objects/ab", 0700), 0);
	assert_int_equal(sys_mkdirat(dir, "objects/pack", 0700), 0);
	assert_int_equal(sys_mkdirat(dir, "refs", 0700), 0);
	unit_put(dir, "objects/ab/0123456789abcdef0123456789abcdef012345", "", 0600);
	unit_put(dir, "objects/ab/tmp_obj_x", "", 0600);
	unit_put(dir, "objects/pack/pack-0123456789abcdef0123456789abcdef01234567.pack",
		 "", 0600);
	unit_put(dir, "objects/pack/pack-0123456789abcdef0123456789abcdef01234567.idx",
		 "", 0600);
	unit_put(dir, "refs/0123456789abcdef0123456789abcdef0123456789.pack", "", 0600);
	upper_objects(dir, &n);
	assert_int_equal(n.loose, 1);
	assert_int_equal(n.packs, 1);
}

static void deep(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int at = unit_top();
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;

	for (int i = 0; i < UPPER_DEPTH + 2; i++) {
		int next;

		assert_int_equal(sys_mkdirat(at, "d", 0700), 0);
		next = sys_openat(at, "d", O_RDONLY | O_DIRECTORY, 0);
		scope_close(&at);
		at = next;
	}
	assert_int_equal(upper_walk(dir, print, &out, &e), -E2BIG);
	unit_err(&e, -E2BIG, "a box has nested directories too deep");
}

static const struct unit_case cases[] = {
	{ "nested directories", nested },
	{ "whiteouts and FIFOs", kinds },
	{ "a sign of change", sign },
	{ "a sign of change of any tree", sign_of_a_tree },
	{ "objects and packs", objects },
	{ "too deep", deep },
};

int main(void)
{
	return unit_cases("upper", cases);
}
