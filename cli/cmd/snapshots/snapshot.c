#include <string.h>

#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/snapshot/setup_kept.h"
#include "cli/snapshot/snap.h"
#include "rootfs/store/snapshot.h"

enum { SNAPSHOT_NUMBERS = 10000 };

struct args {
	const char *name; /* borrowed; NULL = the next number */
};

/* ---- a name ------------------------------------------------------------------------------ */

static int note_number(void *ctx, const char *name, const struct chain *)
{
	bool *taken = ctx;
	unsigned n = 0;

	for (const char *p = name; *p >= '0' && *p <= '9' && n < SNAPSHOT_NUMBERS; p++)
		n = 10 * n + (unsigned)(*p - '0');
	if (n < SNAPSHOT_NUMBERS && name[strspn(name, "0123456789")] == '\0')
		taken[n] = true;
	return 0;
}

/* The one after the highest, so that names are not used again by accident. */
static int next_number(const struct boxdir *b, char ret[SPEC_NAME], struct err *e)
{
	bool taken[SNAPSHOT_NUMBERS] = { false };
	unsigned n = SNAPSHOT_NUMBERS - 1;
	int r = snapshot_list(b, note_number, taken, e);

	while (n > 0 && !taken[n])
		n--;
	if (r == 0 && n == SNAPSHOT_NUMBERS - 1)
		return err_set(e, -EOVERFLOW, "all numbers are taken; give it a name");
	snprintf(ret, SPEC_NAME, "%u", n + 1);
	return r;
}

/* ---- the work ---------------------------------------------------------------------------- */

static int tell(const struct app *app, const struct snap *s, const char *name,
		const struct chain *c)
{
	_cleanup_json_ struct json *j = json_object();

	if (!app->json) {
		snap_tell(s, NULL);
		render_note(
			app,
			*c->project
				? "snapshot '%s': the box, and what is under review"
				: "snapshot '%s': the box; nothing of the project is "
				  "under review, so the directory is no part of it",
			name);
		return 0;
	}
	json_set_str(j, "name", name);
	json_set_int(j, "layers", (int64_t)c->n);
	json_set_bool(j, "project", *c->project != '\0');
	snap_tell(s, j);
	return render_json(app, j);
}

static int take_one(struct app *app, void *args, struct err *e)
{
	const char *name = ((const struct args *)args)->name;
	_cleanup_snap_ struct snap s = SNAP(app);
	_cleanup_json_ struct json *record = NULL;
	char number[SPEC_NAME];
	struct chain c;
	int r = snap_find(&s, e);

	if (r < 0)
		return r;
	r = name ? 0 : next_number(&s.s.dir, number, e);
	if (r < 0)
		return r;
	name = name ?: number;
	/* before: a step that ends meanwhile is half in the snapshot */
	r = boxdir_load(&s.s.dir, &record, e);
	if (r < 0)
		return r;
	r = snapshot_take(&s.s.dir, name, snap_copy(&s), &c, e);
	if (r < 0)
		return r;
	r = setup_kept_note(&s.s.dir, name, json_get(record, "setup"), e);
	return r < 0 ? r : tell(app, &s, name, &c);
}

const struct cmd cmd_snapshot = {
	.name = "snapshot",
	.group = CMD_SNAPSHOTS,
	.summary = "keep the state of a box",
	.words = "[NAME]",
	.doc = "Keep the state of this directory's box: all that was installed and "
	       "written in it, and what of the project waits for 'cubby apply'. It "
	       "takes no time and no space but for what changes later; a box in use "
	       "stands still while what it has written is copied, and goes on. Without "
	       "NAME it gets a number. 'cubby restore' goes back to it, 'cubby branch' "
	       "begins another box with it.",
	.operands = { CMD_TEXT_IF(struct args, name, snap_name) },
	.size = sizeof(struct args),
	.config = true,
	.work = take_one,
};
