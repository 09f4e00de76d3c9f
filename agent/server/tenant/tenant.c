/* Theory of operation
 *
 * A tenant is CLOSED, OPENING or OPEN. Whoever needs its box waits in a list. The box is
 * started by a child of cli/, for that may take minutes; then it is joined here, which
 * asks the monitor one question. From then on all goes by messages: programs are asked
 * for, and started and exited come when the monitor says so. A box that ends takes its
 * programs along, and the next request opens another. */
#include "agent/server/tenant/tenant.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/server/conf/conf.h"
#include "agent/server/tenant/boxname.h"
#include "agent/server/tenant/imageenv.h"
#include "agent/server/tenant/sessions.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/spec/effects_watch.h"
#include "runtime/spec/spec.h"

enum state { CLOSED, OPENING, OPEN };
enum {
	JOIN_MS = 2000
}; /* the others wait meanwhile; who started it has just been answered */

struct slot {
	void *p;
	void (*release)(void *);
};

struct tenant {
	struct tenants *all; /* borrowed */
	struct tenant *next;
	/* of its directory ("" = the one box), and which of its boxes: DIRECTORY@NAME */
	char id[BOXNAME_ID];
	char *dir;		 /* owned */
	struct server_box where; /* points into those */
	enum state state;
	struct spec *spec;  /* owned; while it is open */
	struct box *box;    /* owned; while it is open */
	int project;	    /* owned; its directory, since it was first open; -1 */
	int kept;	    /* owned; the same: what the store has of the box; -1 */
	struct json *image; /* owned; the same: what its image says; NULL = nothing */
	struct server_start start;
	struct loop_source *source; /* of the start, or of the box */
	struct tenant_wait *waits;
	struct tenant_program *programs;
	struct tenant_question *questions;
	uint32_t *to_end; /* owned: programs of which the monitor could not be told */
	size_t n_to_end;
	unsigned users;
	uint64_t used_ms;
	struct sessions sessions;
	struct slot slots[TENANT_SLOTS];
};

struct tenants {
	const struct server_conf *conf; /* borrowed */
	struct loop *loop;		/* borrowed */
	struct tenant *first;		/* owned */
	unsigned count, programs;
};

/* ---- the programs --------------------------------------------------------------- */

static void unlink_program(struct tenant_program *p)
{
	struct tenant *t = take(&p->tenant, NULL);

	*(p->prev ? &p->prev->next : &t->programs) = p->next;
	if (p->next)
		p->next->prev = p->prev;
	p->prev = p->next = NULL;
	t->all->programs--;
	tenant_release(t);
}

int tenant_run(struct tenant *t, const struct box_command *c, struct tenant_program *p,
	       struct err *e)
{
	const struct server_conf *conf = t->all->conf;
	_cleanup_free_ const char **env = NULL;
	struct box_command with = *c;
	int r;

