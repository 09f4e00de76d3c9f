#include "rootfs/image/image.h"

#include <stdio.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { META_MAX = 1 << 20, RUN_MAX = 5 << 20 };

void image_dir(const char *digest, const char *map, char ret[IMAGE_DIR])
{
	if (!strcmp(map, "subuid"))
		snprintf(ret, IMAGE_DIR, "%s", digest);
	else
		snprintf(ret, IMAGE_DIR, "%.64s.%.15s", digest, map);
}

/* A digest, or a digest, a dot and a short word. */
static bool valid_dir(const char *dir)
{
	char digest[HASH_HEX];

	if (strlen(dir) >= IMAGE_DIR || strlen(dir) < HASH_HEX - 1 || strchr(dir, '/'))
		return false;
	memcpy(digest, dir, HASH_HEX - 1);
	digest[HASH_HEX - 1] = '\0';
	return hash_valid(digest) && (!dir[HASH_HEX - 1] || dir[HASH_HEX - 1] == '.');
}

static int meta_path(const char *dir, char ret[IMAGE_DIR + 16], struct err *e)
{
	if (!valid_dir(dir))
		return err_set(e, -ENOENT, "no such image");
	snprintf(ret, IMAGE_DIR + 16, "%s/meta.json", dir);
	return 0;
}

int image_meta(const struct store *s, const char *dir, struct json **ret, struct err *e)
{
	char path[IMAGE_DIR + 16];
	int r = meta_path(dir, path, e) ?: json_read(s->images, path, META_MAX, ret, e);

	return r < 0 ? err_wrap(e, "image '%.12s'", dir) : 0;
}

int image_run(const struct store *s, const char *dir, struct json **ret, struct err *e)
{
	char path[IMAGE_DIR + 16];
	int r;

	snprintf(path, sizeof(path), "%s/run.json", dir);
	*ret = NULL;
	if (!valid_dir(dir) || sys_faccessat(s->images, path, F_OK, 0) < 0)
		return 0;
	r = json_read(s->images, path, RUN_MAX, ret, e);
	return r < 0 ? err_wrap(e, "image '%.12s'", dir) : 0;
}

static void copy_str(char *out, size_t size, const char *s)
{
	(void)text_copy(out, size, s ? s : ""); /* a cut name is a name */
}

static void last_name(const struct json *names, struct image *ret)
{
	json_each(it, names)
	{
		int64_t when = 0;

		if (json_int(it, &when) < 0 || when < ret->named)
			continue;
		ret->named = when;
		copy_str(ret->name, sizeof(ret->name), json_key(it));
	}
}

int image_load(const struct store *s, const char *dir, struct image *ret, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	struct image i = { 0 };
	int r;

	r = image_meta(s, dir, &j, e);
	if (r < 0)
		return r;
	copy_str(i.dir, sizeof(i.dir), dir);
	memcpy(i.digest, dir, HASH_HEX - 1);
	copy_str(i.map, sizeof(i.map), json_get_str(j, "map"));
	copy_str(i.source, sizeof(i.source), json_get_str(j, "source"));
	copy_str(i.arch, sizeof(i.arch), json_get_str(j, "arch"));
	copy_str(i.built, sizeof(i.built), json_get_str(j, "built"));
	i.created = json_get_int(j, "created", 0);
	i.size = (uint64_t)MAX(json_get_int(j, "size", 0), 0);
	last_name(json_get(j, "names"), &i);
	*ret = i;
	return 0;
}

int image_list(const struct store *s, int (*each)(void *ctx, const struct image *i),
	       void *ctx, struct err *e)
{
	_cleanup_close_ int dir = file_open_dir(s->images, ".", e);
	struct dirscan scan;
	struct image image;
	int r = MIN(dir, 0);

	dirscan_start(&scan, dir);
	while (r >= 0 && dirscan_next(&scan)) {
		/* One that is being removed, or is broken, hides none of the others. */
		if (image_load(s, scan.name, &image, ERR_IGNORED) < 0)
			continue;
		r = each(ctx, &image);
	}
	return r < 0 ? r : dirscan_failed(&scan, e);
}

