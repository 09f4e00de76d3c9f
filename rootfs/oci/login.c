#include "rootfs/oci/login.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { FILE_MAX = 1 << 20, KEY = OCI_HOST + OCI_REPO, HELPER_MS = 30000 };

void login_done(struct login *l)
{
	buf_done(&l->user);
	buf_done(&l->secret);
}

/* ---- one file ----------------------------------------------------------------------- */

/* "https://index.docker.io/v1/" and "docker.io" are the same: the part that counts. */
static void key_of(const char *text, char ret[KEY])
{
	static const char *const hub[] = { "index.docker.io", "registry-1.docker.io" };
	const char *at = strstr(text, "://");
	size_t n;

	if (text_copy(ret, KEY, at ? at + 3 : text) < 0)
		ret[0] = '\0';
	n = strlen(ret);
	while (n && ret[n - 1] == '/')
		ret[--n] = '\0';
	if (n > 3 && (!strcmp(ret + n - 3, "/v1") || !strcmp(ret + n - 3, "/v2")))
		ret[n - 3] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(hub); i++)
		if (!strcmp(ret, hub[i]))
			memcpy(ret, "docker.io", sizeof("docker.io"));
}

static const struct json *find_key(const struct json *object, const char *key)
{
	char have[KEY];

	json_each(it, object)
	{
		key_of(json_key(it), have);
		if (have[0] && !strcmp(have, key))
			return it;
	}
	return NULL;
}

static int take_text(struct buf *out, const char *text, struct err *e)
{
	return buf_adds(out, text) < 0 ? err_set(e, -EMSGSIZE, "a login is too long")
				       : 0;
}

/* "auth": base64 of "user:secret" */
static int take_auth(const char *auth, struct login *ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT((size_t)2 * LOGIN_TEXT);
	const char *colon;
	int r;

	if (base64_get(&text, auth, strlen(auth)) < 0)
		return err_set(e, -EINVAL, "a login is no base64");
	colon = strchr(buf_cstr(&text), ':');
	if (!colon)
		return err_set(e, -EINVAL, "a login has no ':'");
	r = buf_add(&ret->user, buf_cstr(&text), (size_t)(colon - buf_cstr(&text)));
	return r < 0 ? err_set(e, r, "a login is too long")
		     : take_text(&ret->secret, colon + 1, e);
}

/* 1 = it has one */
static int take_entry(const struct json *entry, struct login *ret, struct err *e)
{
	const char *token = json_get_str(entry, "identitytoken");
	const char *auth = json_get_str(entry, "auth");
	const char *user = json_get_str(entry, "username");
	const char *secret = json_get_str(entry, "password");
	int r;

	if (token && *token) {
		ret->identity = true;
		r = take_text(&ret->secret, token, e);
	} else if (auth && *auth) {
		r = take_auth(auth, ret, e);
	} else if (user && secret) {
		r = take_text(&ret->user, user, e)
			    ?: take_text(&ret->secret, secret, e);
	} else {
		return 0;
	}
	return r < 0 ? r : 1;
}

static void take_helper(const char *name, char helper[LOGIN_HELPER])
{
	if (name && *name && strlen(name) < LOGIN_HELPER &&
	    strspn(name,
		   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		   "_-") == strlen(name))
		(void)text_copy(helper, LOGIN_HELPER, name);
}

int login_read(const struct json *file, const struct oci_name *name, struct login *ret,
	       char helper[LOGIN_HELPER], struct err *e)
{
	char key[KEY], *slash;
	const char *repo = name->repo;
	const struct json *special;
	int r = 0;

	helper[0] = '\0';
	special = find_key(json_get(file, "credHelpers"), name->registry);
	take_helper(json_str(special), helper);
	if (helper[0])
		return 0;
	snprintf(key, sizeof(key), "%s/%s", name->registry, repo);
	for (;;) { /* the most special one first */
		r = take_entry(find_key(json_get(file, "auths"), key), ret, e);
		slash = strrchr(key, '/');
		if (r || !slash)
			break;
		*slash = '\0';
	}
	if (!r)
		take_helper(json_get_str(file, "credsStore"), helper);
	return r;
}

/* ---- helpers ------------------------------------------------------------------------ */

static int hear(struct proc *p, int from, struct buf *out, struct err *e)
{
	int status = 0, r = file_read_fd(from, out, e);

	if (r < 0)
		return r;
	r = proc_wait(p, HELPER_MS, &status, e);
	return r < 0 ? r : status;
}

