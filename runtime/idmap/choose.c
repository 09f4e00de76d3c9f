/* idmap_choose - the ladder of maps, each rung proved by making a namespace with it. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/sys/sys.h"
#include "runtime/cause/cause.h"
#include "runtime/idmap/idmap.h"
#include "runtime/idmap/range.h"
#include "runtime/idmap/subid.h"
#include "runtime/idmap/trial.h"

enum {
	/* Where box ids lie when the caller is root: the first ids behind all that
	 * systemd, useradd and the engines give away (docs/adr/0005). */
	ROOT_FIRST = 0x70000000,
	ROOT_COUNT = 65536,
	DYNAMIC_FIRST = 61184,
	DYNAMIC_COUNT = 65520 - DYNAMIC_FIRST,
	NOBODY = 65534,
	SUBJECT = 256,
	SUBID_FILE = 1 << 20, /* bytes; hosts with many users have long ones */
	PASSWD_FILE = 4 << 20,
	WORKER_TIMEOUT_MS = 5000
};

static int trial(const struct idmap *m, struct err *e)
{
	return idmap_trial(&(struct idmap_trial){ .map = m }, e);
}

/* ---- the rungs ------------------------------------------------------------------ */

/* From /etc/passwd, or from the plugins of NSS that getent asks in a process of its
 * own; "" = nobody knows it. newuidmap decides for itself who we are. */
static void caller_name(char ret[IDMAP_SUBID_NAME])
{
	_cleanup_buf_ struct buf text = BUF_INIT(PASSWD_FILE);
	struct err e = ERR_NONE;
	uid_t uid = sys_geteuid();
	char number[16];
	const char *argv[] = { "getent", "passwd", number, NULL };

	(void)file_read(AT_FDCWD, "/etc/passwd", &text, &e);
	if (idmap_subid_name(buf_cstr(&text), uid, ret) >= 0)
		return;
	ret[0] = '\0';
	buf_truncate(&text, 0);
	snprintf(number, sizeof(number), "%u", uid);
	if (proc_run(argv, WORKER_TIMEOUT_MS, &text, &e) == 0)
		(void)idmap_subid_name(buf_cstr(&text), uid, ret);
}

/* /etc/subuid, or what an NSS plugin says where the file has nothing. */
static void find_subids(const char *file, bool group, struct idmap_subids *ret)
{
	_cleanup_buf_ struct buf text = BUF_INIT(SUBID_FILE);
	struct err e = ERR_NONE;
	char name[IDMAP_SUBID_NAME], path[PATH_MAX];
	const char *argv[] = { "getsubids", group ? "-g" : name, group ? name : NULL,
			       NULL };

	caller_name(name);
	(void)file_read(AT_FDCWD, file, &text, &e);
	idmap_subid_parse(buf_cstr(&text), name[0] ? name : NULL, sys_geteuid(), ret);
	if (ret->n || !name[0] || proc_find(argv[0], path) < 0)
		return;
	buf_truncate(&text, 0);
	if (proc_run(argv, WORKER_TIMEOUT_MS, &text, &e) == 0)
		idmap_subid_parse_list(buf_cstr(&text), ret);
}

static unsigned fill_subids(struct idmap_range *at, uint32_t own,
			    const struct idmap_subids *s)
{
	at[0] = (struct idmap_range){ .inside = 0, .outside = own, .count = 1 };
	memcpy(&at[1], s->at, s->n * sizeof(s->at[0]));
	return s->n + 1;
}

static enum probe_reason reason_of(const struct err *e)
{
	struct probe_facts f;

	cause_facts(&f);
	return cause_newuidmap(&f, e->msg);
}

static int try_subuid(struct idmap *m, struct buf *why, struct err *e)
{
	struct idmap_subids uids, gids;
	char subject[SUBJECT];
	enum probe_reason reason = PROBE_NO_SUBIDS;
	int r;

	find_subids("/etc/subuid", false, &uids);
	find_subids("/etc/subgid", true, &gids);
	m->n_uid = fill_subids(m->uid, sys_geteuid(), &uids);
	m->n_gid = fill_subids(m->gid, sys_getegid(), &gids);
	caller_name(subject);
	if (!subject[0])
		snprintf(subject, sizeof(subject), "%u", sys_geteuid());
	r = -ENOENT;
	if (uids.total >= IDMAP_SUBIDS && gids.total >= IDMAP_SUBIDS) {
		r = trial(m, e);
		reason = r < 0 ? reason_of(e) : PROBE_NONE;
		snprintf(subject, sizeof(subject), "%.250s", e->msg);
	}
	if (r >= 0)
		return 0;
	(void)cause_text_line(why, reason, subject, cause_distro());
	(void)buf_addc(why, '\n');
	return err_set(e, r, "cannot use subordinate ids: %s", subject);
}

