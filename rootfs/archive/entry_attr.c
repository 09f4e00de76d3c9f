#include "rootfs/archive/entry_attr.h"

#include <string.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/archive/owners.h"

enum { XATTR_LIST = 64 << 10 };

const char *entry_attr_drop_name(enum entry_drop d)
{
	static const char *const names[ENTRY_DROPS] = {
		[ENTRY_DROP_SOCKET] = "socket",
		[ENTRY_DROP_OWNER] = "invalid owner",
		[ENTRY_DROP_CAPABILITY] = "capability",
		[ENTRY_DROP_ACL] = "ACL",
		[ENTRY_DROP_XATTR] = "extended attribute",
		[ENTRY_DROP_DEVICE] = "device",
	};

	return names[d];
}

int entry_attr_drop_summary(const uint64_t dropped[ENTRY_DROPS], struct buf *out)
{
	const char *separator = "";

	for (unsigned d = 0; d < ENTRY_DROPS; d++) {
		const char *name = entry_attr_drop_name(d);
		size_t len = strlen(name);
		bool y = name[len - 1] == 'y'; /* capability: capabilities */
		bool one = dropped[d] == 1;

		if (!dropped[d])
			continue;
		buf_addf(out, "%s%llu %.*s%s", separator,
			 (unsigned long long)dropped[d],
			 (int)(y && !one ? len - 1 : len), name,
			 one ? ""
			 : y ? "ies"
			     : "s");
		separator = ", ";
	}
	if (*separator)
		buf_adds(out, " not restored");
	if (dropped[ENTRY_DROP_DEVICE])
		buf_adds(out, " (a box has only those of its own /dev)");
	return buf_failed(out);
}

void entry_attr_drop(struct entry_attr *a, enum entry_drop d, const char *path)
{
	/* A box has a /dev of its own: nobody misses that of the image. */
	if (d != ENTRY_DROP_DEVICE || strncmp(path, "dev/", 4) != 0)
		a->dropped[d]++;
	if (a->names) /* full: the counts are whole all the same */
		(void)buf_addf(a->names, "not restored: '%s' (%s)\n", text_shown(path),
			       entry_attr_drop_name(d));
}

static int fail(struct err *e, int code, const char *what, const struct entry_place *p)
{
	return err_sys(e, code, "cannot %s '%s'", what, text_shown(p->path));
}

mode_t entry_attr_mode(const struct entry_attr *a, const struct untar_entry *en)
{
	mode_t mode = en->mode & 07777;

	if (a->single)
		mode |= S_ISDIR(en->mode) ? 0700 : 0600;
	return mode;
}

/* ---- owner ------------------------------------------------------------------------- */

/* In the file itself, where that is possible. */
static void record(const struct entry_place *p, const struct owners_stat *st)
{
	char value[OWNERS_VALUE];

	owners_format(value, st);
	if (p->fd >= 0)
		(void)sys_fsetxattr(p->fd, OWNERS_XATTR, value, strlen(value), 0);
}

static bool valid_id(int64_t id)
{
	return id >= 0 && id < UINT32_MAX; /* 2^32-1 means "leave it" to chown */
}

static int change_owner(const struct entry_place *p, const struct owners_stat *st)
{
	if (p->fd >= 0)
		return sys_fchown(p->fd, st->uid, st->gid);
	return sys_fchownat(p->parent, p->name, st->uid, st->gid, AT_SYMLINK_NOFOLLOW);
}

