#include "base/text.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/snapshot/setup_kept.h"
#include "cli/snapshot/snap.h"
#include "rootfs/store/snapshot.h"

struct args {
	const char *name, *from; /* borrowed */
};

/* What the other one has, at another place; a port can be published once. */
static int describe(const struct boxdir *from, const struct spec *to, const char *id,
		    struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	int r = boxdir_load(from, &j, e);

	if (r < 0)
		return r;
	(void)json_drop(j, "mark");
	if (spec_place_json(to, j) < 0 || json_set(j, "publish", json_array()) < 0 ||
	    (*id && json_set_str(j, "mark", id) < 0))
		return err_sys(e, -ENOMEM, "cannot describe the branch");
	(void)json_drop(json_get_mut(j, "options"), "publish");
	*ret = take(&j, NULL);
	return 0;
}

static int make_branch(struct snap *from, const struct args *a, struct err *e)
{
	struct boxsetup *s = &from->s;
	_cleanup_json_ struct json *j = NULL;
	_cleanup_spec_ struct spec to = SPEC_NONE;
	struct snapshot_branch b = { .from = a->from,
				     .key = to.key,
				     .copy = snap_copy(from) };
	char id[BOXMARK_ID] = ""; /* "": the filesystem tells no birth */
	int r;

	(void)text_copy(to.project, sizeof(to.project), s->spec.project);
	(void)text_copy(to.name, sizeof(to.name), a->name);
	if (boxmark_id(to.project, to.name, id) < 0)
		*id = '\0';
	spec_key(to.project, to.name, to.key);
	r = describe(&s->dir, &to, id, &j, e);
	b.box = j;
	if (r == 0)
		r = (a->from ? setup_kept_claim(&s->dir, a->from, j, e) : 0)
			    ?: snapshot_branch(&s->dir, &b, e);
	if (r == -EEXIST)
		return err_hint(e, "'cubby -b %s rm' removes it", a->name);
	/* Last, so that no mark leads to a box that was not made. */
	return r == 0 && *id ? boxmark_set(s->app->store, id, to.key, e) : r;
}

static int branch(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_snap_ struct snap s = SNAP(app);
	_cleanup_json_ struct json *j = json_object();
	int r = snap_find(&s, e);

	if (r >= 0)
		r = make_branch(&s, a, e);
	if (r < 0)
		return r;
	if (app->json) {
		json_set_str(j, "name", a->name);
		snap_tell(&s, j);
		return render_json(app, j);
	}
	snap_tell(&s, NULL);
	render_note(app, "branch '%s': 'cubby -b %s ...' uses it", a->name, a->name);
	return 0;
}

const struct cmd cmd_branch = {
	.name = "branch",
	.group = CMD_SNAPSHOTS,
	.summary = "make another box that begins as this one is",
	.words = "NEW [SNAPSHOT]",
	.doc = "Make another box of this directory, NEW, that begins as this one is, "
	       "or was in SNAPSHOT. What both have is on disk once. 'cubby -b NEW "
	       "...' uses it; both may run at the same time. Published ports stay "
	       "with the box that has them.",
	.operands = { CMD_TEXT_IF(struct args, name, snap_name),
		      CMD_TEXT_IF(struct args, from, snap_name) },
	.least = 1,
	.missing = "a name for the branch is missing, such as 'try'",
	.size = sizeof(struct args),
	.config = true,
	.work = branch,
};
