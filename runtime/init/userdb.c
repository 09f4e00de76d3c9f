#include "runtime/init/userdb.h"

#include <string.h>

#include "base/buf.h"
#include "base/inroot.h"
#include "base/num.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { USERDB_FIELDS = 7, USERDB_MAX_ID = 0xfffffffe };

struct line {
	const char *field[USERDB_FIELDS]; /* each ends at its length */
	size_t len[USERDB_FIELDS];
	size_t n;
};

/* Times of files may be as coarse as the kernel's tick. */
enum { SETTLED_S = 2 };

static void stamp(const struct stat *st, struct userdb_stamp *ret)
{
	*ret = (struct userdb_stamp){
		.settled = S_ISREG(st->st_mode) &&
			   sys_wall().tv_sec - st->st_ctim.tv_sec >= SETTLED_S,
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = st->st_size,
		.changed = st->st_ctim,
	};
}

/* By the inode: whatever the path leads through now, it is the file that was read. */
static bool is_same(int rootfd, const char *path, const struct userdb_stamp *was)
{
	struct stat st;

	return was->settled &&
	       sys_fstatat(rootfd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_dev == was->dev && st.st_ino == was->ino &&
	       st.st_size == was->size && st.st_ctim.tv_sec == was->changed.tv_sec &&
	       st.st_ctim.tv_nsec == was->changed.tv_nsec;
}

/* What is not a regular file of moderate size is an error, not something to wait for. */
static int read_db(int rootfd, const char *path, struct buf *ret,
		   struct userdb_stamp *was, struct err *e)
{
	_cleanup_close_ int fd = inroot_open(rootfd, path, O_RDONLY | O_NONBLOCK);
	struct stat st;
	ssize_t n;
	int r;

	if (fd == -ENOENT)
		return 0;
	r = fd < 0 ? fd : sys_fstat(fd, &st);
	if (r < 0)
		return err_sys(e, r, "cannot read '%s' of the box", path);
	stamp(&st, was);
	if (!S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "'%s' of the box is not a regular file",
			       path);
	if (st.st_size > USERDB_FILE)
		return err_set(e, -EFBIG, "'%s' of the box is larger than %d bytes",
			       path, USERDB_FILE);
	for (;;) {
		r = buf_reserve(ret, 4096);
		n = r < 0 ? r : sys_read(fd, ret->data + ret->len, 4096);
		if (n < 0)
			return err_sys(e, (int)n, "cannot read '%s' of the box", path);
		if (n == 0)
			return 0;
		buf_commit(ret, (size_t)n);
	}
}

/* Cuts the next line off @rest into fields; false at the end. */
static bool next_line(const char **rest, struct line *l)
{
	const char *p = *rest;
	const char *end = strchrnul(p, '\n');

	if (!*p)
		return false;
	*rest = *end ? end + 1 : end;
	for (l->n = 0; l->n < USERDB_FIELDS; l->n++) {
		const char *colon = memchr(p, ':', (size_t)(end - p));
		const char *stop = colon ? colon : end;

		l->field[l->n] = p;
		l->len[l->n] = (size_t)(stop - p);
		if (!colon) {
			l->n++;
			break;
		}
		p = colon + 1;
	}
	return true;
}

static bool name_is(const struct line *l, const char *s)
{
	return l->n && l->len[0] == strlen(s) && memcmp(l->field[0], s, l->len[0]) == 0;
}

static bool field_id(const struct line *l, size_t i, uint32_t *ret)
{
	char text[16];
	uint64_t v;

	if (i >= l->n || l->len[i] >= sizeof(text))
		return false;
	memcpy(text, l->field[i], l->len[i]);
	text[l->len[i]] = '\0';
	if (num_range(text, 0, USERDB_MAX_ID, &v) < 0)
		return false;
	*ret = (uint32_t)v;
	return true;
}

static void field_copy(const struct line *l, size_t i, char *out, size_t size)
{
	if (i >= l->n || !l->len[i] || l->len[i] >= size)
		return; /* the default stays */
	memcpy(out, l->field[i], l->len[i]);
	out[l->len[i]] = '\0';
}

/* By name, or by @uid when @name is NULL. */
static bool find_user(const char *db, const char *name, uid_t uid,
		      struct userdb_user *ret)
{
	struct line l;
	uint32_t u, g;

	while (next_line(&db, &l)) {
		if (!field_id(&l, 2, &u) || !field_id(&l, 3, &g))
			continue;
		if (name ? !name_is(&l, name) : u != uid)
			continue;
		ret->uid = u;
		ret->gid = g;
		field_copy(&l, 0, ret->name, sizeof(ret->name));
		field_copy(&l, 5, ret->home, sizeof(ret->home));
		field_copy(&l, 6, ret->shell, sizeof(ret->shell));
		return true;
	}
	return false;
}

static bool find_group(const char *db, const char *name, gid_t *ret)
{
	struct line l;

	while (next_line(&db, &l))
		if (name_is(&l, name))
			return field_id(&l, 2, ret);
	return false;
}

static bool is_member(const struct line *l, const char *name)
{
	const char *p = l->n > 3 ? l->field[3] : "";
	const char *end = l->n > 3 ? p + l->len[3] : p;
	size_t len = strlen(name);

	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma ? comma : end;

		if ((size_t)(stop - p) == len && memcmp(p, name, len) == 0)
			return true;
		p = stop + 1;
	}
	return false;
}

