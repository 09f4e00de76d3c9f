/* Theory of operation
 *
 * A tenant is CLOSED, OPENING or OPEN. Whoever needs its box waits in a list. The box is
 * started by a child of cli/, for that may take minutes; then it is joined here, which
 * asks the monitor one question. From then on all goes by messages: programs are asked
 * for, and started and exited come when the monitor says so. A box that ends takes its
 * programs along, and the next request opens another. */
#include "agent/server/tenant.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/server/impl.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/spec/spec.h"

enum { NAME_MAX_BYTES = 256, SHOWN = 24, SESSIONS = 256, HEX = 32 };
enum { NAME_PLAIN = 64, NAME_SIZE = 128 };

enum state { CLOSED, OPENING, OPEN };

struct session {
	struct session *next;
	char *name, *path; /* owned */
};

struct slot {
	void *p;
	void (*release)(void *);
};

struct tenant {
	struct tenants *all; /* borrowed */
	struct tenant *next;
	char name[NAME_SIZE]; /* of its directory; "" = the one box */
	char *dir;	      /* owned */
	enum state state;
	struct spec *spec; /* owned; while it is open */
	struct box *box;   /* owned; while it is open */
	struct server_start start;
	struct loop_source *source; /* of the start, or of the box */
	struct tenant_wait *waits;
	struct tenant_program *programs;
	unsigned users;
	uint64_t used_ms;
	struct session *sessions; /* owned; the last used first */
	struct slot slots[TENANT_SLOTS];
};

struct tenants {
	struct server *server; /* borrowed */
	struct tenant *first;  /* owned */
	unsigned count;
};

/* ---- the programs --------------------------------------------------------------- */

static void unlink_program(struct tenant_program *p)
{
	struct tenant *t = take(&p->tenant, NULL);

	*(p->prev ? &p->prev->next : &t->programs) = p->next;
	if (p->next)
		p->next->prev = p->prev;
	p->prev = p->next = NULL;
	t->all->server->counts.programs--;
	tenant_release(t);
}

int tenant_run(struct tenant *t, const struct box_command *c, struct tenant_program *p,
	       struct err *e)
{
	struct server *s = t->all->server;
	struct box_command with = *c;
	int r;

	if (t->state != OPEN)
		return err_set(e, -ENOTCONN, "the box has ended");
	if (s->counts.programs >= s->conf->max_programs)
		return err_set(e, -EAGAIN, "too many programs run for this server");
	with.user = s->conf->user;
	r = box_request(t->box, &with, &p->id, e);
	if (r < 0)
		return r;
	s->counts.programs++;
	p->tenant = t;
	p->runs = false;
	p->prev = NULL;
	p->next = t->programs;
	if (p->next)
		p->next->prev = p;
	t->programs = p;
	tenant_hold(t);
	return 0;
}

void tenant_forget(struct tenant_program *p)
{
	struct err ignored = ERR_NONE;

	if (!p->tenant)
		return;
	if (p->runs && p->tenant->box)
		(void)box_kill_session(p->tenant->box, p->id, &ignored);
	unlink_program(p);
}

static struct tenant_program *find_program(const struct tenant *t, uint32_t id)
{
	struct tenant_program *p = t->programs;

	while (p && p->id != id)
		p = p->next;
	return p;
}

static void on_spawned(struct tenant *t, uint32_t id, struct box_proc *proc,
		       const struct err *why)
{
	struct tenant_program *p = find_program(t, id);
	struct err ignored = ERR_NONE;

	if (why->code < 0) {
		if (p) {
			unlink_program(p);
			p->started(p->ctx, NULL, why);
		}
	} else if (p) {
		p->runs = true;
		p->started(p->ctx, proc, NULL);
	} else { /* forgotten in the meantime */
		(void)box_kill_session(t->box, id, &ignored);
	}
}

static int take_messages(struct tenant *t)
{
	struct err e = ERR_NONE, why = ERR_NONE;
	struct box_exit x;
	uint32_t id;
	int r = 0;

	for (;;) {
		_cleanup_box_proc_ struct box_proc proc = BOX_PROC_NONE;

		r = t->box ? box_next_spawned(t->box, &id, &proc, &why, &e) : 0;
		if (r <= 0)
			break;
		on_spawned(t, id, &proc, &why);
	}
	while (r >= 0 && t->box && (r = box_next_exit(t->box, &x, &e)) > 0) {
		struct tenant_program *p = find_program(t, x.id);

		if (!p)
			continue;
		unlink_program(p);
		p->exited(p->ctx, &x);
	}
	return r;
}

/* ---- opening and leaving -------------------------------------------------------- */

