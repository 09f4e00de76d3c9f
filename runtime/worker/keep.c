#include "runtime/worker/jobs.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/upper.h"
#include "rootfs/review/apply.h"
#include "rootfs/review/layer_outside.h"
#include "rootfs/store/checkpoint.h"
#include "rootfs/store/tree_copy.h"
#include "runtime/worker/reviewtell.h"

enum { KEEP_TEXT = 32 << 20, KEEP_LAYER = STDIN_FILENO };

/* All that a project's layer has but the overlay's own directory "work". */
static const struct part {
	const char *name;
	bool file;
	const char *dir; /* where it lies; NULL = in the layer itself */
} parts[] = {
	{ "upper", false, NULL },
	{ "git", false, NULL },
	{ "origin", false, NULL },
	{ "since", true, NULL },
	{ "gits", true, NULL },
	{ "dirs", true, NULL },
	{ LAYER_OF, true, NULL },
	{ LAYER_OUTSIDE_COMMON "/upper", false, LAYER_OUTSIDE_COMMON },
	{ LAYER_OUTSIDE_TREE "/upper", false, LAYER_OUTSIDE_TREE },
};

struct counting {
	uint64_t files, bytes;
};

/* Where a copy goes, and what of it there is already. */
struct into {
	int layer;		/* borrowed */
	int last;		/* borrowed: of the checkpoint before; -1 = none */
	struct tree_room *room; /* NULL = any: where nobody changes it */
};

static int too_much(struct err *e)
{
	return err_set(e, -EDQUOT,
		       "more than %d files or %d MiB of the project are under review",
		       KEEP_FILES, (int)(KEEP_BYTES >> 20));
}

static int count_one(void *ctx, const struct upper_entry *x, struct err *e)
{
	struct counting *c = ctx;

	c->files++;
	c->bytes += (uint64_t)x->st.st_blocks * 512;
	if (c->files <= KEEP_FILES && c->bytes <= KEEP_BYTES)
		return 0;
	return too_much(e);
}

static int copy_file(int from, int to, const char *name, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(KEEP_TEXT);
	int r = file_read(from, name, &text, e);

	return r < 0 ? r
		     : file_replace(to, name,
				    &(struct file_data){ text.data, text.len, 0600 },
				    e);
}

static int copy_dir(int from, int to, const char *name, struct err *e)
{
	_cleanup_close_ int dir = file_open_dir(from, name, e);
	struct tree_copied ignored;

	return dir < 0 ? dir : tree_copy_layer(dir, to, name, &ignored, e);
}

/* An "upper", to which the box goes on writing. */
static int copy_upper(int from, int to, const char *name, const struct into *into,
		      struct err *e)
{
	_cleanup_close_ int dir = file_open_dir(from, name, e);
	_cleanup_close_ int earlier = -1;
	struct tree_copied ignored;
	int r;

	if (dir < 0)
		return dir;
	if (into->last >= 0)
		earlier = sys_openat(into->last, name,
				     O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	into->room->earlier = earlier;
	r = tree_copy_within(dir, to, name, into->room, &ignored, e);
	return r == -EDQUOT ? too_much(e) : r;
}

static int copy_part(int project, const struct part *p, int to, const struct into *into,
		     struct err *e)
{
	int r = p->dir ? sys_mkdirat(to, p->dir, 0711) : 0;

