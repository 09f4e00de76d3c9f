/* Theory of operation
 *
 * The server itself is agent/server. Here it gets what only a command knows: where to
 * listen, the key, and how a box is started: by a child, for that may take minutes, with
 * the options of this command and the directory that the server names. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/server/conf/conf.h"
#include "agent/server/conf/keys.h"
#include "agent/server/conf/policies.h"
#include "agent/server/server.h"
#include "base/h2.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "base/tls.h"
#include "cli/box/ahead.h"
#include "cli/box/env.h"
#include "cli/cmd/servers/sockets.h"
#include "cli/opt/box.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/store/hostpath.h"
#include "cli/store/place.h"
#include "rootfs/image/image.h"
#include "rootfs/store/boxdir.h"

enum { KEY_SIZE = 65, KEY_LEAST = 16 };
enum {
	KEY_FILE_MAX = 4096,
	RULES_MAX = 64 << 10,
	INFO_MAX = 16 << 10,
	PROGRAMS = 1024,
	FILES = 1 << 16, /* three for a program, two for a request of HTTP/2, … */
	TERMINALS = 128
};

struct args {
	struct opt_box box;
	const char *tls_cert, *tls_key;
	const char *boxes, *key_file, *keys, *policies, *info;
	struct sockets_asked at; /* --listen */
	struct words origins;	 /* owned */
	uint64_t idle_ms, connections, max_boxes;
	bool proxy, log;
};

/* What the server and its callbacks are given. */
struct host {
	const struct app *app;	       /* borrowed */
	const struct opt_box *options; /* borrowed */
	struct spec spec;	       /* owned; which box it is, without --boxes */
	struct place_found place;
	char *boxes;	  /* owned; NULL = the one box */
	struct env env;	  /* owned */
	struct buf given; /* owned; of --key-file or --keys, or */
	char made_up[KEY_SIZE];
	struct keys keys; /* point into those */
	struct buf rules; /* owned; of --policies, and */
	struct policies policies;
	struct buf info;   /* owned; of --info */
	struct tls *tls;   /* owned; of --tls-cert and --tls-key; NULL = none */
	struct h2_lib *h2; /* owned; NULL = HTTP/1.1 is spoken alone */
	unsigned files;	   /* that others than this server may have */
};

static void host_done(struct host *h)
{
	spec_done(&h->spec);
	free(h->boxes);
	env_done(&h->env);
	buf_done(&h->given);
	buf_done(&h->rules);
	buf_done(&h->info);
	tls_close(&h->tls);
	h2_unload(&h->h2);
}

/* ---- starting boxes ---------------------------------------------------------------------- */

static int start(void *ctx, const struct server_box *which, struct server_start *ret,
		 struct err *e)
{
	const struct host *h = ctx;
	struct boxahead *b = calloc(1, sizeof(*b));
	const struct boxahead_conf conf = { which->options, .unseen = true,
					    .files = h->files };
	struct app app = *h->app;
	int r;

	app.dir = which->dir;
	app.box = which->name ?: app.box;
	app.here = true; /* nothing above it is meant */
	app.live = false;
	r = b ? boxahead_start(&app, h->options, &conf, b, e)
	      : err_sys(e, -ENOMEM, "cannot start the box");
	if (r < 0) {
		free(b);
		return r;
	}
	*ret = (struct server_start){ .said = b->said, .of = b };
	return 0;
}

static int started(void *, struct server_start *s, struct err *e)
{
	return boxahead_result(s->of, e);
}

static void start_done(void *, struct server_start *s)
{
	struct boxahead *b = take(&s->of, NULL);

	if (b)
		boxahead_done(b);
	free(b);
}

static struct json *image_of(void *ctx, const char *key)
{
	const struct host *h = ctx;
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	_cleanup_json_ struct json *box = NULL;
	struct err ignored = ERR_NONE;
	struct json *run = NULL;

	if (boxdir_open(h->app->store, key, false, &b, &ignored) < 0 ||
	    boxdir_load(&b, &box, &ignored) < 0 || !json_get_str(box, "image") ||
	    image_run(h->app->store, json_get_str(box, "image"), &run, &ignored) < 0)
		return NULL;
	return run;
}

