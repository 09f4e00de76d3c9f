#include <stdio.h>

#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/run/boxrun.h"

struct args {
	struct opt_box box;
	char **paths;
};

enum { OWN_PATHS = 1000, OWN_WORDS = 6 };

/* In the box, as its root: a link or a name that the box put there can lead nowhere else. The
 * caller is root there, or the user that the box was started for. What another user of the
 * host owns is nobody's in there, or an id above those of the box (docs/adr/0005), and stays:
 * nobody has two meanings, and the kernel lets only the box's be changed. */
static const char script[] =
	"own() {\n"
	"	find \"$4\" -xdev ! -$1 $3 -$1 -65534 -exec $2 -h $3 {} + || return\n"
	"	find \"$4\" -xdev '(' -$1 65534 -o -$1 65535 ')' -exec $2 -h $3 {} + "
	"2>/dev/null || :\n"
	"}\n"
	"uid=$1 gid=$2\n"
	"shift 2\n"
	"for p in \"$@\"; do\n"
	"	case $p in /*) ;; *) p=./$p ;; esac\n"
	"	own uid chown $uid \"$p\" && own gid chgrp $gid \"$p\" || status=1\n"
	"done\n"
	"exit ${status-0}\n";

struct owning {
	const char *argv[OWN_PATHS + OWN_WORDS + 2];
	char uid[16], gid[16];
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
	owner = json_get(info, "owner");
	snprintf(o->uid, sizeof(o->uid), "%d", (int)json_get_int(owner, "uid", 0));
	snprintf(o->gid, sizeof(o->gid), "%d", (int)json_get_int(owner, "gid", 0));
	return 0;
}

static int work(struct app *app, void *args, struct err *e)
{
	struct args *a = args;
	struct owning o = { .argv = { "sh", "-c", script, "sh", o.uid, o.gid, "." } };
	struct boxrun what = { .argv = o.argv, .ready = find_owner, .ready_ctx = &o };
	int r = config_set(app->config, CONFIG_USER, "0", CONFIG_FROM_FLAG, e);

	if (r < 0)
		return r;
	a->box.as_root = true;
	for (size_t i = 0; a->paths && a->paths[i]; i++) {
		if (i == OWN_PATHS)
			return err_set(e, -E2BIG, "too many paths");
		o.argv[OWN_WORDS + i] = a->paths[i];
	}
	return boxrun_command(app, &a->box, &what);
}

const struct cmd cmd_own = {
	.name = "own",
	.group = CMD_CHANGES,
	.summary = "files that users of the box made in the project become yours",
	.words = "[PATH...]",
	.doc = "Files of the project that belong to another user than root of the box, "
	       "such as those of a database, become yours: PATHs with all below them, "
	       "or all that is below the current directory. It is done in the box, so "
	       "it reaches nothing else.",
	.tables = { OPT_BOX(struct args, box) },
	.operands = { CMD_REST(struct args, paths) },
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