	if (t->state != OPEN)
		return err_set(e, -ENOTCONN, "the box has ended");
	if (t->all->programs >= conf->max_programs)
		return err_set(e, -EAGAIN, "too many programs run for this server");
	with.user = conf->user;
	with.env = env = imageenv_add(t->image, c->env);
	if (!env)
		return err_sys(e, -ENOMEM, "cannot start a program");
	r = box_request(t->box, &with, &p->id, e);
	if (r == -EAGAIN)
		return err_set(e, r, "the box's monitor has no room for more just now");
	if (r < 0)
		return r;
	t->all->programs++;
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

/* When the monitor has no room for it: with the next message that comes from there. */
static void end_program(struct tenant *t, uint32_t id)
{
	if (box_kill_session(t->box, id, ERR_IGNORED) == -EAGAIN &&
	    grow_room(t->to_end, t->n_to_end))
		t->to_end[t->n_to_end++] = id;
}

static void end_those_left(struct tenant *t)
{
	while (t->box && t->n_to_end &&
	       box_kill_session(t->box, t->to_end[t->n_to_end - 1], ERR_IGNORED) !=
		       -EAGAIN)
		t->n_to_end--;
}

void tenant_forget(struct tenant_program *p)
{
	if (!p->tenant)
		return;
	if (p->runs && p->tenant->box)
		end_program(p->tenant, p->id);
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

	if (why->code < 0) {
		if (p) {
			unlink_program(p);
			p->started(p->ctx, NULL, why);
		}
	} else if (p) {
		p->runs = true;
		p->started(p->ctx, proc, NULL);
	} else { /* forgotten in the meantime */
		end_program(t, id);
	}
}

static int take_spawned(struct tenant *t)
{
	struct err e = ERR_NONE, why = ERR_NONE;
	uint32_t id;
	int r = 0;

	for (;;) {
		_cleanup_box_proc_ struct box_proc proc = BOX_PROC_NONE;

		r = t->box ? box_next_spawned(t->box, &id, &proc, &why, &e) : 0;
		if (r <= 0)
			return r;
		on_spawned(t, id, &proc, &why);
	}
}

static int take_exits(struct tenant *t)
{
	struct box_exit x;
	int r = 0;

	while (r >= 0 && t->box && (r = box_next_exit(t->box, &x, ERR_IGNORED)) > 0) {
		struct tenant_program *p;

		/* It may have come behind the word that its program began, which is put
		 * aside until somebody looks for that. */
		r = take_spawned(t);
		p = find_program(t, x.id);
		if (!p)
			continue;
		unlink_program(p);
		p->exited(p->ctx, &x);
	}
	return r;
}

/* The end of a program may begin another, whose answer can come while exits are looked
 * for. */
static int take_messages(struct tenant *t)
{
	int r;

	do {
		r = take_spawned(t);
		if (r >= 0)
			r = take_exits(t);
	} while (r >= 0 && t->box && box_kept(t->box));
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
	loop_remove(t->all->loop, &t->source);
	box_close(&t->box);
	json_free(&t->image);
	if (t->spec)
		spec_done(t->spec);
	free(t->spec);
	t->spec = NULL;
	t->n_to_end = 0;
	t->state = CLOSED;
}

/* ---- questions ------------------------------------------------------------------ */

int tenant_ask(struct tenant *t, const char *what, const struct json *args,
	       struct tenant_question *q, struct err *e)
{
	int r = t->state == OPEN ? box_question(t->box, what, args, &q->id, e)
				 : err_set(e, -ENOTCONN, "the box has ended");

	if (r < 0)
		return r;
	q->tenant = t;
	q->next = t->questions;
	t->questions = q;
	return 0;
}

void tenant_unask(struct tenant_question *q)
{
	if (q->tenant)
		(void)list_drop(q->tenant->questions, q);
	q->tenant = NULL;
}

static void on_answered(void *ctx, uint32_t id, const struct json *answer,
			const struct err *why)
{
	struct tenant *t = ctx;
	struct tenant_question *q = t->questions;

	while (q && q->id != id)
		q = q->next;
	if (!q) /* who asked has left */
		return;
	tenant_unask(q);
	q->answered(q->ctx, answer, why);
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
	while (t->questions) {
		struct tenant_question *q = t->questions;

		tenant_unask(q);
		q->answered(q->ctx, NULL, &why);
	}
}

static int on_box(void *ctx, uint32_t, struct err *)
{
	struct tenant *t = ctx;

	tenant_hold(t);
	if (take_messages(t) < 0)
		box_ended(t);
	end_those_left(t);
	tenant_release(t);
	return 0;
}

static void open_kept(struct tenant *t)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/boxes/%s", t->spec->store, t->spec->key);
	scope_close(&t->kept);
	t->kept = file_open_dir(AT_FDCWD, path, ERR_IGNORED);
	if (t->kept >= 0 && !t->sessions.first)
		(void)sessions_load(&t->sessions, t->kept, ERR_IGNORED);
}

