#include "cli/image/pick.h"

#include <string.h>

#include "base/text.h"
#include "cli/image/pulling.h"
#include "cli/show/render.h"
#include "rootfs/image/image.h"
#include "rootfs/image/source.h"

/* "ubuntu" is found under its full name. What does not read as a source may still be
 * the name of an image that is there. */
static int find(const struct store *st, const char *name, const char *map,
		struct image *ret, struct err *e)
{
	struct source src;
	int r;

	r = image_find(st, name, map, ret, e);
	if (r != -ENOENT || source_parse(name, &src, ERR_IGNORED) < 0)
		return r;
	return image_find(st, src.name, map, ret, e);
}

int imagepick_name(struct app *, void *, const char *name, struct err *e)
{
	return image_name_check(name, e);
}

bool imagepick_same(const struct store *st, const char *name, const struct spec *s)
{
	struct image image;

	return strcmp(name, s->image_name) == 0 ||
	       (find(st, name, idmap_kind_name(s->map.kind), &image, ERR_IGNORED) ==
			0 &&
		strcmp(image.dir, s->image) == 0);
}

struct seen {
	const char *map;
	char name[IMAGE_NAME];
	char other[IMAGE_NAME]; /* of another map, @other_map */
	char other_map[IMAGE_MAP];
};

static int take_named(void *ctx, const struct image *i)
{
	struct seen *s = ctx;

	if (!i->name[0])
		return 0;
	if (strcmp(i->map, s->map) == 0)
		return text_copy(s->name, sizeof(s->name), i->name);
	(void)text_copy(s->other, sizeof(s->other), i->name);
	return text_copy(s->other_map, sizeof(s->other_map), i->map);
}

int imagepick_hint(const struct store *st, const char *map, struct err *e)
{
	struct seen s = { .map = map };

	if (e->code == -ECANCELED || image_list(st, take_named, &s, ERR_IGNORED) < 0)
		return e->code;
	if (!s.name[0] && !s.other[0])
		return e->code; /* none at all: what makes one was said */
	if (!s.name[0])
		return err_hint(
			e,
			"no image is there for the id map '%s'; --image %s makes the one "
			"for '%s' again, from where it came",
			map, s.other, s.other_map);
	return err_hint(
		e,
		"--image %s uses one that is there, CUBBY_IMAGE=%s makes it the "
		"default",
		s.name, s.name);
}

/* One that the person gave a name to, and that another kind of box already uses: again,
 * from where it came, for the map of @s. The files of an image belong to ids. */
static int find_other_map(const struct app *app, const char *name, const struct spec *s,
			  struct image *ret, struct err *e)
{
	const char *map = idmap_kind_name(s->map.kind);
	struct pulling_ref what = { .ref = name };
	struct image other = { .size = 0 };
	struct err why = ERR_NONE;
	struct source src;
	int r = image_find(app->store, name, NULL, &other, &why);

	if (r < 0)
		return pulling_image(app, &s->map, &what, ret, e); /* says why not */
	what = (struct pulling_ref){ .ref = other.source,
				     .name = name,
				     .digest = other.digest };
	if (source_parse(other.source, &src, e) == 0) {
		/* Of a directory or a mirror the digest is that of a moment. */
		if (src.kind == SOURCE_DIR || other.built[0])
			what.digest = NULL;
		render_note(app,
			    "the image '%s' is there for the id map '%s' alone: it is "
			    "made again for '%s'",
			    other.name, other.map, map);
		if (pulling_image(app, &s->map, &what, ret, e) == 0)
			return 0;
	}
	err_wrap(e, "the image '%s' is there for the id map '%s' alone", name,
		 other.map);
	return err_hint(e, "pull it again with --name %s", name);
}

int imagepick_get(const struct app *app, const char *name, struct spec *s,
		  struct err *e)
{
	struct image image = { .size = 0 };
	int r;

	r = find(app->store, name, idmap_kind_name(s->map.kind), &image, e);
	if (r == -ENOENT) {
		r = find_other_map(app, name, s, &image, e);
		if (r < 0)
			return imagepick_hint(app->store, idmap_kind_name(s->map.kind),
					      e);
	}
	if (r < 0)
		return r;
	r = text_copy(s->image, sizeof(s->image), image.dir)
		    ?: text_copy(s->image_name, sizeof(s->image_name),
				 image.name[0] ? image.name : name);
	return r < 0 ? err_sys(e, r, "the image '%s'", name) : 0;
}
