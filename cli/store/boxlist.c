#include "cli/store/boxlist.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/store/hostpath.h"
#include "rootfs/store/boxdir.h"
#include "runtime/spec/spec.h"

void boxlist_done(struct boxlist *l)
{
	free(l->v);
	*l = BOXLIST_NONE;
}

/* Whoever runs a box holds its lock. */
static bool is_running(const struct boxdir *b)
{
	_cleanup_close_ int lock = boxdir_lock(b, false, ERR_IGNORED);

	return lock == -EWOULDBLOCK;
}

static int read_item(const struct store *st, const char *key, struct boxlist_item *ret,
		     struct err *e)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	_cleanup_json_ struct json *j = NULL;
	const char *image, *image_dir;
	struct stat s = { 0 };
	int r;

	r = boxdir_open(st, key, false, &dir, e);
	if (r < 0)
		return r;
	r = boxdir_load(&dir, &j, e);
	if (r < 0)
		return r;
	image = json_get_str(j, "image_name");
	image_dir = json_get_str(j, "image");
	(void)sys_fstatat(dir.dirfd, "box.json", &s, AT_SYMLINK_NOFOLLOW);
	(void)text_copy(ret->key, sizeof(ret->key), key);
	if (spec_path(j, "project", ret->project) < 0)
		ret->project[0] = '\0';
	(void)text_copy(ret->image, sizeof(ret->image), image ? image : "");
	(void)text_copy(ret->image_dir, sizeof(ret->image_dir),
			image_dir ? image_dir : "");
	(void)text_copy(ret->name, sizeof(ret->name),
			json_get_str(j, "name") ? json_get_str(j, "name") : "");
	(void)text_copy(ret->mark, sizeof(ret->mark),
			json_get_str(j, "mark") ? json_get_str(j, "mark") : "");
	ret->between = strcmp(json_get_str(j, "key") ?: key, key) != 0;
	ret->running = is_running(&dir);
	ret->used = s.st_mtim.tv_sec;
	return 0;
}

struct reading {
	const struct store *st;
	struct boxlist list;
	struct err *e;
};

/* A box that cannot be read is none: its making or removal was interrupted. */
static int add(void *ctx, const char *key)
{
	struct reading *rd = ctx;
	struct err e = ERR_NONE;
	struct boxlist *l = &rd->list;

	if (!grow_room(l->v, l->n))
		return err_sys(rd->e, -ENOMEM, "cannot list the boxes");
	l->v[l->n] = (struct boxlist_item){ .used = 0 };
	if (read_item(rd->st, key, &l->v[l->n], &e) == 0)
		l->n++;
	return 0;
}

static int by_project(const void *a, const void *b)
{
	const struct boxlist_item *x = a, *y = b;
	int r = strcmp(x->project, y->project);

	return r ? r : strcmp(x->name, y->name);
}

static int done(struct reading *rd, int r, struct boxlist *ret)
{
	if (r < 0 || !rd->list.n)
		boxlist_done(&rd->list);
	if (r < 0)
		return r;
	if (rd->list.n)
		qsort(rd->list.v, rd->list.n, sizeof(*rd->list.v), by_project);
	*ret = rd->list;
	return 0;
}

int boxlist_read(const struct store *st, struct boxlist *ret, struct err *e)
{
	struct reading rd = { .st = st, .list = BOXLIST_NONE, .e = e };

	return done(&rd, boxdir_list(st, add, &rd, e), ret);
}

int boxlist_read_one(const struct store *st, const char *key, struct boxlist *ret,
		     struct err *e)
{
	struct reading rd = { .st = st, .list = BOXLIST_NONE, .e = e };

	return done(&rd, add(&rd, key), ret);
}

static bool is_prefix(const char *word)
{
	size_t n = strlen(word);

	return n >= BOXLIST_PREFIX && n < BOXLIST_KEY &&
	       strspn(word, "0123456789abcdef") == n;
}

static const struct boxlist_item *find_key(const struct boxlist *l, const char *word,
					   struct err *e)
{
	const struct boxlist_item *found = NULL;

	for (size_t i = 0; i < l->n; i++) {
		if (!text_starts(l->v[i].key, word))
			continue;
		if (found) {
			err_set(e, -EINVAL,
				"several boxes have keys that begin with '%s'", word);
			return NULL;
		}
		found = &l->v[i];
	}
	if (!found) {
		err_set(e, -ENOENT, "no box has the key '%s'", word);
		err_hint(e, "'cubby ls --json' tells them");
	}
	return found;
}

/* By --name alone, as a container: that of the current directory, else the only one. */
static const struct boxlist_item *find_name(const struct boxlist *l, const char *word)
{
	_cleanup_free_ char *here = realpath(".", NULL);
	const struct boxlist_item *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->v[i].name, word) != 0 || !*word)
			continue;
		if (here && strcmp(l->v[i].project, here) == 0)
			return &l->v[i];
		found = &l->v[i];
		n++;
	}
	return n == 1 ? found : NULL;
}

const struct boxlist_item *boxlist_find(const struct boxlist *l, const char *word,
					const char *name, struct err *e)
{
	const struct boxlist_item *named = name ? NULL : find_name(l, word);
	char path[PATH_MAX], shown[256];

	if (hostpath_meant(word, path, e) < 0)
		return NULL;
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i].project, path) == 0 &&
		    strcmp(l->v[i].name, name ? name : "") == 0)
			return &l->v[i];
	if (named)
		return named;
	if (is_prefix(word))
		return find_key(l, word, e);
	text_escaped(shown, sizeof(shown), path, strlen(path));
	if (name)
		err_set(e, -ENOENT, "there is no box '%s' for '%s'", name, shown);
	else
		err_set(e, -ENOENT, "there is no box for '%s'", shown);
	(void)err_hint(e, "'cubby ls' lists them");
	return NULL;
}
