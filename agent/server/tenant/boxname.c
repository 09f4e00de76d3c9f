#include "agent/server/tenant/boxname.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/server/conf/conf.h"
#include "agent/server/conf/policies.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "runtime/spec/spec.h"

enum { NAME_MAX_BYTES = 256, SHOWN = 24, HEX = 32, NAME_PLAIN = 64 };

static bool is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

/* A directory's name that a person recognises and that no other user can have. */
static int name_of(const struct tenant_who *who, struct buf *ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(4L * NAME_MAX_BYTES);
	const char *user = who->user ? who->user : "";
	const char *context = who->context ? who->context : "";
	char hash[HASH_HEX];
	int r;

	if (strlen(user) > NAME_MAX_BYTES || strlen(context) > NAME_MAX_BYTES)
		return err_set(e, -EINVAL, "a user's or chat's name is too long");
	buf_addf(&text, "%zu:%s/%s", strlen(user), user, context);
	if (who->policy) /* no field of a head has a newline */
		buf_addf(&text, "\n%s", who->policy);
	r = buf_failed(&text);
	if (r < 0)
		return r;
	hash_text(text.data, text.len, hash);
	for (size_t i = 0; user[i] && i < SHOWN; i++)
		buf_addc(ret, is_plain(user[i]) ? user[i] : '_');
	buf_addf(ret, "%s%.*s", user[0] ? "-" : "", HEX, hash);
	return buf_failed(ret);
}

static bool is_name(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_plain(text[i]))
			return false;
	return len && *text != '-' && len <= NAME_PLAIN;
}

/* The one box has a name, too: the page need not know which server it talks to. */
static int box_name(const struct server_conf *c, const char *box, struct buf *ret,
		    struct err *e)
{
	size_t len = strcspn(box, "@");
	const char *at = box + len;

	if (!is_name(box, len) || (*at && !is_name(at + 1, strlen(at + 1))))
		return err_set(e, -EINVAL,
			       "a box's name has letters, digits, '-' and '_', and "
			       "does not begin with '-'");
	if (!c->boxes &&
	    (len != strlen(TENANT_HERE) || strncmp(box, TENANT_HERE, len) != 0))
		return err_set(e, -ENOENT, "there is no box '%s'", box);
	return buf_adds(ret, c->boxes ? box : at);
}

int boxname_id(const struct server_conf *c, const struct tenant_who *who,
	       struct buf *ret, struct err *e)
{
	/* a service passes on what its users ask for, with its key */
	if (who->box && (who->user || who->context || who->policy))
		return err_set(e, -EPERM,
			       "boxes are named by the holder of the key, "
			       "not by a user of a service");
	if (who->box)
		return box_name(c, who->box, ret, e);
	return c->boxes ? name_of(who, ret, e) : 0;
}

/* A user's is made when it is asked for; one that is named has to be there. */
static int make_dir(const struct server_conf *c, const char *name, bool make,
		    char **ret, struct err *e)
{
	_cleanup_close_ int dirfd = inroot_open_real(c->boxes, O_RDONLY | O_DIRECTORY);
	_cleanup_close_ int fd = -1;
	int r;

	if (dirfd < 0)
		return err_sys(e, dirfd, "cannot open directory '%s'", c->boxes);
	r = make ? sys_mkdirat(dirfd, name, 0700) : 0;
	if (r < 0 && r != -EEXIST)
		return err_sys(e, r, "cannot make a directory for a box in '%s'",
			       c->boxes);
	fd = sys_openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0)
		return err_set(e, fd, "there is no box '%s'", name);
	return asprintf(ret, "%s/%s", c->boxes, name) < 0
		       ? err_sys(e, -ENOMEM, "no box")
		       : 0;
}

/* A branch is one that was made: nobody gets a new box by a slip of its name. */
static int check_branch(const struct server_conf *c, const struct server_box *b,
			bool make, struct err *e)
{
	_cleanup_close_ int store = -1, fd = -1;
	char key[HASH_HEX];
	int r;

	if (!b->name || make)
		return 0;
	spec_key(b->dir, b->name, key);
	store = file_open_dir(AT_FDCWD, c->store, e);
	fd = store < 0 ? store : file_open_dir(store, "boxes", e);
	if (fd < 0)
		return fd;
	r = sys_faccessat(fd, key, F_OK, 0);
	return r < 0 ? err_set(e, -ENOENT, "the directory has no box '%s'", b->name)
		     : 0;
}

int boxname_policy(const struct server_conf *c, const struct tenant_who *who,
		   struct server_box *ret, struct err *e)
{
	const struct policy *p;
	int r;

	ret->options = NULL;
	if (!c->policies || who->box)
		return 0;
	r = policies_find(c->policies, who->policy, who->user, who->context, &p, e);
	if (r < 0)
		return r;
	ret->options = p->options;
	return 0;
}

int boxname_place(const struct server_conf *c, const struct tenant_who *who,
		  const char *id, char **dir, struct server_box *ret, struct err *e)
{
	const char *at = strchr(id, '@');
	struct server_box b = { .name = at ? at + 1 : NULL };
	char plain[BOXNAME_ID];
	int r = boxname_policy(c, who, &b, e);

	if (r < 0)
		return r;
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(id, "@"), id);
	/* the directory of a branch is there before it */
	if (c->boxes)
		r = make_dir(c, plain, who->make && !at, dir, e);
	else if (!(*dir = strdup(c->dir)))
		r = err_sys(e, -ENOMEM, "cannot note a box");
	if (r < 0)
		return r;
	b.dir = *dir;
	r = check_branch(c, &b, who->make, e);
	if (r < 0) {
		free(take(dir, NULL));
		return r;
	}
	*ret = b;
	return 0;
}

bool boxname_of(const struct server_conf *c, const char *dir, const char *name,
		const char *key, struct buf *ret)
{
	size_t len = c->boxes ? strlen(c->boxes) : 0;
	bool one = c->box && strcmp(key, c->box) == 0;

	if (!c->boxes && strcmp(dir, c->dir) != 0)
		return false;
	if (c->boxes && (strncmp(dir, c->boxes, len) != 0 || dir[len] != '/' ||
			 strchr(dir + len + 1, '/')))
		return false;
	if (c->box && !one && !*name) /* the server has another for the one box */
		return false;
	buf_adds(ret, c->boxes ? dir + len + 1 : TENANT_HERE);
	if (*name && !one)
		buf_addf(ret, "@%s", name);
	return buf_failed(ret) == 0;
}
