#include "rootfs/image/source.h"

#include <stdio.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"

#define NOT_THERE(path)                                                              \
	"there is no file or directory '" path "' here; a path of your computer is " \
	"meant; one that is downloaded is such as 'ubuntu' or 'ghcr.io/OWNER/NAME'"

static const struct row {
	const char *name, *ref;
	int code;
	enum source_kind kind;
	const char *called, *where; /* or, on failure, called is the message */
} rows[] = {
	{ "ubuntu", "ubuntu", 0, SOURCE_UBUNTU, "ubuntu:24.04", "24.04" },
	{ "release", "ubuntu:22.04", 0, SOURCE_UBUNTU, "ubuntu:22.04", "22.04" },
	{ "codename", "ubuntu:jammy", 0, SOURCE_UBUNTU, "ubuntu:22.04", "22.04" },
	{ "unknown codename", "ubuntu:lucid", -EINVAL, 0,
	  "no Ubuntu release 'lucid'; say 24.04, 22.04, noble or jammy", NULL },
	{ "release that is a path", "ubuntu:../..", -EINVAL, 0,
	  "no Ubuntu release '../..'; say 24.04, 22.04, noble or jammy", NULL },
	{ "empty release", "ubuntu:", -EINVAL, 0,
	  "no Ubuntu release ''; say 24.04, 22.04, noble or jammy", NULL },
	{ "https", "https://h/p/root.tar.gz", 0, SOURCE_URL, "root",
	  "https://h/p/root.tar.gz" },
	{ "query", "http://h/a b.tar.xz?x=/y.tar#z", 0, SOURCE_URL, "a-b",
	  "http://h/a b.tar.xz?x=/y.tar#z" },
	{ "only a host", "https://host/", 0, SOURCE_URL, "host", "https://host/" },
	{ "root directory", "/", 0, SOURCE_DIR, "root", "/" },
	{ "directory", "/usr/bin/", 0, SOURCE_DIR, "bin", "/usr/bin/" },
	{ "missing", "/none/x.tar", -ENOENT, 0, NOT_THERE("/none/x.tar"), NULL },
	{ "missing, by its ending", "none.tar.zst", -ENOENT, 0,
	  NOT_THERE("none.tar.zst"), NULL },
	{ "device", "/dev/null", -EINVAL, 0,
	  "image '/dev/null': neither a file nor a directory", NULL },
	{ "a name", "debian", 0, SOURCE_REGISTRY, "debian:latest", "debian:latest" },
	{ "a name in a registry", "ghcr.io/x/y:1", 0, SOURCE_REGISTRY, "ghcr.io/x/y:1",
	  "ghcr.io/x/y:1" },
	{ "a name, and said so", "docker://library/debian:12", 0, SOURCE_REGISTRY,
	  "debian:12", "debian:12" },
	{ "no name", "a\nb", -EINVAL, 0,
	  "'a\\nb' is no name of an image: it has other characters than lower-case "
	  "letters, "
	  "digits and single '.', '_', '-' and '/' between them; say ubuntu[:RELEASE], "
	  "a name "
	  "such as debian:12, a URL, or the path of a tarball or directory",
	  NULL },
	{ "a layout that is not there", "oci:/none", -ENOENT, 0, NOT_THERE("/none"),
	  NULL },
	{ "a layout that is no directory", "oci:/dev/null:x", -EINVAL, 0,
	  "image '/dev/null': not a directory", NULL },
	{ "a layout", "oci:/usr:x", 0, SOURCE_OCI, "x", "/usr" },
};

static void parse(const void *p)
{
	const struct row *row = p;
	struct err e = ERR_NONE;
	struct source s;

	assert_int_equal(source_parse(row->ref, &s, &e), row->code);
	if (row->code) {
		unit_err(&e, row->code, row->called);
		return;
	}
	assert_int_equal(s.kind, row->kind);
	assert_string_equal(s.name, row->called);
	assert_string_equal(s.where, row->where);
}

static void a_relative_tarball(void)
{
	char cwd[PATH_MAX], want[PATH_MAX + 16];
	struct err e = ERR_NONE;
	struct source s;
	int fd;

	assert_true(sys_getcwd(cwd, sizeof(cwd)) > 0);
	assert_int_equal(sys_chdir(unit_tmpdir()), 0);
	fd = sys_openat(AT_FDCWD, "r.tar", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	unit_ok(source_parse("r.tar", &s, &e), &e);
	snprintf(want, sizeof(want), "%s/r.tar", unit_tmpdir());
	assert_string_equal(s.where, want);
	assert_int_equal(sys_mkdirat(AT_FDCWD, "in", 0700), 0);
	assert_int_equal(sys_chdir("in"), 0);
	unit_ok(source_parse("./..//r.tar", &s, &e), &e);
	assert_int_equal(sys_chdir(cwd), 0);
	assert_int_equal(s.kind, SOURCE_FILE);
	assert_string_equal(s.name, "r");
	assert_string_equal(s.where, want);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a relative tarball", a_relative_tarball },
	};

	return unit_rows("source_parse", rows, parse) + unit_cases("source", cases);
}