static int join(struct tenant *t, struct err *e)
{
	const struct server_conf *conf = t->all->conf;
	struct box_open o = { .join_only = true,
			      .answer_ms = JOIN_MS,
			      .answered = on_answered,
			      .answered_ctx = t };
	int r;

	t->spec = calloc(1, sizeof(*t->spec));
	if (!t->spec)
		return err_sys(e, -ENOMEM, "cannot join the box");
	*t->spec = SPEC_NONE;
	r = spec_locate_real(t->spec, t->dir, e)
		    ?: text_copy(t->spec->store, sizeof(t->spec->store), conf->store);
	if (r == 0 && t->where.name)
		spec_key(t->spec->project, t->where.name, t->spec->key);
	else if (r == 0 && conf->box)
		r = text_copy(t->spec->key, sizeof(t->spec->key), conf->box);
	o.spec = t->spec;
	if (r < 0)
		return r;
	scope_close(&t->project);
	t->project = sys_open(t->spec->project, O_RDONLY | O_DIRECTORY);
	r = box_open(&o, &t->box, e);
	if (r < 0)
		return r;
	r = box_unblock(t->box);
	if (r < 0)
		return err_sys(e, r, "cannot join the box");
	open_kept(t);
	r = loop_add(t->all->loop, box_fd(t->box), EPOLLIN, on_box, t, &t->source);
	return r < 0 ? err_sys(e, r, "cannot join the box") : 0;
}

static int on_started(void *ctx, uint32_t, struct err *)
{
	struct tenant *t = ctx;
	const struct server_conf *c = t->all->conf;
	struct err e = ERR_NONE;
	int r;

	loop_remove(t->all->loop, &t->source);
	r = c->started(c->ctx, &t->start, &e);
	if (r >= 0)
		r = join(t, &e);
	c->start_done(c->ctx, &t->start);
	if (r < 0)
		close_box(t);
	else
		t->state = OPEN;
	if (r >= 0 && c->image)
		t->image = c->image(c->ctx, t->spec->key);
	tenant_hold(t);
	tell_waits(t, r < 0 ? &e : NULL);
	tenant_release(t);
	return 0;
}

