#include <string.h>

#include "cli/box/pulling.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "rootfs/image/image.h"
#include "rootfs/image/source.h"
#include "runtime/box/ids.h"

struct args {
	const char *ref;
	const char *name;
	bool flat;
};

static const struct argp_option options[] = {
	{ "flat", 'f', NULL, 0,
	  "unpack all layers into one directory, shared with no "
	  "other image",
	  0 },
	{ "name", 'n', "NAME", 0, "call the image NAME", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case 'n':
		if (!*arg)
			return cmd_bad(state, "--name: empty value ''");
		a->name = arg;
		return 0;
	case 'f':
		a->flat = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->ref)
			return cmd_bad(state, "unexpected word '%s'", arg);
		a->ref = arg;
		return 0;
	case ARGP_KEY_END:
		return a->ref ? 0
			      : cmd_bad(state, "an image is missing, such as 'ubuntu', "
					       "a tarball, a URL or a directory");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "IMAGE",
	.doc = "Bring an image into the store: 'ubuntu' or 'ubuntu:22.04', the name of "
	       "one in a "
	       "registry such as 'debian:12' or 'ghcr.io/x/y@sha256:DIGEST', a root "
	       "filesystem as "
	       "a tarball (path or URL), a directory, or 'oci:DIR[:REF]', "
	       "'oci-archive:FILE[:REF]', "
	       "'docker-archive:FILE[:NAME]'.",
};

static int show(const struct app *app, const struct image *i)
{
	_cleanup_json_ struct json *j = json_object();

	if (!app->json) {
		fprintf(app->out, "%s\n", i->name[0] ? i->name : i->digest);
		return 0;
	}
	if (!j || json_set_str(j, "name", i->name) < 0 ||
	    json_set_str(j, "digest", i->digest) < 0 ||
	    json_set_str(j, "dir", i->dir) < 0 || json_set_str(j, "map", i->map) < 0 ||
	    json_set_int(j, "size", (int64_t)i->size) < 0)
		return -ENOMEM;
	return render_json(app, j);
}

static int pull(const struct app *app, const struct args *a, struct image *ret,
		struct err *e)
{
	_cleanup_store_ struct store st = STORE_NONE;
	_cleanup_buf_ struct buf why = BUF_INIT(16 << 10);
	const struct pulling_ref what = { .ref = a->ref,
					  .name = a->name,
					  .flat = a->flat };
	struct idmap map;
	int r;

	r = store_open(&st, e);
	if (r == 0)
		r = box_ids_choose(app->dir ? app->dir : ".", &map, &why, e);
	return r < 0 ? r : pulling_image(app, &st, &map, &what, ret, e);
}

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .ref = NULL };
	struct image image = { .size = 0 };
	struct err e = ERR_NONE;
	int r;

	r = cmd_parse(app, &cmd_pull, argc, argv, &a);
	if (r != CMD_GO)
		return r;
	r = pull(app, &a, &image, &e);
	if (r == -ECANCELED)
		return CMD_INTERRUPTED;
	if (r == 0 && show(app, &image) < 0)
		r = err_set(&e, -EIO, "cannot show the image");
	return r < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
}

const struct cmd cmd_pull = {
	.name = "pull",
	.summary = "bring an image into the store",
	.argp = &argp,
	.no_box = true,
	.run = run,
};
