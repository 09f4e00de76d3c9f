#include <string.h>

#include "base/dirscan.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/image/pushing.h"
#include "cli/opt/cmd.h"
#include "cli/store/hostpath.h"
#include "cli/store/place.h"
#include "rootfs/image/image.h"
#include "rootfs/store/tree.h"

static const struct form {
	const char *prefix;
	bool archive, docker;
} forms[] = {
	{ "oci:", false, false },
	{ "oci-archive:", true, false },
	{ "docker-archive:", true, true },
};

struct args {
	const char *image, *to; /* borrowed */
	const char *out;	/* borrowed; docker's way to say where */
	const struct form *form;
};

/* NULL = @to names none, or nothing behind it. */
static const struct form *find_form(const char *to)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (text_starts(to, forms[i].prefix) && to[strlen(forms[i].prefix)])
			return &forms[i];
	return NULL;
}

static int open_new(const char *path, struct err *e)
{
	_cleanup_close_ int dir = -1;
	struct dirscan scan;
	_cleanup_close_ int parent = -1;
	const char *name;
	int r;

	parent = hostpath_parent(path, &name, e);
	if (parent < 0)
		return parent;
	r = sys_mkdirat(parent, *name ? name : ".", 0777);
	if (r < 0 && r != -EEXIST)
		return err_sys(e, r, "cannot make '%s'", path);
	dir = hostpath_open(path, O_RDONLY | O_DIRECTORY, e);
	if (dir < 0)
		return dir;
	dirscan_start(&scan, dir);
	if (dirscan_next(&scan))
		return err_set(
			e, -ENOTEMPTY,
			"'%s' is not empty; name a directory that is, or a new one",
			path);
	r = dirscan_failed(&scan, e);
	return r < 0 ? r : take(&dir, -1);
}

/* It was empty before: half a layout is of no use. */
static void leave_empty(int dir)
{
	static const char *const made[] = { "blobs", "oci-layout", "index.json",
					    "manifest.json" };

	for (size_t i = 0; i < ARRAY_SIZE(made); i++)
		(void)tree_remove(dir, made[i], ERR_IGNORED);
}

/* @path: what is written; the name in it stands behind ':', but for --output. */
static int read_place(const struct args *a, char path[PATH_MAX], const char **name,
		      struct err *e)
{
	const char *place = a->out ? a->out : a->to + strlen(a->form->prefix);

	if (text_copy(path, PATH_MAX, place) < 0)
		return err_sys(e, -ENAMETOOLONG, "cannot make '%.64s'", place);
	if (a->out)
		return 0;
	path[strcspn(path, ":")] = '\0';
	if (strlen(path) + 1 < strlen(place))
		*name = place + strlen(path) + 1;
	return 0;
}

static int save(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	struct layoutout_want want = { .docker = a->out || a->form->docker };
	_cleanup_signals_ struct signals_held held = SIGNALS_HELD_NONE;
	_cleanup_progress_ struct progress_bar bar = { .app = NULL };
	_cleanup_close_ int dir = -1;
	char path[PATH_MAX];
	struct image image;
	int r = read_place(a, path, &want.name, e);

	if (r < 0)
		return r;
	r = signals_hold(&held, e);
	if (r < 0)
		return r;
	want.abort_fd = held.fd;
	if (a->out || a->form->archive)
		return pushing_archive(app, a->image, &want, path, e);
	r = place_store(app, e) ?: image_find(app->store, a->image, NULL, &image, e);
	if (r < 0)
		return r;
	for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
		path[n - 1] = '\0';
	dir = open_new(path, e);
	if (dir < 0)
		return dir;
	progress_start_live(&bar, app, "packing", a->image);
	want.bar = &bar;
	r = layoutout_whole(app->store, &image, &want, dir, e);
	if (r < 0)
		leave_empty(dir);
	return r;
}

static int take_to(struct app *, void *args, const char *to, struct err *e)
{
	struct args *a = args;

	a->form = find_form(to);
	if (a->form)
		return 0;
	err_set(e, -EINVAL, "'%s' is no place for an image", text_shown(to));
	return err_hint(e, "say oci:DIR, oci-archive:FILE or docker-archive:FILE");
}

static int take_out(struct app *, void *, const char *file, struct err *e)
{
	if (!*file)
		return err_set(e, -EINVAL, "a name is missing: that of a file");
	if (find_form(file))
		return err_set(e, -EINVAL, "'%s' stands without --output",
			       text_shown(file));
	return 0;
}

static int check(struct app *, void *args, struct err *e)
{
	const struct args *a = args;

	if (a->out && a->to)
		return err_set(e, -EINVAL, "--output and '%s' exclude each other",
			       text_shown(a->to));
	if (a->out || a->to)
		return 0;
	err_set(e, -EINVAL, "where to is missing");
	return err_hint(e, "say oci:DIR, oci-archive:FILE or docker-archive:FILE, or "
			   "-o FILE");
}

static const struct cmd_option options[] = {
	{ "output", 'o', "FILE", "the same as docker-archive:FILE",
	  CMD_TEXT_IF(struct args, out, take_out) },
	{ 0 },
};

const struct cmd cmd_save = {
	.name = "save",
	.group = CMD_IMAGES,
	.summary = "write an image into a directory or file",
	.words = "IMAGE oci:DIR[:NAME]\nIMAGE oci-archive:FILE[:NAME]\n"
		 "IMAGE docker-archive:FILE[:NAME]\n-o FILE IMAGE",
	.doc = "Write an image as an OCI layout into the new directory DIR, or as an "
	       "archive of one into the new file FILE, never over one that is "
	       "there, from which skopeo, podman and "
	       "others take it; a docker-archive is one for 'docker load', too.",
	.options = options,
	.operands = { CMD_TEXT(struct args, image),
		      CMD_TEXT_IF(struct args, to, take_to) },
	.least = 1,
	.missing = "an image and a place such as oci:DIR are missing",
	.size = sizeof(struct args),
	.no_box = true,
	.check = check,
	.work = save,
};
