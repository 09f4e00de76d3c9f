#include <string.h>

#include "cli/image/pushing.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"

struct args {
	const char *image, *to; /* borrowed */
};

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_json_ struct json *j = json_object();
	char name[OCI_NAME] = "", digest[HASH_HEX] = "";
	int r = pushing_registry(app, a->image, a->to, name, digest, e);

	if (r < 0)
		return r == -ECANCELED ? CMD_INTERRUPTED : r;
	if (!app->json) {
		fprintf(app->out, "%s@sha256:%s\n", name, digest);
		return CMD_DONE;
	}
	json_set_str(j, "name", name);
	json_set_str(j, "digest", digest);
	return render_json(app, j) < 0 ? CMD_FAILED : CMD_DONE;
}

const struct cmd cmd_push = {
	.name = "push",
	.group = CMD_IMAGES,
	.summary = "send an image to a registry",
	.words = "IMAGE [NAME]",
	.doc = "Send an image of the store to a registry, as NAME, such as "
	       "'ghcr.io/me/machine:1', or as it is called here. What the registry "
	       "has is not sent again.",
	.operands = { CMD_TEXT(struct args, image), CMD_TEXT(struct args, to) },
	.least = 1,
	.missing = "an image is missing; 'cubby images' lists them",
	.size = sizeof(struct args),
	.no_box = true,
	.work = work,
};
