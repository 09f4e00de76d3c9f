#include "rootfs/oci/registries.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "tests/unit/unit.h"

#define R "[[registry]]\n"
#define M "[[registry.mirror]]\n"

/* What becomes of a name: the mirrors and then the place itself, with blanks between. */
static const struct row {
	const char *name, *image, *text;
	const char *want; /* or the message, where it fails */
	int code;
} rows[] = {
	{ "nothing is said", "debian:12", "", "debian:12", 0 },
	{ "of another", "debian:12", R "location = \"quay.io\"\nblocked = true",
	  "debian:12", 0 },
	{ "a mirror", "ghcr.io/x/y:1",
	  R "location = 'ghcr.io'\n" M "location = 'm.example'",
	  "m.example/x/y:1 ghcr.io/x/y:1", 0 },
	{ "mirrors in their order, of Docker Hub", "debian",
	  R "prefix='docker.io'\n" M "location='a.b:1/hub'\n" M
	    "location='localhost:5000'",
	  "a.b:1/hub/library/debian:latest localhost:5000/library/debian:latest "
	  "debian:latest",
	  0 },
	{ "another place", "example.com/foo/image:3",
	  R "prefix='example.com/foo'\nlocation='in.example/bar'",
	  "in.example/bar/image:3", 0 },
	{ "of one image", "example.com/foo",
	  R "prefix='example.com/foo:latest'\nlocation='in.example/bar:9'",
	  "in.example/bar:9", 0 },
	{ "the longest prefix", "a.b/c/d",
	  R "prefix='a.b/c'\nlocation='x.y'\n" R "prefix='a.b'\nblocked=true",
	  "x.y/d:latest", 0 },
	{ "the later of two", "a.b/c",
	  R "location='a.b'\nblocked=true\n" R "location='a.b'\n", "a.b/c:latest", 0 },
	{ "no half of a word", "a.b/cc", R "prefix='a.b/c'\nblocked=true",
	  "a.b/cc:latest", 0 },
	{ "another port is another host", "a.b:5000/c",
	  R "prefix='a.b'\nlocation='x.y'", "a.b:5000/c:latest", 0 },
	{ "but not of a blocked one", "a.b:5000/c", R "prefix='a.b'\nblocked=true",
	  "'a.b:5000/c:latest' is blocked here (registries.conf)", -EPERM },
	{ "nor of a path there", "a.b:5000/c/d", R "prefix='a.b/c'\nblocked=true",
	  "'a.b:5000/c/d:latest' is blocked here (registries.conf)", -EPERM },
	{ "of another path there", "a.b:5000/cc", R "prefix='a.b/c'\nblocked=true",
	  "a.b:5000/cc:latest", 0 },
	{ "a path there that is elsewhere", "a.b:5000/c",
	  R "prefix='a.b/c'\nlocation='x.y'", "a.b:5000/c:latest", 0 },
	{ "a path of an address", "[::1]:5000/c", R "prefix='[::1]/c'\nblocked=true",
	  "'[::1]:5000/c:latest' is blocked here (registries.conf)", -EPERM },
	{ "a path of a blocked port", "a.b:5000/c",
	  R "prefix='a.b:5000/c'\nblocked=true",
	  "'a.b:5000/c:latest' is blocked here (registries.conf)", -EPERM },
	{ "another path of it, and another port", "a.b:5001/c",
	  R "prefix='a.b:5000/c'\nblocked=true", "a.b:5001/c:latest", 0 },
	{ "a scheme", "a.b/c", R "prefix='https://a.b'\nblocked=true",
	  "line 2: 'prefix' begins with a scheme; write the host alone", -EINVAL },
	{ "a scheme of the place", "a.b/c", R "location='http://a.b/'\nblocked=true",
	  "line 2: 'location' begins with a scheme; write the host alone", -EINVAL },
	{ "a port that is let through", "a.b:5000/c",
	  R "prefix='a.b'\nblocked=true\n" R "prefix='a.b:5000'", "a.b:5000/c:latest",
	  0 },
	{ "another blocked port", "a.b:5000/c", R "prefix='a.b:5001'\nblocked=true",
	  "a.b:5000/c:latest", 0 },
	{ "the port of https", "a.b:443/c", R "prefix='a.b'\n" M "location='m.n'",
	  "m.n/c:latest a.b:443/c:latest", 0 },
	{ "the same in the file", "a.b/c/d", R "prefix='A.B.:0443/c'\nblocked=true",
	  "'a.b/c/d:latest' is blocked here (registries.conf)", -EPERM },
	{ "in capitals", "A.b/c", R "prefix='a.b'\nblocked=true",
	  "'a.b/c:latest' is blocked here (registries.conf)", -EPERM },
	{ "a final dot", "a.b.:5000/c", R "prefix='a.b:5000'\nblocked=true",
	  "'a.b:5000/c:latest' is blocked here (registries.conf)", -EPERM },
	{ "hosts below one, in capitals", "x.EXAMPLE.com./c",
	  R "prefix='*.example.com'\nblocked=true",
	  "'x.example.com/c:latest' is blocked here (registries.conf)", -EPERM },
	{ "Docker Hub by the host that is asked", "registry-1.docker.io/library/x",
	  R "prefix='docker.io'\nblocked=true",
	  "'docker.io/library/x:latest' is blocked here (registries.conf)", -EPERM },
	{ "by another of its names", "Index.docker.io:443/library/x",
	  R "prefix='docker.io'\nblocked=true",
	  "'docker.io/library/x:latest' is blocked here (registries.conf)", -EPERM },
	{ "that host in the file", "x", R "prefix='registry-1.docker.io'\nblocked=true",
	  "'docker.io/library/x:latest' is blocked here (registries.conf)", -EPERM },
	{ "all hosts below it", "x", R "prefix='*.docker.io'\nblocked=true",
	  "'docker.io/library/x:latest' is blocked here (registries.conf)", -EPERM },
	{ "an address", "[::1]:5000/c", R "prefix='[::1]'\nblocked=true",
	  "'[::1]:5000/c:latest' is blocked here (registries.conf)", -EPERM },
	{ "no end of one", "a.b/c", R "prefix='[::1'\nblocked=true", "a.b/c:latest",
	  0 },
	{ "hosts below one", "x.y.example.com:1/c",
	  R "prefix='*.example.com'\n" M "location='m.n'",
	  "m.n:1/c:latest x.y.example.com:1/c:latest", 0 },
	{ "not that one itself", "example.com/c",
	  R "prefix='*.example.com'\nblocked=true", "example.com/c:latest", 0 },
	{ "by digest alone: a tag", "a.b/c",
	  R "location='a.b'\nmirror-by-digest-only=true\n" M "location='m.n'",
	  "a.b/c:latest", 0 },
	{ "by tag alone", "a.b/c",
	  R "location='a.b'\n" M "location='m.n'\npull-from-mirror='tag-only'\n" M
	    "location='o.p'\npull-from-mirror='digest-only'",
	  "m.n/c:latest a.b/c:latest", 0 },
	{ "blocked", "a.b/c", R "location='a.b'\nblocked=true",
	  "'a.b/c:latest' is blocked here (registries.conf)", -EPERM },
	{ "blocked in the former format", "a.b/c",
	  "[registries.search]\nregistries=['x.y']\n[registries.block]\n"
	  "registries = ['o.p', 'a.b']",
	  "'a.b/c:latest' is blocked here (registries.conf)", -EPERM },
	{ "other settings", "a.b/c",
	  "unqualified-search-registries = ['x.y']\nshort-name-mode='disabled'\n" R
	  "location='a.b'\ninsecure=true\n[other]\nblocked=true",
	  "a.b/c:latest", 0 },
	{ "of a line", "a.b/c",
	  R "location='a.b'\nmirror=[{location='m.n', insecure=true}]",
	  "m.n/c:latest a.b/c:latest", 0 },

	{ "a slash at the end", "a.b/c", R "location='a.b/'\nblocked=true",
	  "'a.b/c:latest' is blocked here (registries.conf)", -EPERM },
	{ "a mirror with one", "a.b/c",
	  R "prefix='a.b//'\n" M "location='m.n/'\n" M "location='/'",
	  "m.n/c:latest a.b/c:latest", 0 },

	{ "a table that is not known", "a.b/c",
	  R "location='a.b'\nx={a=1}\nblocked=true",
	  "'a.b/c:latest' is blocked here (registries.conf)", -EPERM },
	{ "one in a mirror", "a.b/c",
	  R "location='a.b'\n" M "x={location='o.p'}\nlocation='m.n'",
	  "m.n/c:latest a.b/c:latest", 0 },
	{ "one behind it", "a.b/c", R "location='a.b'\n[registry.x]\nblocked=true",
	  "a.b/c:latest", 0 },

	{ "no registry", "a.b/c", R "prefix='a.b'\nlocation='mirror'",
	  "location 'mirror' names no registry", -EINVAL },
	{ "an odd one", "a.b/c", R "prefix='a.b'\nlocation='a.b/../x'",
	  "location: 'a.b/../x/c:latest' is no name of an image: it has other "
	  "characters than lower-case letters, digits and single '.', '_', '-' and "
	  "'/' between them",
	  -EINVAL },
	{ "another kind", "a.b/c", R "\nblocked = 'yes'",
	  "line 3: 'blocked' is neither true nor false", -EINVAL },
	{ "a number", "a.b/c", R "location = 1", "line 2: 'location' is no string",
	  -EINVAL },
	{ "an unknown way", "a.b/c", R M "pull-from-mirror='x'",
	  "line 3: pull-from-mirror is all, digest-only or tag-only", -EINVAL },
	{ "a mirror of nobody", "a.b/c", M, "line 1: a mirror of no [[registry]]",
	  -EINVAL },
	{ "too many mirrors", "a.b/c", R M M M M M M M M M,
	  "line 10: more than 8 mirrors", -EINVAL },
	{ "no TOML", "a.b/c", "{}", "line 1: something that is not understood",
	  -EINVAL },
};

