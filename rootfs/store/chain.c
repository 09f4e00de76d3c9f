/* Sealing is a write and two renames, and each state between them is the whole box: a chain
 * that names a layer which is still empty shows what it showed before; the exchange takes
 * the upper into that layer and an empty one out of it at once; and as long as the box has a
 * directory "project", that is the one that counts. */
#include "rootfs/store/chain.h"

#include <stdio.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/json.h"
#include "base/nonce.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { CHAIN_TEXT = 8192, CHAIN_MODE = 0711 };

/* ---- the record -------------------------------------------------------------------------- */

static bool is_id(const char *s)
{
	return s && strlen(s) == CHAIN_ID - 1 &&
	       strspn(s, "0123456789abcdef") == CHAIN_ID - 1;
}

static int from_json(const struct json *j, struct chain *ret)
{
	struct chain c = { .mode = (mode_t)json_get_int(j, "mode", 0) & 07777,
			   .made = json_get_int(j, "made", 0) };
	const char *project = json_get_str(j, "project");

	json_each(it, json_get(j, "layers"))
	{
		if (c.n == CHAIN_MOST || !is_id(json_str(it)))
			return -EINVAL;
		(void)text_copy(c.layers[c.n++], CHAIN_ID, json_str(it));
	}
	if (project && !is_id(project))
		return -EINVAL;
	(void)text_copy(c.project, CHAIN_ID, project ? project : "");
	*ret = c;
	return 0;
}

int chain_load(int dirfd, const char *name, struct chain *ret, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	struct err why = ERR_NONE;
	int r = json_read(dirfd, name, CHAIN_TEXT, &j, &why);

	if (r == -ENOENT && strcmp(name, "chain") == 0) {
		*ret = (struct chain){ .n = 0 };
		return 0;
	}
	if (r >= 0)
		r = from_json(j, ret);
	return r < 0 ? err_sys(e, r, "cannot read the list of layers '%s'", name) : 0;
}

int chain_save(int dirfd, const char *name, const struct chain *c, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	struct json *list = json_array();

	for (size_t i = 0; i < c->n; i++)
		(void)json_add(list, json_string(c->layers[i]));
	(void)json_set(j, "layers", list);
	if (*c->project)
		(void)json_set_str(j, "project", c->project);
	(void)json_set_int(j, "mode", c->mode);
	(void)json_set_int(j, "made", c->made);
	return json_print_file(dirfd, name, j, CHAIN_TEXT, file_replace_later, e);
}

/* A rename between two names of one file leaves both. */
int chain_link(int dirfd, const char *from, int todir, const char *to, struct err *e)
{
	static const char draft[] = ".chain";
	int r;

	(void)sys_unlinkat(todir, draft, 0);
	r = sys_linkat(dirfd, from, todir, draft, 0)
		    ?: sys_renameat(todir, draft, todir, to);
	(void)sys_unlinkat(todir, draft, 0);
	return r < 0 ? err_sys(e, r, "cannot keep the list of layers") : 0;
}

int chain_forget(int boxdir, struct err *e)
{
	int r = sys_unlinkat(boxdir, "chain", 0);

	return r < 0 && r != -ENOENT
		       ? err_sys(e, r, "cannot forget the layers of a box")
		       : 0;
}

/* ---- the place --------------------------------------------------------------------------- */

/* Passable whatever the umask: box root of the root map goes through it. */
static int make_dir(int parent, const char *name, mode_t mode, struct err *e)
{
	int r = sys_mkdirat(parent, name, mode) ?: sys_fchmodat(parent, name, mode, 0);

	if (r < 0 && r != -EEXIST)
		return err_sys(e, r, "cannot make a layer");
	return file_open_dir(parent, name, e);
}

int chain_dir(const struct store *s, struct err *e)
{
	return make_dir(s->dirfd, "layers", CHAIN_MODE, e);
}

int chain_lock(int layers, struct err *e)
{
	int fd = file_lock(layers, "lock", true, e);

	return fd < 0 ? err_wrap(e, "layers") : fd;
}

