#include "runtime/init/setid.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/confine/secfilter.h"
#include "runtime/init/setid_call.h"
#include "runtime/init/setid_work.h"

/* ---- where bits may be real ------------------------------------------------------- */

/* A kernel that cannot tell mounts apart leaves no such place (before 5.8). */
static void find_places(const char *project, struct setid_places *ret)
{
	static const char *const own[SETID_PLACES] = { "/", "/tmp" };
	uint64_t theirs, id;

	ret->n = 0;
	if (sys_mount_id(AT_FDCWD, project, &theirs) < 0)
		return;
	for (unsigned i = 0; i < SETID_PLACES; i++)
		if (sys_mount_id(AT_FDCWD, own[i], &id) == 0 && id != theirs)
			ret->mount[ret->n++] = id;
}

/* ---- the secret --------------------------------------------------------------------- */

#define WORD(field, half) \
	(offsetof(struct seccomp_data, field) + sizeof(uint32_t) * (half))
#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(at))
#define ONLY(value, rest) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (rest))

/* The call with the secret is allowed, from its half number @from on; all else goes on. */
static void add_passing(struct buf *b, uint32_t nr, const uint64_t secret[2],
			unsigned from)
{
	enum { HALVES = 4 };
	const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_filter call[] = {
		LOAD(offsetof(struct seccomp_data, nr)),
		ONLY(nr, (uint8_t)(2 * (HALVES - from) + 1)),
	};
	uint32_t half[HALVES];

	memcpy(half, secret, sizeof(half));
	buf_add(b, call, sizeof(call));
	for (unsigned i = from; i < HALVES; i++) {
		const struct sock_filter check[] = {
			LOAD(WORD(args[4], i)), /* the sixth is behind the fifth */
			ONLY(half[i], (uint8_t)(2 * (HALVES - 1 - i) + 1)),
		};

		buf_add(b, check, sizeof(check));
	}
	buf_add(b, &allow, sizeof(allow));
}

