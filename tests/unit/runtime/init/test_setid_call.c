#include "runtime/init/setid_call.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tests/unit/unit.h"

#ifdef __x86_64__

#define NATIVE AUDIT_ARCH_X86_64
#define I386 AUDIT_ARCH_I386

static const struct row {
	const char *name;
	uint32_t arch;
	int nr;
	uint64_t args[5];
	struct setid_call want;
} rows[] = {
	{ "chmod",
	  NATIVE,
	  SYS_chmod,
	  { 0x7000, 04755 },
	  { SETID_CHMOD, AT_FDCWD, false, 0x7000, 0, 0, 04755, 0, 0 } },
	{ "fchmod",
	  NATIVE,
	  SYS_fchmod,
	  { 5, 02755 },
	  { SETID_CHMOD, 5, true, 0, 0, 0, 02755, 0, 0 } },
	{ "fchmodat of a negative number in 32 bits",
	  NATIVE,
	  SYS_fchmodat,
	  { 0xffffff9c, 0x7000, 04755 },
	  { SETID_CHMOD, AT_FDCWD, false, 0x7000, 0, 0, 04755, 0, 0 } },
	{ "fchmodat has no flags",
	  NATIVE,
	  SYS_fchmodat,
	  { 3, 0x7000, 04755, 0x1000 },
	  { SETID_CHMOD, 3, false, 0x7000, 0, 0, 04755, 0, 0 } },
	{ "fchmodat2",
	  NATIVE,
	  452,
	  { 3, 0x7000, 04755, 0x1000 },
	  { SETID_CHMOD, 3, false, 0x7000, 0, 0, 04755, 0x1000, 0 } },
	{ "open",
	  NATIVE,
	  SYS_open,
	  { 0x7000, 0101, 04755 },
	  { SETID_OPEN, AT_FDCWD, false, 0x7000, 0, 0, 04755, 0101, 0 } },
	{ "openat",
	  NATIVE,
	  SYS_openat,
	  { 3, 0x7000, 0101, 04755 },
	  { SETID_OPEN, 3, false, 0x7000, 0, 0, 04755, 0101, 0 } },
	{ "creat",
	  NATIVE,
	  SYS_creat,
	  { 0x7000, 04755 },
	  { SETID_OPEN, AT_FDCWD, false, 0x7000, 0, 0, 04755,
	    O_CREAT | O_WRONLY | O_TRUNC, 0 } },
	{ "mknod",
	  NATIVE,
	  SYS_mknod,
	  { 0x7000, S_IFREG | 04755, 9 },
	  { SETID_MKNOD, AT_FDCWD, false, 0x7000, 0, 0, S_IFREG | 04755, 0, 9 } },
	{ "mknodat",
	  NATIVE,
	  SYS_mknodat,
	  { 3, 0x7000, 04755, 9 },
	  { SETID_MKNOD, 3, false, 0x7000, 0, 0, 04755, 0, 9 } },
	{ "high bits of a mode",
	  NATIVE,
	  SYS_chmod,
	  { 0x7000, 0xf00000000 | 04755 },
	  { SETID_CHMOD, AT_FDCWD, false, 0x7000, 0, 0, 04755, 0, 0 } },
	{ "setxattr",
	  NATIVE,
	  SYS_setxattr,
	  { 0x7000, 0x8000, 0x9000, 20, 1 },
	  { SETID_XATTR, AT_FDCWD, false, 0x7000, 0, 0, 0, 1, 0 } },
	{ "fsetxattr",
	  NATIVE,
	  SYS_fsetxattr,
	  { 5, 0x8000, 0x9000, 20, 0 },
	  { SETID_XATTR, 5, true, 0, 0, 0, 0, 0, 0 } },
	{ "lremovexattr",
	  NATIVE,
	  SYS_lremovexattr,
	  { 0x7000, 0x8000, 0x9000, 4, 5 },
	  { SETID_XATTR_GONE, AT_FDCWD, false, 0x7000, 0, 0, 0, 0, 0 } },
	{ "fremovexattr",
	  NATIVE,
	  SYS_fremovexattr,
	  { 5, 0x8000, 0x9000, 4, 5 },
	  { SETID_XATTR_GONE, 5, true, 0, 0, 0, 0, 0, 0 } },
	{ "i386 chmod",
	  I386,
	  15,
	  { 0x7000, 04755 },
	  { SETID_CHMOD, AT_FDCWD, false, 0x7000, 0, 0, 04755, 0, 0 } },
	{ "i386 fchmod",
	  I386,
	  94,
	  { 5, 02755 },
	  { SETID_CHMOD, 5, true, 0, 0, 0, 02755, 0, 0 } },
	{ "i386 openat",
	  I386,
	  295,
	  { 3, 0x7000, 0101, 04755 },
	  { SETID_OPEN, 3, false, 0x7000, 0, 0, 04755, 0101, 0 } },
	{ "i386 mknodat",
	  I386,
	  297,
	  { 3, 0x7000, 04755, 9 },
	  { SETID_MKNOD, 3, false, 0x7000, 0, 0, 04755, 0, 9 } },
	{ "rename",
	  NATIVE,
	  SYS_rename,
	  { 0x7000, 0x8000, 5 },
	  { SETID_RENAME, AT_FDCWD, false, 0x7000, AT_FDCWD, 0x8000, 0, 0, 0 } },
	{ "renameat has no flags",
	  NATIVE,
	  SYS_renameat,
	  { 3, 0x7000, 0xffffff9c, 0x8000, 1 },
	  { SETID_RENAME, 3, false, 0x7000, AT_FDCWD, 0x8000, 0, 0, 0 } },
	{ "renameat2",
	  NATIVE,
	  SYS_renameat2,
	  { 3, 0x7000, 4, 0x8000, 1 },
	  { SETID_RENAME, 3, false, 0x7000, 4, 0x8000, 0, 1, 0 } },
};

