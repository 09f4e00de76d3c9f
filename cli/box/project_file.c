#include "cli/box/project_file.h"

#include <string.h>

#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/agreed.h"
#include "cli/box/confirm.h"
#include "cli/opt/config_project.h"
#include "cli/show/render.h"

enum { SCRIPT_MAX = 1 << 20 /* bytes */, TAIL_MAX = 16 << 10 };

#define SETUP_LOG "/var/log/cubby-setup.log"

/* ---- the file -------------------------------------------------------------------------- */

/* A file of the project, read as what it is: something that the box may have made. */
static int read_inside(const char *project, const char *path, struct buf *ret,
		       struct err *e)
{
	_cleanup_close_ int root = inroot_open_real(project, O_RDONLY | O_DIRECTORY);
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (root < 0)
		return err_sys(e, root, "cannot open the project");
	fd = inroot_open(root, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0)
		return err_sys(e, fd, "cannot open it");
	if (sys_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "it is no regular file");
	return file_read_fd(fd, ret, e);
}

static bool ask(const struct app *app, const struct buf *widens, enum project_ask how)
{
	bool yes = how == PROJECT_AGREE;

	if (how == PROJECT_ASK && confirm_person(app)) {
		fprintf(app->err,
			"%s of this project wants more than a box has by "
			"itself:\n",
			CONFIG_PROJECT_FILE);
		render_lines(app->err, widens->data);
		fputs("Permit that?", app->err);
		yes = confirm_ask(app);
	}
	if (!yes && how == PROJECT_ASK)
		render_note(app,
			    "%s wants more than a box has by itself, which does not "
			    "hold until 'cubby agree' permits it",
			    CONFIG_PROJECT_FILE);
	return yes;
}

static int take_text(const struct app *app, const struct store *st,
		     const struct spec *s, enum project_ask how, const struct buf *text,
		     struct err *e)
{
	_cleanup_buf_ struct buf widens = BUF_INIT(4 * CONFIG_PROJECT_MAX);
	const struct agreed a = { s->project, CONFIG_PROJECT_FILE, text };
	bool agreed = agreed_to(st, &a);
	int r = config_project_load(app->config, text->data, text->len, agreed, &widens,
				    e);

	if (r < 0 || agreed || !widens.len)
		return r;
	if (!ask(app, &widens, how))
		return 0;
	r = agreed_note(st, &a, e);
	if (r < 0)
		return r;
	buf_truncate(&widens, 0);
	return config_project_load(app->config, text->data, text->len, true, &widens,
				   e);
}

int project_file_load(const struct app *app, const struct store *st,
		      const struct spec *s, enum project_ask how, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(CONFIG_PROJECT_MAX + 1);
	int r;

	if (app->config->project) /* read a second time */
		return 0;
	r = read_inside(s->project, CONFIG_PROJECT_FILE, &text, e);
	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r == 0)
		r = take_text(app, st, s, how, &text, e);
	return r < 0 ? err_wrap(e, "%s", CONFIG_PROJECT_FILE) : 0;
}

/* ---- setup ------------------------------------------------------------------------------ */

static const struct json *wanted(const struct app *app, const char *member)
{
	return json_get(app->config->project, member);
}

/* The text of packages and setup, and of the files of the project that begin a step. */
static int sign(const struct app *app, const struct spec *s, char ret[HASH_HEX],
		struct err *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(8 << 20);
	const struct json *packages = wanted(app, "packages");
	const struct json *setup = wanted(app, "setup");
	int r = packages ? json_print(packages, false, &b) : 0;

	json_each(it, setup)
	{
		char path[256];
		size_t n = strcspn(json_str(it), " \t");
		struct err none = ERR_NONE;

		if (r == 0)
			r = buf_addf(&b, "\n%s\n", json_str(it));
		if (n >= sizeof(path))
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)n, json_str(it));
		(void)read_inside(s->project, path, &b, &none);
	}
	if (r < 0)
		return err_sys(e, r, "cannot compare the setup");
	if (!b.len) {
		ret[0] = '\0';
		return 0;
	}
	return hash_text(b.data, b.len, ret, e);
}

/* What was done; owned by the caller's @j. */
static const char *was_done(const struct boxdir *dir, struct json **j)
{
	struct err none = ERR_NONE;

	if (boxdir_load(dir, j, &none) < 0)
		return "";
	return json_get_str(*j, "setup") ? json_get_str(*j, "setup") : "";
}

