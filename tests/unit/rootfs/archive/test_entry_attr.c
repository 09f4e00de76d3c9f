/* Rows of the table of crafted archives: owners, modes, attributes. */
#include "rootfs/archive/entry_attr.h"

#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/archive/owners.h"
#include "tests/unit/extractbox.h"
#include "tests/unit/unit.h"

static void a18(struct tarmake *t)
{
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "null", .type = '3', .major = 1, .minor = 3 });
	tarmake_add(t,
		    &(struct tarmake_entry){ .name = "sda", .type = '4', .major = 8 });
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "fifo", .type = '6', .mode = 0620 });
}

static void a18_check(const struct extractbox *x)
{
	extractbox_none(x, "null");
	extractbox_none(x, "sda");
	assert_true(S_ISFIFO(extractbox_stat(x, "fifo").st_mode));
	assert_int_equal(x->dropped[ENTRY_DROP_DEVICE], 2);
}

static void a19(struct tarmake *t)
{
	tarmake_add(t, &(struct tarmake_entry){ .name = "suid",
						.type = '0',
						.mode = 04755,
						.data = "x",
						.len = 1 });
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "sgid", .type = '0', .mode = 02755 });
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "tmp", .type = '5', .mode = 01777 });
	tarmake_add(t, &(struct tarmake_entry){
			       .name = "mail", .type = '5', .mode = 02775 });
	tarmake_file(t, "mail/in", "x");
}

static void a19_check(const struct extractbox *x)
{
	extractbox_mode(x, "suid", 04755);
	extractbox_mode(x, "sgid", 02755);
	extractbox_mode(x, "tmp", 01777);
	extractbox_mode(x, "mail", 02775);
}

static void a22(struct tarmake *t)
{
	/* version 2, effective, CAP_NET_RAW */
	static const char caps[] = "\1\0\0\2\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0";

	tarmake_pax(t, "SCHILY.xattr.security.capability", caps, 20);
	tarmake_pax(t, "SCHILY.xattr.security.selinux", "label", 5);
	tarmake_pax(t, "SCHILY.xattr.system.posix_acl_access", "x", 1);
	tarmake_pax(t, "SCHILY.xattr.system.other", "x", 1);
	tarmake_pax(t, "SCHILY.acl.access",
		    "user::rw-\nuser:1:rwx\ngroup::r--\nmask::rwx\nother::---\n", 54);
	tarmake_file(t, "f", "f");
}

static ssize_t attr(const struct extractbox *x, const char *path, const char *name,
		    char *value, size_t size)
{
	_cleanup_close_ int fd = sys_openat(x->root, path, O_RDONLY, 0);

	assert_true(fd >= 0);
	return sys_fgetxattr(fd, name, value, size);
}

static void a22_check(const struct extractbox *x)
{
	char v[64];

	assert_true(attr(x, "f", "security.selinux", v, sizeof(v)) < 0);
	assert_true(attr(x, "f", "system.posix_acl_access", v, sizeof(v)) < 0);
	assert_true(attr(x, "f", "security.capability", v, sizeof(v)) > 0 ||
		    x->dropped[ENTRY_DROP_CAPABILITY] == 1);
	assert_true(x->dropped[ENTRY_DROP_ACL] >= 1);
	assert_true(x->dropped[ENTRY_DROP_XATTR] >= 2);
	extractbox_file(x, "f", "f");
}

static void a23(struct tarmake *t)
{
	static const char *const names[] = {
		"user.overlay.opaque",	  "user.overlay.whiteout",
		"user.overlay.redirect",  "user.overlay.metacopy",
		"trusted.overlay.opaque", "user.containers.override_stat"
	};
	char key[128];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(key, sizeof(key), "SCHILY.xattr.%s", names[i]);
		tarmake_pax(t, key, "y", 1);
	}
	tarmake_dir(t, "d");
}

