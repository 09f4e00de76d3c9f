#include "agent/tool/session_box.h"

#include <errno.h>

#include "agent/terminal/spill.h"
#include "agent/tool/files.h"
#include "runtime/box/box.h"

static int on_spawn(void *ctx, const struct session_spawn *c, struct session_life *ret,
		    struct err *e)
{
	struct session_box *sb = ctx;
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	struct box_command cmd = { .argv = c->argv,
				   .env = c->env,
				   .cwd = c->cwd,
				   .user = c->user,
				   .io = BOX_IO_TTY,
				   .rows = c->rows,
				   .cols = c->cols,
				   .extra_fds = c->extra_fds,
				   .n_extra_fds = c->n_extra_fds };
	int r = box_spawn(sb->box, &cmd, &p, e);

	if (r < 0)
		return r;
	ret->id = p.id;
	ret->master = take(&p.fds[0], -1);
	return 0;
}

static int on_died(void *ctx, uint32_t id, struct session_death *ret, struct err *e)
{
	struct session_box *sb = ctx;
	struct box_exit x;
	int r = box_wait(sb->box, id, 0, &x, e);

	if (r == -ETIMEDOUT)
		return 0;
	if (r < 0)
		return r;
	*ret = (struct session_death){ x.status, x.signal, x.oom, false };
	return 1;
}

static bool on_stopping(void *ctx)
{
	const struct session_box *sb = ctx;

	return box_stopping(sb->box);
}

static int on_end(void *ctx, uint32_t id, struct err *e)
{
	struct session_box *sb = ctx;

	return box_kill_session(sb->box, id, e);
}

static int on_fd(void *ctx)
{
	struct session_box *sb = ctx;

	return box_fd(sb->box);
}

static int on_save(void *ctx, const char *user, const char *path, struct spill *text,
		   struct err *e)
{
	struct session_box *sb = ctx;
	struct files f = { .box = sb->box, .user = user, .cwd = "/" };

	return files_put_spill(&f, path, text, e);
}

void session_box_init(struct session_box *sb, struct box *box, struct session_port *ret)
{
	sb->box = box;
	*ret = (struct session_port){ on_spawn, on_died, on_stopping, on_end,
				      on_fd,	on_save, sb };
}
