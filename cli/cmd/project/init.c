#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/cmd.h"
#include "cli/opt/config_project.h"
#include "cli/opt/manual.h"
#include "cli/project/boxguess.h"
#include "cli/show/render.h"
#include "cli/store/place.h"

struct args {
	bool force;
};

/* 0 = there is none. */
static int read_file(int project, const char *path, struct buf *ret, struct err *e)
{
	_cleanup_close_ int fd =
		inroot_open(project, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	if (fd == -ENOENT || fd == -ENOTDIR)
		return 0;
	if (r == 0 && !S_ISREG(st.st_mode))
		r = -EINVAL;
	if (r < 0)
		return err_sys(e, r, "cannot read '%s'", path);
	return file_read_fd(fd, ret, e) < 0 ? err_wrap(e, "'%s'", path) : 1;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* 1 = it was there. */
static int take_dockerfile(const struct app *app, int project, const char *path,
			   struct boxguess *g, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(BOXGUESS_TEXT + 1);
	int r = read_file(project, path, &text, e);

	if (r <= 0)
		return r;
	render_note(app, "from '%s'", text_shown(path));
	r = boxguess_dockerfile(buf_cstr(&text), text.len, g, e);
	return r < 0 ? err_wrap(e, "'%s'", text_shown(path)) : 1;
}

/* The one of .devcontainer/NAME/devcontainer.json; of several none, and that is said. */
static int find_named(const struct app *app, int project, char ret[BOXGUESS_NAME],
		      struct err *e)
{
	_cleanup_close_ int fd =
		inroot_open(project, ".devcontainer", O_RDONLY | O_DIRECTORY);
	struct dirscan scan;
	size_t found = 0;
	int r;

	dirscan_start(&scan, fd);
	while (dirscan_next(&scan)) {
		char path[BOXGUESS_NAME];

		snprintf(path, sizeof(path), "%s/devcontainer.json", scan.name);
		if (!file_is_there(fd, path))
			continue;
		found++;
		snprintf(ret, BOXGUESS_NAME, ".devcontainer/%.100s/devcontainer.json",
			 scan.name);
	}
	if (found > 1)
		render_note(app,
			    ".devcontainer has %zu devcontainer.json: copy the one "
			    "that is meant to .devcontainer.json",
			    found);
	r = fd < 0 ? 0 : dirscan_failed(&scan, e);
	if (r >= 0 && found != 1)
		*ret = '\0';
	return r;
}

static int unusable(const char *file, struct err *e)
{
	err_wrap(e, "'%s'", file);
	return err_hint(e, "mend it, or write %s by hand: 'cubby help boxfile'",
			CONFIG_PROJECT_FILE);
}

/* Where it names a Dockerfile that comes first: each stage of it begins anew. */
static int take_devcontainer(const struct app *app, int project, struct boxguess *g,
			     struct err *e)
{
	static const char *const paths[] = { ".devcontainer/devcontainer.json",
					     ".devcontainer.json" };
	_cleanup_buf_ struct buf text = BUF_INIT(BOXGUESS_TEXT + 1);
	_cleanup_boxguess_ struct boxguess first;
	char path[2 * BOXGUESS_NAME];
	char named[BOXGUESS_NAME] = "";
	const char *from = paths[0];
	int r = boxguess_init(&first);

	if (r < 0)
		return err_sys(e, r, "cannot describe the box");
	r = read_file(project, from, &text, e);
	if (r == 0) {
		from = paths[1];
		r = read_file(project, from, &text, e);
	}
	if (r == 0) {
		from = named;
		r = find_named(app, project, named, e);
	}
	if (r == 0 && *named)
		r = read_file(project, from, &text, e);
	if (r <= 0)
		return r;
	render_note(app, "from '%s'", text_shown(from));
	r = boxguess_devcontainer(buf_cstr(&text), text.len, &first, e);
	if (r < 0)
		return unusable(from, e);
	if (*first.dockerfile) {
		snprintf(path, sizeof(path), "%.*s%s",
			 (int)(strlen(from) - strlen(base_of(from))), from,
			 first.dockerfile);
		r = take_dockerfile(app, project, path, g, e);
		if (r == 0)
			render_note(app, "its Dockerfile '%s' is not there",
				    text_shown(path));
	}
	if (r >= 0)
		r = boxguess_devcontainer(buf_cstr(&text), text.len, g, e);
	return r < 0 ? unusable(from, e) : 1;
}

static int take_files(const struct app *app, int project, struct boxguess *g,
		      struct err *e)
{
	/* Locks come before what they lock. */
	static const char *const names[] = { "package-lock.json",
					     "pnpm-lock.yaml",
					     "yarn.lock",
					     "uv.lock",
					     "poetry.lock",
					     "package.json",
					     "requirements.txt",
					     "pyproject.toml",
					     "Cargo.toml",
					     "go.mod",
					     "pom.xml",
					     "Makefile",
					     "CMakeLists.txt",
					     "meson.build",
					     "Gemfile" };
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (sys_fstatat(project, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		render_note(app, "there is a %s", names[i]);
		if (boxguess_file(names[i], g) < 0)
			return err_sys(e, -ENOMEM, "cannot describe the box");
	}
	return 0;
}

static int guess(const struct app *app, int project, struct boxguess *g, struct err *e)
{
	int r = take_devcontainer(app, project, g, e) ?:
		take_dockerfile(app, project, "Dockerfile", g, e) ?:
		take_files(app, project, g, e);

	return MIN(r, 0);
}

static int write_file(int project, bool force, const struct json *box, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(4 * BOXGUESS_TEXT);
	_cleanup_close_ int dir = -1;
	int r = json_print(box, true, &text) ?: buf_addc(&text, '\n');

	if (r < 0)
		return err_sys(e, r, "cannot write it");
	r = sys_mkdirat(project, ".cubby", 0755);
	if (r < 0 && r != -EEXIST)
		return err_sys(e, r, "cannot make '.cubby'");
	dir = sys_openat2(project, ".cubby", O_RDONLY | O_DIRECTORY, 0,
			  RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	if (dir < 0)
		return err_sys(e, dir, "cannot open '.cubby'");
	if (!force && file_is_there(dir, "box.json")) {
		err_set(e, -EEXIST, "there is a %s", CONFIG_PROJECT_FILE);
		return err_hint(e, "--force writes it anew");
	}
	return file_replace(dir, "box.json",
			    &(struct file_data){ text.data, text.len, 0644 }, e);
}

/* A line for each, under what was said. */
static void show_left(const struct app *app, const char *lines)
{
	for (const char *end; *lines; lines = end) {
		char line[320];

		end = lines + strcspn(lines, "\n");
		end += *end == '\n';
		snprintf(line, sizeof(line), "  %.*s", (int)(end - lines), lines);
		render_lines(app->err, line);
	}
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxguess_ struct boxguess g;
	_cleanup_close_ int project = -1;
	_cleanup_spec_ struct spec s = SPEC_NONE;
	int r;

	if (boxguess_init(&g) < 0)
		return err_sys(e, -ENOMEM, "cannot describe the box");
	r = place_locate(app, &s, e);
	if (r < 0)
		return r;
	project = inroot_open_real(s.project, O_RDONLY | O_DIRECTORY);
	if (project < 0)
		return err_sys(e, project, "cannot open the directory");
	r = guess(app, project, &g, e);
	if (r < 0)
		return r;
	r = write_file(project, a->force, g.box, e);
	if (r < 0)
		return r;
	if (!json_first(g.box))
		render_note(
			app,
			"nothing here says what a box needs: the file is empty, " MANUAL_PAGE(
				"boxfile") " has its members");
	if (g.left.len && !app->quiet) {
		render_note(app, "not in it, for you to look at:");
		show_left(app, buf_cstr(&g.left));
	}
	render_note(app,
		    "wrote %s; 'cubby agree' permits what widens the box, 'cubby "
		    "exec' makes it",
		    CONFIG_PROJECT_FILE);
	return app->json && render_json(app, g.box) < 0
		       ? err_sys(e, -ENOMEM, "cannot show it")
		       : 0;
}

static const struct cmd_option options[] = {
	{ "force", 'f', NULL, "write it anew where there is one",
	  CMD_FLAG(struct args, force) },
	{ 0 },
};

const struct cmd cmd_init = {
	.name = "init",
	.group = CMD_PROJECT,
	.summary = "write a first .cubby/box.json for this directory",
	.doc = "Write a first .cubby/box.json for this directory, from its "
	       "devcontainer.json, its Dockerfile, or else from the files that it "
	       "has; what was not understood is said. Nothing of it holds that gives "
	       "the box more, before 'cubby agree'.",
	.options = options,
	.size = sizeof(struct args),
	.work = work,
};
