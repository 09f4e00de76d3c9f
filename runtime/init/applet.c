#include "runtime/init/applet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/init/applets.h"
#include "runtime/init/regular.h"

enum { CHUNK = 64 << 10 };

static int write_head(const struct stat *st, struct err *e)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "%o %" PRId64 "\n", st->st_mode,
			 (int64_t)st->st_size);

	return file_write_fd(1, line, (size_t)n, e);
}

/* ---- stat, get -------------------------------------------------------------------- */

static int run_stat(char *const argv[], struct err *e)
{
	struct stat st;
	int r = sys_fstatat(AT_FDCWD, argv[1], &st, 0);

	if (r < 0)
		return err_sys(e, r, "cannot look at '%s'", argv[1]);
	return write_head(&st, e);
}

static int copy_out(int fd, uint64_t left, const char *path, struct err *e)
{
	char data[CHUNK];

	while (left) {
		ssize_t n = sys_read(fd, data, (size_t)MIN(left, (uint64_t)CHUNK));
		int r;

		if (n < 0)
			return err_sys(e, (int)n, "cannot read '%s'", path);
		if (n == 0)
			break;
		r = file_write_fd(1, data, (size_t)n, e);
		if (r < 0)
			return r;
		left -= (uint64_t)n;
	}
	return 0;
}

static int run_get(char *const argv[], struct err *e)
{
	uint64_t max;
	struct stat st;
	_cleanup_close_ int fd = regular_open(argv[1], &st, e);
	int r;

	if (fd < 0)
		return fd;
	if (num_u64(argv[2], &max) < 0)
		return err_set(e, -EINVAL, "bad size '%s'", argv[2]);
	r = write_head(&st, e);
	return r < 0 ? r : copy_out(fd, max, argv[1], e);
}

/* ---- the table -------------------------------------------------------------------- */

static const struct applet {
	const char *name;
	int args; /* negative: so many at least */
	int (*run)(char *const argv[], struct err *e);
} table[] = {
	{ "get", 2, run_get },
	{ "put", 2, put_run },
	{ "stat", 1, run_stat },
	{ "connect", 1, bridge_run },
	{ "zip", -1, zip_run },
	{ "list", 1, browse_list },
	{ "text", 3, browse_text },
	{ "mkdir", 1, browse_mkdir },
	{ "remove", 1, browse_remove },
	{ "move", 2, browse_move },
	{ "glob", -4, find_glob },
	{ "grep", -4, find_grep },
	{ "search", 5, rank_search },
	{ "matches", 5, rank_matches },
	{ "skills", 1, skills_list },
	{ "skill", 2, skills_read },
	{ "listen", 1, listen_run },
	{ "compare", -4, compare_run },
	{ "owners", 0, owners_run },
	{ "replace", 2, replace_run },
	{ "document", -4, browse_document },
	{ "made", -2, made_run },
};

static int say(int status, int code, const char *msg)
{
	char line[sizeof(struct err) + 16];
	int n = snprintf(line, sizeof(line), "%d %s\n", -code, msg);

	file_write_fd(2, line, (size_t)n, ERR_IGNORED);
	return status;
}

int applet_main(int argc, char *const argv[])
{
	for (size_t i = 0; argc > 0 && i < ARRAY_SIZE(table); i++) {
		struct err e = ERR_NONE;

		if (strcmp(table[i].name, argv[0]) != 0)
			continue;
		if (table[i].args < 0 ? argc - 1 < -table[i].args
				      : argc - 1 != table[i].args)
			return say(2, -EINVAL, "wrong number of arguments");
		return table[i].run(argv, &e) < 0 ? say(1, e.code, e.msg) : 0;
	}
	return say(127, -ENOSYS, "unknown applet");
}