static void add(struct buf *out, const struct oci_name *n)
{
	char text[OCI_NAME];

	oci_name_text(n, text);
	buf_addf(out, "%s%s", out->len ? " " : "", text);
}

static void show(const struct registries *r, struct buf *out)
{
	for (size_t i = 0; i < r->n; i++)
		add(out, &r->mirrors[i]);
	add(out, &r->name);
}

static void find(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf out = BUF_INIT(8192);
	struct registries_search s;
	struct err e = ERR_NONE;
	struct registries ret;
	struct oci_name n;
	int r;

	unit_ok(oci_name_parse(row->image, &n, &e), &e);
	registries_begin(&n, &s);
	r = registries_read(&s, row->text, strlen(row->text), &e);
	if (r == 0)
		r = registries_end(&s, &n, &ret, &e);
	assert_int_equal(r, row->code);
	if (r < 0) {
		assert_string_equal(e.msg, row->want);
		return;
	}
	show(&ret, &out);
	assert_string_equal(buf_cstr(&out), row->want);
}

static void a_digest(void)
{
	static const char text[] =
		R "location='a.b'\nmirror-by-digest-only=true\n" M "location='m.n'";
	struct registries_search s;
	struct err e = ERR_NONE;
	struct registries ret;
	struct oci_name n;

	unit_ok(oci_name_parse("a.b/c@sha256:0123456789abcdef0123456789abcdef"
			       "0123456789abcdef0123456789abcdef",
			       &n, &e),
		&e);
	registries_begin(&n, &s);
	unit_ok(registries_read(&s, text, strlen(text), &e), &e);
	unit_ok(registries_end(&s, &n, &ret, &e), &e);
	assert_int_equal(ret.n, 1);
	assert_string_equal(ret.mirrors[0].registry, "m.n");
	assert_string_equal(ret.mirrors[0].digest.text, n.digest.text);
}

