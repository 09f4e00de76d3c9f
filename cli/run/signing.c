#include "cli/run/signing.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/cmd.h"
#include "cli/show/confirm.h"

enum { KEYGEN_MS = 10000, APPLET_MS = 10000, NOTES = 16, HOST_MAX = 255 };

const struct cmd_option signing_options[] = {
	{ "ssh-agent", 0, "HOST",
	  "the command may log in at HOST with the keys of your ssh-agent, which stay "
	  "there; it asks first, with --yes it does not; again for more hosts",
	  CMD_LIST(struct signing_args, hosts) },
	{ 0 },
};

/* ---- the agent and the hosts ------------------------------------------------------------ */

static int connect_agent(struct err *e)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const char *path = getenv("SSH_AUTH_SOCK");
	_cleanup_close_ int fd = -1;
	int r;

	if (!path || !*path) {
		err_set(e, -ENOENT, "there is no ssh-agent: SSH_AUTH_SOCK is not set");
		return err_hint(e, "'eval \"$(ssh-agent)\"; ssh-add' starts one");
	}
	if (text_copy(at.sun_path, sizeof(at.sun_path), path) < 0)
		return err_set(e, -ENAMETOOLONG, "SSH_AUTH_SOCK is too long");
	fd = sys_socket(AF_UNIX, SOCK_STREAM, 0);
	r = fd < 0 ? fd : sys_connect(fd, (const void *)&at, sizeof(at));
	if (r < 0) {
		err_sys(e, r, "cannot reach your ssh-agent at '%s'", path);
		return err_hint(e, "'eval \"$(ssh-agent)\"; ssh-add' starts one");
	}
	return take(&fd, -1);
}

/* "[MARK] NAMES TYPE KEY [COMMENT]" */
static const char *key_of_line(char *line, bool *revoked)
{
	char *rest = line, *word = strsep(&rest, " \t");

	*revoked = strcmp(word, "@revoked") == 0;
	if (*word == '#' || (*word == '@' && !*revoked))
		return NULL;
	if (*revoked)
		(void)strsep(&rest, " \t");
	(void)strsep(&rest, " \t");
	return strsep(&rest, " \t");
}

/* What the files say of a host. A key that either of them revokes is none, whatever
 * stands before or after it. */
struct known {
	struct json *keys, *revoked; /* owned */
};

static void known_done(struct known *k)
{
	json_free(&k->keys);
	json_free(&k->revoked);
}

static bool has_key(const struct json *keys, const char *key)
{
	json_each(it, keys)
	{
		if (strcmp(json_str(it), key) == 0)
			return true;
	}
	return false;
}

/* NULL: no memory. */
static struct json *good_keys(const struct known *k)
{
	_cleanup_json_ struct json *good = json_array();

	json_each(it, k->keys)
	{
		if (good && !has_key(k->revoked, json_str(it)))
			(void)json_add(good, json_dup(it));
	}
	return good && !json_failed(good) ? take(&good, NULL) : NULL;
}

/* What ssh-keygen finds of a host in one file. One that is not there has none; one that
 * it cannot read may revoke a key. */
static int add_keys(const char *host, const char *file, struct known *k, struct err *e)
{
	const char *const argv[] = { "ssh-keygen", "-F", host, "-f", file, NULL };
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	int r = proc_run(argv, KEYGEN_MS, &out, e);
	_cleanup_free_ char *text = out.len ? buf_steal(&out) : NULL;
	char *rest = text;
	struct stat st;
	bool revoked;

	if (r > 1 && sys_fstatat(AT_FDCWD, file, &st, 0) >= 0)
		return err_set(e, -EIO,
			       "ssh-keygen cannot look into '%s'; it wants a file that "
			       "you may read, and a user with a name",
			       file);
	if (r < 0)
		return err_hint(e, "ssh-keygen reads your known_hosts; install "
				   "openssh-client");
	for (char *line; (line = strsep(&rest, "\n"));) {
		const char *key = key_of_line(line, &revoked);

		if (key)
			(void)json_add(revoked ? k->revoked : k->keys,
				       json_string(key));
	}
	return json_failed(k->keys) || json_failed(k->revoked)
		       ? err_sys(e, -ENOMEM, "cannot keep a host's keys")
		       : 0;
}

static bool is_host(const char *name)
{
	size_t n = strlen(name);

	return n && n <= HOST_MAX && *name != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789._-[]:") == n;
}