	if (r < 0)
		return err_sys(e, r, "cannot make a layer");
	if (p->file)
		return copy_file(project, to, p->name, e);
	return into->room && text_ends(p->name, "upper")
		       ? copy_upper(project, to, p->name, into, e)
		       : copy_dir(project, to, p->name, e);
}

static int copy_parts(int project, const struct into *into, struct err *e)
{
	_cleanup_close_ int to = -1;
	struct stat st;
	int r = sys_mkdirat(into->layer, "project", 0711);

	if (r < 0)
		return err_sys(e, r, "cannot make a layer");
	to = file_open_dir(into->layer, "project", e);
	if (to < 0)
		return to;
	for (size_t i = 0; i < ARRAY_SIZE(parts) && r == 0; i++)
		if (sys_fstatat(project, parts[i].name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			r = copy_part(project, &parts[i], to, into, e);
	return r;
}

/* Where there is one: a repository outside of the project is rare. */
static int sign_or_count(int project, const char *name, uint64_t *sign,
			 struct counting *c, struct err *e)
{
	_cleanup_close_ int upper =
		sys_openat(project, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	uint64_t now = 0;
	int r;

	if (upper == -ENOENT)
		return 0;
	if (upper < 0)
		return err_sys(e, upper, "cannot open a layer");
	r = c ? upper_walk(upper, count_one, c, e) : upper_sign(upper, &now, e);
	if (sign)
		*sign += now;
	return r;
}

/* 1 = it is another than @had */
static int sign_all(int project, const char *had, char sign[CHECKPOINT_SIGN],
		    struct err *e)
{
	struct counting c = { .files = 0 };
	uint64_t now = 0;
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts) && r == 0; i++)
		if (text_ends(parts[i].name, "upper"))
			r = sign_or_count(project, parts[i].name, &now, NULL, e);
	snprintf(sign, CHECKPOINT_SIGN, "%" PRIu64, now);
	if (r < 0 || !strcmp(sign, had))
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(parts) && r == 0; i++)
		if (text_ends(parts[i].name, "upper"))
			r = sign_or_count(project, parts[i].name, NULL, &c, e);
	return r < 0 ? r : 1;
}

/* The box goes on: what was counted may be more by the time that it is copied. */
static int keep(int project, struct json *arg, uint64_t *written, struct err *e)
{
	char path[CHAIN_ID + sizeof("/project")];
	_cleanup_close_ int last = -1;
	_cleanup_close_ int layer =
		file_open_dir(STDIN_FILENO, json_get_str(arg, "into") ?: "", e);
	uint64_t had = (uint64_t)MAX(json_get_int(arg, "had", 0), INT64_C(0));
	uint64_t bytes = MIN(KEEP_BYTES, KEEP_ALL - MIN(had, KEEP_ALL));
	struct tree_room room = { KEEP_FILES, bytes, -1 };
	int r;

	if (layer < 0)
		return layer;
	snprintf(path, sizeof(path), "%.16s/project", json_get_str(arg, "last") ?: "");
	last = sys_openat(STDIN_FILENO, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	r = copy_parts(project, &(struct into){ layer, last, &room }, e);
	*written = bytes - room.bytes;
	return r;
}

int keepbox_job(int dir, const char *, const struct idmap *, struct json **,
		struct err *e)
{
	_cleanup_close_ int project = -1;
	struct stat st;
	int r = copy_dir(dir, KEEP_LAYER, "upper", e);

	if (r == 0)
		r = sys_renameat(KEEP_LAYER, "upper", KEEP_LAYER, "machine");
	if (r < 0)
		return e->code ? r : err_sys(e, r, "cannot keep the copy of a layer");
	if (sys_fstatat(dir, "project/upper", &st, AT_SYMLINK_NOFOLLOW) == -ENOENT)
		return 0;
	project = file_open_dir(dir, "project", e);
	return project < 0
		       ? project
		       : copy_parts(project, &(struct into){ KEEP_LAYER, -1, NULL }, e);
}

int keep_job(int dir, const char *arg, const struct idmap *, struct json **ret,
	     struct err *e)
{
	_cleanup_close_ int project = file_open_dir(dir, "project", e);
	_cleanup_json_ struct json *what = NULL, *j = json_object();
	char sign[CHECKPOINT_SIGN];
	uint64_t written = 0;
	int applied, copied, r;

	r = project < 0 ? project : json_parse(arg ?: "", strlen(arg ?: ""), &what, e);
	if (r < 0)
		return r;
	r = copied = sign_all(project, json_get_str(what, "sign") ?: "", sign, e);
	if (copied > 0)
		r = keep(project, what, &written, e);
	if (r < 0)
		return reviewtell_remedy(e);
	applied = apply_last(dir, e);
	if (applied < 0)
		return applied;
	json_set_str(j, "sign", sign);
	json_set_bool(j, "copied", copied > 0);
	json_set_int(j, "written", (int64_t)written);
	json_set_int(j, "applied", applied);
	if (json_failed(j) < 0)
		return err_sys(e, -ENOMEM, "cannot report");
	*ret = take(&j, NULL);
	return 0;
}
