#include "cli/box/confirm.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/waits.h"
#include "cli/show/render.h"
#include "cli/show/table.h"
#include "cli/show/tty.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/snapshot.h"

/* As git and docker understand it: the word, or its beginning. */
bool confirm_is_yes(const char *line)
{
	static const char *const words[] = { "y\n", "Y\n", "yes\n", "Yes\n", "YES\n" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(line, words[i]))
			return true;
	return false;
}

/* "  DIRECTORY  IMAGE, 12.3 MiB, used 3d ago" */
static void show_box(const struct app *app, const struct store *st,
		     const struct boxlist_item *b)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	char size[32] = "unknown size", age[32];
	size_t waiting = waits_count(st, b->key);
	struct err ignored = ERR_NONE;

	if (boxdir_open(st, b->key, false, &dir, &ignored) == 0)
		(void)text_bytes(size, sizeof(size), snapshot_bytes(st, &dir));
	fputs("  ", app->err);
	render_safe(app->err, b->project);
	fprintf(app->err, "  %s, %s, used %s", b->image, size,
		table_age(age, sizeof(age), sys_wall().tv_sec - b->used));
	if (waiting)
		fprintf(app->err, "; %zu change%s of its project not taken over",
			waiting, waiting == 1 ? "" : "s");
	fputc('\n', app->err);
}

bool confirm_person(const struct app *app)
{
	return !app->json && tty_is(STDIN_FILENO) && tty_is(STDERR_FILENO);
}

bool confirm_ask(const struct app *app)
{
	char line[16] = "";

	fputs(" [y/N] ", app->err);
	fflush(app->err);
	return fgets(line, sizeof(line), stdin) && confirm_is_yes(line);
}

int confirm_one(const struct app *app, const struct store *st, const char *key,
		struct err *e)
{
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	size_t waiting = confirm_person(app) ? 0 : waits_count(st, key);
	int r = confirm_person(app) ? boxlist_read(st, &l, e) : 0;

	if (waiting) {
		err_set(e, -EPERM,
			"%zu change%s of its project would be lost, not taken over",
			waiting, waiting == 1 ? "" : "s");
		return err_hint(e, "'cubby diff' shows them, --yes throws them away");
	}

	for (size_t i = 0; i < l.n && r == 0; i++) {
		const struct boxlist_item *b = &l.v[i];

		if (strcmp(b->key, key) == 0)
			r = confirm_removal(app, st, &b, 1, false, e);
	}
	return r;
}

int confirm_removal(const struct app *app, const struct store *st,
		    const struct boxlist_item *const *boxes, size_t n, bool yes,
		    struct err *e)
{
	if (!n || yes)
		return 0;
	if (!confirm_person(app)) {
		err_set(e, -EPERM,
			"%zu box%s would be removed, with all that was installed there",
			n, n == 1 ? "" : "es");
		return err_hint(e, "--yes does it, 'cubby ls' lists them");
	}
	for (size_t i = 0; i < n; i++)
		show_box(app, st, boxes[i]);
	fprintf(app->err, "Remove %s, with all that was installed there?",
		n == 1 ? "this box" : "these boxes");
	if (confirm_ask(app))
		return 0;
	return err_set(e, -ECANCELED, "nothing was removed");
}
