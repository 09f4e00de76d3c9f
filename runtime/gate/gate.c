/* gate - the monitor's side: starts the process, answers for it, replaces it.
 *
 * All that must outlive one process is kept here: copies of the namespace's
 * descriptors, the rules, the listeners of published ports, and the memory in which
 * the process notes which name it gave which address. A new process gets the same
 * again, so the box only sees its connections break. */
#include "runtime/gate/gate.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/proc.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/gate/audit.h"
#include "runtime/gate/host.h"
#include "runtime/gate/names.h"
#include "runtime/gate/policy.h"
#include "runtime/gate/proxy.h"
#include "runtime/gate/publish.h"
#include "runtime/wire/wire.h"

enum {
	ASK_MS = 2000,
	REAP_MS = 200,
	END_MS = 500,
	DEATHS_MS = 60000,
	PAUSE_MS = 30000,
	LAST_WORDS = 1024,
	SHOWN = 96
};

static void push_event(struct gate *g, enum gate_event_kind kind, const char *text)
{
	struct gate_past *ev = &g->events[g->n_events++ % GATE_EVENTS];
	const uint64_t one = 1;

	ev->kind = kind;
	text_escaped(ev->text, sizeof(ev->text), text, strlen(text));
	if (g->n_events - g->n_told > GATE_EVENTS)
		g->n_told = g->n_events - GATE_EVENTS;
	(void)sys_write(g->wake, &one, sizeof(one));
}

static int watch(const struct gate *g, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	return sys_epoll_ctl(g->epfd, EPOLL_CTL_ADD, fd, &ev);
}

/* ---- starting the process ------------------------------------------------------- */

struct json *gate_ports_json(const struct netns_facts *f)
{
	struct json *list = json_array();

	for (int i = 0; i < f->n_tcp; i++)
		json_add(list, json_number(f->port[i]));
	return list;
}

static int conf_text(const struct gate *g, struct buf *ret)
{
	_cleanup_json_ struct json *j = json_object();
	const struct netns_facts *f = &g->conf.facts;
	int64_t mask = 0;

	for (int i = 0; i < NETNS_FDS; i++)
		mask |= g->fds[i] >= 0 ? 1 << i : 0;
	json_set_int(j, "mode", g->conf.mode);
	json_set_int(j, "mask", mask);
	json_set_int(j, "init", g->conf.init);
	json_set_bool(j, "sparing", g->conf.sparing);
	json_set_int(j, "caught", f->caught);
	json_set_int(j, "ipv6", f->ipv6);
	json_set(j, "ports", gate_ports_json(f));
	json_set(j, "rules", gate_policy_list(g->policy));
	json_set(j, "env", json_dup(g->env));
	return json_failed(j) ?: json_print(j, false, ret);
}

static int send_conf(struct gate *g, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(WIRE_BODY);
	_cleanup_close_ int audit = -1;
	struct wire_head head = { .type = WIRE_SETUP };
	int fds[NETNS_FDS + 2], r;
	unsigned n = 0;

	for (int i = 0; i < NETNS_FDS; i++)
		if (g->fds[i] >= 0)
			fds[n++] = g->fds[i];
	fds[n++] = g->names_fd;
	if (g->conf.audit_dirfd >= 0) {
		r = gate_audit_open(g->conf.audit_dirfd, &audit, e);
		if (r < 0)
			return r;
		fds[n++] = audit;
	}
	r = conf_text(g, &text);
	head.len = (uint32_t)text.len;
	if (r >= 0)
		r = wire_send(g->sock, &head, text.data, fds, n);
	return r < 0 ? err_sys(e, r, "cannot configure the gate") : 0;
}

static int tell(struct gate *g, struct json *q, int fd, struct err *e);

static int tell_published(struct gate *g, const struct gate_publish *p, struct err *e)
{
	_cleanup_json_ struct json *q = json_object();

	json_set_str(q, "op", "publish");
	json_set_int(q, "port", p->port);
	return tell(g, q, p->fd, e);
}

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 }; /* what a sanitizer says is for whoever runs it */
#else
enum { SANITIZED = 0 };
#endif

/* Where a C library that ends it says why; as much as the pipe holds. @ret: its end of it */
static int hear_last_words(struct gate *g, int *ret)
{
	int ends[2], r = sys_pipe2(ends, O_CLOEXEC | O_NONBLOCK);

	if (r < 0)
		return r;
	g->last_words = ends[0];
	*ret = ends[1];
	return 0;
}