/* ---- sealing ----------------------------------------------------------------------------- */

struct sealing {
	const struct boxdir *b;
	int layers; /* borrowed */
	int layer;  /* owned: layers/<id> */
	char id[CHAIN_ID];
	struct stat upper;
	bool reviews; /* what is under review is worth keeping */
};

/* One that cannot be looked into has something to hide. */
static bool is_empty(int dirfd, const char *name)
{
	_cleanup_close_ int fd =
		sys_openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	struct dirscan scan;

	dirscan_start(&scan, fd);
	return !dirscan_next(&scan) && !scan.failed;
}

int chain_layer(int layers, char id[CHAIN_ID], struct err *e)
{
	return nonce_make(id, CHAIN_ID, e) ?: make_dir(layers, id, CHAIN_MODE, e);
}

/* A directory that gets another parent must be writable, which the box may have forbidden for
 * its "/". */
static int swap_upper(const struct sealing *s, struct err *e)
{
	mode_t mode = s->upper.st_mode & 07777;
	int box = s->b->dirfd;
	int r = sys_renameat2(box, "upper", s->layer, "machine", RENAME_EXCHANGE);

	if (r == -EACCES && sys_fchmodat(box, "upper", mode | 0700, 0) == 0) {
		r = sys_renameat2(box, "upper", s->layer, "machine", RENAME_EXCHANGE);
		(void)sys_fchmodat(r < 0 ? box : s->layer, r < 0 ? "upper" : "machine",
				   mode, 0);
	}
	if (r == 0 && mode != (mode | 0700))
		r = sys_fchmodat(box, "upper", mode, 0);
	return r < 0 ? err_sys(e, r, "cannot put a new layer over the box's own") : 0;
}

static int has_most(struct err *e)
{
	err_set(e, -E2BIG,
		"the box has %d layers above its image, the most that are possible",
		(int)CHAIN_MOST);
	return err_hint(e, "an early snapshot, restored, has fewer");
}

static int push(struct chain *c, const char id[CHAIN_ID], struct err *e)
{
	if (c->n == CHAIN_MOST)
		return has_most(e);
	memmove(c->layers[1], c->layers[0], c->n++ * CHAIN_ID);
	memcpy(c->layers[0], id, CHAIN_ID);
	return 0;
}

static int seal(struct sealing *s, bool machine, bool project, struct chain *c,
		struct err *e)
{
	_cleanup_close_ int dir = -1;
	int r;

	s->layer = chain_layer(s->layers, s->id, e);
	if (s->layer < 0)
		return s->layer;
	if (machine) {
		r = push(c, s->id, e);
		if (r < 0)
			return r;
		dir = make_dir(s->layer, "machine", (s->upper.st_mode & 07777) | 0700,
			       e);
		if (dir < 0)
			return dir;
	}
	if (project)
		(void)text_copy(c->project, CHAIN_ID, s->reviews ? s->id : "");
	c->made = sys_wall().tv_sec;
	r = chain_save(s->b->dirfd, "chain", c, e);
	c->fresh = r == 0;
	if (r == 0 && machine)
		r = swap_upper(s, e);
	if (r < 0 || !project)
		return r;
	r = sys_renameat(s->b->dirfd, "project", s->layer, "project");
	return r < 0 ? err_sys(e, r, "cannot keep what is under review") : 0;
}

static int is_a_copy(struct err *e)
{
	return err_set(e, -EOPNOTSUPP,
		       "this box is a copy of its image, since no overlay is possible "
		       "here, and has no layers");
}

bool chain_untouched(const struct boxdir *b)
{
	return !file_is_there(b->dirfd, "chain") && !file_is_there(b->dirfd, "copy") &&
	       is_empty(b->dirfd, "upper");
}

const char *const chain_views[CHAIN_VIEWS] = { "project", "project/outside",
					       "project/outside-tree" };

bool chain_reviews(const struct boxdir *b)
{
	char upper[64];

	for (size_t i = 0; i < CHAIN_VIEWS; i++) {
		snprintf(upper, sizeof(upper), "%s/upper", chain_views[i]);
		if (file_is_there(b->dirfd, upper) && !is_empty(b->dirfd, upper))
			return true;
	}
	return false;
}

