#include "rootfs/image/bootstrap.h"

#include "tests/unit/unit.h"

static const char debian[] = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"
			     "VERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\nID=debian\n"
			     "ID_LIKE=other\n";
static const char ubuntu[] = "ID=ubuntu\nVERSION_ID=\"24.04\"\nVERSION_CODENAME=noble";
static const char future[] =
	"ID=debian\nVERSION_ID=\"19\"\nVERSION_CODENAME=\"zurg\"\n";
static const char sid[] = "ID=debian\n";

static const struct row {
	const char *name, *image, *release, *host, *suite;
} rows[] = {
	{ "a version", "debian:12", debian, "debian", "bookworm" },
	{ "another version", "debian:13", debian, "debian", "trixie" },
	{ "a code name", "debian:bullseye", debian, "debian", "bullseye" },
	{ "slim", "debian:bookworm-slim", debian, "debian", "bookworm" },
	{ "the host's own", "debian:latest", debian, "debian", "bookworm" },
	{ "the host's own, newer than the table", "debian:19", future, "debian",
	  "zurg" },
	{ "a host without a version", "debian:latest", sid, "debian", "" },
	{ "a version of nothing", "debian:", sid, "debian", "" },
	{ "a version, of a host without one", "debian:12", sid, "debian", "bookworm" },
	{ "a release", "ubuntu:22.04", ubuntu, "ubuntu", "jammy" },
	{ "the last line has no end", "ubuntu:latest", ubuntu, "ubuntu", "noble" },
	{ "another family", "ubuntu:24.04", debian, "debian", "" },
	{ "a suite that nobody knows", "debian:../x", debian, "debian", "" },
	{ "one by its digest", "debian@sha256:00", debian, "debian", "" },
	{ "somebody's", "me/debian:12", debian, "debian", "" },
	{ "another host", "debian:12", "ID=fedora\nVERSION_ID=12\n", "", "" },
	{ "no host", "debian:12", "", "", "" },
	{ "a word without end", "debian:12", "ID=debianandmoreandmoreandmore\n", "",
	  "" },
};

static void read_row(const void *p)
{
	const struct row *row = p;
	struct bootstrap b;

	bootstrap_read(row->image, row->release, &b);
	assert_string_equal(b.host, row->host);
	assert_string_equal(b.suite, row->suite);
}

int main(void)
{
	return unit_rows("bootstrap_read", rows, read_row);
}
