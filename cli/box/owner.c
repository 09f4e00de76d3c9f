#include "cli/box/owner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/inroot.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/config.h"
#include "cli/show/render.h"
#include "rootfs/store/chain.h"
#include "runtime/idmap/range.h"
#include "runtime/init/userdb.h"

enum { LAYERS_TEXT = 64 << 10, TOLD_TEXT = 4096 };

/* Where users are listed. */
struct listed {
	const struct store *store;
	const struct boxdir *dir; /* of the box; not open: it is a new one */
	const char *image;
};

static struct listed listed_in(const struct app *app, const struct boxdir *dir,
			       const struct spec *s)
{
	return (struct listed){ app->store, dir, s->image };
}

/* Users and groups are in two files, of which each may be in another layer. */
struct sought {
	const char *list, *user;
};

/* 1 = they are listed in this layer, so that none below it counts. */
static int look(int dir, const char *path, const struct sought *x,
		struct userdb_user *ret, struct err *e)
{
	_cleanup_close_ int root =
		sys_openat(dir, path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
	_cleanup_close_ int list =
		root < 0 ? root : inroot_open(root, x->list, O_PATH | O_NOFOLLOW);
	int r;

	if (list < 0)
		return 0;
	r = userdb_find(root, x->user, ret, e);
	return r < 0 ? r : 1;
}

static int look_box(const struct listed *in, const struct sought *x,
		    struct userdb_user *ret, struct err *e)
{
	struct chain c = { .n = 0 };
	char path[PATH_MAX];
	int r;

	if (in->dir->dirfd < 0)
		return 0;
	r = look(in->dir->dirfd, "upper", x, ret, e)
		    ?: look(in->dir->dirfd, "copy/rootfs", x, ret, e);
	(void)chain_load(in->dir->dirfd, "chain", &c, ERR_IGNORED);
	for (size_t i = 0; i < c.n && r == 0; i++) {
		snprintf(path, sizeof(path), "layers/%s/machine", c.layers[i]);
		r = look(in->store->dirfd, path, x, ret, e);
	}
	return r;
}

static int look_image(const struct listed *in, const struct sought *x,
		      struct userdb_user *ret, struct err *e)
{
	_cleanup_buf_ struct buf list = BUF_INIT(LAYERS_TEXT);
	char path[PATH_MAX];
	char *rest = NULL;
	int r;

	snprintf(path, sizeof(path), "%s/rootfs", in->image);
	r = look(in->store->images, path, x, ret, e);
	snprintf(path, sizeof(path), "images/%s/layers", in->image);
	if (r != 0 || file_read(in->store->dirfd, path, &list, ERR_IGNORED) < 0 ||
	    !list.len)
		return r;
	for (char *l = strtok_r(list.data, "\n", &rest); l && r == 0;
	     l = strtok_r(NULL, "\n", &rest)) {
		snprintf(path, sizeof(path), "diffs/%s/rootfs", l);
		r = look(in->store->dirfd, path, x, ret, e);
	}
	return r;
}

/* Where there is no list, numbers are as good as in one: the box's directory has none. */
static int find(const struct listed *in, const char *list, const char *user,
		struct userdb_user *ret, struct err *e)
{
	const struct sought x = { list, user };
	int r = look_box(in, &x, ret, e) ?: look_image(in, &x, ret, e);

	return r ? MIN(r, 0) : userdb_find(in->dir->dirfd, user, ret, e);
}

static int find_user(const struct listed *in, const char *user, struct userdb_user *ret,
		     struct err *e)
{
	const char *colon = strchrnul(user, ':');
	char name[2 * USERDB_NAME], group[2 * USERDB_NAME];
	struct userdb_user of_group = { .gid = 0 };
	int r;

