#include "rootfs/oci/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "tests/unit/unit.h"

/* The places, each with its letters: w(hole path), p(ull), r(esolve); then the server's. */
static const struct row {
	const char *name, *text, *want; /* or the message, where it fails */
	int code;
} rows[] = {
	{ "nothing", "", "", 0 },
	{ "a mirror", "[host.\"https://m.example\"]\n", "https://m.example pr;", 0 },
	{ "in their order",
	  "server = 'https://reg.example/'\n[host.'https://a.example:5000']\n"
	  "  capabilities = [\"pull\"]\n[host.'https://b.example/path/']\n"
	  "  capabilities = ['pull', 'resolve', 'push']\n  override_path = true\n",
	  "https://a.example:5000 p;https://b.example/path wpr; =https://reg.example",
	  0 },
	{ "a server without a scheme", "server = 'reg.example:5000'",
	  " =https://reg.example:5000", 0 },
	{ "one that only takes", "[host.'https://a.b']\ncapabilities = ['push']\n", "",
	  0 },
	{ "http, of this machine alone",
	  "[host.'http://m.example']\n[host.'http://127.0.0.1:5000']\n",
	  "http://127.0.0.1:5000 pr;", 0 },
	{ "what is no URL of a place",
	  "[host.'https://a b']\n[host.'https://']\n[host.'ftp://a.b']\n[host.'a.b']\n"
	  "[host.'https://a.b?x']\n[host.'https://me@a.b']\n[host.'https://a.b#']\n",
	  "", 0 },
	{ "what is not read",
	  "[host.'https://a.b']\nskip_verify = true\nclient = 'x.pem'\n"
	  "[host.'https://a.b'.header]\nx = ['y']\ncapabilities = ['push']\n[other]\nca = 'x'\n",
	  "https://a.b pr;", 0 },
	{ "no TOML", "[host", "line 1: a '[' without its ']'", -EINVAL },
	{ "too many",
	  "[host.'https://a.1']\n[host.'https://a.2']\n[host.'https://a.3']\n"
	  "[host.'https://a.4']\n[host.'https://a.5']\n[host.'https://a.6']\n"
	  "[host.'https://a.7']\n[host.'https://a.8']\n[host.'https://a.9']\n",
	  "line 9: more than 8 hosts", -E2BIG },
};

static void show(const struct hosts *h, struct buf *ret)
{
	for (size_t i = 0; i < h->n; i++)
		buf_addf(ret, "%s %s%s%s;", h->places[i].url,
			 h->places[i].whole ? "w" : "", h->places[i].pull ? "p" : "",
			 h->places[i].resolve ? "r" : "");
	if (h->server.url[0])
		buf_addf(ret, " =%s", h->server.url);
}

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf text = BUF_INIT(4000);
	struct err e = ERR_NONE;
	struct hosts h;

	if (row->code) {
		assert_int_equal(hosts_read(row->text, strlen(row->text), &h, &e),
				 row->code);
		unit_err(&e, row->code, row->want);
		return;
	}
	unit_ok(hosts_read(row->text, strlen(row->text), &h, &e), &e);
	show(&h, &text);
	assert_string_equal(buf_cstr(&text), row->want);
}

static void put(const char *dir, const char *text)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "mkdir -p '%s/.config/containerd/certs.d/%s'",
		 unit_tmpdir(), dir);
	assert_int_equal(system(path), 0); /* NOLINT: of the test alone */
	snprintf(path, sizeof(path), "%s/.config/containerd/certs.d/%s/hosts.toml",
		 unit_tmpdir(), dir);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void found(const char *registry, const char *want)
{
	_cleanup_buf_ struct buf text = BUF_INIT(4000);
	struct err e = ERR_NONE;
	struct hosts h;

	unit_ok(hosts_find(registry, &h, &e), &e);
	show(&h, &text);
	assert_string_equal(buf_cstr(&text), want);
}

static void where_they_are(void)
{
	struct err e = ERR_NONE;
	struct hosts h;
	char want[4096];

	setenv("HOME", unit_tmpdir(), 1);
	put("_default", "[host.'https://default.example']\nca = 'ca.pem'\n");
	put("reg.example", "[host.'https://one.example']\n");
	put("reg.example_5000_", "[host.'https://port.example']\n");
	found("reg.example", "https://one.example pr;");
	found("reg.example:5000", "https://port.example pr;");
	found("other.example", "https://default.example pr;");
	found("../reg.example", "https://default.example pr;");
	unit_ok(hosts_find("other.example", &h, &e), &e);
	snprintf(want, sizeof(want), "%s/.config/containerd/certs.d/_default/ca.pem",
		 unit_tmpdir());
	assert_string_equal(h.places[0].ca, want);
}

int main(void)
{
	static const struct unit_case cases[] = { { "where they are",
						    where_they_are } };

	return unit_rows("hosts", rows, test_row) + unit_cases("hosts", cases);
}
