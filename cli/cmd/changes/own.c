#include "cli/opt/cmd.h"
#include "cli/run/boxrun.h"

struct args {
	struct opt_box box;
	char **paths;
};

enum { OWN_PATHS = 1000 };

/* In the box, as its root, which is the caller: a link or a name that the box put there can
 * lead nowhere else. What another user of the host owns is nobody's in there, or an id above
 * those of the box (docs/adr/0005), and stays: nobody has two meanings, and the kernel lets
 * only the box's be changed. */
static const char script[] =
	"own() {\n"
	"	find \"$3\" -xdev -$1 +0 -$1 -65534 -exec $2 -h 0 {} + || return\n"
	"	find \"$3\" -xdev '(' -$1 65534 -o -$1 65535 ')' -exec $2 -h 0 {} + "
	"2>/dev/null || :\n"
	"}\n"
	"for p in \"$@\"; do\n"
	"	case $p in /*) ;; *) p=./$p ;; esac\n"
	"	own uid chown \"$p\" && own gid chgrp \"$p\" || status=1\n"
	"done\n"
	"exit ${status-0}\n";

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	const char *argv[OWN_PATHS + 6] = { "sh", "-c", script, "sh", "." };
	struct boxrun what = { .argv = argv };

	for (size_t i = 0; a->paths && a->paths[i]; i++) {
		if (i == OWN_PATHS)
			return err_set(e, -E2BIG, "too many paths");
		argv[4 + i] = a->paths[i];
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