	snprintf(name, sizeof(name), "%.*s", (int)(colon - user), user);
	r = find(in, "/etc/passwd", name, ret, e);
	if (r < 0 || !*colon)
		return r;
	snprintf(group, sizeof(group), "0%s", colon);
	r = find(in, "/etc/group", group, &of_group, e);
	ret->gid = of_group.gid;
	return r;
}

/* NULL = root. */
static const char *user_of(const struct app *app)
{
	const char *user = config_text(app->config, CONFIG_USER);
	bool root = !user || !*user || strcmp(user, "0") == 0 ||
		    strcmp(user, "root") == 0 || strncmp(user, "0:", 2) == 0 ||
		    strncmp(user, "root:", 5) == 0;

	return root ? NULL : user;
}

void owner_choose(const struct app *app, const struct boxdir *dir, struct spec *s)
{
	const struct listed in = listed_in(app, dir, s);
	const char *user = user_of(app);
	struct userdb_user found = { .uid = 0 };
	struct err why = ERR_NONE;

	s->owner = (struct idmap_owner){ 0 };
	if (!user || !idmap_traits(&s->map)->apart)
		return;
	/* That the user cannot be had the command says. */
	if (find_user(&in, user, &found, &why) < 0 || found.uid >= IDMAP_RANGE_IDS ||
	    found.gid >= IDMAP_RANGE_IDS || !found.uid)
		return;
	s->owner = (struct idmap_owner){ (uint16_t)found.uid, (uint16_t)found.gid };
}

int owner_check(const struct app *app, const struct boxdir *dir, const struct spec *s,
		struct err *e)
{
	const struct listed in = listed_in(app, dir, s);
	const char *user = user_of(app);
	struct userdb_user found;
	struct err why = ERR_NONE;

	if (!user || find_user(&in, user, &found, &why) != -EINVAL)
		return 0;
	*e = why;
	return err_wrap(e, "user");
}

/* It is said once for a user of a box; where that cannot be kept, again. */
static bool was_told(const struct boxdir *dir, const char *user)
{
	_cleanup_buf_ struct buf last = BUF_INIT(TOLD_TEXT);

	if (file_read(dir->dirfd, "user-told", &last, ERR_IGNORED) == 0 &&
	    strcmp(buf_cstr(&last), user) == 0)
		return true;
	(void)file_replace_soon(dir->dirfd, "user-told",
				&(struct file_data){ user, strlen(user), 0600 },
				ERR_IGNORED);
	return false;
}

static void tell_cannot(const struct app *app, const struct boxdir *dir,
			const struct spec *s, const char *user, const char *shown)
{
	const struct listed in = listed_in(app, dir, s);
	const char *const why_not = idmap_traits(&s->map)->no_owner;
	struct userdb_user found;
	struct err why = ERR_NONE;
	uint32_t host;

	/* There is no such user: the command says so. */
	if (!why_not || app->quiet || app->json ||
	    find_user(&in, user, &found, &why) < 0 ||
	    idmap_host_uid(&s->map, found.uid, &host) < 0 || was_told(dir, shown))
		return;
	render_note(app,
		    "this directory is root's for '%s', not its own (%s): 'cubby own' "
		    "makes yours what it leaves there",
		    shown, why_not);
}

void owner_tell(const struct app *app, const struct boxdir *dir, const struct spec *s,
		struct idmap_owner has)
{
	const char *user = user_of(app);
	const struct idmap_owner want = s->owner;
	const char *shown = text_shown(user ?: "root");

	if (user && want.uid == 0)
		tell_cannot(app, dir, s, user, shown);
	else if (has.uid != want.uid)
		render_note(
			app,
			"the box runs, and in this directory you are its user %u: what "
			"'%s' makes there is not yours ('cubby own'); 'cubby stop', and "
			"the next start goes by its user",
			has.uid, shown);
	else if (has.gid != want.gid)
		render_note(
			app,
			"the box runs, and in this directory your group is its group "
			"%u: what '%s' makes there is of another one ('cubby own'); "
			"'cubby stop', and the next start goes by its group",
			has.gid, shown);
}