/* As ssh takes it, which has another way to say a port than known_hosts has. */
static int say_unknown(const char *name, struct err *e)
{
	char host[HOST_MAX + 1], port[8];

	err_set(e, -ENOENT, "your known_hosts has no key of '%s'", name);
	return sscanf(name, "[%255[^]]]:%7[0-9]", host, port) == 2
		       ? err_hint(e, "connect to it once from here: ssh -p %s %s", port,
				  host)
		       : err_hint(e, "connect to it once from here: ssh %s", name);
}

static int add_host(struct json *hosts, const char *name, struct err *e)
{
	_cleanup_(known_done) struct known known = { json_array(), json_array() };
	_cleanup_json_ struct json *host = json_object(), *keys = NULL;
	const char *home = getenv("HOME");
	char own[PATH_MAX];
	int r;

	if (!is_host(name))
		return err_set(e, -EINVAL,
			       "--ssh-agent: '%s' is no host; such as github.com, or "
			       "[git.example.org]:2222",
			       name);
	snprintf(own, sizeof(own), "%s/.ssh/known_hosts", home ? home : "");
	if (!host || !known.keys || !known.revoked)
		return err_sys(e, -ENOMEM, "cannot keep a host's keys");
	r = add_keys(name, own, &known, e)
		    ?: add_keys(name, "/etc/ssh/ssh_known_hosts", &known, e);
	if (r < 0)
		return r;
	keys = good_keys(&known);
	if (!keys)
		return err_sys(e, -ENOMEM, "cannot keep a host's keys");
	if (!json_len(keys))
		return say_unknown(name, e);
	json_set_str(host, "name", name);
	json_set(host, "keys", take(&keys, NULL));
	json_add(hosts, take(&host, NULL));
	return json_failed(hosts) < 0 ? err_sys(e, -ENOMEM, "cannot keep a host's keys")
				      : 0;
}

static int name_dir(struct signing *s, struct err *e)
{
	uint64_t some = 0;
	ssize_t n = sys_getrandom(&some, sizeof(some));

	if (n != sizeof(some))
		return err_sys(e, n < 0 ? (int)n : -EIO, "cannot name a directory");
	snprintf(s->dir, sizeof(s->dir), "/tmp/cubby-agent-%016" PRIx64, some);
	return 0;
}

int signing_begin(const struct app *app, const struct signing_args *a, struct env *env,
		  struct signing *ret, struct err *e)
{
	_cleanup_signing_ struct signing s = SIGNING_NONE;
	_cleanup_close_ int agent = -1;
	char path[80];
	int r = 0;

	if (!a || !a->hosts.n)
		return 0;
	agent = connect_agent(e);
	if (agent < 0)
		return agent;
	s.app = app;
	s.answers = json_object();
	s.hosts = json_array();
	if (!s.answers || !s.hosts)
		return err_sys(e, -ENOMEM, "cannot keep a host's keys");
	for (size_t i = 0; i < a->hosts.n && r == 0; i++)
		r = add_host(s.hosts, a->hosts.v[i], e);
	if (r == 0)
		r = name_dir(&s, e);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/agent", s.dir);
	if (env_put(env, "SSH_AUTH_SOCK", path) < 0)
		return err_sys(e, -ENOMEM, "cannot set SSH_AUTH_SOCK");
	*ret = take(&s, SIGNING_NONE);
	return 0;
}

/* ---- the socket in the box -------------------------------------------------------------- */

/* @fd: becomes descriptor 3 of the applet; -1 = none. Unlike box_spawn() it starts no other
 * box where this one has ended. */
static int run_applet(const struct signing *s, const char *name, int fd, struct err *e)
{
	const char *const argv[] = { name, s->dir, NULL };
	const struct box_command c = { .argv = argv,
				       .cwd = "/",
				       .user = s->user,
				       .io = BOX_IO_NULL,
				       .applet = true,
				       .extra_fds = &fd,
				       .n_extra_fds = fd >= 0 };
	_cleanup_box_proc_ struct box_proc proc = BOX_PROC_NONE;
	struct box_exit exit = { 0 };
	uint32_t id, of = 0;
	int r = box_request(s->box, &c, &id, e);

	while (r == 0) {
		struct pollfd p = { .fd = box_fd(s->box), .events = POLLIN };

		if (sys_poll(&p, 1, APPLET_MS) == 0)
			return err_set(e, -ETIMEDOUT, "the box does not answer");
		r = box_next_spawned(s->box, &of, &proc, e, e);
	}
	if (r < 0 || e->code)
		return r < 0 ? r : e->code;
	r = box_wait(s->box, id, APPLET_MS, &exit, e);
	if (r == 0 && exit.status)
		r = err_set(e, -EIO, "cannot make '%s' in the box", s->dir);
	return r;
}