static void find_memberships(const char *db, struct userdb_user *u)
{
	struct line l;
	uint32_t g;

	while (u->n_groups < USERDB_GROUPS && next_line(&db, &l))
		if (is_member(&l, u->name) && field_id(&l, 2, &g) && g != u->gid)
			u->groups[u->n_groups++] = g;
}

static int parse_id(const char *s, uint32_t *ret)
{
	uint64_t v;
	int r = num_range(s, 0, USERDB_MAX_ID, &v);

	if (r < 0)
		return r;
	*ret = (uint32_t)v;
	return 0;
}

/* Whoever is in the box may spoil its files: a number must do without them, or nobody gets
 * in to mend them. */
static int find_by(int rootfd, const char *user, const char *group,
		   struct userdb_last *last, struct err *e)
{
	struct userdb_user *u = &last->user;
	_cleanup_buf_ struct buf passwd = BUF_INIT(USERDB_FILE + 4096);
	_cleanup_buf_ struct buf groups = BUF_INIT(USERDB_FILE + 4096);
	bool number = parse_id(user, &u->uid) == 0;
	gid_t gid = 0;
	bool named = group && parse_id(group, &gid) < 0;
	char shown[USERDB_NAME * 2];
	int r;

	r = read_db(rootfd, "/etc/passwd", &passwd, &last->passwd, e);
	if (r < 0 && !number)
		return r;
	if (r < 0 && u->uid == 0)
		text_copy(u->home, sizeof(u->home), "/root");
	if (r == 0 && !find_user(buf_cstr(&passwd), number ? NULL : user, u->uid, u) &&
	    !number)
		return err_set(e, -EINVAL,
			       "no user '%s' in the box; a number needs no account",
			       text_escaped(shown, sizeof(shown), user, strlen(user)));
	r = !group || named ? read_db(rootfd, "/etc/group", &groups, &last->group, e)
			    : 0;
	if (r < 0 && (named || !number))
		return r;
	if (r == 0 && !group)
		find_memberships(buf_cstr(&groups), u);
	if (group && !named)
		u->gid = gid;
	if (named && !find_group(buf_cstr(&groups), group, &u->gid))
		return err_set(
			e, -EINVAL, "no group '%s' in the box",
			text_escaped(shown, sizeof(shown), group, strlen(group)));
	return 0;
}

/* A name may not look like a number: "+1" and "-1" are neither. */
static bool valid_word(const char *s)
{
	uint32_t id;

	if (!*s)
		return false;
	if (strspn(s, "0123456789") == strlen(s))
		return parse_id(s, &id) == 0;
	return *s != '+' && *s != '-' && strlen(s) < USERDB_NAME;
}

static int find(int rootfd, const char *spec, struct userdb_last *last, struct err *e)
{
	struct userdb_user *u = &last->user;
	char user[USERDB_NAME * 2 + 2], *colon;
	char shown[USERDB_NAME];
	int r = text_copy(user, sizeof(user), spec);

	*u = (struct userdb_user){ .home = "/", .shell = "/bin/sh" };
	colon = strchr(user, ':');
	if (colon)
		*colon++ = '\0';
	if (r < 0 || !valid_word(user) || (colon && !valid_word(colon)))
		return err_set(e, -EINVAL,
			       "bad user '%s'; say NAME, UID, NAME:GROUP or UID:GID",
			       text_escaped(shown, sizeof(shown), spec, strlen(spec)));
	text_copy(u->name, sizeof(u->name), user);
	return find_by(rootfd, user, colon, last, e);
}

int userdb_find(int rootfd, const char *spec, struct userdb_user *ret, struct err *e)
{
	struct userdb_last last = { .spec = "" };
	int r = find(rootfd, spec, &last, e);

	if (r < 0)
		return r;
	*ret = last.user;
	return 0;
}

int userdb_again(int rootfd, const char *spec, struct userdb_last *last,
		 const struct userdb_user **ret, struct err *e)
{
	int r = 0;

	if (strcmp(spec, last->spec) != 0 ||
	    !is_same(rootfd, "etc/passwd", &last->passwd) ||
	    !is_same(rootfd, "etc/group", &last->group)) {
		last->spec[0] = '\0';
		last->passwd.settled = last->group.settled = false;
		r = find(rootfd, spec, last, e);
		if (r < 0)
			return r;
		if (text_copy(last->spec, sizeof(last->spec), spec) < 0)
			last->spec[0] = '\0';
	}
	*ret = &last->user;
	return 0;
}
