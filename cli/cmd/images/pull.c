#include <string.h>

#include "base/sys/sys.h"
#include "cli/image/pick.h"
#include "cli/image/pulling.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/store/place.h"
#include "rootfs/image/image.h"
#include "rootfs/image/pull.h"
#include "rootfs/image/source.h"
#include "runtime/box/ids.h"

struct args {
	const char *ref;
	const char *name;
	bool flat;
};

static int show(const struct app *app, const struct image *i)
{
	_cleanup_json_ struct json *j = json_object();

	if (!app->json) {
		fprintf(app->out, "%s\n", i->name[0] ? i->name : i->digest);
		return 0;
	}
	json_set_str(j, "name", i->name);
	json_set_str(j, "digest", i->digest);
	json_set_str(j, "dir", i->dir);
	json_set_str(j, "map", i->map);
	json_set_int(j, "size", (int64_t)i->size);
	return render_json(app, j);
}

/* What has no '/' is looked for in a registry, also where a file is called so. */
static bool is_file_here(const char *ref)
{
	struct source src;
	struct stat st;

	return source_parse(ref, &src, ERR_IGNORED) == 0 &&
	       src.kind == SOURCE_REGISTRY && sys_fstatat(AT_FDCWD, ref, &st, 0) == 0;
}

static int pull(const struct app *app, const struct args *a, struct image *ret,
		struct err *e)
{
	_cleanup_buf_ struct buf why = BUF_INIT(16 << 10);
	const struct pulling_ref what = { .ref = a->ref,
					  .name = a->name,
					  .flat = a->flat };
	struct idmap map;
	int r;

	r = place_store(app, e)
		    ?: box_ids_choose(app->dir ? app->dir : ".", &map, &why, e);
	if (r < 0)
		return r;
	r = pulling_image(app, &map, &what, ret, e);
	if (r < 0 && r != -ECANCELED && is_file_here(a->ref))
		return err_hint(e, "the one of that name here is './%s'", a->ref);
	return pull_unreachable(r)
		       ? imagepick_hint(app->store, idmap_kind_name(map.kind), e)
		       : r;
}

static int work(struct app *app, void *args, struct err *e)
{
	struct image image = { .size = 0 };
	int r = pull(app, args, &image, e);

	if (r == 0 && show(app, &image) < 0)
		return err_set(e, -EIO, "cannot show the image");
	return r == -ECANCELED ? CMD_INTERRUPTED : r;
}

static const struct cmd_option options[] = {
	{ "flat", 'f', NULL,
	  "unpack all layers into one directory, shared with no other image",
	  CMD_FLAG(struct args, flat) },
	{ "name", 'n', "NAME", "call the image NAME",
	  CMD_TEXT_IF(struct args, name, imagepick_name) },
	{ 0 },
};

const struct cmd cmd_pull = {
	.name = "pull",
	.group = CMD_IMAGES,
	.summary = "bring an image into the store",
	.words = "IMAGE",
	.doc = "Bring an image into the store: 'ubuntu' or 'ubuntu:22.04', the name "
	       "of one in a registry such as 'debian:12' or "
	       "'ghcr.io/x/y@sha256:DIGEST', a root filesystem as a tarball (path or "
	       "URL), a directory, or 'oci:DIR[:REF]', 'oci-archive:FILE[:REF]', "
	       "'docker-archive:FILE[:NAME]'.",
	.options = options,
	.operands = { CMD_TEXT(struct args, ref) },
	.least = 1,
	.missing = "an image is missing, such as 'ubuntu', a tarball, a URL or a "
		   "directory",
	.size = sizeof(struct args),
	.no_box = true,
	.work = work,
};