int entry_attr_owner(struct entry_attr *a, const struct entry_place *p,
		     const struct untar_entry *en, struct err *e)
{
	struct owners_stat want = { .mode = en->mode & 07777 };
	mode_t mode = entry_attr_mode(a, en);
	bool ours, kept = true;
	int r = 0;

	if (!valid_id(en->uid) || !valid_id(en->gid)) {
		entry_attr_drop(a, ENTRY_DROP_OWNER, p->path);
	} else {
		want.uid = (uint32_t)en->uid;
		want.gid = (uint32_t)en->gid;
	}
	ours = a->single ? !want.uid && !want.gid
			 : want.uid == a->uid && want.gid == a->gid && !p->any_gid;
	if (!ours && !a->single)
		r = change_owner(p, &want);
	if (r == -EINVAL || r == -EPERM || (!ours && a->single))
		kept = false; /* the id is not mapped here */
	else if (r < 0)
		return fail(e, r, "change the owner of", p);
	if (p->fd >= 0 && S_ISREG(en->mode) && (mode & 07000)) {
		r = sys_fchmod(p->fd, mode);
		if (r < 0)
			return fail(e, r, "change the mode of", p);
	}
	if (!kept || (mode != want.mode && !S_ISLNK(en->mode)))
		record(p, &want);
	return 0;
}

/* ---- extended attributes ------------------------------------------------------------ */

/* What becomes of a name; the first row that fits. */
static const struct rule {
	const char *prefix;
	bool restore;
	enum entry_drop drop; /* counted when it is not restored */
} rules[] = {
	{ "security.capability", true, ENTRY_DROP_CAPABILITY },
	{ "system.posix_acl_", false, ENTRY_DROP_ACL },
	{ "user.overlay.", false, ENTRY_DROP_XATTR }, /* would steer our overlay */
	{ OWNERS_XATTR, false, ENTRY_DROP_XATTR },    /* is ours to write */
	{ "user.", true, ENTRY_DROP_XATTR },
	{ "", false, ENTRY_DROP_XATTR }, /* security.*, trusted.*, system.*, … */
};

static const struct rule *rule_for(const char *name)
{
	const struct rule *r = rules;

	while (!text_starts(name, r->prefix))
		r++;
	return r;
}

/* Errors of the disk; anything else says that this attribute cannot be had here.
 * ENOSPC is not among them: it also means "larger than this filesystem's xattrs". */
static bool is_fatal(int r)
{
	return r == -EIO || r == -ENOMEM || r == -EROFS;
}

static int put_xattr(struct entry_attr *a, const struct entry_place *p,
		     const struct untar_xattr *x, struct err *e)
{
	const struct rule *rule = rule_for(x->name);
	int r = -EOPNOTSUPP;

	if (rule->restore && p->fd >= 0)
		r = sys_fsetxattr(p->fd, x->name, x->value, x->len, 0);
	if (is_fatal(r))
		return fail(e, r, "write an extended attribute of", p);
	if (r < 0)
		entry_attr_drop(a, rule->drop, p->path);
	return 0;
}

int entry_attr_xattrs(struct entry_attr *a, const struct entry_place *p,
		      const struct untar_entry *en, struct err *e)
{
	size_t count = 0, bytes = 0;
	struct untar_xattr x;
	int r = 0;

	if (en->has_acl)
		entry_attr_drop(a, ENTRY_DROP_ACL, p->path);
	while (r >= 0 && untar_next_xattr(en, &x)) {
		bytes += x.len;
		if (++count > a->limits->xattrs || bytes > a->limits->xattr_bytes)
			return err_set(e, -E2BIG,
				       "entry '%s': more than %zu extended attributes "
				       "or %zu bytes of them",
				       text_shown(p->path), a->limits->xattrs,
				       a->limits->xattr_bytes);
		r = put_xattr(a, p, &x, e);
	}
	return r;
}

void entry_attr_clear(int fd)
{
	char names[XATTR_LIST];
	ssize_t n;

	n = sys_flistxattr(fd, names, sizeof(names));
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1)
		(void)sys_fremovexattr(fd,
				       names + at); /* some are not ours to remove */
}

/* ---- times -------------------------------------------------------------------------- */

bool entry_attr_times(const struct untar_entry *en, struct timespec ret[2])
{
	long ns = en->mtime_ns;

	if (!en->has_mtime)
		return false;
	ret[0] = (struct timespec){ .tv_nsec = UTIME_OMIT };
	ret[1] = (struct timespec){ .tv_sec = en->mtime,
				    .tv_nsec = ns >= 0 && ns < 1000000000 ? ns : 0 };
	return true;
}