static void a23_check(const struct extractbox *x)
{
	_cleanup_close_ int fd = sys_openat(x->root, "d", O_RDONLY | O_DIRECTORY, 0);
	char names[256];
	ssize_t n = sys_flistxattr(fd, names, sizeof(names));

	assert_true(n >= 0);
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1)
		assert_int_equal(strncmp(names + at, "security.", 9), 0);
	assert_int_equal(x->dropped[ENTRY_DROP_XATTR], 6);
}

static char big[70000];

static void a24_large(struct tarmake *t)
{
	memset(big, 'x', sizeof(big));
	tarmake_pax(t, "SCHILY.xattr.user.big", big, 65536);
	tarmake_file(t, "f", "f");
}

static void a24_larger(struct tarmake *t)
{
	memset(big, 'x', sizeof(big));
	tarmake_pax(t, "SCHILY.xattr.user.big", big, 65537);
	tarmake_file(t, "f", "f");
}

static void a24_large_check(const struct extractbox *x)
{
	char *v = calloc(1, 65536);

	assert_true(attr(x, "f", "user.big", v, 65536) == 65536 ||
		    x->dropped[ENTRY_DROP_XATTR] == 1);
	free(v);
}

static void a24_many(struct tarmake *t)
{
	char key[64];

	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "SCHILY.xattr.user.n%d", i);
		tarmake_pax(t, key, "v", 1);
	}
	tarmake_file(t, "f", "f");
}

static void a24_names(struct tarmake *t)
{
	tarmake_pax(t, "SCHILY.xattr.", "v", 1);
	tarmake_pax(t, "SCHILY.xattr.user.", "v", 1);
	tarmake_pax(t, "SCHILY.xattr.user.good", "v", 1);
	tarmake_file(t, "f", "f");
}

static void a24_names_check(const struct extractbox *x)
{
	char v[8];

	extractbox_file(x, "f", "f");
	assert_true(attr(x, "f", "user.good", v, sizeof(v)) == 1 ||
		    x->dropped[ENTRY_DROP_XATTR] >= 2);
}

static void a25(struct tarmake *t)
{
	tarmake_pax(t, "SCHILY.acl.access",
		    "user::rw-\nuser:1:rwx\ngroup::r--\nmask::rwx\nother::rwx\n", 54);
	tarmake_symlink(t, "l", "../outside/secret");
	tarmake_pax(t, "SCHILY.xattr.user.x", "v", 1);
	tarmake_symlink(t, "m", "../outside/dir");
}

static void a25_check(const struct extractbox *x)
{
	extractbox_link(x, "l", "../outside/secret");
	extractbox_link(x, "m", "../outside/dir");
	assert_int_equal(x->dropped[ENTRY_DROP_XATTR], 1);
}

static void owned(struct tarmake *t, const char *name, uint32_t uid, uint32_t gid)
{
	tarmake_add(t, &(struct tarmake_entry){
			       .name = name, .type = '0', .uid = uid, .gid = gid });
}

static void a30(struct tarmake *t)
{
	owned(t, "nobody", 65534, 65534);
	owned(t, "high", 70000, 70001);
	owned(t, "huge", 0x80000000u, 0x80000001u);
	owned(t, "none", 0xffffffffu, 0);
	tarmake_pax(t, "uname", "daemon", 6);
	owned(t, "named", 42, 43);
}

static void is_owned(const struct extractbox *x, const char *path, uint32_t uid,
		     uint32_t gid)
{
	struct owners_stat want = { uid, gid, 0644 }, got;
	struct stat st = extractbox_stat(x, path);
	char v[OWNERS_VALUE] = "";
	ssize_t n;

	if (!x->single) {
		assert_int_equal(st.st_uid, uid);
		assert_int_equal(st.st_gid, gid);
		return;
	}
	assert_int_equal(st.st_uid, sys_geteuid());
	n = attr(x, path, OWNERS_XATTR, v, sizeof(v));
	if (n < 0) /* a filesystem without user attributes */
		return;
	assert_int_equal(owners_parse(v, (size_t)n, &got), 0);
	assert_int_equal(got.uid, want.uid);
	assert_int_equal(got.gid, want.gid);
	assert_int_equal(got.mode, want.mode);
}

