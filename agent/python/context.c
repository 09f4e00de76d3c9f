#include "agent/python/context.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/python/shim.h"

enum { STOP_MS = 10000 };

static int spawn(const struct python_conf *conf, const char *what, struct box_proc *ret,
		 struct err *e)
{
	char word[PYTHON_CONTEXT_NAME + 16];
	const char *argv[] = { "python3", "/proc/self/fd/3", "-", "-", word, NULL };
	_cleanup_close_ int text = shim_open(e);
	struct box_command c = { .argv = argv,
				 .env = conf->env,
				 .cwd = conf->cwd,
				 .user = conf->user,
				 .io = BOX_IO_NULL,
				 .keep = strcmp(what, "serve") == 0,
				 .extra_fds = &text,
				 .n_extra_fds = 1 };
	int r;

	if (text < 0)
		return text;
	snprintf(word, sizeof(word), "%s=%s", what, conf->context);
	r = conf->port.spawn(conf->port.ctx, &c, ret, e);
	if (r == -ENOENT)
		return python_missing(e);
	return r < 0 ? err_wrap(e, "context '%s'", conf->context) : r;
}

int python_context_serve(const struct python_conf *conf, struct err *e)
{
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	int r = spawn(conf, "serve", &p, e);

	return MIN(r, 0);
}

int python_context_stop(const struct python_conf *conf, struct err *e)
{
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	struct box_exit x = { 0 };
	int r = spawn(conf, "stop", &p, e);

	if (r < 0)
		return r;
	r = conf->port.wait(conf->port.ctx, p.id, STOP_MS, &x, e);
	if (r >= 0 && x.status)
		return err_set(e, -EIO, "the context '%s' cannot be ended",
			       conf->context);
	return r < 0 ? err_wrap(e, "context '%s'", conf->context) : 0;
}
