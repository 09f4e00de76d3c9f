#include "rootfs/oci/login.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

/* "me:secret" */
#define AUTH "{\"auth\":\"bWU6c2VjcmV0\"}"
#define OTHER "{\"username\":\"other\",\"password\":\"word\"}"

static const struct row {
	const char *name, *image, *file;
	int code; /* 1 = a login, 0 = none */
	const char *user, *secret, *helper;
} rows[] = {
	{ "host", "ghcr.io/x/y", "{\"auths\":{\"ghcr.io\":" AUTH "}}", 1, "me",
	  "secret", "" },
	{ "Docker Hub, as docker writes it", "debian",
	  "{\"auths\":{\"https://index.docker.io/v1/\":" AUTH "}}", 1, "me", "secret",
	  "" },
	{ "Docker Hub, as podman writes it", "debian",
	  "{\"auths\":{\"docker.io\":" AUTH "}}", 1, "me", "secret", "" },
	{ "the most special one", "ghcr.io/x/y",
	  "{\"auths\":{\"ghcr.io\":" AUTH ",\"ghcr.io/x\":" OTHER "}}", 1, "other",
	  "word", "" },
	{ "another host", "ghcr.io/x/y", "{\"auths\":{\"quay.io\":" AUTH "}}", 0, "",
	  "", "" },
	{ "a host that begins so", "ghcr.io/x/y",
	  "{\"auths\":{\"ghcr.io.evil\":" AUTH "}}", 0, "", "", "" },
	{ "a token", "ghcr.io/x/y",
	  "{\"auths\":{\"ghcr.io\":{\"identitytoken\":\"t\"}}}", 1, "", "t", "" },
	{ "a helper of the host", "ghcr.io/x/y",
	  "{\"auths\":{\"ghcr.io\":" AUTH "},\"credHelpers\":{\"ghcr.io\":\"gh\"}}", 0,
	  "", "", "gh" },
	{ "a helper for all", "ghcr.io/x/y",
	  "{\"auths\":{},\"credsStore\":\"desktop\"}", 0, "", "", "desktop" },
	{ "a helper that is a path", "ghcr.io/x/y", "{\"credsStore\":\"../../x\"}", 0,
	  "", "", "" },
	{ "no base64", "ghcr.io/x/y", "{\"auths\":{\"ghcr.io\":{\"auth\":\"?\"}}}",
	  -EINVAL, "", "", "" },
	{ "no colon", "ghcr.io/x/y", "{\"auths\":{\"ghcr.io\":{\"auth\":\"bWU=\"}}}",
	  -EINVAL, "", "", "" },
};

static void read_file(const void *p)
{
	const struct row *row = p;
	_cleanup_login_ struct login l = LOGIN_NONE;
	_cleanup_json_ struct json *j = unit_json(row->file);
	char helper[LOGIN_HELPER];
	struct err e = ERR_NONE;
	struct oci_name n;

	unit_ok(oci_name_parse(row->image, &n, &e), &e);
	assert_int_equal(login_read(j, &n, &l, helper, &e), row->code);
	if (row->code < 0)
		return;
	assert_string_equal(buf_cstr(&l.user), row->user);
	assert_string_equal(buf_cstr(&l.secret), row->secret);
	assert_string_equal(helper, row->helper);
}

static void put(const char *name, const char *text, mode_t mode)
{
	struct err e = ERR_NONE;
	int dir = unit_top();

	unit_ok(file_replace(dir, name, &(struct file_data){ text, strlen(text), mode },
			     &e),
		&e);
	close(dir);
}

/* docker-credential-test, in PATH, is @script; it is the helper for all registries. */
static void find_with(const char *script, int want, struct login *l)
{
	struct err e = ERR_NONE;
	char path[512], file[512];
	struct oci_name n;

	put("docker-credential-test", script, 0755);
	put("auth.json", "{\"credsStore\":\"test\"}", 0600);
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", unit_tmpdir());
	snprintf(file, sizeof(file), "%s/auth.json", unit_tmpdir());
	setenv("PATH", path, 1);
	setenv("REGISTRY_AUTH_FILE", file, 1);
	unit_ok(oci_name_parse("ghcr.io/x", &n, &e), &e);
	assert_int_equal(login_find(&n, l, &e), want);
}

/* A helper is found in PATH, gets the host and answers with a name and a secret. */
static void a_helper(void)
{
	_cleanup_login_ struct login l = LOGIN_NONE;

	find_with("#!/bin/sh\n[ \"$1\" = get ] && read -r host || [ \"$host\" ] &&\n"
		  "echo \"{\\\"Username\\\":\\\"<token>\\\",\\\"Secret\\\":\\\"for "
		  "$host\\\"}\"\n",
		  1, &l);
	assert_true(l.identity);
	assert_string_equal(buf_cstr(&l.secret), "for ghcr.io");
}

/* One that ends without having read says nothing, and ends nobody: with a write after
 * its start the signal of a broken pipe came now and then. */
static void a_hasty_helper(void)
{
	for (int i = 0; i < 50; i++) {
		_cleanup_login_ struct login l = LOGIN_NONE;

		find_with("#!/bin/sh\nexit 3\n", 0, &l);
	}
}

static const struct unit_case cases[] = {
	{ "a helper", a_helper }, { "a helper that does not read", a_hasty_helper }
};

int main(void)
{
	return unit_rows("login_read", rows, read_file) +
	       unit_cases("login_find", cases);
}