static int try_single(struct idmap *m, struct buf *, struct err *e)
{
	m->n_uid = m->n_gid = 1;
	m->uid[0] = (struct idmap_range){ .outside = sys_geteuid(), .count = 1 };
	m->gid[0] = (struct idmap_range){ .outside = sys_getegid(), .count = 1 };
	return trial(m, e);
}

static int try_root(struct idmap *m, struct buf *why, struct err *e)
{
	int r;

	m->n_uid = m->n_gid = 1;
	m->uid[0] = m->gid[0] =
		(struct idmap_range){ .outside = ROOT_FIRST, .count = ROOT_COUNT };
	r = trial(m, e);
	if (r < 0)
		(void)buf_addf(why, "no private range of ids for the box: %s\n",
			       e->msg);
	return r;
}

/* Our own ids, as they are: what /proc/self/uid_map says that there is. */
static int own_ids(const char *path, struct idmap_range *at, unsigned *ret)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 14);
	struct err e = ERR_NONE;
	const char *p;
	unsigned n = 0;
	int used;

	if (file_read(AT_FDCWD, path, &text, &e) < 0)
		return e.code;
	for (p = buf_cstr(&text); n < IDMAP_RANGES; p += used, n++) {
		struct idmap_range *to = &at[n];

		if (sscanf(p, " %" SCNu32 " %*u %" SCNu32 "%n", &to->inside, &to->count,
			   &used) != 2)
			break;
		to->outside = to->inside;
	}
	*ret = n;
	return n ? 0 : -EINVAL;
}

int idmap_choose_helper(const struct idmap *map, struct idmap *ret, struct err *e)
{
	int r;

	*ret = *map;
	if (!idmap_traits(map)->by_root)
		return 0;
	*ret = (struct idmap){ .kind = IDMAP_REAL };
	r = own_ids("/proc/self/uid_map", ret->uid, &ret->n_uid);
	if (r >= 0)
		r = own_ids("/proc/self/gid_map", ret->gid, &ret->n_gid);
	return r < 0 ? err_sys(e, r, "cannot read the ids that are mapped here") : 0;
}

/* Where root's range is not mapped, in a container of an ordinary user's, the box has few
 * users: the ids that systemd gives away for moments, the last of them for "nobody". */
static int try_real(struct idmap *m, struct buf *why, struct err *e)
{
	static const struct idmap_range users[][2] = {
		{ { .inside = 1, .outside = ROOT_FIRST + 1, .count = ROOT_COUNT - 1 } },
		{ { .inside = 1, .outside = DYNAMIC_FIRST, .count = DYNAMIC_COUNT - 1 },
		  { .inside = NOBODY,
		    .outside = DYNAMIC_FIRST + DYNAMIC_COUNT - 1,
		    .count = 1 } },
	};
	struct idmap box;
	int r = -EPERM;

	m->uid[0] = m->gid[0] = (struct idmap_range){ .count = 1 };
	for (size_t i = 0; i < ARRAY_SIZE(users) && r < 0; i++) {
		memcpy(&m->uid[1], users[i], sizeof(users[i]));
		memcpy(&m->gid[1], users[i], sizeof(users[i]));
		m->n_uid = m->n_gid = users[i][1].count ? 3 : 2;
		idmap_range_box(m, 0, &box);
		r = trial(&box, e);
	}
	if (r < 0)
		(void)buf_addf(why, "no ids for the box's users: %s\n", e->msg);
	return r;
}

typedef int try_fn(struct idmap *m, struct buf *why, struct err *e);

static try_fn *const tries[] = {
	[IDMAP_SUBUID] = try_subuid,
	[IDMAP_SINGLE] = try_single,
	[IDMAP_ROOT] = try_root,
	[IDMAP_REAL] = try_real,
};

/* Root falls to a single map in a container that took its CAP_SETUID. */
static const enum idmap_kind ladder_root[] = { IDMAP_ROOT, IDMAP_REAL, IDMAP_SINGLE };
static const enum idmap_kind ladder_user[] = { IDMAP_SUBUID, IDMAP_SINGLE };

int idmap_choose(const enum idmap_kind *want, struct idmap *ret, struct buf *why,
		 struct err *e)
{
	bool root = sys_geteuid() == 0;
	const enum idmap_kind *ladder = root ? ladder_root : ladder_user;
	size_t n = root ? ARRAY_SIZE(ladder_root) : ARRAY_SIZE(ladder_user);
	int r = -EINVAL;

	if (want) {
		ladder = want;
		n = 1;
	}
	for (size_t i = 0; i < n; i++) {
		struct idmap m = { .kind = ladder[i] };

		*e = ERR_NONE;
		r = tries[m.kind](&m, why, e);
		if (r < 0)
			continue;
		*ret = m;
		*e = ERR_NONE;
		return 0;
	}
	return err_wrap(e, "id map '%s'", idmap_kind_name(ladder[n - 1]));
}