/* The box options of this command, as another is given them; @made: those to be freed. */
static int add_options(const struct config *c, struct words *argv, struct words *made)
{
	int r = 0;

	for (int k = 0; k < CONFIG_COUNT; k++) {
		const struct config_value *v = &c->v[k];
		bool given = v->from == CONFIG_FROM_FLAG;
		size_t n = config_rows[k].type == CONFIG_LIST ? v->list.n : 1;

		for (size_t i = 0; r == 0 && given && i < n; i++) {
			const char *text = config_rows[k].type == CONFIG_LIST
						   ? v->list.v[i]
						   : v->text;
			char *word = NULL;

			if (asprintf(&word, "--%s%s%s", config_rows[k].name,
				     text ? "=" : "", text ? text : "") < 0)
				return -ENOMEM;
			r = words_add(made, word);
			if (r < 0) {
				free(word);
				return r;
			}
			r = words_add(argv, word);
		}
	}
	return r;
}

/* The words of a cubby that is started, up to those of its own. */
static int first_words(const struct host *h, const struct server_command *c, bool json,
		       struct words *argv)
{
	const char *const first[] = { "/proc/self/exe", c->argv[0], "-q",
				      json ? "--json" : NULL };
	const char *name = c->box.name ?: h->app->box;
	const char *const box[] = { "--here", "-C", c->box.dir, name ? "--name" : NULL,
				    name };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(first) && first[i] && r == 0; i++)
		r = words_add(argv, first[i]);
	for (size_t i = 0; c->box.dir && i < ARRAY_SIZE(box) && box[i] && r == 0; i++)
		r = words_add(argv, box[i]);
	return r;
}

static int start_cubby(const struct host *h, const struct server_command *c, bool json,
		       struct proc *ret, struct err *e)
{
	_cleanup_words_ struct words argv = WORDS_NONE, made = WORDS_NONE;
	struct proc_conf conf = { .fds = { c->fds[0], c->fds[1], c->fds[2] },
				  .pass_fd = c->pass_fd,
				  .dir = c->inside ? c->box.dir : NULL,
				  .new_session = true,
				  .files = h->files };
	int r = first_words(h, c, json, &argv);

	if (r == 0 && c->options)
		r = add_options(h->app->config, &argv, &made);
	for (const char *const *w = c->box.options; c->options && w && *w && r == 0;
	     w++)
		r = words_add(&argv, *w);
	for (const char *const *w = c->argv + 1; *w && r == 0; w++)
		r = words_add(&argv, *w);
	conf.argv = words_list(&argv);
	if (r == 0)
		r = proc_start(&conf, ret, e);
	else
		err_sys(e, r, "cannot start a command");
	for (size_t i = 0; i < made.n; i++)
		free((void *)(uintptr_t)made.v[i]);
	return r;
}

static int start_mcp(void *ctx, const struct server_box *box, const int fds[2],
		     struct proc *ret, struct err *e)
{
	static const char *const argv[] = { "mcp", NULL };
	const struct server_command c = { .box = *box,
					  .argv = argv,
					  .options = true,
					  .fds = { fds[0], fds[1], -1 },
					  .pass_fd = -1 };

	return start_cubby(ctx, &c, false, ret, e);
}

static int start_command(void *ctx, const struct server_command *c, struct proc *ret,
			 struct err *e)
{
	return start_cubby(ctx, c, true, ret, e);
}

static void say(void *ctx, const char *line)
{
	const struct host *h = ctx;
	char when[40];
	struct timespec now = sys_wall();

	text_time(when, sizeof(when), now.tv_sec, now.tv_nsec);
	fprintf(h->app->err, "%s %s\n", when, line);
	fflush(h->app->err);
}

/* ---- the key and the sockets --------------------------------------------------------------- */

static int make_key(char key[KEY_SIZE], struct err *e)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "0123456789-_";
	unsigned char bytes[KEY_SIZE - 1];
	ssize_t n = sys_getrandom(bytes, sizeof(bytes));

	if (n != (ssize_t)sizeof(bytes))
		return err_sys(e, n < 0 ? (int)n : -EIO, "cannot make a key up");
	for (size_t i = 0; i < sizeof(bytes); i++)
		key[i] = set[bytes[i] & 63];
	key[sizeof(bytes)] = '\0';
	return 0;
}