static int begin(struct tenant *t, struct err *e)
{
	const struct server_conf *c = t->all->conf;
	int r = c->start(c->ctx, &t->where, &t->start, e);

	if (r < 0)
		return r;
	r = loop_add(t->all->loop, t->start.said, EPOLLIN, on_started, t, &t->source);
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
	(void)list_drop(t->waits, w);
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

const struct server_box *tenant_where(const struct tenant *t)
{
	return &t->where;
}

const char *tenant_home(const struct tenant *t)
{
	const char *home = t->all->conf->home;

	return home ? home : t->dir;
}

struct box *tenant_box(const struct tenant *t)
{
	return t->box;
}

struct loop *tenant_loop(const struct tenant *t)
{
	return t->all->loop;
}

const struct server_conf *tenant_conf(const struct tenant *t)
{
	return t->all->conf;
}

struct effects_watch *tenant_look(const struct tenant *t)
{
	return t->project < 0 ? NULL : effects_watch_look(t->project);
}

struct json *tenant_acting(const struct tenant *t, const struct effects_watch *before)
{
	_cleanup_effects_watch_ struct effects_watch *now = NULL;
	_cleanup_json_ struct json *list = NULL;

	now = before ? tenant_look(t) : NULL;
	list = now ? effects_watch_list(before, now) : NULL;
	return json_len(list) ? take(&list, NULL) : NULL;
}

void *tenant_slot(struct tenant *t, enum tenant_slot slot, size_t size,
		  void (*release)(void *))
{
	struct slot *s = &t->slots[slot];

	s->release = release;
	s->p = s->p ?: calloc(1, size);
	return s->p;
}

const char *tenant_cwd(struct tenant *t, const char *session)
{
	const char *path = session ? sessions_get(&t->sessions, session) : NULL;

	return path ? path : tenant_home(t);
}

void tenant_set_cwd(struct tenant *t, const char *session, const char *path)
{
	if (session && sessions_set(&t->sessions, session, path) && t->kept >= 0)
		(void)sessions_save(&t->sessions, t->kept, ERR_IGNORED);
}

bool tenant_lose_cwd(struct tenant *t, const char *session, const struct err *why)
{
	bool lost = (why->code == -ENOENT || why->code == -ENOTDIR) &&
		    strcmp(tenant_cwd(t, session), tenant_home(t)) != 0;

	if (lost)
		tenant_set_cwd(t, session, tenant_home(t));
	return lost;
}

/* ---- all of them ---------------------------------------------------------------- */

int tenants_new(const struct server_conf *conf, struct loop *loop, struct tenants **ret,
		struct err *e)
{
	struct tenants *t = calloc(1, sizeof(*t));

	if (!t)
		return err_sys(e, -ENOMEM, "cannot set the server up");
	t->conf = conf;
	t->loop = loop;
	*ret = t;
	return 0;
}

static void free_tenant(struct tenant *t)
{
	const struct server_conf *c = t->all->conf;

	for (int i = 0; i < TENANT_SLOTS; i++)
		if (t->slots[i].p)
			t->slots[i].release(t->slots[i].p);
	if (t->state == OPENING)
		c->start_done(c->ctx, &t->start);
	close_box(t);
	scope_close(&t->project);
	scope_close(&t->kept);
	sessions_done(&t->sessions);
	t->all->count--;
	free(t->to_end);
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
		    now_ms - t->used_ms < all->conf->idle_ms) {
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

unsigned tenants_programs(const struct tenants *all)
{
	return all->programs;
}

static int add_tenant(struct tenants *all, const struct tenant_who *who, const char *id,
		      struct tenant **ret, struct err *e)
{
	struct tenant *t;
	int r;

	if (all->count >= all->conf->max_boxes)
		return err_set(e, -EAGAIN, "too many boxes are in use");
	t = calloc(1, sizeof(*t));
	if (!t)
		return err_sys(e, -ENOMEM, "cannot note a box");
	(void)text_copy(t->id, sizeof(t->id), id);
	r = boxname_place(all->conf, who, t->id, &t->dir, &t->where, e);
	if (r < 0) {
		free(t);
		return r;
	}
	t->all = all;
	t->project = t->kept = -1;
	t->used_ms = sys_now_ms();
	t->next = all->first;
	all->first = t;
	all->count++;
	*ret = t;
	return 0;
}

static struct tenant *find_tenant(const struct tenants *all, const char *id)
{
	struct tenant *t = all->first;

	while (t && strcmp(t->id, id) != 0)
		t = t->next;
	return t;
}

/* The holder of the key may have opened it by its name, without its user's policy. */
static int keep_policy(struct tenant *t, const struct tenant_who *who, struct err *e)
{
	struct server_box asked = { .dir = NULL };
	int r = boxname_policy(t->all->conf, who, &asked, e);
	bool other = !who->box && asked.options != t->where.options;

	if (r < 0)
		return r;
	if (other && t->state == OPEN && !t->users)
		close_box(t);
	if (t->state == CLOSED)
		t->where.options = asked.options;
	else if (other)
		return err_set(e, -EEXIST,
			       "the box is in use without its user's policy; it has to "
			       "end first");
	return 0;
}

int tenants_get(struct tenants *all, const struct tenant_who *who, struct tenant **ret,
		struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(BOXNAME_ID - 1);
	int r = boxname_id(all->conf, who, &text, e);
	struct tenant *t = r < 0 ? NULL : find_tenant(all, buf_cstr(&text));

	if (r < 0 || !t)
		return r < 0 ? r : add_tenant(all, who, buf_cstr(&text), ret, e);
	r = keep_policy(t, who, e);
	if (r < 0)
		return r;
	*ret = t;
	return 0;
}

struct tenant *tenants_find(const struct tenants *all, const struct tenant_who *who)
{
	_cleanup_buf_ struct buf text = BUF_INIT(BOXNAME_ID - 1);

	return boxname_id(all->conf, who, &text, ERR_IGNORED) < 0
		       ? NULL
		       : find_tenant(all, buf_cstr(&text));
}

int tenants_box(struct tenants *all, const struct tenant_who *who, char **dir,
		struct server_box *ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(BOXNAME_ID - 1);
	int r = boxname_id(all->conf, who, &text, e)
			?: boxname_place(all->conf, who, buf_cstr(&text), dir, ret, e);

	if (r == 0 && ret->name) /* of a box that was named */
		ret->name = strchr(who->box, '@') + 1;
	return r;
}

void tenants_leave(struct tenants *all, const struct tenant_who *who)
{
	struct tenant *t = tenants_find(all, who);

	if (t && t->state == OPEN && !t->users)
		close_box(t);
}
