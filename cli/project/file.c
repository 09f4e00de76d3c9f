#include "cli/project/file.h"

#include <string.h>

#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/config_project.h"
#include "cli/project/agreed.h"
#include "cli/show/confirm.h"
#include "cli/show/render.h"

static int read_in(int root, const char *path, struct buf *ret, struct err *e)
{
	_cleanup_close_ int fd =
		inroot_open(root, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;
	int r;

	if (fd < 0)
		return err_sys(e, fd, "cannot open it");
	if (sys_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "it is no regular file");
	r = file_read_fd(fd, ret, e);
	if (r == -EMSGSIZE)
		return err_set(e, r, "it has %s; at most %s are read",
			       text_bytes((uint64_t)st.st_size), text_bytes(ret->max));
	return r;
}

int project_file_read(const char *project, const char *path, struct buf *ret,
		      struct err *e)
{
	_cleanup_close_ int root = inroot_open_real(project, O_RDONLY | O_DIRECTORY);

	if (root == -ENOSYS) /* inside a box, where none starts: the start says so */
		root = -ENOENT;
	if (root < 0)
		return err_sys(e, root, "cannot open the project");
	if (read_in(root, path, ret, e) < 0)
		return err_hint(e, "a box may have put it there; remove it if it is "
				   "not yours");
	return 0;
}

static bool ask(const struct app *app, const struct buf *widens)
{
	fprintf(app->err, "%s of this project wants more than a box has by itself:\n",
		CONFIG_PROJECT_FILE);
	render_lines(app->err, widens->data);
	return confirm_ask(app, "Permit that?");
}

/* 1 = what widens is permitted, 0 = it does not hold. */
static int permit(const struct app *app, const struct buf *widens, enum project_ask how,
		  struct err *e)
{
	bool asks = how == PROJECT_ASK || how == PROJECT_ASK_OR_FAIL;
	bool person = asks && confirm_person(app);

	if (how == PROJECT_AGREE || (person && ask(app, widens)))
		return 1;
	if (how == PROJECT_ASK)
		render_note(app,
			    "%s wants more than a box has by itself, which does not "
			    "hold until 'cubby agree' permits it",
			    CONFIG_PROJECT_FILE);
	if (how != PROJECT_ASK_OR_FAIL)
		return 0;
	if (person)
		return err_set(e, -ECANCELED, "nothing was permitted");
	err_set(e, -EPERM, "it wants more than a box has by itself");
	return err_hint(
		e, "--yes permits that; at a terminal it is shown and asked about");
}

static int take_text(const struct app *app, const struct spec *s, enum project_ask how,
		     const struct buf *text, struct err *e)
{
	_cleanup_buf_ struct buf widens = BUF_INIT(4 * CONFIG_PROJECT_MAX);
	const struct agreed a = { s->project, CONFIG_PROJECT_FILE, text };
	bool agreed = agreed_to(app->store, &a);
	int r = config_project_load(app->config, text->data, text->len, agreed, &widens,
				    e);

	if (r < 0 || !widens.len)
		return r;
	if (agreed)
		return PROJECT_FILE_WIDENS;
	r = permit(app, &widens, how, e);
	if (r <= 0)
		return r;
	r = agreed_note(app->store, &a, e);
	if (r < 0)
		return r;
	buf_truncate(&widens, 0);
	r = config_project_load(app->config, text->data, text->len, true, &widens, e);
	return r < 0 ? r : PROJECT_FILE_AGREED;
}

int project_file_load(const struct app *app, const struct spec *s, enum project_ask how,
		      struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(CONFIG_PROJECT_MAX + 1);
	int r;

	if (app->config->project) /* read a second time */
		return 0;
	r = project_file_read(s->project, CONFIG_PROJECT_FILE, &text, e);
	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r < 0)
		return err_wrap(e, "%s", CONFIG_PROJECT_FILE);
	r = take_text(app, s, how, &text, e);
	if (r >= 0)
		return r;
	err_wrap(e, "%s", CONFIG_PROJECT_FILE);
	return r == -EINVAL && !strstr(e->msg, "; ")
		       ? err_hint(e, "'cubby help boxfile' says what may stand there")
		       : r;
}
