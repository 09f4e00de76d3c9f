/* What is packed is unpacked again as it was, marks of overlayfs included. */
#include "rootfs/archive/pack.h"

#include <stdio.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/archive/extract.h"
#include "rootfs/archive/ovlmark.h"
#include "tests/unit/extractbox.h"
#include "tests/unit/unit.h"

static int dir_of(const char *name)
{
	_cleanup_close_ int top = unit_top();
	int fd;

	extractbox_mkdir(top, name);
	fd = sys_openat(top, name, O_RDONLY | O_DIRECTORY, 0);
	assert_true(fd >= 0);
	return fd;
}

static void count(void *ctx, uint64_t more)
{
	*(uint64_t *)ctx += more;
}

static void pack(int root, const char *skip, struct buf *ret)
{
	_cleanup_close_ int top = unit_top();
	_cleanup_close_ int out =
		sys_openat(top, "out", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct err e = ERR_NONE;
	uint64_t told = 0;
	const struct pack_conf conf = {
		.root = root, .skip = skip, .out = out, .tick = count, .ctx = &told
	};

	unit_ok(pack_run(&conf, &e), &e);
	ret->len = 0;
	unit_ok(file_read(top, "out", ret, &e), &e);
	assert_true(told > 0 && told <= ret->len); /* holes are not written */
	assert_int_equal(ret->len % 512, 0);
}

static ssize_t feed(void *ctx, const void **ret, struct err *)
{
	struct buf *b = ctx;
	size_t n = b->len;

	*ret = b->data;
	b->len = 0;
	return (ssize_t)n;
}

static void unpack(struct buf *from, int root)
{
	_cleanup_extract_ struct extract *x = NULL;
	struct extract_conf conf = { .root = root,
				     .kind = EXTRACT_LAYER,
				     .single = sys_geteuid() != 0,
				     .limits = &untar_limits_default };
	struct untar_source src = { feed, from };
	struct untar_counts counts;
	struct untar_sink sink;
	struct err e = ERR_NONE;

	unit_ok(extract_new(&conf, &x, &e), &e);
	sink = extract_sink(x);
	unit_ok(untar_read(&src, &sink, conf.limits, &counts, &e), &e);
	unit_ok(extract_finish(x, &e), &e);
	assert_int_equal(counts.warned, 0);
}

static void fill(int root, char longest[300])
{
	_cleanup_close_ int d = -1;

	extractbox_mkdir(root, "d");
	extractbox_put(root, "d/file", "content");
	assert_int_equal(sys_linkat(root, "d/file", root, "linked", 0), 0);
	assert_int_equal(sys_symlinkat("/to/nowhere", root, "link"), 0);
	assert_int_equal(sys_mknodat(root, "fifo", S_IFIFO | 0600, 0), 0);
	memset(longest, 'n', 250);
	longest[250] = '\0';
	extractbox_put(root, longest, "long");
	assert_int_equal(sys_symlinkat(longest, root, "longlink"), 0);
	extractbox_put(root, "mode", "x");
	assert_int_equal(sys_fchmodat(root, "mode", 0751, 0), 0);
	assert_int_equal(ovlmark_hide(root, "hidden"), 0);
	extractbox_mkdir(root, "opaque");
	extractbox_put(root, "opaque/in", "x");
	d = sys_openat(root, "opaque", O_RDONLY | O_DIRECTORY, 0);
	assert_int_equal(ovlmark_opaque(d), 0);
	extractbox_mkdir(root, "left");
	extractbox_put(root, "left/out", "x");
}

static void there_and_back(void)
{
	_cleanup_buf_ struct buf first = BUF_INIT(8 << 20), again = BUF_INIT(8 << 20);
	_cleanup_close_ int from = dir_of("from"), to = dir_of("to");
	struct extractbox x = { .root = to };
	char longest[300];
	struct stat st;
	int d;

	fill(from, longest);
	pack(from, "left", &first);
	pack(from, "left", &again);
	assert_int_equal(first.len, again.len);
	assert_memory_equal(first.data, again.data, first.len);
	unpack(&first, to);
	extractbox_file(&x, "d/file", "content");
	extractbox_file(&x, "linked", "content");
	assert_int_equal(extractbox_stat(&x, "linked").st_ino,
			 extractbox_stat(&x, "d/file").st_ino);
	extractbox_link(&x, "link", "/to/nowhere");
	extractbox_link(&x, "longlink", longest);
	extractbox_file(&x, longest, "long");
	assert_true(S_ISFIFO(extractbox_stat(&x, "fifo").st_mode));
	extractbox_mode(&x, "mode", 0751);
	st = extractbox_stat(&x, "hidden");
	assert_true(ovlmark_is_whiteout(&st));
	d = sys_openat(to, "opaque", O_RDONLY | O_DIRECTORY, 0);
	assert_true(ovlmark_is_opaque(d));
	close(d);
	extractbox_none(&x, "left");
}

/* 64 MiB of nothing, a byte, and nothing again. */
static void make_sparse(int root)
{
	_cleanup_close_ int fd =
		sys_openat(root, "sparse", O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_int_equal(sys_pwrite(fd, "x", 1, 32 << 20), 1);
	assert_int_equal(sys_ftruncate(fd, 64 << 20), 0);
}

static uint64_t room_of(int root, const char *name)
{
	struct stat st;

	assert_int_equal(sys_fstatat(root, name, &st, 0), 0);
	return (uint64_t)st.st_blocks * 512;
}

static void holes_stay_holes(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(80 << 20);
	_cleanup_close_ int from = dir_of("holes"), to = dir_of("holes-again");
	_cleanup_close_ int top = unit_top();
	_cleanup_close_ int fd = -1;
	char byte = 0;

	make_sparse(from);
	pack(from, NULL, &out);
	assert_true(out.len > 64 << 20);
	assert_true(room_of(top, "out") < 4 << 20);
	unpack(&out, to);
	assert_true(room_of(to, "sparse") < 4 << 20);
	fd = sys_openat(to, "sparse", O_RDONLY, 0);
	assert_int_equal(sys_lseek(fd, 0, SEEK_END), 64 << 20);
	assert_int_equal(sys_pread(fd, &byte, 1, 32 << 20), 1);
	assert_int_equal(byte, 'x');
}

/* What cannot be wound forward gets the zeros. */
static void zeros_into_a_pipe(void)
{
	_cleanup_close_ int from = dir_of("piped");
	char chunk[64 << 10];
	struct err e = ERR_NONE;
	size_t got = 0;
	ssize_t n;
	int ends[2], status;
	pid_t pid;

	make_sparse(from);
	assert_int_equal(sys_pipe2(ends, 0), 0);
	pid = sys_fork();
	if (!pid)
		sys_exit(pack_run(&(struct pack_conf){ .root = from, .out = ends[1] },
				  &e) != 0);
	scope_close(&ends[1]);
	while ((n = sys_read(ends[0], chunk, sizeof(chunk))) > 0)
		got += (size_t)n;
	scope_close(&ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(got > 64 << 20);
}

static void no_more_than(void)
{
	_cleanup_close_ int from = dir_of("large"), out = -1;
	_cleanup_close_ int top = unit_top();
	struct pack_conf conf = { .root = from, .most = (64 << 20) + 4 };
	struct err e = ERR_NONE;

	extractbox_put(from, "a", "four");
	make_sparse(from);
	conf.out = out = sys_openat(top, "out", O_RDWR | O_CREAT | O_TRUNC, 0600);
	unit_ok(pack_run(&conf, &e), &e);
	conf.most--;
	assert_int_equal(pack_run(&conf, &e), -EFBIG);
	assert_string_equal(e.msg,
			    "cannot pack 'sparse' of 64 MiB: the files of a layer "
			    "have 64 MiB at the most; what a file has as holes "
			    "counts, too");
}

static const struct unit_case cases[] = {
	{ "there and back", there_and_back },
	{ "holes stay holes", holes_stay_holes },
	{ "zeros into a pipe", zeros_into_a_pipe },
	{ "no more than", no_more_than },
};

int main(void)
{
	return unit_cases("pack", cases);
}