bool project_file_setup_needed(const struct app *app, const struct spec *s,
			       const struct boxdir *dir)
{
	_cleanup_json_ struct json *j = NULL;
	struct err none = ERR_NONE;
	char now[HASH_HEX];

	return app->config->project && sign(app, s, now, &none) == 0 && *now &&
	       strcmp(was_done(dir, &j), now) != 0;
}

/* The last lines of what a step printed, for the person. */
static void show_tail(const struct app *app, struct box *b)
{
	static const char *const argv[] = { "tail", "-n", "15", SETUP_LOG, NULL };
	const struct box_command c = { .argv = argv, .cwd = "/" };
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	_cleanup_buf_ struct buf text = BUF_INIT(TAIL_MAX);
	struct err none = ERR_NONE;
	char piece[4096];

	if (app->json || box_spawn(b, &c, &p, &none) < 0)
		return;
	for (;;) {
		struct pollfd f = { .fd = p.fds[1], .events = POLLIN };
		ssize_t n;

		if (sys_poll(&f, 1, 5000) <= 0)
			break;
		n = sys_read(p.fds[1], piece, sizeof(piece));
		if (n <= 0 || buf_add(&text, piece, (size_t)n) < 0)
			break;
	}
	if (text.len)
		render_lines(app->err, buf_cstr(&text));
}

struct step {
	const char *what, *script;
	const struct json *words; /* its "$@"; NULL = none */
};

static int run_step(const struct app *app, struct box *b, const struct step *st,
		    struct err *e)
{
	static const char *const env[] = { "PIP_BREAK_SYSTEM_PACKAGES=1", NULL };
	const char *argv[256 + 5] = { "sh", "-c", NULL, "sh" };
	_cleanup_buf_ struct buf script = BUF_INIT(CONFIG_PROJECT_MAX * 2);
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	const struct box_command c = { .argv = argv, .env = env, .io = BOX_IO_NULL };
	struct box_exit x = { 0 };
	size_t n = 4;
	int r = buf_addf(&script, "exec >" SETUP_LOG " 2>&1\n%s", st->script);

	json_each(it, st->words)
	{
		if (n < ARRAY_SIZE(argv) - 1)
			argv[n++] = json_str(it);
	}
	if (r < 0)
		return err_sys(e, r, "cannot run the setup");
	argv[2] = buf_cstr(&script);
	render_note(app, "setup: %s", st->what);
	r = box_spawn(b, &c, &p, e);
	if (r == 0)
		r = box_wait(b, p.id, -1, &x, e);
	if (r < 0)
		return err_wrap(e, "setup: %s", st->what);
	if (x.status == 0)
		return 0;
	show_tail(app, b);
	err_set(e, -EIO, "setup: '%.80s' ended with status %d", st->what, x.status);
	return err_hint(e,
			"all that it printed is in " SETUP_LOG " of the box; the box "
			"stays, and the next command tries again");
}

static int install(const struct app *app, struct box *b, struct err *e)
{
	static const struct step steps[] = {
		{ "apt",
		  "export DEBIAN_FRONTEND=noninteractive\n"
		  "apt-get -q update && exec apt-get -q install -y "
		  "--no-install-recommends \"$@\"",
		  NULL },
		{ "pip", "exec pip3 install \"$@\"", NULL },
		{ "npm", "exec npm install -g \"$@\"", NULL },
	};
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(steps) && r == 0; i++) {
		struct step st = steps[i];

		st.words = json_get(wanted(app, "packages"), st.what);
		if (json_len(st.words))
			r = run_step(app, b, &st, e);
	}
	return r;
}

int project_file_setup(const struct app *app, const struct spec *s,
		       const struct boxdir *dir, struct box *b, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	char now[HASH_HEX];
	int r = sign(app, s, now, e);

	if (r == 0)
		r = install(app, b, e);
	json_each(it, wanted(app, "setup"))
	{
		const struct step st = { json_str(it), json_str(it), NULL };

		if (r == 0)
			r = run_step(app, b, &st, e);
	}
	if (r < 0)
		return r;
	r = boxdir_load(dir, &j, e);
	if (r == 0 && json_set_str(j, "setup", now) < 0)
		r = err_sys(e, -ENOMEM, "cannot note the setup");
	return r < 0 ? r : boxdir_save(dir, j, e);
}