static void tell_waits(struct tenant *t, const struct err *e)
{
	struct tenant_wait *list = take(&t->waits, NULL), *next;

	for (struct tenant_wait *w = list; w; w = next) {
		next = w->next;
		w->next = NULL;
		w->ready(w->ctx, e);
	}
}

static void close_box(struct tenant *t)
{
	loop_remove(t->all->server->loop, &t->source);
	box_close(&t->box);
	if (t->spec)
		spec_done(t->spec);
	free(t->spec);
	t->spec = NULL;
	t->state = CLOSED;
}

/* The box has ended, and all that ran in it. */
static void box_ended(struct tenant *t)
{
	static const struct err why = { -ECONNRESET, "the box has ended" };

	close_box(t);
	while (t->programs) {
		struct tenant_program *p = t->programs;
		bool ran = p->runs;

		unlink_program(p);
		if (ran)
			p->exited(p->ctx, NULL);
		else
			p->started(p->ctx, NULL, &why);
	}
}

static int on_box(void *ctx, uint32_t events, struct err *e)
{
	struct tenant *t = ctx;

	(void)events;
	(void)e;
	tenant_hold(t);
	if (take_messages(t) < 0)
		box_ended(t);
	tenant_release(t);
	return 0;
}

static int join(struct tenant *t, struct err *e)
{
	struct server *s = t->all->server;
	struct box_open o = { .join_only = true };
	int r;

	t->spec = calloc(1, sizeof(*t->spec));
	if (!t->spec)
		return err_sys(e, -ENOMEM, "cannot join the box");
	spec_init(t->spec);
	r = spec_locate(t->spec, t->dir, e);
	if (r == 0)
		r = text_copy(t->spec->store, sizeof(t->spec->store), s->conf->store);
	if (r == 0 && s->conf->box)
		r = text_copy(t->spec->key, sizeof(t->spec->key), s->conf->box);
	o.spec = t->spec;
	if (r == 0)
		r = box_open(&o, &t->box, e);
	if (r < 0)
		return r;
	r = loop_add(s->loop, box_fd(t->box), EPOLLIN, on_box, t, &t->source);
	return r < 0 ? err_sys(e, r, "cannot join the box") : 0;
}

static int on_started(void *ctx, uint32_t events, struct err *ignored)
{
	struct tenant *t = ctx;
	const struct server_conf *c = t->all->server->conf;
	struct err e = ERR_NONE;
	int r;

	(void)events;
	(void)ignored;
	loop_remove(t->all->server->loop, &t->source);
	r = c->started(c->ctx, &t->start, &e);
	if (r >= 0)
		r = join(t, &e);
	c->start_done(c->ctx, &t->start);
	if (r < 0)
		close_box(t);
	else
		t->state = OPEN;
	tenant_hold(t);
	tell_waits(t, r < 0 ? &e : NULL);
	tenant_release(t);
	return 0;
}

static int begin(struct tenant *t, struct err *e)
{
	const struct server_conf *c = t->all->server->conf;
	int r = c->start(c->ctx, t->dir, &t->start, e);

	if (r < 0)
		return r;
	r = loop_add(t->all->server->loop, t->start.said, EPOLLIN, on_started, t,
		     &t->source);
	if (r < 0) {
		c->start_done(c->ctx, &t->start);
		return err_sys(e, r, "cannot start the box");
	}
	t->state = OPENING;
	return 0;
}

void tenant_open(struct tenant *t, struct tenant_wait *w)
{
	struct err e = ERR_NONE;

	t->used_ms = sys_now_ms();
	if (t->state == OPEN) {
		w->ready(w->ctx, NULL);
		return;
	}
	if (t->state == CLOSED && begin(t, &e) < 0) {
		w->ready(w->ctx, &e);
		return;
	}
	w->next = t->waits;
	t->waits = w;
}

void tenant_unwait(struct tenant *t, struct tenant_wait *w)
{
	struct tenant_wait **at = &t->waits;

	while (*at && *at != w)
		at = &(*at)->next;
	if (*at)
		*at = w->next;
}

void tenant_hold(struct tenant *t)
{
	t->users++;
}

void tenant_release(struct tenant *t)
{
	t->users--;
	t->used_ms = sys_now_ms();
}

/* ---- what is known of one ------------------------------------------------------- */

const char *tenant_dir(const struct tenant *t)
{
	return t->dir;
}

const char *tenant_home(const struct tenant *t)
{
	const char *home = t->all->server->conf->home;

	return home ? home : t->dir;
}

struct box *tenant_box(const struct tenant *t)
{
	return t->box;
}

struct server *tenant_server(const struct tenant *t)
{
	return t->all->server;
}

