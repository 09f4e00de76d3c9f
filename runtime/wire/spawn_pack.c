#include "runtime/wire/spawn_pack.h"

#include <errno.h>
#include <string.h>

void spawn_pack_done(struct spawn_pack *p)
{
	buf_done(&p->body);
	scope_close(&p->text);
	*p = SPAWN_PACK_NONE;
}

static int add_strings(struct buf *b, const char *const *list, uint32_t *n)
{
	int r = 0;

	for (*n = 0; list && list[*n] && r == 0; ++*n)
		r = buf_add(b, list[*n], strlen(list[*n]) + 1);
	return r;
}

static int pack_text(const struct box_command *c, struct wire_spawn *s,
		     struct buf *text, struct err *e)
{
	const char *cwd = c->cwd ? c->cwd : "", *user = c->user ? c->user : "";
	int r = add_strings(text, c->argv, &s->n_argv) ?:
		add_strings(text, c->env, &s->n_env) ?:
		buf_add(text, cwd, strlen(cwd) + 1) ?:
		buf_add(text, user, strlen(user) + 1);

	if (r == 0 && (s->n_argv > WIRE_STRINGS || s->n_env > WIRE_STRINGS))
		r = -EMSGSIZE;
	if (r == -EMSGSIZE)
		return err_set(e, -E2BIG,
			       "arguments and environment are too long (%d bytes "
			       "in %d strings at the most)",
			       WIRE_TEXT, WIRE_STRINGS);
	s->text_len = (uint32_t)text->len;
	return r < 0 ? err_sys(e, r, "cannot pack the command") : 0;
}

/* The text goes behind @s or, when there is much of it, into a memfd. */
static int place_text(struct wire_spawn *s, struct buf *text, struct spawn_pack *p,
		      struct err *e)
{
	bool apart = text->len > WIRE_INLINE;
	int r = buf_add(&p->body, s, sizeof(*s));

	if (r == 0 && !apart)
		r = buf_add(&p->body, text->data, text->len);
	if (r < 0)
		return err_sys(e, r, "cannot pack the command");
	if (!apart)
		return 0;
	p->text = wire_pack(text, &s->text_len, e);
	p->fds[p->n_fds++] = p->text;
	return MIN(p->text, 0);
}

int spawn_pack(const struct box_command *c, uint32_t id, struct spawn_pack *ret,
	       struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(WIRE_TEXT);
	struct wire_spawn s = { .rows = c->rows,
				.cols = c->cols,
				.io = (uint8_t)c->io,
				.applet = c->applet,
				.keep = c->keep,
				.n_extra = c->n_extra_fds };
	int r;

	if (c->n_extra_fds > WIRE_EXTRA || !c->argv[0])
		return err_set(e, -EINVAL, "bad command");
	r = pack_text(c, &s, &text, e) ?: place_text(&s, &text, ret, e);
	for (unsigned i = 0; i < c->n_extra_fds && r == 0; i++)
		ret->fds[ret->n_fds++] = c->extra_fds[i];
	ret->head = (struct wire_head){ .type = WIRE_SPAWN,
					.id = id,
					.len = (uint32_t)ret->body.len };
	return r;
}