static int spawn(struct gate *g, struct err *e)
{
	char self[PATH_MAX];
	const char *const argv[] = { self, "__gate", NULL };
	const char *const env[] = { NULL };
	_cleanup_close_ int theirs = -1, words = -1;
	struct proc_conf conf = { .argv = argv, .env = env, .fds = { -1, -1, -1 } };
	int pair[2];
	int r = proc_self(self, e);

	if (r < 0)
		return r;
	r = sys_socketpair(SOCK_SEQPACKET, pair);
	if (r < 0)
		return err_sys(e, r, "cannot start the gate");
	g->sock = pair[0];
	theirs = conf.pass_fd = pair[1];
	r = SANITIZED ? 0 : hear_last_words(g, &words);
	conf.fds[2] = SANITIZED ? 2 : words;
	if (r >= 0)
		r = watch(g, g->sock);
	if (r < 0)
		return err_sys(e, r, "cannot start the gate");
	r = proc_start(&conf, &g->proc, e);
	return r < 0 ? err_wrap(e, "cannot start the gate") : 0;
}

static void forget_process(struct gate *g)
{
	proc_done(&g->proc);
	g->proc = PROC_NONE;
	scope_close(&g->sock); /* leaves epfd by itself */
	scope_close(&g->last_words);
}

static int start_process(struct gate *g, struct err *e)
{
	int r = spawn(g, e);

	if (r >= 0)
		r = send_conf(g, e);
	for (int i = 0; i < GATE_PUBLISHED_MAX && r >= 0; i++)
		if (g->published[i].fd >= 0)
			r = tell_published(g, &g->published[i], e);
	if (r < 0)
		forget_process(g);
	return r;
}

/* ---- what is kept for every process --------------------------------------------- */

static int keep_names(struct gate *g, struct err *e)
{
	int r = g->names_fd = sys_memfd("cubby-names", 0);

	if (r >= 0)
		r = sys_ftruncate(g->names_fd, GATE_NAMES_BYTES);
	return r < 0 ? err_sys(e, r, "cannot keep the box's names") : 0;
}