static int read_key(const char *path, struct buf *ret, struct err *e)
{
	size_t len;
	int r = hostpath_read(path, ret, e);

	if (r < 0)
		return err_wrap(e, "--key-file '%s'", path);
	len = strcspn(buf_cstr(ret), "\r\n");
	buf_truncate(ret, len);
	if (len < KEY_LEAST || strlen(buf_cstr(ret)) != len)
		return err_set(e, -EINVAL,
			       "--key-file '%s': a key of at least %d characters is "
			       "needed",
			       path, KEY_LEAST);
	return 0;
}

static int read_whole(const char *path, struct buf *ret, struct err *e)
{
	int r = hostpath_read(path, ret, e);

	if (r < 0)
		return r;
	return buf_addc(ret, '\0') < 0 ? err_sys(e, -ENOMEM, "cannot read it") : 0;
}

static int read_keys(struct host *h, const struct args *a, struct err *e)
{
	int r;

	if (a->keys) {
		r = read_whole(a->keys, &h->given, e)
			    ?: keys_parse(h->given.data, &h->keys, e);
		return r < 0 ? err_wrap(e, "--keys '%s'", a->keys) : 0;
	}
	r = a->key_file ? read_key(a->key_file, &h->given, e) : make_key(h->made_up, e);
	h->keys.n = 1;
	h->keys.list[0] =
		(struct key){ .name = "",
			      .text = a->key_file ? buf_cstr(&h->given) : h->made_up,
			      .rights = KEY_ALL };
	return r;
}

/* What is wrong in it is said now, not when a user comes. */
static int read_policies(struct host *h, const char *path, struct err *e)
{
	_cleanup_config_ struct config scratch;
	int r = read_whole(path, &h->rules, e)
			?: policies_parse(h->rules.data, &h->policies, e);

	config_init(&scratch);
	for (unsigned i = 0; r == 0 && i < h->policies.n; i++) {
		const struct policy *p = &h->policies.list[i];

		for (const char *const *w = p->options; *w && r == 0; w++)
			r = opt_box_word(&scratch, *w, e);
		if (r < 0)
			err_wrap(e, "policy '%s'", p->name);
	}
	return r < 0 ? err_wrap(e, "--policies '%s'", path) : 0;
}

/* ---- the command ---------------------------------------------------------------------------- */

/* Without libnghttp2 HTTP/1.1 is what is spoken: all that is served can be had by it. */
static int open_tls(struct host *h, const struct args *a, struct err *e)
{
	_cleanup_close_ int cert = hostpath_open(a->tls_cert, O_RDONLY | O_NOCTTY, e);
	_cleanup_close_ int key =
		cert < 0 ? cert : hostpath_open(a->tls_key, O_RDONLY | O_NOCTTY, e);
	int r = key < 0 ? key
			: tls_open(&(struct tls_file){ cert, a->tls_cert },
				   &(struct tls_file){ key, a->tls_key }, &h->tls, e);

	if (r == 0 && h2_load(&h->h2, ERR_IGNORED) == 0)
		tls_offer_h2(h->tls);
	return r;
}

/* The files that options name: what is wrong in them is wrong usage. */
static int read_files(struct host *h, const struct args *a, struct err *e)
{
	int r = read_keys(h, a, e);

	if (r < 0)
		return r;
	if (a->info && hostpath_read(a->info, &h->info, e) < 0)
		return err_wrap(e, "--info '%s'", a->info);
	if (a->tls_cert)
		r = open_tls(h, a, e);
	return r == 0 && a->policies ? read_policies(h, a->policies, e) : r;
}

static int set_up(struct host *h, const struct args *a, struct err *e)
{
	int r = place_open(h->app, e);

	if (r < 0)
		return r;
	if (a->boxes) {
		h->boxes = calloc(1, PATH_MAX);
		r = h->boxes ? hostpath_real(a->boxes, h->boxes, e)
			     : err_sys(e, -ENOMEM, "cannot open '%s'", a->boxes);
	} else {
		r = place_find(h->app, &h->spec, &h->place, e);
	}
	return r < 0 ? r : env_make(h->app->config, environ, &h->env, e);
}

