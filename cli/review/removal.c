#include "cli/review/removal.h"

#include <errno.h>
#include <string.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/review/review.h"
#include "cli/show/confirm.h"
#include "cli/show/render.h"
#include "cli/show/table.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/packages.h"
#include "rootfs/store/snapshot.h"

enum { NAMED = 6 /* of the packages */ };

/* Files that would change; 0 also where that cannot be found out, as where the directory is
 * gone. */
static size_t waiting_of(const struct store *st, const char *key)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	_cleanup_spec_ struct spec spec = SPEC_NONE;
	_cleanup_review_ struct review rv = REVIEW(&dir, &spec);
	_cleanup_json_ struct json *record = NULL, *list = NULL;
	_cleanup_json_ struct json *args = review_args("diff");
	size_t n = 0;

	if (boxdir_open(st, key, false, &dir, ERR_IGNORED) < 0 ||
	    boxdir_load(&dir, &record, ERR_IGNORED) < 0 ||
	    spec_from_json(record, &spec, ERR_IGNORED) < 0 ||
	    review_open(&rv, REVIEW_LOOK, ERR_IGNORED) < 0 ||
	    review_ask(&rv, args, &list, NULL, ERR_IGNORED) < 0)
		return 0;
	json_each(it, list)
	{
		n += !json_get_bool(it, "directory", false);
	}
	return n;
}

static int add_one(void *ctx, const char *, const struct chain *)
{
	*(size_t *)ctx += 1;
	return 0;
}

static void show_snapshots(const struct app *app, const struct boxdir *dir)
{
	size_t n = 0;

	if (snapshot_list(dir, add_one, &n, ERR_IGNORED) == 0 && n)
		fprintf(app->err, "; %zu snapshot%s", n, n == 1 ? "" : "s");
}

/* "; 7 packages installed there: jq, libjq1, … and 2 more" */
static void show_packages(const struct app *app, const struct packages *p)
{
	if (p->n)
		fprintf(app->err, "; %zu package%s installed there: ", p->n,
			p->n == 1 ? "" : "s");
	for (size_t i = 0; i < p->n && i < NAMED; i++)
		fprintf(app->err, "%s%s", i ? ", " : "", p->v[i]);
	if (p->n > NAMED)
		fprintf(app->err, " and %zu more", p->n - NAMED);
}

/* "  DIRECTORY  IMAGE, 12.3 MiB, used 3d ago" */
static void show_box(const struct app *app, const struct boxlist_item *b)
{
	_cleanup_packages_ struct packages packages = PACKAGES_NONE;
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	char size[32] = "unknown size", age[32];
	size_t waiting = waiting_of(app->store, b->key);

	if (boxdir_open(app->store, b->key, false, &dir, ERR_IGNORED) == 0) {
		text_put_bytes(size, sizeof(size), snapshot_bytes(&dir));
		(void)packages_added(&dir, b->image_dir, &packages);
	}
	fputs("  ", app->err);
	render_safe(app->err, b->project);
	fprintf(app->err, "  %s, %s, used %s", b->image, size,
		table_age(age, sizeof(age), sys_wall().tv_sec - b->used));
	if (waiting)
		fprintf(app->err, "; %zu change%s of its project not taken over",
			waiting, waiting == 1 ? "" : "s");
	show_snapshots(app, &dir);
	show_packages(app, &packages);
	fputc('\n', app->err);
}

int removal_confirm_one(const struct app *app, const char *key, struct err *e)
{
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	size_t waiting = confirm_person(app) ? 0 : waiting_of(app->store, key);
	int r = confirm_person(app) ? boxlist_read(app->store, &l, e) : 0;

	if (waiting) {
		err_set(e, -EPERM,
			"%zu change%s of its project would be lost, not taken over",
			waiting, waiting == 1 ? "" : "s");
		return err_hint(e, "'cubby diff' shows them, --yes throws them away");
	}

	for (size_t i = 0; i < l.n && r == 0; i++) {
		const struct boxlist_item *b = &l.v[i];

		if (strcmp(b->key, key) == 0)
			r = removal_confirm(app, &b, 1, false, e);
	}
	return r;
}

int removal_confirm(const struct app *app, const struct boxlist_item *const *boxes,
		    size_t n, bool yes, struct err *e)
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
		show_box(app, boxes[i]);
	if (confirm_ask(app,
			n == 1 ? "Remove this box, with all that was installed there?"
			       : "Remove these boxes, with all that was installed "
				 "there?"))
		return 0;
	return err_set(e, -ECANCELED, "nothing was removed");
}