static bool is_proxy_variable(const char *s)
{
	static const char *const names[] = { "https_proxy=", "http_proxy=",
					     "all_proxy=", "no_proxy=" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncasecmp(s, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Nothing but the proxy settings of the environment reaches the process. */
static int keep_env(struct gate *g, const char *const *env, struct err *e)
{
	struct gate_proxy_conf c;
	int r = gate_proxy_from_env(env, &c, e);

	if (r < 0)
		return r;
	if (c.https.kind != GATE_PROXY_NONE)
		snprintf(g->proxy, sizeof(g->proxy), "%s:%u", c.https.host,
			 c.https.port);
	g->env = json_array();
	for (; *env; env++)
		if (is_proxy_variable(*env) &&
		    (!g->env || json_add(g->env, json_string(*env)) < 0))
			break;
	if (!g->env || *env)
		return err_sys(e, -ENOMEM, "cannot keep the proxy's settings");
	return 0;
}

static int keep_fds(struct gate *g, const int *fds, struct err *e)
{
	for (int i = 0; i < NETNS_FDS; i++) {
		if (fds[i] < 0)
			continue;
		g->fds[i] = sys_dup(fds[i], 0);
		if (g->fds[i] < 0)
			return err_sys(e, g->fds[i], "cannot keep the box's network");
	}
	return 0;
}

static struct gate_publish *free_place(struct gate *g)
{
	for (int i = 0; i < GATE_PUBLISHED_MAX; i++)
		if (g->published[i].fd < 0)
			return &g->published[i];
	return NULL;
}

static int publish(struct gate *g, const char *spec, struct gate_publish **ret,
		   struct err *e)
{
	struct gate_publish *p = free_place(g);
	int r;

	if (!p)
		return err_set(e, -ENOSPC,
			       "more than %d published ports; 'cubby ports --unpublish "
			       "HOSTPORT' ends one",
			       GATE_PUBLISHED_MAX);
	r = gate_publish_listen(spec, p, e);
	if (r >= 0 && ret)
		*ret = p;
	return r;
}

static int keep_published(struct gate *g, const struct json *list, struct err *e)
{
	json_each(it, list)
	{
		const char *spec = json_str(it);
		int r = spec ? publish(g, spec, NULL, e)
			     : err_set(e, -EINVAL, "a published port is no text");

		if (r < 0)
			return r;
	}
	return 0;
}

void gate_tell_chosen(const struct gate *g, note_fn *note, void *ctx)
{
	for (int i = 0; i < GATE_PUBLISHED_MAX; i++) {
		const struct gate_publish *p = &g->published[i];
		char addr[NETADDR_TEXT], line[NETADDR_TEXT + 64];
		bool six = p->addr.len > 4;

		if (p->fd < 0 || !p->any)
			continue;
		snprintf(line, sizeof(line), "published %s%s%s:%u -> %u",
			 six ? "[" : "", netaddr_format(&p->addr, addr), six ? "]" : "",
			 p->host_port, p->port);
		note(ctx, line);
	}
}

static int watch_new(const struct gate *g, int fd, int *ret)
{
	*ret = fd;
	return fd < 0 ? fd : watch(g, fd);
}

static int open_events(struct gate *g, struct err *e)
{
	int r = g->epfd = sys_epoll_create();

	if (r >= 0)
		r = watch_new(g, sys_eventfd(0), &g->wake)
			    ?: watch_new(g, sys_timerfd(), &g->pause);
	return r < 0 ? err_sys(e, r, "cannot watch the gate") : 0;
}

static int keep_all(struct gate *g, const struct gate_conf *conf, struct err *e)
{
	const char *const *env =
		conf->env ? conf->env : (const char *const *)(uintptr_t)environ;
	int r = open_events(g, e);

	if (r < 0)
		return r;
	r = keep_fds(g, conf->fds, e);
	if (r < 0)
		return r;
	r = gate_policy_new(&g->policy, e);
	if (r < 0)
		return r;
	r = gate_policy_load(g->policy, conf->rules, e);
	if (r < 0)
		return r;
	r = keep_env(g, env, e);
	if (r < 0)
		return r;
	r = keep_published(g, conf->publish, e);
	return r < 0 ? r : keep_names(g, e);
}

int gate_start(const struct gate_conf *conf, struct gate **ret, struct err *e)
{
	_cleanup_gate_ struct gate *g = calloc(1, sizeof(*g));
	int r;

	if (!g)
		return err_sys(e, -ENOMEM, "cannot start the gate");
	*g = (struct gate){ .conf = *conf,
			    .names_fd = -1,
			    .proc = PROC_NONE,
			    .sock = -1,
			    .last_words = -1,
			    .epfd = -1,
			    .wake = -1,
			    .pause = -1 };
	for (int i = 0; i < NETNS_FDS; i++)
		g->fds[i] = -1;
	for (int i = 0; i < GATE_PUBLISHED_MAX; i++)
		g->published[i] = GATE_PUBLISH_NONE;
	r = keep_all(g, conf, e);
	if (r >= 0)
		r = start_process(g, e);
	if (r < 0)
		return r;
	*ret = take(&g, NULL);
	return 0;
}

/* First it closes the record: every connection that is still open gets its line. */
static void end_process(struct gate *g)
{
	int status;

	if (g->proc.pid > 0 && sys_kill(g->proc.pid, SIGTERM) >= 0)
		(void)proc_wait(&g->proc, END_MS, &status, ERR_IGNORED);
	forget_process(g);
}

void gate_stop(struct gate **gp)
{
	struct gate *g = take(gp, NULL);

	if (!g)
		return;
	end_process(g);
	scope_close_set(g->fds, NETNS_FDS);
	for (int i = 0; i < GATE_PUBLISHED_MAX; i++)
		gate_publish_done(&g->published[i]);
	gate_policy_free(&g->policy);
	json_free(&g->env);
	scope_close(&g->names_fd);
	scope_close(&g->wake);
	scope_close(&g->pause);
	scope_close(&g->epfd);
	free(g);
}

int gate_fd(const struct gate *g)
{
	return g->epfd;
}

pid_t gate_pid(const struct gate *g)
{
	return g->proc.pid;
}

/* ---- what the process says ------------------------------------------------------ */

/* The last line of what a C library said, as "malloc(): corrupted top size". */
static void add_last_words(struct gate *g)
{
	char words[LAST_WORDS], shown[SHOWN], *line;
	size_t at = strlen(g->failure);
	ssize_t n = g->last_words < 0
			    ? -1
			    : sys_read(g->last_words, words, sizeof(words) - 1);

	while (n > 0 && words[n - 1] == '\n')
		n--;
	if (n <= 0)
		return;
	words[n] = '\0';
	line = strrchr(words, '\n');
	line = line ? line + 1 : words;
	snprintf(g->failure + at, sizeof(g->failure) - at, " (%s)",
		 text_escaped(shown, sizeof(shown), line, strlen(line)));
}

/* How it ended, unless it said so itself. */
static void take_status(struct gate *g)
{
	int status = 0;

	if (g->failure[0] || proc_wait(&g->proc, REAP_MS, &status, ERR_IGNORED) < 0)
		return;
	if (status > 128)
		snprintf(g->failure, sizeof(g->failure), "signal %d", status - 128);
	else
		snprintf(g->failure, sizeof(g->failure), "exit status %d", status);
	add_last_words(g);
}

static void rest(struct gate *g)
{
	unsigned ms = g->conf.pause_ms ? g->conf.pause_ms : PAUSE_MS;
	const struct itimerspec when = { .it_value = { ms / 1000,
						       ms % 1000 * 1000000L } };

	(void)sys_timerfd_set(g->pause, &when);
}

static void stay_closed(struct gate *g, const char *why)
{
	char text[GATE_TEXT];

	snprintf(text, sizeof(text),
		 "network: the gate of this box died and stays closed for a while: "
		 "%.150s",
		 why);
	push_event(g, GATE_DEAD, text);
	rest(g);
}

static void after_pause(struct gate *g)
{
	uint64_t n;

	if (g->sock >= 0 || sys_read(g->pause, &n, sizeof(n)) < 0)
		return;
	if (start_process(g, ERR_IGNORED) < 0)
		rest(g);
	else
		push_event(g, GATE_RESTARTED,
			   "network: the gate of this box was started again; new "
			   "connections work");
}

/* It died: another one at once, or later when too many did lately. */
static void replace(struct gate *g)
{
	uint64_t now = sys_now_ms();
	uint64_t first = g->deaths[g->n_deaths % GATE_DEATHS];
	struct err e = ERR_NONE;
	char text[GATE_TEXT];

	take_status(g);
	forget_process(g);
	(void)text_copy(g->ended, sizeof(g->ended), g->failure);
	g->failure[0] = '\0';
	g->deaths[g->n_deaths++ % GATE_DEATHS] = now;
	if (first && now - first < DEATHS_MS) {
		stay_closed(g, g->ended[0] ? g->ended : "too often");
		return;
	}
	if (start_process(g, &e) < 0) {
		stay_closed(g, e.msg);
		return;
	}
	snprintf(text, sizeof(text),
		 "network: the gate of this box was replaced; open connections were "
		 "lost, new ones work%s%.120s",
		 g->ended[0] ? ": " : "", g->ended);
	push_event(g, GATE_RESTARTED, text);
}

void gate_replace(struct gate *g, const char *why)
{
	(void)text_copy(g->failure, sizeof(g->failure), why);
	replace(g);
}

static void rotate(struct gate *g)
{
	_cleanup_json_ struct json *q = json_object();
	_cleanup_close_ int fd = -1;
	struct err e = ERR_NONE;

	/* On failure the process goes on with the old file, up to its limit. */
	if (gate_audit_open(g->conf.audit_dirfd, &fd, &e) >= 0 && q &&
	    json_set_str(q, "op", "rotate") >= 0)
		(void)tell(g, q, fd, &e);
}

static void take_event(struct gate *g, const struct wire_msg *m)
{
	_cleanup_json_ struct json *j = NULL;
	const char *event, *text;

	if (json_parse(m->body.data, m->body.len, &j, ERR_IGNORED) < 0)
		return;
	event = json_get_str(j, "event");
	text = json_get_str(j, "text");
	if (!event || !text)
		return;
	if (!strcmp(event, "refused"))
		push_event(g, GATE_REFUSED, text);
	else if (!strcmp(event, "rotate"))
		rotate(g);
}

static void take_failure(struct gate *g, const struct wire_msg *m)
{
	const struct err *said = wire_body(m, sizeof(*said));

	if (said)
		text_escaped(g->failure, sizeof(g->failure), said->msg,
			     strnlen(said->msg, sizeof(said->msg)));
}

/* One message. Return: 1 = the answer to @id is in @m, 0 = something else was taken,
 * -EAGAIN = nothing there, or the process is gone. */
static int take_message(struct gate *g, uint32_t id, struct wire_msg *m)
{
	struct pollfd p = { .fd = g->sock, .events = POLLIN };
	int r;

	if (g->sock < 0 || sys_poll(&p, 1, 0) <= 0)
		return -EAGAIN;
	r = wire_recv(g->sock, m, 0);
	if (r <= 0) { /* its end, or words that ours never says */
		replace(g);
		return -ECONNRESET;
	}
	if (m->head.type == WIRE_FAILED)
		take_failure(g, m);
	else if (m->head.type == WIRE_ANSWER && !m->head.id)
		take_event(g, m);
	else if (m->head.type == WIRE_ANSWER && m->head.id == id)
		return 1;
	return 0;
}

void gate_drain(struct gate *g)
{
	_cleanup_wire_ struct wire_msg m;

	wire_msg_init(&m);
	while (take_message(g, 0, &m) >= 0)
		;
}

int gate_step(struct gate *g, struct gate_event *ret)
{
	uint64_t n;

	gate_drain(g);
	after_pause(g);
	if (g->n_told == g->n_events) {
		(void)sys_read(g->wake, &n, sizeof(n));
		*ret = (struct gate_event){ .kind = GATE_NOTHING };
		return 0;
	}
	*ret = (struct gate_event){ .kind = g->events[g->n_told % GATE_EVENTS].kind };
	text_copy(ret->text, sizeof(ret->text),
		  g->events[g->n_told++ % GATE_EVENTS].text);
	return 1;
}

/* ---- questions ------------------------------------------------------------------ */

static int send_question(struct gate *g, const struct json *q, int fd, uint32_t *id,
			 struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(WIRE_BODY);
	struct wire_head head = { .type = WIRE_ASK };
	int r = json_failed(q) ?: json_print(q, false, &text);

	if (g->sock < 0)
		return err_set(e, -ENOTCONN, "the gate of this box is not running");
	head.id = *id = ++g->next_id ? g->next_id : ++g->next_id;
	head.len = (uint32_t)text.len;
	if (r >= 0)
		r = wire_send(g->sock, &head, text.data, fd < 0 ? NULL : &fd, fd >= 0);
	return r < 0 ? err_sys(e, r, "cannot ask the gate") : 0;
}

/* A message whose answer does not matter. */
static int tell(struct gate *g, struct json *q, int fd, struct err *e)
{
	uint32_t id;

	return send_question(g, q, fd, &id, e);
}

static int read_answer(const struct wire_msg *m, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	int r = json_parse(m->body.data, m->body.len, &j, e);
	const char *why = json_get_str(j, "error");

	if (r < 0)
		return err_wrap(e, "the gate");
	if (why) {
		r = (int)json_get_int(j, "code", -EIO);
		return err_set(e, r < 0 ? r : -EIO, "%s", why);
	}
	*ret = take(&j, NULL);
	return 0;
}

int gate_question(struct gate *g, const struct json *q, struct json **ret,
		  struct err *e)
{
	_cleanup_wire_ struct wire_msg m;
	uint64_t end = sys_now_ms() + ASK_MS, now;
	uint32_t id = 0;
	int r = send_question(g, q, -1, &id, e);

	wire_msg_init(&m);
	while (r >= 0 && (now = sys_now_ms()) < end) {
		struct pollfd p = { .fd = g->sock, .events = POLLIN };

		(void)sys_poll(&p, 1, (int)(end - now));
		r = take_message(g, id, &m);
		if (r > 0)
			return read_answer(&m, ret, e);
		if (r == -EAGAIN)
			r = 0;
	}
	if (r < 0 && e->code)
		return r;
	return r < 0 ? err_set(e, r, "the gate ended%s%.150s; ask again",
			       g->ended[0] ? ": " : "", g->ended)
		     : err_set(e, -ETIMEDOUT, "the gate did not answer");
}

int gate_publish(struct gate *g, const char *spec, struct gate_publish **ret,
		 struct err *e)
{
	struct gate_publish *p;
	int r = publish(g, spec, &p, e);

	if (r < 0)
		return r;
	r = tell_published(g, p, e);
	if (r < 0) {
		gate_publish_done(p);
		return r;
	}
	*ret = p;
	return 0;
}
