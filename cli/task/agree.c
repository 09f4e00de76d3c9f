#include "cli/task/agree.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "cli/opt/config_taskfile.h"
#include "cli/project/agreed.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/store/place.h"

enum { TEXT_MAX = 64 << 10 };

/* The text; 0 when there is none. */
static int read_text(const char *project, struct buf *ret, struct err *e)
{
	_cleanup_close_ int dir = inroot_open_real(project, O_RDONLY | O_DIRECTORY);
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	if (dir < 0)
		return 0;
	fd = inroot_open(dir, CONFIG_TASKFILE,
			 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd == -ENOENT || fd == -ENOTDIR)
		return 0;
	r = fd < 0 ? fd : sys_fstat(fd, &st);
	if (r >= 0 && !S_ISREG(st.st_mode))
		r = -EINVAL;
	if (r < 0)
		return err_sys(e, r, "cannot read '%s'", CONFIG_TASKFILE);
	r = file_read_fd(fd, ret, e);
	return r < 0 ? err_wrap(e, "'%s'", CONFIG_TASKFILE) : 1;
}

static bool ask(const struct app *app, const struct buf *text)
{
	char line[16];
	ssize_t n;

	if (app->json || app->quiet || !app->live || !tty_is(STDIN_FILENO))
		return false;
	fprintf(app->err, "cubby: this project has settings of its own, in %s:\n",
		CONFIG_TASKFILE);
	render_lines(app->err, buf_cstr(text));
	fputs("\nUse them, and later unless they change? [y/N] ", app->err);
	fflush(app->err);
	n = sys_read(STDIN_FILENO, line, sizeof(line) - 1);
	line[MAX(n, (ssize_t)0)] = '\0';
	if (n <= 0) /* the terminal shows nothing for an end */
		fputc('\n', app->err);
	return strcasecmp(line, "y\n") == 0 || strcasecmp(line, "yes\n") == 0;
}

/* 1 = agreed. */
static int agreed(const struct app *app, const char *project, const struct buf *text,
		  struct err *e)
{
	const struct agreed a = { project, CONFIG_TASKFILE, text };

	if (agreed_to(app->store, &a))
		return 1;
	if (!ask(app, text))
		return err_set(e, -EPERM,
			       "%s of this project is not used: nobody has agreed to "
			       "it at a terminal",
			       CONFIG_TASKFILE);
	return agreed_note(app->store, &a, e) < 0 ? e->code : 1;
}

void agree_load(const struct app *app)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TEXT_MAX);
	struct err e = ERR_NONE, ignored;
	struct place_found place;
	_cleanup_spec_ struct spec spec = SPEC_NONE;
	int r;

	/* What is wrong with the directory or the store is told by whoever opens the box. */
	if (place_open(app, &ignored) < 0 ||
	    place_find(app, &spec, &place, &ignored) < 0)
		return;
	r = read_text(spec.project, &text, &e);
	if (r > 0)
		r = agreed(app, spec.project, &text, &e);
	if (r > 0)
		r = config_taskfile_load(app->config, buf_cstr(&text), text.len, &e);
	if (r < 0)
		render_note(app, "%s", e.msg);
}