static void a30_check(const struct extractbox *x)
{
	is_owned(x, "nobody", 65534, 65534);
	is_owned(x, "high", 70000, 70001);
	is_owned(x, "huge", 0x80000000u, 0x80000001u);
	is_owned(x, "named", 42, 43);
	assert_int_equal(extractbox_stat(x, "none").st_uid, sys_geteuid());
	assert_int_equal(x->dropped[ENTRY_DROP_OWNER], 1);
}

static void links_owners(struct tarmake *t)
{
	tarmake_add(t, &(struct tarmake_entry){ .name = "b",
						.type = '2',
						.link = "x",
						.uid = 5,
						.gid = 6,
						.mode = 0777 });
	tarmake_add(
		t,
		&(struct tarmake_entry){
			.name = "a\n", .type = '6', .uid = 7, .gid = 8, .mode = 0600 });
}

static void links_owners_check(const struct extractbox *x)
{
	assert_int_equal(extractbox_stat(x, "a\n").st_uid, sys_geteuid());
	assert_int_equal(extractbox_stat(x, "b").st_uid, sys_geteuid());
}

static const struct extractbox_row rows[] = {
	EXTRACT_OK("A18 devices and a fifo", a18, .check = a18_check),
	EXTRACT_OK("A19 set-id and sticky bits", a19, .check = a19_check),
	EXTRACT_OK("A19 the same, single map", a19, .check = a19_check, .single = true),
	EXTRACT_OK("A22 capability, labels, ACLs", a22, .check = a22_check),
	EXTRACT_OK("A22 the same, single map", a22, .check = a22_check, .single = true),
	EXTRACT_OK("A23 attributes of overlay", a23, .check = a23_check),
	EXTRACT_OK("A24 attribute of 64 KiB", a24_large, .check = a24_large_check,
		   .large = true),
	EXTRACT_BAD(
		"A24 attribute above 64 KiB", a24_larger, -E2BIG,
		"entry 'f': more than 128 extended attributes or 65536 bytes of them",
		.large = true),
	EXTRACT_BAD(
		"A24 1000 attributes", a24_many, -E2BIG,
		"entry 'f': more than 128 extended attributes or 65536 bytes of them",
		.large = true),
	EXTRACT_OK("A24 empty names", a24_names, .check = a24_names_check),
	EXTRACT_OK("A25 attributes of a link", a25, .check = a25_check),
	EXTRACT_OK("A30 owners", a30, .check = a30_check),
	EXTRACT_OK("A30 owners, single map", a30, .check = a30_check, .single = true),
	EXTRACT_OK("owners of what holds no attribute", links_owners,
		   .check = links_owners_check, .single = true),
};

static const struct row {
	const char *name;
	uint64_t dropped[ENTRY_DROPS];
	const char *text;
} summaries[] = {
	{ "nothing", { 0 }, "" },
	{ "one",
	  { [ENTRY_DROP_DEVICE] = 1 },
	  "1 device not restored (a box has only those of its own /dev)" },
	{ "several",
	  { [ENTRY_DROP_DEVICE] = 3, [ENTRY_DROP_CAPABILITY] = 1 },
	  "1 capability, 3 devices not restored (a box has only those of its own /dev)" },
	{ "plurals",
	  { [ENTRY_DROP_CAPABILITY] = 2, [ENTRY_DROP_ACL] = 2, [ENTRY_DROP_XATTR] = 2 },
	  "2 capabilities, 2 ACLs, 2 extended attributes not restored" },
};

static void summary(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf out = BUF_INIT(4096);

	assert_int_equal(entry_attr_drop_summary(row->dropped, &out), 0);
	assert_string_equal(buf_cstr(&out), row->text);
}

static void drops_have_names(void)
{
	for (unsigned d = 0; d < ENTRY_DROPS; d++)
		assert_non_null(entry_attr_drop_name(d));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "drops have names", drops_have_names },
	};

	return unit_rows("entry_attr", rows, extractbox_row) +
	       unit_rows("entry_attr_drop_summary", summaries, summary) +
	       unit_cases("entry_attr_drop_name", cases);
}