/* ---- finding ------------------------------------------------------------------------ */

struct search {
	const struct store *store;
	const char *ref, *map;
	size_t prefix; /* of a digest; 0 = ref is none */
	struct image best;
	int64_t best_named;
	bool named, ambiguous;
};

static size_t digest_prefix(const char *ref)
{
	size_t n = strspn(ref, "0123456789abcdef");

	return !ref[n] && n >= IMAGE_PREFIX && n < HASH_HEX ? n : 0;
}

/* When was it given this name? -1 = never. */
static int64_t named_at(const struct search *q, const struct image *i)
{
	_cleanup_json_ struct json *j = NULL;

	if (image_meta(q->store, i->dir, &j, ERR_IGNORED) < 0)
		return -1;
	if (!strcmp(i->source, q->ref))
		return i->named;
	return json_get_int(json_get(j, "names"), q->ref, -1);
}

static int consider(void *ctx, const struct image *i)
{
	struct search *q = ctx;
	int64_t when;

	if (q->map && strcmp(q->map, i->map) != 0)
		return 0;
	when = named_at(q, i);
	if (when >= 0) {
		if (!q->named || when >= q->best_named) {
			q->best = *i;
			q->best_named = when;
		}
		q->named = true;
	} else if (!q->named && q->prefix && !strncmp(i->digest, q->ref, q->prefix)) {
		q->ambiguous = q->best.dir[0] && strcmp(q->best.digest, i->digest) != 0;
		q->best = *i;
	}
	return 0;
}

int image_name_check(const char *name, struct err *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *rest = name + strspn(name, letters);

	while (rest > name && *rest && strchr("._-+:/@", *rest))
		rest += 1 + strspn(rest + 1, letters);
	if (rest > name && !*rest && rest - name < IMAGE_NAME)
		return 0;
	err_set(e, -EINVAL, "bad name of an image '%s'", text_shown(name));
	return err_hint(e, "letters and digits make one, with '.', '_', '-' and '/' "
			   "between them, and ':' before a tag");
}

int image_find(const struct store *s, const char *ref, const char *map,
	       struct image *ret, struct err *e)
{
	struct search q = {
		.store = s, .ref = ref, .map = map, .prefix = digest_prefix(ref)
	};
	char shown[IMAGE_NAME];
	int r;

	r = image_list(s, consider, &q, e);
	if (r < 0)
		return r;
	text_escaped(shown, sizeof(shown), ref, strlen(ref));
	if (!q.best.dir[0]) {
		err_set(e, -ENOENT, "no image '%s' in the store", shown);
		return err_hint(e, "'cubby images' lists them");
	}
	if (!q.named && q.ambiguous)
		return err_set(e, -ENOTUNIQ,
			       "'%s' fits several images; give more digits", shown);
	*ret = q.best;
	if (q.named && strcmp(ret->source, ref) != 0)
		copy_str(ret->name, sizeof(ret->name), ref); /* of several */
	return 0;
}

int64_t image_stamp(const struct store *s, const char *name)
{
	struct search q = { .store = s, .ref = name };
	int64_t now = sys_wall().tv_sec;

	if (image_list(s, consider, &q, ERR_IGNORED) < 0 || !q.named)
		return now;
	return MAX(now, q.best_named + 1);
}

static int save_meta(const struct store *s, const char *dir, const struct json *j,
		     struct err *e)
{
	char path[IMAGE_DIR + 16];

	return meta_path(dir, path, e)
		       ?: json_print_file(s->images, path, j, META_MAX, file_replace,
					  e);
}

/* On the directory of all images: who names, removes or begins to use one decides by
 * what it has just read. The lock goes with its descriptor, which is an own one. */
int image_lock(const struct store *s, struct err *e)
{
	_cleanup_close_ int fd = sys_openat(s->images, ".", O_RDONLY | O_DIRECTORY, 0);
	int r = fd < 0 ? fd : sys_flock(fd, LOCK_EX);

	return r < 0 ? err_sys(e, r, "cannot lock '%s/images'", s->path)
		     : take(&fd, -1);
}