static void add_asking(struct buf *b, uint32_t nr)
{
	const struct sock_filter ask[] = {
		ONLY(nr, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	};

	buf_add(b, ask, sizeof(ask));
}

/* An attribute of a capability's length. Every copy that keeps modes sets another, which is
 * longer: it costs nothing. */
static void add_asking_attribute(struct buf *b, uint32_t nr)
{
	const struct sock_filter ask[] = {
		ONLY(nr, 5),
		LOAD(WORD(args[3], 0)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, XATTR_CAPS_SZ_2, 1, 0),
		ONLY(XATTR_CAPS_SZ_3, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		LOAD(offsetof(struct seccomp_data, nr)),
	};

	buf_add(b, ask, sizeof(ask));
}

enum { MORE_RENAMES = 1, MORE_FILES = 2 };

/* In front of the program stand this process's own calls, and what else is asked for. What
 * looks at arguments comes behind the number, so that the kernel still knows which calls are
 * allowed whatever their arguments. */
static int make_filter(const struct setid *s, enum secfilter_kind kind, unsigned more,
		       struct buf *ret)
{
	const struct sock_filter nr = LOAD(offsetof(struct seccomp_data, nr));
	_cleanup_buf_ struct buf own = BUF_INIT(PATH_MAX);
	size_t len;
	const void *program = secfilter_program(kind, &len);

	add_passing(&own, SYS_fchmodat, s->own.secret, 0);
	if (more & MORE_RENAMES)
		add_passing(&own, SYS_renameat, s->own.secret, 0);
	if (more & MORE_FILES) {
		add_passing(&own, SYS_setxattr, s->own.secret, 1);
		add_passing(&own, SYS_removexattr, s->own.secret, 0);
	}
	buf_add(&own, &nr, sizeof(nr));
	if (more & MORE_FILES) {
		add_asking_attribute(&own, SYS_setxattr);
		add_asking_attribute(&own, SYS_lsetxattr);
		add_asking_attribute(&own, SYS_fsetxattr);
		add_asking(&own, SYS_removexattr);
		add_asking(&own, SYS_lremovexattr);
		add_asking(&own, SYS_fremovexattr);
	}
	if (more & MORE_RENAMES) {
		add_asking(&own, SYS_renameat);
		add_asking(&own, SYS_renameat2);
#ifdef SYS_rename
		add_asking(&own, SYS_rename);
#endif
	}
	const struct sock_filter front[] = {
		LOAD(offsetof(struct seccomp_data, arch)),
		ONLY(SETID_CALL_ARCH, (uint8_t)(own.len / sizeof(struct sock_filter))),
	};

	buf_truncate(ret, 0);
	buf_add(ret, front, sizeof(front));
	buf_add(ret, own.data, own.len);
	buf_add(ret, program, len);
	return buf_failed(&own) < 0 ? buf_failed(&own) : buf_failed(ret);
}

/* Below another program's listener there can be no second one (EBUSY): what would be asked
 * is refused. An answer of the filter cannot change a mode. */
static int refuse_all(const struct buf *prog, struct err *e)
{
	struct sock_filter *at = (struct sock_filter *)(void *)prog->data;

	for (size_t i = 0; i < prog->len / sizeof(*at); i++)
		if (at[i].code == (BPF_RET | BPF_K) &&
		    at[i].k == SECCOMP_RET_USER_NOTIF)
			at[i].k = SECCOMP_RET_ERRNO | EPERM;
	return secfilter_install(prog->data, prog->len, e);
}

int setid_begin(enum secfilter_kind kind, const char *project, bool renames, bool files,
		struct setid *ret, struct err *e)
{
	unsigned more = (renames ? MORE_RENAMES : 0U) | (files ? MORE_FILES : 0U);
	_cleanup_buf_ struct buf prog =
		BUF_INIT(BPF_MAXINSNS * sizeof(struct sock_filter));
	struct setid s = SETID_NONE;
	ssize_t r;

	find_places(project, &s.own);
	r = sys_getrandom(s.own.secret, sizeof(s.own.secret));
	if (r == sizeof(s.own.secret))
		r = make_filter(&s, kind, more, &prog);
	if (r < 0)
		return err_sys(e, (int)r, "cannot make the filter of set-id bits");
	r = s.listener = secfilter_install_listen(prog.data, prog.len, e);
	if (r == -EBUSY) {
		*e = ERR_NONE;
		s.listener = -1;
		r = make_filter(&s, kind, 0, &prog);
		r = r < 0 ? err_sys(e, (int)r, "cannot make the filter of set-id bits")
			  : refuse_all(&prog, e);
	}
	if (r < 0)
		return (int)r;
	if (more && s.listener >= 0)
		(void)sys_notif_in_turns(s.listener); /* such calls are made often */
	*ret = s;
	return 0;
}

/* ---- serving ----------------------------------------------------------------------- */

bool setid_refused(const struct setid *s)
{
	return s->listener < 0;
}

int setid_fd(const struct setid *s)
{
	return s->n < SETID_AT_ONCE ? s->listener : -1;
}

/* Where a caller's name for a file begins, as a path of init's. */
static int name_of(const struct seccomp_notif *ask, const struct setid_call *c,
		   char ret[2 * PATH_MAX])
{
	char path[PATH_MAX], start[32] = "cwd/";
	int r = setid_work_path((pid_t)ask->pid, c->path, path);

	if (r < 0)
		return r;
	if (*path == '/')
		text_copy(start, sizeof(start), "root");
	else if (c->dirfd != AT_FDCWD)
		snprintf(start, sizeof(start), "fd/%d/", c->dirfd);
	snprintf(ret, 2 * (size_t)PATH_MAX, "/proc/%u/%s%s", ask->pid, start, path);
	return 0;
}

/* Only a directory's rename and a file's capability may need help. That the name is looked
 * at from here, and may be another by then, does no harm: the kernel judges the call as it
 * judges every one. */
static bool goes_on(const struct seccomp_notif *ask)
{
	char name[2 * PATH_MAX];
	struct setid_call c;
	struct stat st;

	if (setid_call_read(&ask->data, &c) < 0)
		return false;
	if (c.what == SETID_XATTR || c.what == SETID_XATTR_GONE)
		return !setid_work_is_capability((pid_t)ask->pid,
						 setid_call_attribute(&ask->data).name);
	if (c.what != SETID_RENAME)
		return false;
	return (c.flags & ~RENAME_NOREPLACE) || name_of(ask, &c, name) < 0 ||
	       sys_fstatat(AT_FDCWD, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	       !S_ISDIR(st.st_mode);
}

static void go_on(const struct setid *s, uint64_t id)
{
	struct seccomp_notif_resp resp = { .id = id,
					   .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

	(void)sys_notif_send(s->listener, &resp);
}

/* Who has its answer, or is gone, is not found any more. */
static void refuse(const struct setid *s, uint64_t id)
{
	struct seccomp_notif_resp resp = { .id = id, .error = -EPERM };

	(void)sys_notif_send(s->listener, &resp);
}

void setid_serve(struct setid *s)
{
	struct seccomp_notif ask;
	pid_t pid;

	memset(&ask, 0, sizeof(ask));
	if (s->n >= SETID_AT_ONCE || sys_notif_recv(s->listener, &ask) < 0)
		return;
	if (goes_on(&ask)) {
		go_on(s, ask.id);
		return;
	}
	pid = sys_fork();
	if (pid == 0)
		setid_work(s->listener, &ask, &s->own);
	if (pid < 0) {
		refuse(s, ask.id);
		return;
	}
	s->at[s->n].pid = pid;
	s->at[s->n++].id = ask.id;
}

void setid_reaped(struct setid *s, pid_t pid)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->at[i].pid != pid)
			continue;
		refuse(s, s->at[i].id);
		s->at[i] = s->at[--s->n];
		return;
	}
}
