#include "rootfs/store/boxdir.h"
#include "rootfs/store/staging.h"

#include "base/sys/sys.h"
#include "rootfs/store/tree.h"
#include "tests/unit/unit.h"

#define KEY_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define KEY_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void open_store(struct store *s)
{
	struct err e = ERR_NONE;

	setenv("XDG_DATA_HOME", unit_tmpdir(), 1);
	unit_ok(store_open(s, &e), &e);
}

static int rm(void *, int parent, const char *name, struct err *e)
{
	return tree_remove(parent, name, e);
}

static void made_only_when_asked(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	struct err e = ERR_NONE;
	struct stat st;

	open_store(&s);
	assert_int_equal(boxdir_open(&s, KEY_A, false, &b, &e), -ENOENT);
	unit_err(&e, -ENOENT, "no such box 'aaaaaaaaaaaa…'");
	unit_ok(boxdir_open(&s, KEY_A, true, &b, &e), &e);
	assert_string_equal(b.key, KEY_A);
	assert_int_equal(sys_fstat(b.upper, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(sys_faccessat(b.dirfd, "transcripts", F_OK, 0), 0);
	boxdir_close(&b);
	unit_ok(boxdir_open(&s, KEY_A, false, &b, &e), &e);
}

static void keys_are_checked(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	struct boxdir b = BOXDIR_NONE;
	struct err e = ERR_NONE;

	open_store(&s);
	assert_int_equal(boxdir_open(&s, "../images", true, &b, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad box key '../images'");
}

static void what_is_saved_is_loaded(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	_cleanup_json_ struct json *j = json_object(), *got = NULL;
	struct err e = ERR_NONE;

	open_store(&s);
	unit_ok(boxdir_open(&s, KEY_A, true, &b, &e), &e);
	assert_int_equal(boxdir_load(&b, &got, &e), -ENOENT);
	assert_int_equal(json_set_str(j, "image", "x"), 0);
	unit_ok(boxdir_save(&b, j, &e), &e);
	unit_ok(boxdir_load(&b, &got, &e), &e);
	assert_string_equal(json_get_str(got, "image"), "x");
}

static int collect(void *ctx, const char *key)
{
	unsigned *seen = ctx;

	*seen |= !strcmp(key, KEY_A) ? 1 : !strcmp(key, KEY_B) ? 2 : 4;
	return 0;
}

static int refuse(void *ctx, const char *)
{
	++*(unsigned *)ctx;
	return -ECANCELED;
}

static void all_are_listed(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	struct boxdir b = BOXDIR_NONE;
	struct err e = ERR_NONE;
	unsigned seen = 0;

	open_store(&s);
	unit_ok(boxdir_open(&s, KEY_A, true, &b, &e), &e);
	boxdir_close(&b);
	unit_ok(boxdir_open(&s, KEY_B, true, &b, &e), &e);
	boxdir_close(&b);
	assert_int_equal(sys_mkdirat(s.boxes, "no key", 0700), 0);
	unit_ok(boxdir_list(&s, collect, &seen, &e), &e);
	assert_int_equal(seen, 3);
	seen = 0;
	assert_int_equal(boxdir_list(&s, refuse, &seen, &e), -ECANCELED);
	assert_int_equal(seen, 1);
}

static void one_holds_the_lock(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	_cleanup_close_ int lock = -1;
	struct err e = ERR_NONE;

	open_store(&s);
	unit_ok(boxdir_open(&s, KEY_A, true, &b, &e), &e);
	lock = boxdir_lock(&b, true, &e);
	unit_ok(lock, &e);
	assert_int_equal(boxdir_lock(&b, false, &e), -EWOULDBLOCK);
	assert_int_equal(
		boxdir_wipe(&s, KEY_A, false, &(struct boxdir_rm){ rm, NULL }, &e),
		-EBUSY);
	unit_err(&e, -EBUSY, "box 'aaaaaaaaaaaa…' is running");
}

static void removed_with_all_in_it(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	struct err e = ERR_NONE;

	open_store(&s);
	unit_ok(boxdir_open(&s, KEY_A, true, &b, &e), &e);
	assert_int_equal(sys_mkdirat(b.upper, "d", 0700), 0);
	/* of a removal that was interrupted */
	assert_int_equal(sys_mkdirat(s.tmp, "box-" KEY_A, 0700), 0);
	assert_int_equal(sys_mkdirat(s.tmp, "box-" KEY_A "/x", 0700), 0);
	unit_ok(boxdir_wipe(&s, KEY_A, false, &(struct boxdir_rm){ rm, NULL }, &e), &e);
	assert_int_equal(sys_faccessat(s.boxes, KEY_A, F_OK, 0), -ENOENT);
	assert_int_equal(sys_faccessat(s.tmp, "box-" KEY_A, F_OK, 0), -ENOENT);
	assert_int_equal(
		boxdir_wipe(&s, KEY_A, false, &(struct boxdir_rm){ rm, NULL }, &e),
		-ENOENT);
}

/* Once the lock in it is gone it is anybody's (staging_clean()). */
static int rm_after_another(void *ctx, int parent, const char *name, struct err *e)
{
	const struct store *s = ctx;

	unit_ok(tree_remove(parent, name, e), e);
	assert_int_equal(sys_mkdirat(parent, name, 0700), 0);
	assert_true(staging_clean(s, rm, NULL, e) > 0);
	/* As the last step of tree_remove() */
	return err_sys(e, sys_unlinkat(parent, name, AT_REMOVEDIR),
		       "cannot remove '%s'", name);
}

static void removed_while_another_cleans(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	const struct boxdir_rm how = { rm_after_another, &s };
	struct err e = ERR_NONE;

	open_store(&s);
	unit_ok(boxdir_open(&s, KEY_A, true, &b, &e), &e);
	unit_ok(boxdir_wipe(&s, KEY_A, false, &how, &e), &e);
	assert_int_equal(sys_faccessat(s.boxes, KEY_A, F_OK, 0), -ENOENT);
	/* Two that clean meet at the same name. */
	assert_int_equal(sys_mkdirat(s.tmp, "dead-1", 0700), 0);
	assert_int_equal(sys_mkdirat(s.tmp, "dead-2", 0700), 0);
	unit_ok(staging_clean(&s, rm_after_another, &s, &e), &e);
	assert_int_equal(sys_faccessat(s.tmp, "dead-1", F_OK, 0), -ENOENT);
	assert_int_equal(sys_faccessat(s.tmp, "dead-2", F_OK, 0), -ENOENT);
}

static void logs_outlive_what_is_wiped(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	const struct boxdir_rm how = { rm, NULL };
	struct err e = ERR_NONE;

	open_store(&s);
	unit_ok(boxdir_open(&s, KEY_A, true, &b, &e), &e);
	assert_int_equal(sys_mkdirat(b.dirfd, "transcripts/t", 0700), 0);
	assert_int_equal(sys_mkdirat(b.dirfd, "upper/u", 0700), 0);
	boxdir_close(&b);
	unit_ok(boxdir_wipe(&s, KEY_A, true, &how, &e), &e);
	unit_ok(boxdir_open(&s, KEY_A, true, &b, &e), &e);
	assert_int_equal(sys_faccessat(b.dirfd, "transcripts/t", F_OK, 0), 0);
	assert_int_equal(sys_faccessat(b.dirfd, "upper/u", F_OK, 0), -ENOENT);
	assert_int_equal(sys_faccessat(s.tmp, "box-" KEY_A, F_OK, 0), -ENOENT);
}

/* "volatile" in a directory that the kernel closes, as it is at a box's end. */
static void lost_where_its_mark_is_old(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	const struct timespec old[2] = { { .tv_sec = 978307200 },
					 { .tv_sec = 978307200 } };
	struct err e = ERR_NONE;

	open_store(&s);
	unit_ok(boxdir_open(&s, KEY_A, true, &b, &e), &e);
	unit_ok(boxdir_whole(&b, &e), &e);
	assert_int_equal(sys_mkdirat(b.dirfd, "work/work", 0700), 0);
	unit_ok(boxdir_whole(&b, &e), &e);
	assert_int_equal(sys_mkdirat(b.dirfd, "work/work/incompat", 0700), 0);
	assert_int_equal(sys_mkdirat(b.dirfd, "work/" BOXDIR_VOLATILE, 0700), 0);
	assert_int_equal(sys_fchmodat(b.work, "work", 0, 0), 0);
	unit_ok(boxdir_whole(&b, &e), &e);
	assert_int_equal(sys_fchmodat(b.work, "work", 0700, 0), 0);
	assert_int_equal(sys_utimensat(b.work, BOXDIR_VOLATILE, old, 0), 0);
	assert_int_equal(sys_fchmodat(b.work, "work", 0, 0), 0);
	assert_int_equal(boxdir_whole(&b, &e), -ESTALE);
	unit_err(&e, -ESTALE,
		 "the computer went down before the box of a --rm was removed, and "
		 "files "
		 "of it may be lost; 'cubby rm' removes it");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "made only when asked", made_only_when_asked },
		{ "keys are checked", keys_are_checked },
		{ "what is saved is loaded", what_is_saved_is_loaded },
		{ "all are listed", all_are_listed },
		{ "one holds the lock", one_holds_the_lock },
		{ "removed with all in it", removed_with_all_in_it },
		{ "logs outlive what is wiped", logs_outlive_what_is_wiped },
		{ "removed while another cleans", removed_while_another_cleans },
		{ "lost where its mark is old", lost_where_its_mark_is_old },
	};

	return unit_cases("boxdir", cases);
}