int image_name(const struct store *s, const char *dir, const char *name, struct err *e)
{
	_cleanup_close_ int lock = image_lock(s, e);
	_cleanup_json_ struct json *j = NULL;
	int r = lock < 0 ? lock : image_meta(s, dir, &j, e);

	if (r < 0)
		return r;
	if (json_type(json_get(j, "names")) != JSON_OBJECT)
		r = json_set(j, "names", json_object());
	if (r >= 0)
		r = json_set_int(json_get_mut(j, "names"), name, image_stamp(s, name));
	if (r < 0)
		return err_sys(e, r, "cannot name image '%.12s'", dir);
	return save_meta(s, dir, j, e);
}

int image_unname(const struct store *s, const char *dir, const char *name,
		 struct err *e)
{
	_cleanup_close_ int lock = image_lock(s, e);
	_cleanup_json_ struct json *j = NULL;
	struct json *kept;
	bool found = false;
	int64_t when = 0;
	int r = lock < 0 ? lock : image_meta(s, dir, &j, e);

	if (r < 0)
		return r;
	kept = json_object();
	r = kept ? 0 : -ENOMEM;
	json_each(it, json_get(j, "names"))
	{
		if (!strcmp(json_key(it), name))
			found = true;
		else if (r == 0 && json_int(it, &when) >= 0)
			r = json_set_int(kept, json_key(it), when);
	}
	if (r < 0 || !found || !json_len(kept)) {
		json_free(&kept);
		return r < 0 ? err_sys(e, r, "cannot rename image '%.12s'", dir) : 0;
	}
	if (json_set(j, "names", kept) < 0)
		return err_sys(e, -ENOMEM, "cannot rename image '%.12s'", dir);
	r = save_meta(s, dir, j, e);
	return r < 0 ? r : 1;
}

/* ---- users and removal -------------------------------------------------------------- */

struct users {
	const struct store *store;
	const char *dir;
	int (*each)(void *ctx, const char *key);
	void *ctx;
};

static int check_box(void *ctx, const char *key)
{
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	_cleanup_json_ struct json *j = NULL;
	struct users *u = ctx;
	struct err e; /* a box without a readable box.json uses nothing */

	if (boxdir_open(u->store, key, false, &b, &e) < 0 ||
	    boxdir_load(&b, &j, &e) < 0)
		return 0;
	return json_is(j, "image", u->dir) ? u->each(u->ctx, key) : 0;
}

/* Call @each with the key of every box that uses an image. */
static int image_users(const struct store *s, const char *dir,
		       int (*each)(void *ctx, const char *key), void *ctx,
		       struct err *e)
{
	struct users u = { s, dir, each, ctx };

	return boxdir_list(s, check_box, &u, e);
}

static int count_one(void *ctx, const char *)
{
	++*(unsigned *)ctx;
	return 0;
}

int image_remove(const struct store *s, const char *dir, bool force, boxdir_rm_fn *rm,
		 void *ctx, struct err *e)
{
	_cleanup_close_ int lock = -1;
	unsigned users = 0;
	char name[IMAGE_DIR + 16];
	int r;

	if (!valid_dir(dir))
		return err_set(e, -ENOENT, "no such image");
	lock = image_lock(s, e);
	if (lock < 0)
		return lock;
	r = image_users(s, dir, count_one, &users, e);
	if (r < 0)
		return r;
	if (users && !force) {
		err_set(e, -EBUSY, "image '%.12s' is used by %u box%s", dir, users,
			users == 1 ? "" : "es");
		return err_hint(e,
				"remove them first; --force removes it all the same");
	}
	/* Out of sight first: an interrupted removal must leave no half image. */
	snprintf(name, sizeof(name), "dead-%s", dir);
	r = sys_renameat(s->images, dir, s->tmp, name);
	if (r == -ENOTEMPTY || r == -EEXIST) {
		r = rm(ctx, s->tmp, name, e);
		if (r < 0)
			return r;
		r = sys_renameat(s->images, dir, s->tmp, name);
	}
	if (r < 0)
		return err_sys(e, r, "cannot remove image '%.12s'", dir);
	scope_close(&lock); /* removing its files takes a while, and nobody sees them */
	return rm(ctx, s->tmp, name, e);
}