/* Beside this binary in a build, below share when installed. */
static int open_page(void)
{
	static const char *const places[] = { "page", "../share/cubby/page" };
	char self[PATH_MAX], *slash;
	_cleanup_close_ int dir = -1;
	int fd = -1;

	if (proc_self(self, ERR_IGNORED) < 0)
		return -1;
	slash = strrchr(self, '/');
	if (slash)
		slash[1] = '\0';
	dir = sys_open(self, O_RDONLY | O_DIRECTORY);
	for (size_t i = 0; dir >= 0 && fd < 0 && i < ARRAY_SIZE(places); i++)
		fd = sys_openat(dir, places[i], O_RDONLY | O_DIRECTORY, 0);
	return MAX(fd, -1);
}

/* What set_up() has made ready. */
static void serve_host(struct server_conf *conf, struct host *h, const struct args *a)
{
	conf->tls = h->tls;
	conf->h2 = h->h2;
	conf->keys = &h->keys;
	conf->info = h->info.len ? buf_cstr(&h->info) : NULL;
	conf->policies = a->policies ? &h->policies : NULL;
	conf->store = h->app->store->path;
	conf->env = (const char *const *)h->env.v;
	conf->boxes = h->boxes;
	conf->dir = h->boxes ? NULL : h->spec.project;
	conf->box = h->boxes ? NULL : h->spec.key;
	conf->home = h->boxes ? NULL : h->place.cwd;
}

/* What a large answer took goes back to the system: glibc would keep up to 32 MiB of such, for
 * each size that it has seen. Another libc knows no such thing. */
static void keep_no_memory(void)
{
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
}

static int serve(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_(host_done) struct host h = { .app = app,
					       .options = &a->box,
					       .given = BUF_INIT(KEY_FILE_MAX),
					       .rules = BUF_INIT(RULES_MAX),
					       .info = BUF_INIT(INFO_MAX) };
	_cleanup_close_ int stop = -1, page = open_page();
	_cleanup_sockets_ struct sockets sockets = { .n = 0 };
	struct server_conf conf = {
		.origins = words_list(&a->origins),
		.user = config_text(app->config, CONFIG_USER),
		.version = CUBBY_VERSION,
		.page = page,
		.start = start,
		.started = started,
		.start_done = start_done,
		.image = image_of,
		.mcp = start_mcp,
		.command = start_command,
		.log = a->log ? say : NULL,
		.ctx = &h,
		.max_connections = (unsigned)a->connections,
		.max_boxes = (unsigned)a->max_boxes,
		.max_programs = PROGRAMS,
		.max_terminals = TERMINALS,
		.idle_ms = a->idle_ms,
	};
	int r;

	h.spec = SPEC_NONE;
	if (read_files(&h, a, e) < 0)
		return cmd_fail(app, e, CMD_USAGE);
	r = set_up(&h, a, e);
	if (r < 0)
		return r;
	stop = signals_watch((const int[]){ SIGTERM, SIGINT, 0 }, NULL);
	if (stop < 0)
		return err_sys(e, stop, "cannot set the server up");
	r = sockets_open(&a->at, &sockets, e);
	if (r < 0)
		return r;
	sockets_tell(app, &sockets, h.tls, h.made_up[0] ? h.made_up : NULL);
	conf.listen_fds = sockets.fds;
	conf.n_listen = sockets.n;
	conf.stop_fd = stop;
	serve_host(&conf, &h, a);
	h.files = proc_files(FILES);
	keep_no_memory();
	return server_run(&conf, e);
}

static int take_idle(struct app *, void *args, const char *word, struct err *e)
{
	struct args *a = args;

	return num_ms(word, &a->idle_ms) < 0
		       ? err_set(e, -EINVAL,
				 "bad time '%s'; it is such as 90s, 10m or 2h", word)
		       : 0;
}

static int take_address(struct app *, void *args, const char *word, struct err *e)
{
	return sockets_ask(&((struct args *)args)->at, word, e);
}

static int check_address(struct args *a, struct err *e)
{
	int r = a->at.n ? 0 : sockets_ask(&a->at, "127.0.0.1:8000", e);
	bool here = true;

	for (unsigned i = 0; i < a->at.n; i++)
		here &= a->at.at[i].here;
	if (r < 0 || here || a->proxy || a->tls_cert)
		return r;
	err_set(e, -EPERM,
		"--listen: others could reach this address, and read the key on its "
		"way");
	return err_hint(e, "give a certificate (--tls-cert, --tls-key), or put a proxy "
			   "that speaks TLS in front of a loopback address, or say "
			   "that there is one: --front-proxy");
}

