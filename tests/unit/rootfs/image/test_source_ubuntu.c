#include "rootfs/image/source_ubuntu.h"

#include "tests/unit/unit.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define FILE_OF(v) "ubuntu-base-" v "-base-amd64.tar.gz"

static const struct row {
	const char *name, *sums, *file, *digest;
} rows[] = {
	{ "one line", A " *" FILE_OF("24.04.1") "\n", FILE_OF("24.04.1"), A },
	{ "no newline at the end", A "  " FILE_OF("24.04.1"), FILE_OF("24.04.1"), A },
	{ "no point release", A " *" FILE_OF("24.04") "\n", FILE_OF("24.04"), A },
	{ "the newest, by number",
	  A " *" FILE_OF("24.04.9") "\n" B " *" FILE_OF("24.04.10") "\n",
	  FILE_OF("24.04.10"), B },
	{ "the newest first",
	  B " *" FILE_OF("24.04.3") "\n" A " *" FILE_OF("24.04") "\n",
	  FILE_OF("24.04.3"), B },
	{ "other architectures",
	  A " *ubuntu-base-24.04.3-base-arm64.tar.gz\n" B " *" FILE_OF("24.04.1") "\n",
	  FILE_OF("24.04.1"), B },
	{ "other releases", A " *" FILE_OF("22.04.1") "\n", NULL, NULL },
	{ "longer release", A " *" FILE_OF("24.0400") "\n", NULL, NULL },
	{ "path in the name", A " *../" FILE_OF("24.04.1") "\n", NULL, NULL },
	{ "beta", A " *ubuntu-base-24.04-beta-base-amd64.tar.gz\n", NULL, NULL },
	{ "point that is no number", A " *" FILE_OF("24.04.x") "\n", NULL, NULL },
	{ "huge point", A " *" FILE_OF("24.04.1234") "\n", NULL, NULL },
	{ "short digest", "abc *" FILE_OF("24.04.1") "\n", NULL, NULL },
	{ "HTML", "<html><body>not found</body></html>", NULL, NULL },
	{ "nothing", "", NULL, NULL },
};

static void pick(const void *p)
{
	const struct row *row = p;
	struct source_ubuntu got;
	struct err e = ERR_NONE;
	int r = source_ubuntu_pick(row->sums, strlen(row->sums), "24.04", "amd64", &got,
				   &e);

	if (!row->file) {
		unit_err(&e, -ENOENT, "Ubuntu 24.04 has no base image for amd64");
		assert_int_equal(r, -ENOENT);
		return;
	}
	unit_ok(r, &e);
	assert_string_equal(got.file, row->file);
	assert_string_equal(got.digest, row->digest);
}

static void the_mirror_can_be_chosen(void)
{
	unsetenv("CUBBY_UBUNTU_URL");
	assert_string_equal(source_ubuntu_base(),
			    "https://cdimage.ubuntu.com/ubuntu-base/releases");
	setenv("CUBBY_UBUNTU_URL", "http://mirror/u", 1);
	assert_string_equal(source_ubuntu_base(), "http://mirror/u");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the mirror can be chosen", the_mirror_can_be_chosen },
	};

	return unit_rows("source_ubuntu_pick", rows, pick) +
	       unit_cases("source_ubuntu", cases);
}
