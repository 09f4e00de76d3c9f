#include "cli/task/modellocal.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/num.h"
#include "base/sys/sys.h"
#include "cli/show/render.h"
#include "cli/store/boxend.h"
#include "cli/store/boxlist.h"
#include "cli/store/place.h"

enum {
	TABLE = 16 << 20, /* bytes of /proc/net/tcp */
	LISTENING = 10,	  /* TCP_LISTEN */
	PEOPLE = 1000	  /* the first of their ids; below are those of services */
};

struct listener {
	unsigned port;
	bool any, other; /* somebody listens; who is another person */
	unsigned uid;	 /* that one's */
};

static void look_at_line(struct listener *l, const char *line)
{
	unsigned port, state, uid;

	if (sscanf(line,
		   " %*u: %*32[0-9A-Fa-f]:%x %*32[0-9A-Fa-f]:%*x %x %*s %*s %*s %u",
		   &port, &state, &uid) != 3 ||
	    state != LISTENING || port != l->port)
		return;
	l->any = true;
	if (uid < PEOPLE || uid == sys_geteuid())
		return;
	l->other = true;
	l->uid = uid;
}

static void look_at_table(struct listener *l, const char *path)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TABLE);
	char *save = NULL;

	(void)file_read(AT_FDCWD, path, &text, ERR_IGNORED);
	if (text.len && buf_addc(&text, '\0') == 0)
		for (char *line = strtok_r(text.data, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			look_at_line(l, line);
}

/* One that does not say is one that may. */
static bool publishes(const struct app *app, const struct boxlist_item *b,
		      unsigned port)
{
	_cleanup_json_ struct json *q = json_object(), *answer = NULL;
	struct err e = ERR_NONE;
	int r = json_set_str(q, "op", "ports");

	if (r == 0)
		r = boxend_question(app->store, b->key, "net", q, &answer, &e);
	if (r < 0)
		return r != -ENOENT && r != -ECONNRESET;
	json_each(it, json_get(answer, "published"))
	{
		if (json_get_int(it, "host_port", 0) == (int64_t)port)
			return true;
	}
	return false;
}

static const char *box_of(const struct app *app, struct boxlist *l, unsigned port)
{
	if (place_open(app, ERR_IGNORED) < 0 ||
	    boxlist_read(app->store, l, ERR_IGNORED) < 0)
		return NULL;
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].running && publishes(app, &l->v[i], port))
			return l->v[i].project;
	return NULL;
}

bool modellocal_may(void *ctx, const struct model_provider *p)
{
	const struct app *app = ctx;
	_cleanup_boxlist_ struct boxlist boxes = BOXLIST_NONE;
	struct listener l = { 0 };
	const char *box;
	uint64_t port = 0;

	if (num_range(strrchr(p->url, ':') + 1, 1, 65535, &port) < 0)
		return false;
	l.port = (unsigned)port;
	look_at_table(&l, "/proc/net/tcp");
	look_at_table(&l, "/proc/net/tcp6");
	if (l.other) {
		render_note(
			app,
			"%s is not asked by itself: what listens there is uid %u's; "
			"'--model %s:' asks it",
			p->url, l.uid, p->name);
		return false;
	}
	box = l.any ? box_of(app, &boxes, l.port) : NULL;
	if (box)
		render_note(app,
			    "%s is not asked by itself: it is a port of the box of "
			    "'%s'; '--model %s:' asks it",
			    p->url, box, p->name);
	return !box;
}