static void reads(const void *p)
{
	const struct row *row = p;
	struct seccomp_data d = { .nr = row->nr, .arch = row->arch };
	struct setid_call got;

	memcpy(d.args, row->args, sizeof(row->args));
	assert_int_equal(setid_call_read(&d, &got), 0);
	assert_int_equal(got.what, row->want.what);
	assert_int_equal(got.dirfd, row->want.dirfd);
	assert_int_equal(got.by_fd, row->want.by_fd);
	assert_int_equal(got.path, row->want.path);
	assert_int_equal(got.mode, row->want.mode);
	assert_int_equal(got.flags, row->want.flags);
	assert_int_equal(got.dev, row->want.dev);
	assert_int_equal(got.to_dirfd, row->want.to_dirfd);
	assert_int_equal(got.to_path, row->want.to_path);
	if (row->want.what == SETID_XATTR || row->want.what == SETID_XATTR_GONE) {
		struct setid_attribute a = setid_call_attribute(&d);

		assert_int_equal(a.nofollow, row->nr == SYS_lremovexattr);
		assert_int_equal(a.name, row->args[1]);
		assert_int_equal(a.value, row->args[2]);
		assert_int_equal(a.n, row->args[3]);
	}
}

static void others_are_refused(void)
{
	struct seccomp_data d = { .nr = SYS_read, .arch = NATIVE };
	struct setid_call got;

	assert_int_equal(setid_call_read(&d, &got), -ENOSYS);
	d = (struct seccomp_data){ .nr = SYS_chmod, .arch = I386 };
	assert_int_equal(setid_call_read(&d, &got), -ENOSYS);
	d = (struct seccomp_data){ .nr = SYS_chmod, .arch = AUDIT_ARCH_ARM };
	assert_int_equal(setid_call_read(&d, &got), -ENOSYS);
}
#endif

static const struct name_row {
	const char *name;
	int want;
} names[] = {
	{ "/proc/self/fd/7", 7 },
	{ "/proc/thread-self/fd/12", 12 },
	{ "/dev/fd/0", 0 },
	{ "/proc/self/fd/", -1 },
	{ "/proc/self/fd/7/x", -1 },
	{ "/proc/self/fd/x", -1 },
	{ "/proc/self/fd/-1", -1 },
	{ "/proc/self/fd/9999999999", -1 },
	{ "/proc/self/mem", -1 },
	{ "proc/self/fd/7", -1 },
	{ "", -1 },
};

static void own(const void *p)
{
	const struct name_row *row = p;

	assert_int_equal(setid_call_own_fd(row->name), row->want);
}

static const struct own_row {
	const char *name;
	bool want;
} own_names[] = {
	{ "/proc/self/cwd/x", true },
	{ "/proc/thread-self/root/x", true },
	{ "/dev/fd/3/x", true },
	{ "../../proc/self/cwd/x", true },
	{ "/proc/7/cwd/x", false },
	{ "/project/self/fd/x", false },
	{ "", false },
};

static void own_name(const void *p)
{
	const struct own_row *row = p;

	assert_int_equal(setid_call_own_name(row->name), row->want);
}

int main(void)
{
	int bad = unit_rows("setid_call own_fd", names, own) +
		  unit_rows("setid_call own_name", own_names, own_name);
#ifdef __x86_64__
	static const struct unit_case cases[] = {
		{ "other calls are refused", others_are_refused },
	};

	bad += unit_rows("setid_call", rows, reads);
	bad += unit_cases("setid_call others", cases);
#endif
	return bad;
}