/* Its directory "project" counts, whatever the list says. */
static int load_counting(const struct boxdir *b, struct chain *ret, struct err *e)
{
	int r = chain_load(b->dirfd, "chain", ret, e);

	if (r == 0 && file_is_there(b->dirfd, "project"))
		ret->project[0] = '\0';
	return r;
}

int chain_seal(int layers, const struct boxdir *b, enum chain_what what,
	       struct chain *ret, struct err *e)
{
	_cleanup_close_ int layer = -1;
	struct sealing s = { .b = b,
			     .layers = layers,
			     .layer = -1,
			     .reviews = what == CHAIN_PROJECT || chain_reviews(b) };
	struct chain c;
	bool machine = what != CHAIN_PROJECT && !is_empty(b->dirfd, "upper");
	bool project = what == CHAIN_STATE ? s.reviews
					   : file_is_there(b->dirfd, "project/upper");
	int r = load_counting(b, &c, e);

	if (r < 0)
		return r;
	if (file_is_there(b->dirfd, "copy"))
		return is_a_copy(e);
	r = sys_fstatat(b->dirfd, "upper", &s.upper, AT_SYMLINK_NOFOLLOW);
	if (r < 0)
		return err_sys(e, r, "cannot look at the box's layer");
	c.mode = s.upper.st_mode & 07777;
	if (machine || project)
		r = seal(&s, machine, project, &c, e);
	layer = s.layer;
	if (r < 0)
		return r;
	*ret = c;
	return 0;
}

int chain_copyable(const struct boxdir *b, struct chain *ret, struct err *e)
{
	int r = load_counting(b, ret, e);

	if (r < 0)
		return r;
	if (file_is_there(b->dirfd, "copy"))
		return is_a_copy(e);
	return ret->n == CHAIN_MOST && !is_empty(b->dirfd, "upper") ? has_most(e) : 0;
}

/* What was copied belongs on the layers that were there then. */
static int still_has(const struct chain *was, const struct chain *c, struct err *e)
{
	if (was->n == c->n && strcmp(was->project, c->project) == 0 &&
	    memcmp(was->layers, c->layers, c->n * CHAIN_ID) == 0)
		return 0;
	err_set(e, -EBUSY, "the box got other layers while it was copied");
	return err_hint(e, "try again");
}

int chain_copied(const struct boxdir *b, const struct chain *was, int layer,
		 const char id[CHAIN_ID], struct chain *ret, struct err *e)
{
	struct stat upper;
	struct chain c;
	int r = load_counting(b, &c, e) ?: still_has(was, &c, e);

	if (r < 0)
		return r;
	r = sys_fstatat(b->dirfd, "upper", &upper, AT_SYMLINK_NOFOLLOW);
	if (r < 0)
		return err_sys(e, r, "cannot look at the box's layer");
	c.mode = upper.st_mode & 07777;
	if (!is_empty(layer, "machine"))
		r = push(&c, id, e);
	if (file_is_there(layer, "project"))
		(void)text_copy(c.project, CHAIN_ID, id);
	c.made = sys_wall().tv_sec;
	if (r == 0)
		*ret = c;
	return r;
}

/* ---- the project's changes --------------------------------------------------------------- */

int chain_pending(int layers, int boxdir, int *ret, struct err *e)
{
	struct chain c;
	char path[CHAIN_ID + 16];
	int r = chain_load(boxdir, "chain", &c, e);

	if (r < 0 || !*c.project)
		return r;
	if (file_is_there(boxdir, "project")) {
		c.project[0] = '\0';
		return chain_save(boxdir, "chain", &c, e);
	}
	snprintf(path, sizeof(path), "%s/project", c.project);
	r = sys_openat(layers, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (r < 0) /* -ENOENT would say that there is nothing */
		return err_sys(e, r == -ENOENT ? -EIO : r,
			       "cannot open what is under review in a layer");
	*ret = r;
	return 1;
}