int signing_start(struct signing *s, struct box *b, const char *user, struct err *e)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	int pair[2], r;

	if (!s->app)
		return 0;
	s->box = b;
	s->user = user;
	r = sys_socketpair(SOCK_SEQPACKET, pair);
	if (r < 0)
		return err_sys(e, r, "cannot make a socket");
	ours = pair[0];
	theirs = pair[1];
	/* the signer has our end alone before anything of the box can send to it */
	r = signer_client_start(s->hosts, ours, &s->signer, e);
	if (r < 0)
		return r;
	scope_close(&ours);
	r = run_applet(s, "listen", theirs, e);
	return r < 0 ? err_wrap(e, "--ssh-agent") : 0;
}

/* What lies in the box is in its way only: that it stays is no failure. */
void signing_done(struct signing *s)
{
	signer_client_stop(&s->signer);
	if (s->box)
		(void)run_applet(s, "remove", -1, ERR_IGNORED);
	json_free(&s->answers);
	json_free(&s->hosts);
	*s = SIGNING_NONE;
}

/* ---- what the signer asks --------------------------------------------------------------- */

/* A box that wants to be heard has that many lines. */
static void note(struct signing *s, struct attach *a, const char *line)
{
	if (s->notes++ < NOTES && !s->app->quiet && !s->app->json)
		attach_note(a, line);
}

/* As ssh-add -l shows it: "SHA256:…" */
static void fingerprint(const char *key, char *ret, size_t room)
{
	_cleanup_buf_ struct buf blob = BUF_INIT(64 << 10), text = BUF_INIT(80);
	uint8_t digest[SHA256_SIZE];
	char *end;

	*ret = '\0';
	if (base64_get(&blob, key, strlen(key)) < 0)
		return;
	sha256_digest(blob.data, blob.len, digest);
	if (base64_add(&text, digest, sizeof(digest)) < 0)
		return;
	end = strchr(text.data, '=');
	snprintf(ret, room, "SHA256:%.*s", end ? (int)(end - text.data) : (int)text.len,
		 text.data);
}

/* Each question is put once; what was answered holds until the command ends. */
static bool may_sign(struct signing *s, struct attach *a, const struct json *q)
{
	const char *host = json_get_str(q, "host"), *user = json_get_str(q, "user"),
		   *key = json_get_str(q, "key");
	char print[64], line[1024];
	bool yes = s->yes;

	if (!host || !user || !key)
		return false;
	fingerprint(key, print, sizeof(print));
	snprintf(line, sizeof(line), "'%s' at %s, key %s", user, host, print);
	if (json_get(s->answers, line))
		return json_get_bool(s->answers, line, false);
	if (json_len(s->answers) >= SIGNING_ANSWERS)
		return false;
	if (!yes) {
		char question[sizeof(line) + 64];

		snprintf(question, sizeof(question),
			 "ssh-agent: may the box log in as %s?", line);
		yes = attach_ask(a, question);
	}
	if (!yes && !confirm_person(s->app))
		note(s, a,
		     "ssh-agent: a login was refused: there is no terminal to ask at; "
		     "--yes permits it");
	if (s->yes) {
		char said[sizeof(line) + 64];

		snprintf(said, sizeof(said), "ssh-agent: the box logs in as %s", line);
		note(s, a, said);
	}
	return json_set_bool(s->answers, line, yes) == 0 && yes;
}

static bool answer(struct signing *s, struct attach *a, const struct buf *text)
{
	_cleanup_json_ struct json *q = NULL;

	return json_parse(text->data, text->len, &q, ERR_IGNORED) == 0 &&
	       may_sign(s, a, q);
}

static void give_agent(struct signing *s, struct attach *a)
{
	struct err e = ERR_NONE;
	_cleanup_close_ int fd = connect_agent(&e);

	if (fd < 0)
		note(s, a, e.msg);
	(void)signer_client_agent(&s->signer, fd);
}

static bool serve(void *ctx, struct attach *a)
{
	struct signing *s = ctx;
	_cleanup_buf_ struct buf text = BUF_INIT(64 << 10);

	switch (signer_client_next(&s->signer, &text)) {
	case SIGNER_WANTS_AGENT:
		give_agent(s, a);
		return true;
	case SIGNER_WANTS_YES:
		(void)signer_client_answer(&s->signer, answer(s, a, &text));
		return true;
	case SIGNER_SAYS:
		note(s, a, buf_cstr(&text));
		return true;
	default:
		return false;
	}
}

void signing_serve(struct signing *s, struct attach_how *how)
{
	if (!s->app)
		return;
	how->beside = serve;
	how->beside_ctx = s;
	how->beside_fd = s->signer.sock;
}