void *tenant_slot(struct tenant *t, enum tenant_slot slot, size_t size,
		  void (*release)(void *))
{
	struct slot *s = &t->slots[slot];

	s->release = release;
	s->p = s->p ?: calloc(1, size);
	return s->p;
}

static void free_session(struct session *s)
{
	free(s->name);
	free(s->path);
	free(s);
}

/* To the front, where it is found sooner and dropped later. */
static struct session *find_session(struct tenant *t, const char *name)
{
	struct session **at = &t->sessions;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	if (*at) {
		struct session *s = *at;

		*at = s->next;
		s->next = t->sessions;
		t->sessions = s;
		return s;
	}
	return NULL;
}

const char *tenant_cwd(struct tenant *t, const char *session)
{
	const struct session *s = session ? find_session(t, session) : NULL;

	return s ? s->path : tenant_home(t);
}

void tenant_set_cwd(struct tenant *t, const char *session, const char *path)
{
	struct session *s = session ? find_session(t, session) : NULL;
	char *copy = session ? strdup(path) : NULL;
	unsigned n = 0;

	if (!copy)
		return;
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (s)
			s->name = strdup(session);
		if (!s || !s->name) {
			free(s);
			free(copy);
			return;
		}
		s->next = t->sessions;
		t->sessions = s;
	}
	free(s->path);
	s->path = copy;
	for (struct session **at = &t->sessions; *at; n++) {
		struct session *old = *at;

		if (n < SESSIONS) {
			at = &old->next;
			continue;
		}
		*at = old->next;
		free_session(old);
	}
}

/* ---- all of them ---------------------------------------------------------------- */

int tenants_new(struct server *s, struct tenants **ret, struct err *e)
{
	struct tenants *t = calloc(1, sizeof(*t));

	if (!t)
		return err_sys(e, -ENOMEM, "cannot set the server up");
	t->server = s;
	*ret = t;
	return 0;
}

static void free_tenant(struct tenant *t)
{
	const struct server_conf *c = t->all->server->conf;

	for (int i = 0; i < TENANT_SLOTS; i++)
		if (t->slots[i].p)
			t->slots[i].release(t->slots[i].p);
	if (t->state == OPENING)
		c->start_done(c->ctx, &t->start);
	close_box(t);
	while (t->sessions) {
		struct session *s = t->sessions;

		t->sessions = s->next;
		free_session(s);
	}
	t->all->count--;
	free(t->dir);
	free(t);
}

void tenants_free(struct tenants **tp)
{
	struct tenants *t = take(tp, NULL);

	while (t && t->first) {
		struct tenant *one = t->first;

		t->first = one->next;
		free_tenant(one);
	}
	free(t);
}

void tenants_tick(struct tenants *all, uint64_t now_ms)
{
	struct tenant **at = &all->first;

	while (*at) {
		struct tenant *t = *at;

		if (t->users || t->state == OPENING ||
		    now_ms - t->used_ms < all->server->conf->idle_ms) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		free_tenant(t);
	}
}

unsigned tenants_open_count(const struct tenants *all)
{
	unsigned n = 0;

	for (const struct tenant *t = all->first; t; t = t->next)
		n += t->state == OPEN;
	return n;
}

static bool is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

/* A directory's name that a person recognises and that no other user can have. */
static int name_of(const struct tenant_who *who, struct buf *ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(4L * NAME_MAX_BYTES);
	const char *user = who->user ? who->user : "";
	const char *context = who->context ? who->context : "";
	char hash[HASH_HEX];
	int r;

	if (strlen(user) > NAME_MAX_BYTES || strlen(context) > NAME_MAX_BYTES)
		return err_set(e, -EINVAL, "a user's or chat's name is too long");
	buf_addf(&text, "%zu:%s/%s", strlen(user), user, context);
	r = buf_failed(&text);
	if (r == 0)
		r = hash_text(text.data, text.len, hash, e);
	if (r < 0)
		return r;
	for (size_t i = 0; user[i] && i < SHOWN; i++)
		buf_addc(ret, is_plain(user[i]) ? user[i] : '_');
	buf_addf(ret, "%s%.*s", user[0] ? "-" : "", HEX, hash);
	return buf_failed(ret);
}

/* The one box has a name, too: the page need not know which server it talks to. */
static int box_name(const struct server_conf *c, const char *box, struct buf *ret,
		    struct err *e)
{
	bool plain = *box && *box != '-' && strlen(box) <= NAME_PLAIN;