static int check(struct app *app, void *args, struct err *e)
{
	struct args *a = args;

	if (a->boxes && app->box)
		return err_set(e, -EINVAL, "--name and --boxes exclude each other");
	if (a->policies && !a->boxes)
		return err_set(e, -EINVAL,
			       "--policies: of one box for all there are none; "
			       "--boxes DIR makes more");
	if (!a->tls_cert != !a->tls_key)
		return err_set(e, -EINVAL, "--tls-cert and --tls-key go together");
	if (a->keys && a->key_file)
		return err_set(e, -EINVAL, "--keys and --key-file exclude each other");
	if (a->box.wipe || a->box.rm || a->box.unlink)
		return err_set(e, -EINVAL,
			       "--wipe, --rm and --unlink are for a single command");
	return check_address(a, e);
}

static const struct cmd_option options[] = {
	{ "listen", 0, "ADDR:PORT",
	  "where to listen (default: 127.0.0.1:8000), or unix:PATH",
	  CMD_CALL(take_address) },
	{ "boxes", 0, "DIR",
	  "a box for each user and chat, in directories below DIR, instead of the "
	  "one of this directory",
	  CMD_TEXT(struct args, boxes) },
	{ "key-file", 0, "FILE",
	  "the key is the first line of FILE (default: one is made up and shown)",
	  CMD_TEXT(struct args, key_file) },
	{ "keys", 0, "FILE",
	  "more than one key: a line of FILE is NAME KEY RIGHTS [PATTERN]; rights "
	  "are all, or some of read,run,network; PATTERN is of users or boxes",
	  CMD_TEXT(struct args, keys) },
	{ "policies", 0, "FILE",
	  "what the boxes of which users have: a line of FILE is NAME USERS CHATS "
	  "[--OPTION=VALUE]..., such as --memory=1G; USERS and CHATS are patterns",
	  CMD_TEXT(struct args, policies) },
	{ "info", 0, "FILE", "tell models of the machine what FILE says",
	  CMD_TEXT(struct args, info) },
	{ "allow-origin", 0, "ORIGIN", "pages of ORIGIN may call from a browser",
	  CMD_LIST(struct args, origins) },
	{ "tls-cert", 0, "FILE",
	  "speak TLS with this certificate, followed by those above it (PEM): permits "
	  "an address that others can reach",
	  CMD_TEXT(struct args, tls_cert) },
	{ "tls-key", 0, "FILE", "the certificate's key (PEM, without password)",
	  CMD_TEXT(struct args, tls_key) },
	{ "front-proxy", 0, NULL,
	  "a proxy in front speaks TLS: permit an address that others can reach",
	  CMD_FLAG(struct args, proxy) },
	{ "idle", 0, "TIME", "leave a box that nobody asked for so long (default: 30m)",
	  CMD_CALL(take_idle) },
	{ "max-connections", 0, "N", "most connections at once (default: 512)",
	  CMD_NUMBER(struct args, connections, 1, 100000) },
	{ "max-boxes", 0, "N", "most boxes at once (default: 100)",
	  CMD_NUMBER(struct args, max_boxes, 1, 100000) },
	{ "access-log", 0, NULL, "a line on standard error for each request",
	  CMD_FLAG(struct args, log) },
	{ 0 },
};

static const struct args begin = { .idle_ms = 30ULL * 60 * 1000,
				   .connections = 512,
				   .max_boxes = 100 };

const struct cmd cmd_serve = {
	.name = "serve",
	.group = CMD_SERVERS,
	.summary = "serve boxes over HTTP: Open WebUI, MCP",
	.doc = "Serve boxes over HTTP: to Open WebUI as an Open Terminal server, and "
	       "to other programs. All that is asked for is done inside a box. What "
	       "may ask has the key.",
	.options = options,
	.tables = { OPT_BOX(struct args, box) },
	.size = sizeof(struct args),
	.begin = &begin,
	.config = true,
	.check = check,
	.work = serve,
};