static void aliases(void)
{
	static const char text[] = "[aliases]\n\"fedora\" = \"r.example/f/fedora\"\n"
				   "'x/y' = 'quay.io/x/y'\n";
	struct registries_search s;
	struct err e = ERR_NONE;
	struct oci_name n;

	unit_ok(oci_name_parse("fedora:40", &n, &e), &e);
	assert_true(n.bare);
	registries_begin(&n, &s);
	unit_ok(registries_read(&s, text, strlen(text), &e), &e);
	assert_string_equal(s.alias, "r.example/f/fedora");
	unit_ok(registries_read(&s, "[aliases]\nfedora=''", 19, &e), &e);
	assert_string_equal(s.alias, "");
	unit_ok(oci_name_parse("docker.io/fedora:40", &n, &e), &e);
	assert_false(n.bare);
}

static void of_docker(void)
{
	static const char text[] =
		"{\"registry-mirrors\":[\"https://a.b/\",\"http://c.d\",\"x\",1,"
		"\"http://127.0.0.1:5000\",\"https://e.f/path\",\"https://u@g.h\","
		"\"https://i.j:99\"]}";
	_cleanup_buf_ struct buf out = BUF_INIT(8192);
	struct registries ret = { .n = 0 };
	struct err e = ERR_NONE;

	unit_ok(oci_name_parse("debian:12", &ret.name, &e), &e);
	unit_ok(registries_docker(text, strlen(text), &ret, &e), &e);
	show(&ret, &out);
	assert_string_equal(buf_cstr(&out),
			    "a.b/library/debian:12 127.0.0.1:5000/library/debian:12 "
			    "i.j:99/library/debian:12 debian:12");
	ret.n = 0;
	unit_ok(registries_docker("{}", 2, &ret, &e), &e);
	assert_int_equal(ret.n, 0);
	assert_int_equal(registries_docker("{", 1, &ret, &e), -EINVAL);
}