/* A pipe's end that has @host to be read. It is there before a helper is: one that ends
 * without having read would end us, too (SIGPIPE). */
static int said(const char *host, struct err *e)
{
	_cleanup_close_ int from = -1, to = -1;
	int in[2], r = sys_pipe2(in, 0);

	if (r < 0)
		return err_sys(e, r, "cannot make a pipe");
	from = in[0];
	to = in[1];
	r = file_write_fd(to, host, strlen(host), e);
	return r < 0 ? r : take(&from, -1);
}

/* docker-credential-NAME get: the host on standard input, JSON on standard output. */
static int run_helper(const char *name, const char *host, struct buf *out,
		      struct err *e)
{
	_cleanup_close_ int child_in = said(host, e), child_out = -1, from = -1;
	_cleanup_proc_ struct proc p = PROC_NONE;
	char program[LOGIN_HELPER + 32];
	const char *argv[] = { program, "get", NULL };
	int back[2], r;

	if (child_in < 0)
		return child_in;
	snprintf(program, sizeof(program), "docker-credential-%s", name);
	r = sys_pipe2(back, 0);
	if (r < 0)
		return err_sys(e, r, "cannot make a pipe");
	from = back[0];
	child_out = back[1];
	r = proc_start(&(struct proc_conf){ .argv = argv,
					    .fds = { child_in, child_out, -1 },
					    .pass_fd = -1,
					    .new_session = true },
		       &p, e);
	if (r < 0)
		return r;
	scope_close(&child_out);
	return hear(&p, from, out, e);
}

static int ask_helper(const char *helper, const struct oci_name *name,
		      struct login *ret, struct err *e)
{
	bool hub = !strcmp(name->registry, "docker.io");
	const char *host = hub ? "https://index.docker.io/v1/" : name->registry;
	_cleanup_buf_ struct buf out = BUF_INIT((size_t)2 * LOGIN_TEXT);
	_cleanup_json_ struct json *j = NULL;
	const char *user, *secret;
	int r = run_helper(helper, host, &out, e);

	if (r < 0)
		return err_wrap(e, "docker-credential-%s", helper);
	if (r > 0) /* "credentials not found in native keychain", and its like */
		return 0;
	r = json_parse(buf_cstr(&out), out.len, &j, e);
	if (r < 0)
		return err_wrap(e, "docker-credential-%s", helper);
	user = json_get_str(j, "Username");
	secret = json_get_str(j, "Secret");
	if (!user || !secret)
		return 0;
	ret->identity = !strcmp(user, "<token>");
	if (!ret->identity)
		r = take_text(&ret->user, user, e);
	if (r == 0)
		r = take_text(&ret->secret, secret, e);
	return r < 0 ? r : 1;
}

/* ---- where the files are ------------------------------------------------------------ */

static const struct place {
	const char *variable, *rest;
} places[] = {
	{ "REGISTRY_AUTH_FILE", "" },
	{ "XDG_RUNTIME_DIR", "/containers/auth.json" },
	{ "XDG_CONFIG_HOME", "/containers/auth.json" },
	{ "HOME", "/.config/containers/auth.json" },
	{ "DOCKER_CONFIG", "/config.json" },
	{ "HOME", "/.docker/config.json" },
};

static int look_in(const struct place *p, const struct oci_name *name,
		   struct login *ret, struct err *e)
{
	const char *dir = getenv(p->variable);
	_cleanup_buf_ struct buf text = BUF_INIT((size_t)FILE_MAX);
	_cleanup_json_ struct json *j = NULL;
	char path[PATH_MAX], helper[LOGIN_HELPER];
	int r;

	if (!dir || dir[0] != '/' ||
	    snprintf(path, sizeof(path), "%s%s", dir, p->rest) >= (int)sizeof(path) ||
	    file_read(AT_FDCWD, path, &text, ERR_IGNORED) < 0)
		return 0;
	r = json_parse(buf_cstr(&text), text.len, &j, e)
		    ?: login_read(j, name, ret, helper, e);
	if (r < 0)
		return err_wrap(e, "'%s'", path);
	return r == 0 && helper[0] ? ask_helper(helper, name, ret, e) : r;
}

int login_find(const struct oci_name *name, struct login *ret, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(places) && r == 0; i++)
		r = look_in(&places[i], name, ret, e);
	return r;
}
