#include "rootfs/oci/name.h"

#include "tests/unit/unit.h"

#define D "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct row {
	const char *name, *text;
	const char *host; /* NULL: refused, and @repo is why */
	const char *repo, *tag, *digest, *shown;
} rows[] = {
	{ "short", "debian", "registry-1.docker.io", "library/debian", "latest", "",
	  "debian:latest" },
	{ "tag", "python:3.12-slim", "registry-1.docker.io", "library/python",
	  "3.12-slim", "", "python:3.12-slim" },
	{ "of somebody", "some/thing", "registry-1.docker.io", "some/thing", "latest",
	  "", "some/thing:latest" },
	{ "full", "docker.io/library/debian:12", "registry-1.docker.io",
	  "library/debian", "12", "", "debian:12" },
	{ "index", "index.docker.io/x/y", "registry-1.docker.io", "x/y", "latest", "",
	  "x/y:latest" },
	{ "digest", "ghcr.io/x/y@sha256:" D, "ghcr.io", "x/y", "", "sha256:" D,
	  "ghcr.io/x/y@sha256:" D },
	{ "tag and digest", "ghcr.io/x/y:1@sha256:" D, "ghcr.io", "x/y", "1",
	  "sha256:" D, "ghcr.io/x/y:1@sha256:" D },
	{ "a long digest", "ghcr.io/x/y@sha512:" D D, "ghcr.io", "x/y", "",
	  "sha512:" D D, "ghcr.io/x/y@sha512:" D D },
	{ "a long digest that is short", "ghcr.io/x/y@sha512:" D, NULL,
	  "behind the '@'", NULL, NULL, NULL },
	{ "port", "localhost:5000/x", "localhost:5000", "x", "latest", "",
	  "localhost:5000/x:latest" },
	{ "localhost", "localhost/x", "localhost", "x", "latest", "",
	  "localhost/x:latest" },
	{ "an address", "[::1]:5000/x:y", "[::1]:5000", "x", "y", "",
	  "[::1]:5000/x:y" },
	{ "joints", "quay.io/a__b/c-d--e.f", "quay.io", "a__b/c-d--e.f", "latest", "",
	  "quay.io/a__b/c-d--e.f:latest" },
	{ "upper case", "Debian", NULL, "other characters", NULL, NULL, NULL },
	{ "empty", "", NULL, "other characters", NULL, NULL, NULL },
	{ "three underlines", "a___b", NULL, "other characters", NULL, NULL, NULL },
	{ "ends in a joint", "a-", NULL, "other characters", NULL, NULL, NULL },
	{ "climbs", "ghcr.io/../x", NULL, "other characters", NULL, NULL, NULL },
	{ "empty part", "ghcr.io//x", NULL, "other characters", NULL, NULL, NULL },
	{ "query", "debian?x", NULL, "other characters", NULL, NULL, NULL },
	{ "blank in the tag", "debian:a b", NULL, "its tag", NULL, NULL, NULL },
	{ "no tag", "debian:", NULL, "its tag", NULL, NULL, NULL },
	{ "a tag that begins with a dot", "debian:.x", NULL, "its tag", NULL, NULL,
	  NULL },
	{ "another algorithm", "debian@md5:00", NULL, "behind the '@'", NULL, NULL,
	  NULL },
	{ "somebody at a host", "a@b.c/x", NULL, "its registry", NULL, NULL, NULL },
	{ "a port that is none", "a.b:x/y", NULL, "its registry", NULL, NULL, NULL },
	{ "an address without end", "[::1/x", NULL, "its registry", NULL, NULL, NULL },
};

static void parse(const void *p)
{
	const struct row *row = p;
	struct err e = ERR_NONE;
	char text[OCI_NAME];
	struct oci_name n;
	int r = oci_name_parse(row->text, &n, &e);

	if (!row->host) {
		assert_int_equal(r, -EINVAL);
		assert_non_null(strstr(e.msg, row->repo));
		return;
	}
	unit_ok(r, &e);
	assert_string_equal(n.host, row->host);
	assert_string_equal(n.repo, row->repo);
	assert_string_equal(n.tag, row->tag);
	assert_string_equal(n.digest.text, row->digest);
	oci_name_text(&n, text);
	assert_string_equal(text, row->shown);
}

/* http is for these alone. */
static const struct loop {
	const char *name;
	bool is;
} loops[] = {
	{ "localhost", true },	     { "localhost:5000", true },
	{ "127.0.0.1:80", true },    { "[::1]", true },
	{ "[::1]:5000", true },	     { "x.localhost:1", true },
	{ "localhost.evil", false }, { "127.0.0.1.evil", false },
	{ "notlocalhost", false },   { "127.0.0.2", false },
	{ "10.0.0.1", false },	     { "[::2]", false },
	{ ".localhost", false },
};

static void loopback(const void *p)
{
	const struct loop *l = p;

	assert_int_equal(oci_name_is_loopback(l->name), l->is);
}

int main(void)
{
	return unit_rows("oci_name", rows, parse) +
	       unit_rows("oci_name_is_loopback", loops, loopback);
}
