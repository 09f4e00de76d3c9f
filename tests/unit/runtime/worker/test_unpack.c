#include "runtime/worker/unpack.h"

#include <stdio.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/extractbox.h"
#include "tests/unit/tarmake.h"
#include "tests/unit/unit.h"

/* ---- archives on descriptors ---------------------------------------------------------- */

/* As gzip with stored blocks; the library does not look at the sum. */
static void add_gzip(struct buf *out, const char *data, size_t len)
{
	const char end[8] = { 0 };

	assert_int_equal(buf_add(out, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10), 0);
	do {
		size_t n = MIN(len, (size_t)65535);
		const unsigned char head[] = { n == len, (unsigned char)n,
					       (unsigned char)(n >> 8),
					       (unsigned char)~n,
					       (unsigned char)(~n >> 8) };

		assert_int_equal(buf_add(out, head, sizeof(head)), 0);
		assert_int_equal(buf_add(out, data, n), 0);
		data += n;
		len -= n;
	} while (len);
	assert_int_equal(buf_add(out, end, sizeof(end)), 0);
}

static int on_fd(const struct buf *b)
{
	int fd = sys_memfd("archive", 0);
	struct err e;

	assert_true(fd >= 0);
	unit_ok(file_write_fd(fd, b->data, b->len, &e), &e);
	assert_int_equal(sys_lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int root_dir(void)
{
	_cleanup_close_ int top = unit_top();
	int fd;

	assert_int_equal(sys_mkdirat(top, "root", 0700), 0);
	fd = sys_openat(top, "root", O_RDONLY | O_DIRECTORY, 0);
	assert_true(fd >= 0);
	return fd;
}

static int unpack(const struct buf *bytes, int root, struct unpack_result *ret,
		  struct err *e)
{
	_cleanup_close_ int in = on_fd(bytes);

	return unpack_run(&(struct unpack_conf){ .in = in,
						 .root = root,
						 .single = sys_geteuid() != 0,
						 .limits = &untar_limits_default },
			  ret, e);
}

/* Larger than a pipe can be. */
static void fill_large(struct tarmake *t, char *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		data[i] = (char)(i * 7 + (i >> 13));
	tarmake_add(t,
		    &(struct tarmake_entry){
			    .name = "large", .type = '0', .data = data, .len = len });
	tarmake_file(t, "after", "after");
	tarmake_end(t);
}

enum { LARGE = 6 << 20 };

static void compare_large(int root, const char *data)
{
	_cleanup_buf_ struct buf got = BUF_INIT(LARGE);
	struct err e = ERR_NONE;

	unit_ok(file_read(root, "large", &got, &e), &e);
	assert_int_equal(got.len, LARGE);
	assert_memory_equal(got.data, data, LARGE);
	assert_int_equal(sys_faccessat(root, "after", F_OK, 0), 0);
}

static void plain_and_compressed_are_the_same(void)
{
	_cleanup_free_ char *data = malloc(LARGE);
	_cleanup_buf_ struct buf gz = BUF_INIT(16 << 20);
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;
	_cleanup_close_ int root = root_dir();
	struct unpack_result res;
	struct err e = ERR_NONE;

	fill_large(&t, data, LARGE);
	add_gzip(&gz, t.out.data, t.out.len);
	unit_ok(unpack(&t.out, root, &res, &e), &e);
	assert_int_equal(res.counts.in_bytes, t.out.len);
	compare_large(root, data);
	unit_ok(unpack(&gz, root, &res, &e), &e); /* over the first */
	assert_int_equal(res.counts.in_bytes, gz.len);
	assert_int_equal(res.counts.entries, 2);
	compare_large(root, data);
}

static void a33_cut_compressed_stream(void)
{
	_cleanup_free_ char *data = malloc(LARGE);
	_cleanup_buf_ struct buf gz = BUF_INIT(16 << 20);
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;
	_cleanup_close_ int root = root_dir();
	struct unpack_result res;
	struct err e = ERR_NONE;

	fill_large(&t, data, LARGE);
	add_gzip(&gz, t.out.data, t.out.len);
	buf_truncate(&gz, gz.len / 2);
	assert_int_equal(unpack(&gz, root, &res, &e), -ENODATA);
	unit_err(&e, -ENODATA, "archive is truncated");
}

static void a33_garbage_behind_both(void)
{
	_cleanup_buf_ struct buf gz = BUF_INIT(1 << 20);
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;
	_cleanup_close_ int root = root_dir();
	struct unpack_result res;
	struct err e = ERR_NONE;

	tarmake_file(&t, "f", "f");
	tarmake_end(&t);
	assert_int_equal(buf_adds(&t.out, "inner"), 0);
	add_gzip(&gz, t.out.data, t.out.len);
	assert_int_equal(buf_adds(&gz, "outer!"), 0);
	unit_ok(unpack(&gz, root, &res, &e), &e);
	assert_int_equal(res.counts.trailing, 5 + 6);
	assert_int_equal(res.counts.in_bytes, gz.len);
}

static void a38_compressed_and_no_archive(void)
{
	_cleanup_buf_ struct buf gz = BUF_INIT(1 << 20);
	_cleanup_close_ int root = root_dir();
	struct unpack_result res;
	struct err e = ERR_NONE;

	add_gzip(&gz, "<html>not an archive</html>", 27);
	assert_int_equal(unpack(&gz, root, &res, &e), -EINVAL);
	unit_err(&e, -EINVAL, "not a tar archive");
}

/* The writer gives up while the child still has much to hand on. */
static void an_early_end_does_not_hang(void)
{
	_cleanup_free_ char *data = malloc(LARGE);
	_cleanup_buf_ struct buf gz = BUF_INIT(16 << 20);
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;
	_cleanup_close_ int root = root_dir();
	struct unpack_result res;
	struct err e = ERR_NONE;

	tarmake_file(&t, "../x", "x");
	fill_large(&t, data, LARGE);
	add_gzip(&gz, t.out.data, t.out.len);
	assert_int_equal(unpack(&gz, root, &res, &e), -EINVAL);
	unit_err(&e, -EINVAL, "entry '../x': has a '..' component");
}

/* ---- another process changes the tree meanwhile --------------------------------------- */

static pid_t swapper(int root)
{
	pid_t pid = sys_fork();

	if (pid)
		return pid;
	sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (;;)
		sys_renameat2(root, "d", root, "trap", RENAME_EXCHANGE);
}

static void a47_directories_become_links_meanwhile(void)
{
	_cleanup_close_ int top = unit_top();
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;
	_cleanup_close_ int root = root_dir();
	_cleanup_close_ int outside = -1;
	struct unpack_result res;
	struct err e = ERR_NONE;
	char name[64];
	siginfo_t si;
	struct stat st;
	pid_t pid;

	extractbox_mkdir(top, "outside");
	extractbox_mkdir(root, "d");
	assert_int_equal(sys_symlinkat("../outside", root, "trap"), 0);
	for (int i = 0; i < 3000; i++) { /* the cached parent is dropped in between */
		snprintf(name, sizeof(name), "d/f%d", i);
		tarmake_file(&t, name, "x");
		snprintf(name, sizeof(name), "e%d", i);
		tarmake_file(&t, name, "x");
	}
	tarmake_end(&t);
	pid = swapper(root);
	(void)unpack(&t.out, root, &res, &e); /* inside, or an error */
	sys_kill(pid, SIGKILL);
	sys_waitid(P_PID, (id_t)pid, &si, WEXITED);
	outside = sys_openat(top, "outside", O_RDONLY | O_DIRECTORY, 0);
	assert_int_equal(sys_fstat(outside, &st), 0);
	assert_int_equal(st.st_nlink, 2);
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		assert_int_equal(sys_faccessat(outside, name, F_OK, 0), -ENOENT);
	}
}

/* ---- a full disk ------------------------------------------------------------------------ */

static int on_full_disk(const struct buf *gz)
{
	enum { MS_REC_ = 0x4000, MS_PRIVATE_ = 0x40000 };
	struct unpack_result res;
	struct err e = ERR_NONE;
	siginfo_t si;
	pid_t pid = sys_fork();

	if (pid == 0) {
		if (sys_unshare(CLONE_NEWNS) ||
		    sys_mount(NULL, "/", NULL, MS_REC_ | MS_PRIVATE_, NULL) ||
		    sys_mount("t", unit_tmpdir(), "tmpfs", 0, "size=1m"))
			_exit(77);
		if (unpack(gz, root_dir(), &res, &e) == -ENOSPC &&
		    !strcmp(e.msg, "cannot write 'large': No space left on device"))
			_exit(0);
		fprintf(stderr, "%d: %s\n", e.code, e.msg);
		_exit(1);
	}
	assert_int_equal(sys_waitid(P_PID, (id_t)pid, &si, WEXITED), 0);
	return si.si_status;
}

static void a48_disk_full(void)
{
	_cleanup_free_ char *data = malloc(LARGE);
	_cleanup_buf_ struct buf gz = BUF_INIT(16 << 20);
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;
	int r;

	if (sys_geteuid() != 0)
		unit_skip("only root can mount a small disk");
	fill_large(&t, data, LARGE);
	add_gzip(&gz, t.out.data, t.out.len);
	r = on_full_disk(&gz);
	if (r == 77)
		unit_skip("no mounts here");
	assert_int_equal(r, 0);
}

/* ---- the result ------------------------------------------------------------------------- */

static void what_is_reported(void)
{
	const struct unpack_result res = {
		.counts = { .entries = 1,
			    .bytes = 2,
			    .in_bytes = 3,
			    .warned = 4,
			    .trailing = 5 },
		.dropped = { [ENTRY_DROP_DEVICE] = 6 },
	};
	_cleanup_json_ struct json *j = unpack_to_json(&res);
	_cleanup_buf_ struct buf text = BUF_INIT(4096);

	assert_non_null(j);
	assert_int_equal(json_print(j, false, &text), 0);
	assert_string_equal(buf_cstr(&text),
			    "{\"entries\":1,\"bytes\":2,\"in_bytes\":3,\"warned\":4,"
			    "\"trailing\":5,\"dropped\":{\"device\":6}}");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "plain and compressed are the same",
		  plain_and_compressed_are_the_same },
		{ "A33 cut compressed stream", a33_cut_compressed_stream },
		{ "A33 garbage behind both", a33_garbage_behind_both },
		{ "A38 compressed and no archive", a38_compressed_and_no_archive },
		{ "an early end does not hang", an_early_end_does_not_hang },
		{ "A47 directories become links meanwhile",
		  a47_directories_become_links_meanwhile },
		{ "A48 disk full", a48_disk_full },
		{ "what is reported", what_is_reported },
	};

	return unit_cases("unpack", cases);
}
