#include "runtime/worker/jobs.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/upper.h"
#include "rootfs/review/apply.h"
#include "rootfs/review/layer_outside.h"
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

static int too_much(struct err *e)
{
	return err_set(e, -EDQUOT,
		       "more than %d files or %d MiB of the project are under review",
		       (int)KEEP_FILES, (int)(KEEP_BYTES >> 20));
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

/* @room: NULL where nobody changes it. */
static int copy_dir(int from, int to, const char *name, struct tree_room *room,
		    struct err *e)
{
	_cleanup_close_ int dir = file_open_dir(from, name, e);
	struct tree_copied ignored;
	int r;

	if (dir < 0)
		return dir;
	r = tree_copy_within(dir, to, name, room, &ignored, e);
	return r == -EDQUOT && room ? too_much(e) : r;
}

static int copy_parts(int project, struct tree_room *room, struct err *e)
{
	_cleanup_close_ int to = -1;
	struct stat st;
	int r = sys_mkdirat(KEEP_LAYER, "project", 0711);

	if (r < 0)
		return err_sys(e, r, "cannot make a layer");
	to = file_open_dir(KEEP_LAYER, "project", e);
	if (to < 0)
		return to;
	for (size_t i = 0; i < ARRAY_SIZE(parts) && r == 0; i++) {
		const struct part *p = &parts[i];

		if (sys_fstatat(project, p->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		r = p->dir ? sys_mkdirat(to, p->dir, 0711) : 0;
		if (r < 0)
			return err_sys(e, r, "cannot make a layer");
		r = p->file ? copy_file(project, to, p->name, e)
			    : copy_dir(project, to, p->name,
				       text_ends(p->name, "upper") ? room : NULL, e);
	}
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

static int keep(int project, const char *had, char sign[24], bool *copied,
		struct err *e)
{
	struct counting c = { .files = 0 };
	/* The box goes on: what was counted may be more by the time that it is copied. */
	struct tree_room room = { KEEP_FILES, KEEP_BYTES };
	uint64_t now = 0;
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts) && r == 0; i++)
		if (text_ends(parts[i].name, "upper"))
			r = sign_or_count(project, parts[i].name, &now, NULL, e);
	if (r < 0)
		return r;
	snprintf(sign, 24, "%" PRIu64, now);
	*copied = strcmp(sign, had) != 0;
	for (size_t i = 0; i < ARRAY_SIZE(parts) && r == 0 && *copied; i++)
		if (text_ends(parts[i].name, "upper"))
			r = sign_or_count(project, parts[i].name, NULL, &c, e);
	return r < 0 || !*copied ? r : copy_parts(project, &room, e);
}

int keepbox_job(int dir, const char *, const struct idmap *, struct json **,
		struct err *e)
{
	_cleanup_close_ int project = -1;
	struct stat st;
	int r = copy_dir(dir, KEEP_LAYER, "upper", NULL, e);

	if (r == 0)
		r = sys_renameat(KEEP_LAYER, "upper", KEEP_LAYER, "machine");
	if (r < 0)
		return e->code ? r : err_sys(e, r, "cannot keep the copy of a layer");
	if (sys_fstatat(dir, "project/upper", &st, AT_SYMLINK_NOFOLLOW) == -ENOENT)
		return 0;
	project = file_open_dir(dir, "project", e);
	return project < 0 ? project : copy_parts(project, NULL, e);
}

int keep_job(int dir, const char *arg, const struct idmap *, struct json **ret,
	     struct err *e)
{
	_cleanup_close_ int project = file_open_dir(dir, "project", e);
	_cleanup_json_ struct json *j = json_object();
	char sign[24];
	bool copied;
	int applied, r;

	if (project < 0)
		return project;
	r = keep(project, arg ? arg : "", sign, &copied, e);
	if (r < 0)
		return reviewtell_remedy(e);
	applied = apply_last(dir, e);
	if (applied < 0)
		return applied;
	json_set_str(j, "sign", sign);
	json_set_bool(j, "copied", copied);
	json_set_int(j, "applied", applied);
	if (json_failed(j) < 0)
		return err_sys(e, -ENOMEM, "cannot report");
	*ret = take(&j, NULL);
	return 0;
}
