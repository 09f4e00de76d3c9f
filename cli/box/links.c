#include "cli/box/links.h"

#include <string.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/show/render.h"
#include "cli/store/boxend.h"
#include "rootfs/git/outside.h"
#include "rootfs/store/hardlinks.h"

enum { SHOWN = 300, AGAIN_S = 3600 };
static const char mark_name[] = "links";

static int open_project(const char *path)
{
	return sys_open(path, O_RDONLY | O_DIRECTORY);
}

/* It was said, or all was looked at a short while ago. */
static bool is_known(const struct boxdir *dir)
{
	struct stat st;

	if (sys_fstatat(dir->dirfd, mark_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	return st.st_size > 0 || sys_wall().tv_sec - st.st_mtim.tv_sec < AGAIN_S;
}

/* Where it cannot be kept, it is said again. */
static void mark(const struct boxdir *dir, bool said)
{
	_cleanup_close_ int fd = sys_openat(
		dir->dirfd, mark_name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return;
	(void)sys_futimens(fd, NULL);
	if (said)
		(void)sys_write(fd, "said\n", 5);
}

static const char *shown_of(char shown[SHOWN], const struct hardlinks *h)
{
	return text_escaped(shown, SHOWN, h->path, strlen(h->path));
}

static const char *more(char ret[SHOWN], uint64_t others)
{
	snprintf(ret, SHOWN, " and %llu more", (unsigned long long)others);
	return others ? ret : "";
}

void boxlinks_tell(const struct app *app, const struct boxdir *dir,
		   const struct spec *s)
{
	_cleanup_close_ int fd = -1;
	char shown[SHOWN], others[SHOWN];
	struct hardlinks h;

	if (app->quiet || app->json || is_known(dir))
		return;
	fd = open_project(s->project);
	if (fd < 0 || !hardlinks_likely(fd) ||
	    hardlinks_find(fd, s->git_writable, &h, ERR_IGNORED) < 0)
		return;
	mark(dir, h.files > 0);
	if (!h.files)
		return;
	render_note(app,
		    "'%s'%s: also linked from outside of this directory; what changes "
		    "here changes there (--unlink makes copies first)",
		    shown_of(shown, &h), more(others, h.files - 1));
}

static void tell_broken(const struct app *app, const struct hardlinks *h)
{
	const uint64_t n = h->files - h->kept;
	char shown[SHOWN], others[SHOWN];

	if (n > 0)
		render_note(app,
			    "%llu file%s linked from outside of this directory %s own "
			    "now (%s)",
			    (unsigned long long)n, n == 1 ? "" : "s",
			    n == 1 ? "is its" : "are its", text_bytes(h->bytes));
	if (h->kept)
		render_note(app, "'%s'%s: still linked from outside: %s",
			    shown_of(shown, h), more(others, h->kept - 1),
			    strerror(-h->why));
	if (h->incomplete)
		render_note(app, "not every file could be looked at for links");
}

int boxlinks_break(const struct app *app, const struct spec *s, struct err *e)
{
	_cleanup_close_ int fd = -1;
	struct hardlinks h;
	int r = boxend_idle(app->store, s->key, e);

	if (r < 0)
		return err_wrap(e, "--unlink");
	fd = open_project(s->project);
	if (fd < 0)
		return err_sys(e, fd, "--unlink: cannot open the project");
	r = hardlinks_break(fd, s->git_writable, &h, e);
	if (r < 0)
		return err_wrap(e, "--unlink");
	tell_broken(app, &h);
	return 0;
}

void boxlinks_git(const struct app *app, const char *project)
{
	_cleanup_close_ int fd = open_project(project);
	_cleanup_git_outside_ struct git_outside o = GIT_OUTSIDE_NONE;
	struct err why = ERR_NONE;
	int r = fd < 0 ? 0 : git_outside_open(fd, project, &o, &why);

	if (r < 0)
		render_note(
			app,
			"the repository of this directory is not in the box, and git "
			"does not work there: %s; commit here, outside of it",
			why.msg);
}