/* ---- files ------------------------------------------------------------------------------ */

#define CONF "/.config/containers/registries.conf"

/* With a person's own file, so that those of the machine do not count. */
static int find_at_home(const char *home, struct registries *ret, struct err *e)
{
	struct oci_name n;

	unit_ok(oci_name_parse("a.b/c", &n, e), e);
	assert_int_equal(setenv("HOME", home, 1), 0);
	assert_int_equal(unsetenv("CONTAINERS_REGISTRIES_CONF"), 0);
	return registries_find(&n, ret, e);
}

static void put(const char *home, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s" CONF "%s", home, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char *make_home(void)
{
	const char *home = unit_tmpdir();
	char path[512];

	snprintf(path, sizeof(path), "%s/.config", home);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/.config/containers", home);
	assert_int_equal(mkdir(path, 0755), 0);
	put(home, "", "");
	return home;
}

static void drop_ins(void)
{
	const char *home = make_home();
	char dir[512], name[32], want[1024];
	struct err e = ERR_NONE;
	struct registries ret;

	unit_ok(find_at_home(home, &ret, &e), &e);
	put(home, ".d", ""); /* no directory */
	unit_ok(find_at_home(home, &ret, &e), &e);
	snprintf(dir, sizeof(dir), "%s" CONF ".d", home);
	assert_int_equal(unlink(dir), 0);
	assert_int_equal(mkdir(dir, 0755), 0);
	for (unsigned i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), ".d/%u.conf", i);
		put(home, name, i ? "" : R "location='a.b'\nblocked=true");
	}
	put(home, ".d/other", "no TOML");
	snprintf(want, sizeof(want), "%s/old.conf", dir); /* nor one of these */
	assert_int_equal(mkdir(want, 0755), 0);
	assert_int_equal(find_at_home(home, &ret, &e), -EPERM);
	put(home, ".d/64.conf", "");
	snprintf(want, sizeof(want), "'%s' has more than 64 files", dir);
	assert_int_equal(find_at_home(home, &ret, &e), -E2BIG);
	unit_err(&e, -E2BIG, want);
}

static void drop_ins_elsewhere(void)
{
	const char *home = make_home();
	char dir[512], real[512], want[1024];
	struct err e = ERR_NONE;
	struct registries ret;

	snprintf(dir, sizeof(dir), "%s" CONF ".d", home);
	snprintf(real, sizeof(real), "%s" CONF ".real", home);
	assert_int_equal(symlink("registries.conf.real", dir), 0);
	unit_ok(find_at_home(home, &ret, &e), &e);
	assert_int_equal(mkdir(real, 0755), 0);
	put(home, ".real/1.conf", R "location='a.b'\nblocked=true");
	assert_int_equal(find_at_home(home, &ret, &e), -EPERM);
	assert_int_equal(unlink(dir), 0);
	assert_int_equal(symlink("registries.conf.d", dir), 0);
	snprintf(want, sizeof(want),
		 "cannot read '%s': Too many levels of symbolic links", dir);
	assert_int_equal(find_at_home(home, &ret, &e), -ELOOP);
	unit_err(&e, -ELOOP, want);
}

static const struct unit_case cases[] = {
	{ "files beside one", drop_ins },
	{ "files beside one, by a link", drop_ins_elsewhere },
	{ "a digest", a_digest },
	{ "aliases", aliases },
	{ "docker's", of_docker },
};

int main(void)
{
	return unit_rows("registries", rows, find) +
	       unit_cases("registries_find", cases);
}
