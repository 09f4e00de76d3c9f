#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/layoutout.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "rootfs/image/image.h"

struct args {
	const char *image, *to; /* borrowed */
};

static const char prefix[] = "oci:";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (a->to)
			return cmd_bad(state, "unexpected word '%s'", arg);
		if (a->image && (!text_starts(arg, prefix) || !arg[strlen(prefix)]))
			return cmd_bad(state,
				       "'%s' is no place for an image; say oci:DIR",
				       arg);
		*(a->image ? &a->to : &a->image) = arg;
		return 0;
	case ARGP_KEY_END:
		return a->to ? 0 : cmd_bad(state, "an image and oci:DIR are missing");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "IMAGE oci:DIR",
	.doc = "Write an image as an OCI layout into the new directory DIR, from which "
	       "skopeo, "
	       "podman and others take it.",
};

static int open_new(const char *path, struct err *e)
{
	_cleanup_close_ int dir = -1;
	struct dirscan_entry d;
	struct dirscan scan;
	int r = sys_mkdirat(AT_FDCWD, path, 0777);

	if (r < 0 && r != -EEXIST)
		return err_sys(e, r, "cannot make '%s'", path);
	dir = file_open_dir(AT_FDCWD, path, e);
	if (dir < 0)
		return dir;
	r = dirscan_start(&scan, dir, e);
	if (r == 0 && dirscan_next(&scan, &d, e) > 0)
		return err_set(e, -ENOTEMPTY, "'%s' is not empty", path);
	return r < 0 ? r : take(&dir, -1);
}

static int save(const struct args *a, struct err *e)
{
	_cleanup_layoutout_ struct layoutout l = LAYOUTOUT_NONE;
	_cleanup_store_ struct store st = STORE_NONE;
	_cleanup_json_ struct json *meta = NULL, *run = NULL;
	_cleanup_close_ int dir = -1;
	struct image image;
	struct idmap map;
	int r = store_open(&st, e);

	if (r == 0)
		r = image_find(&st, a->image, NULL, &image, e);
	if (r == 0)
		r = image_meta(&st, image.dir, &meta, e);
	if (r == 0)
		r = idmap_from_json(json_get(meta, "idmap"), &map, e);
	if (r == 0)
		r = image_run(&st, image.dir, &run, e);
	if (r < 0)
		return r;
	dir = open_new(a->to + strlen(prefix), e);
	if (dir < 0)
		return dir;
	l = (struct layoutout){ .store = &st, .map = &map, .dir = dir };
	r = layoutout_begin(&l, e);
	if (r == 0)
		r = layoutout_image(&l, image.dir, false, e);
	return r < 0 ? r : layoutout_end(&l, run, image.name, e);
}

static int run_save(struct app *app, int argc, char **argv)
{
	struct args a = { .image = NULL };
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_save, argc, argv, &a);

	if (r != CMD_GO)
		return r;
	return save(&a, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
}

const struct cmd cmd_save = {
	.name = "save",
	.summary = "write an image as an OCI layout",
	.argp = &argp,
	.no_box = true,
	.run = run_save,
};
