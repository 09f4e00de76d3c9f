#include "cli/image/pick.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/store/place.h"
#include "rootfs/image/image.h"

struct args {
	const char *image, *name;
};

static int tag(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	struct image image;
	int r = place_store(app, e);

	if (r < 0)
		return r;
	r = image_find(app->store, a->image, NULL, &image, e)
		    ?: image_name(app->store, image.dir, a->name, e);
	if (r < 0)
		return r;
	render_note(app, "'%s' is the image %.12s now, too", a->name, image.digest);
	return CMD_DONE;
}

const struct cmd cmd_tag = {
	.name = "tag",
	.group = CMD_IMAGES,
	.summary = "give an image one more name",
	.words = "IMAGE NAME",
	.doc = "Give an image one more name. If another image had it, NAME means this "
	       "one from now on. 'cubby rmi NAME' takes the name away again.",
	.operands = { CMD_TEXT(struct args, image),
		      CMD_TEXT_IF(struct args, name, imagepick_name) },
	.size = sizeof(struct args),
	.least = 2,
	.missing = "the image and its new name are wanted, such as 'ubuntu mine'",
	.no_box = true,
	.work = tag,
};