	for (const char *p = box; *p; p++)
		plain &= is_plain(*p);
	if (!plain)
		return err_set(e, -EINVAL,
			       "a box's name has letters, digits, '-' and '_', and "
			       "does not begin with '-'");
	if (!c->boxes && strcmp(box, TENANT_HERE) != 0)
		return err_set(e, -ENOENT, "there is no box '%s'", box);
	return buf_adds(ret, c->boxes ? box : "");
}

/* Which it is; nothing for the one box. */
static int name(const struct tenants *all, const struct tenant_who *who,
		struct buf *ret, struct err *e)
{
	const struct server_conf *c = all->server->conf;

	/* a service passes on what its users ask for, with its key */
	if (who->box && (who->user || who->context))
		return err_set(e, -EPERM,
			       "boxes are named by the holder of the key, "
			       "not by a user of a service");
	if (who->box)
		return box_name(c, who->box, ret, e);
	return c->boxes ? name_of(who, ret, e) : 0;
}

/* A user's is made when it is asked for; one that is named has to be there. */
static int make_dir(const struct server_conf *c, const char *name, bool make,
		    char **ret, struct err *e)
{
	_cleanup_close_ int dirfd = file_open_dir(AT_FDCWD, c->boxes, e), fd = -1;
	int r = dirfd < 0 || !make ? dirfd : sys_mkdirat(dirfd, name, 0700);

	if (r < 0 && r != -EEXIST)
		return err_sys(e, r, "cannot make a directory for a box in '%s'",
			       c->boxes);
	fd = sys_openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0)
		return err_set(e, fd, "there is no box '%s'", name);
	return asprintf(ret, "%s/%s", c->boxes, name) < 0
		       ? err_sys(e, -ENOMEM, "no box")
		       : 0;
}

static int dir_of(const struct tenants *all, const struct tenant_who *who,
		  const char *name, char **ret, struct err *e)
{
	const struct server_conf *c = all->server->conf;

	if (c->boxes)
		return make_dir(c, name, who->make, ret, e);
	*ret = strdup(c->dir);
	return *ret ? 0 : err_sys(e, -ENOMEM, "cannot note a box");
}

static int add_tenant(struct tenants *all, const struct tenant_who *who,
		      const char *name, struct tenant **ret, struct err *e)
{
	struct tenant *t;
	int r;

	if (all->count >= all->server->conf->max_boxes)
		return err_set(e, -EAGAIN, "too many boxes are in use");
	t = calloc(1, sizeof(*t));
	if (!t)
		return err_sys(e, -ENOMEM, "cannot note a box");
	r = dir_of(all, who, name, &t->dir, e);
	if (r < 0) {
		free(t);
		return r;
	}
	(void)text_copy(t->name, sizeof(t->name), name);
	t->all = all;
	t->used_ms = sys_now_ms();
	t->next = all->first;
	all->first = t;
	all->count++;
	*ret = t;
	return 0;
}

static struct tenant *find_tenant(const struct tenants *all, const char *name)
{
	struct tenant *t = all->first;

	while (t && strcmp(t->name, name) != 0)
		t = t->next;
	return t;
}

int tenants_get(struct tenants *all, const struct tenant_who *who, struct tenant **ret,
		struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(NAME_SIZE - 1);
	int r = name(all, who, &text, e);
	struct tenant *t = r < 0 ? NULL : find_tenant(all, buf_cstr(&text));

	if (r < 0 || !t)
		return r < 0 ? r : add_tenant(all, who, buf_cstr(&text), ret, e);
	*ret = t;
	return 0;
}

struct tenant *tenants_find(const struct tenants *all, const struct tenant_who *who)
{
	_cleanup_buf_ struct buf text = BUF_INIT(NAME_SIZE - 1);
	struct err ignored = ERR_NONE;

	return name(all, who, &text, &ignored) < 0 ? NULL
						   : find_tenant(all, buf_cstr(&text));
}

int tenants_dir(struct tenants *all, const struct tenant_who *who, char **ret,
		struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(NAME_SIZE - 1);
	int r = name(all, who, &text, e);

	return r < 0 ? r : dir_of(all, who, buf_cstr(&text), ret, e);
}

void tenants_leave(struct tenants *all, const struct tenant_who *who)
{
	struct tenant *t = tenants_find(all, who);

	if (t && t->state == OPEN && !t->users)
		close_box(t);
}

const char *tenants_name(const struct tenants *all, const char *dir)
{
	const struct server_conf *c = all->server->conf;
	size_t len = c->boxes ? strlen(c->boxes) : 0;

	if (!c->boxes)
		return strcmp(dir, c->dir) == 0 ? TENANT_HERE : NULL;
	if (strncmp(dir, c->boxes, len) != 0 || dir[len] != '/' ||
	    strchr(dir + len + 1, '/'))
		return NULL;
	return dir + len + 1;
}
