/* What a call to a session gives back. */
#include <stdio.h>
#include <string.h>

#include "agent/session/impl.h"
#include "base/log.h"
#include "base/sys/sys.h"

enum { LOGS_KEPT = 20 };

void session_result_init(struct session_result *r)
{
	*r = (struct session_result){ .status = -1 };
	buf_init(&r->earlier, (size_t)1 << 20);
	buf_init(&r->text, (size_t)4 << 20);
}

void session_result_done(struct session_result *r)
{
	buf_done(&r->earlier);
	buf_done(&r->text);
	free(r->cwd);
	free(r->log_path);
	free(r->note);
	free(r->jobs);
	session_result_init(r);
}

/* The whole output of a command that was cut, for the model to search. */
static void save_log(struct session *s, struct session_result *ret)
{
	struct err e = ERR_NONE;
	char path[128];

	if (!s->conf.port->save || (s->is_dead && s->death.gone))
		return;
	snprintf(path, sizeof(path), "/var/tmp/cubby-output/%.40s-%u.txt", s->name,
		 s->serial % LOGS_KEPT);
	if (s->conf.port->save(s->conf.port->ctx, s->user, path, &s->spill, &e) < 0) {
		log_debug("session: whole output not saved: %d", e.code);
		session_note(s, "the whole output could not be kept: %s", e.msg);
		return;
	}
	ret->log_path = strdup(path);
	ret->log_partial = s->spill.total > SPILL_MAX;
}

static int take_texts(struct session *s, struct session_result *ret)
{
	int r;

	if (ret->state == SESSION_WAITING || ret->state == SESSION_RUNNING)
		output_flush(&s->output);
	session_io_batch(s);
	ret->full_screen = output_full_screen(&s->output);
	fold_flush(&s->fold);
	ret->cut = s->fold.folded || clip_cut(&s->now);
	s->fold.folded = false; /* that is told once */
	r = clip_take(&s->earlier, &ret->earlier) ?: clip_take(&s->now, &ret->text);
	if (ret->cut)
		save_log(s, ret);
	return r;
}

static int fill_death(struct session *s, struct session_result *ret, struct err *e)
{
	struct session_origin old = s->origin;
	int r;

	ret->status = s->death.status;
	ret->signal = s->death.signal;
	ret->oom = s->death.oom;
	/* the box is started again by whoever needs it: somebody may have stopped it to
	 * remove it */
	if (s->is_dead && s->death.gone) {
		ret->gone = s->told_gone = true;
		return 0;
	}
	if (s->broken && !s->is_dead) {
		ret->status = 137;
		ret->signal = SIGKILL;
		session_note(s, "the shell could no longer be driven and was ended");
	}
	r = session_life_replace(s, e);
	if (r < 0)
		return r;
	ret->jobs = session_jobnews_left(s, &old);
	return 0;
}

int session_result_fill(struct session *s, struct session_result *ret, struct err *e)
{
	int r;

	if (ret->state == SESSION_DIED)
		session_io_end_text(s);
	r = take_texts(s, ret);
	if (r < 0)
		return err_sys(e, r, "cannot keep the output");
	ret->blind = s->blind;
	if (ret->state == SESSION_EXITED)
		ret->status = s->status;
	if (ret->state == SESSION_EXITED || ret->state == SESSION_DIED) {
		s->open = s->done = false;
		fold_reset(&s->fold);
		spill_done(&s->spill);
	}
	if (ret->state == SESSION_DIED) {
		r = fill_death(s, ret, e);
		if (r < 0)
			return err_wrap(e, "the shell died and cannot be replaced");
	}
	ret->cwd = s->cwd ? strdup(s->cwd) : NULL;
	ret->note = take(&s->note, NULL);
	if (ret->state == SESSION_EXITED)
		ret->jobs = session_jobnews_news(s);
	return 0;
}
