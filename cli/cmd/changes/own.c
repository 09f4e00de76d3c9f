#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/run/boxrun.h"

struct args {
	struct opt_box box;
	struct words paths; /* owned */
};

enum { OWN_PATHS = 1000, OWN_WORDS = 7 };

/* In the box, as its root: a link or a name that the box put there can lead nowhere else. The
 * caller is root there, or the user that the box was started for. What another user of the
 * host owns is nobody's in there, or an id above those of the box (docs/adr/0005), and stays:
 * nobody has two meanings, and the kernel lets only the box's be changed. Nothing is done
 * unless all of it is in the project: what else is in the box has the owners that it wants. */
static const char script[] =
	"own() {\n"
	"	find \"$4\" -xdev ! -$1 $3 -$1 -65534 -exec $2 -h $3 {} + || return\n"
	"	find \"$4\" -xdev '(' -$1 65534 -o -$1 65535 ')' -exec $2 -h $3 {} + "
	"2>/dev/null || :\n"
	"}\n"
	"refuse() { printf 'cubby own: %s\\n' \"$1\" >&2; exit 1; }\n"
	"uid=$1 gid=$2 project=$3\n"
	"shift 3\n"
	"for p in \"$@\"; do\n"
	"	case $p in /*) ;; *) p=./$p ;; esac\n"
	"	[ -e \"$p\" ] || [ -h \"$p\" ] || refuse \"there is no '${p#./}' here\"\n"
	"	d=$p\n"
	"	[ -d \"$p\" ] && [ ! -h \"$p\" ] || d=${p%/*}/\n"
	"	d=$(cd \"$d\" && pwd -P; echo .)\n"
	"	case ${d%?.}/ in \"$project\"/*) ;;\n"
	"	*) refuse \"'${p#./}' is not in the project, '$project'; other files of the box "
	"stay as they are\" ;;\n"
	"	esac\n"
	"done\n"
	"for p in \"$@\"; do\n"
	"	case $p in /*) ;; *) p=./$p ;; esac\n"
	"	own uid chown $uid \"$p\" && own gid chgrp $gid \"$p\" || status=1\n"
	"done\n"
	"exit ${status-0}\n";

struct owning {
	const char *argv[OWN_PATHS + OWN_WORDS + 2];
	char uid[16], gid[16], project[PATH_MAX];
};

/* Who the caller is in the project, by the box that it is done in: none that ends meanwhile,
 * and another is started for this, is asked. */
static int find_owner(void *ctx, struct box *b, struct err *e)
{
	_cleanup_json_ struct json *info = NULL;
	struct owning *o = ctx;
	const struct json *owner;
	int r;

	box_stay(b);
	r = box_ask(b, "info", NULL, &info, e);
	if (r < 0)
		return r;
	if (spec_path(info, "project", o->project) < 0)
		return err_set(e, -EPROTO, "the box does not say what its project is");
	owner = json_get(info, "owner");
	snprintf(o->uid, sizeof(o->uid), "%d", (int)json_get_int(owner, "uid", 0));
	snprintf(o->gid, sizeof(o->gid), "%d", (int)json_get_int(owner, "gid", 0));
	return 0;
}

/* Where no box is any more what it left may be given back by a new one; but nobody means one
 * by a name that was mistyped, its own or a file's. */
static int find_named(struct app *app, const struct words *paths, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	struct stat st;
	int r = boxsetup_find(&s, e);

	if (r != -ENOENT || (app->box && *app->box))
		return r;
	for (size_t i = 0; i < paths->n; i++) {
		_cleanup_buf_ struct buf path = BUF_INIT(PATH_MAX);

		if (paths->v[i][0] != '/')
			buf_addf(&path, "%s/", app->dir ? app->dir : ".");
		buf_adds(&path, paths->v[i]);
		if (sys_fstatat(AT_FDCWD, buf_cstr(&path), &st, AT_SYMLINK_NOFOLLOW) <
		    0)
			return err_set(e, -ENOENT, "there is no '%s' here",
				       text_shown(paths->v[i]));
	}
	return 0;
}

static int check_path(struct app *, void *, const char *path, struct err *e)
{
	return *path ? 0 : err_set(e, -EINVAL, "a name is missing: that of a file");
}

static int work(struct app *app, void *args, struct err *e)
{
	struct args *a = args;
	struct owning o = { .argv = { "sh", "-c", script, "sh", o.uid, o.gid, o.project,
				      "." } };
	struct boxrun what = {
		.argv = o.argv, .no_input = true, .ready = find_owner, .ready_ctx = &o
	};
	int r = find_named(app, &a->paths, e)
			?: config_set(app->config, CONFIG_USER, "0", CONFIG_FROM_FLAG,
				      e);

	if (r < 0)
		return r;
	a->box.as_root = true;
	if (a->paths.n > OWN_PATHS)
		return err_set(e, -E2BIG, "more than %d paths", OWN_PATHS);
	for (size_t i = 0; i < a->paths.n; i++)
		o.argv[OWN_WORDS + i] = a->paths.v[i];
	return boxrun_command(app, &a->box, &what);
}

const struct cmd cmd_own = {
	.name = "own",
	.group = CMD_CHANGES,
	.summary = "make files yours that users of the box made in the project",
	.words = "[PATH...]",
	.doc = "Files of the project that belong to another user than root of the box, "
	       "such as those of a database, become yours: PATHs with all below them, "
	       "or all that is below the current directory. It is done in the box, so "
	       "it reaches nothing else.",
	.tables = { OPT_BOX(struct args, box) },
	.operands = { CMD_LIST_IF(struct args, paths, check_path) },
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
