#include "runtime/init/setid.h"

#include <errno.h>
#include <linux/filter.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/sys/sys.h"
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

/* In front of the program: fchmodat with the secret is allowed, all else goes on. What
 * looks at arguments comes behind the number, so that the kernel still knows which calls
 * are allowed whatever their arguments. */
static int add_secret(const uint64_t secret[2], enum secfilter_kind kind,
		      struct buf *ret)
{
	size_t len;
	const void *program = secfilter_program(kind, &len);
	uint32_t half[4];

	memcpy(half, secret, sizeof(half));
	const struct sock_filter front[] = {
		LOAD(offsetof(struct seccomp_data, arch)),
		ONLY(SETID_CALL_ARCH, 11),
		LOAD(offsetof(struct seccomp_data, nr)),
		ONLY(SYS_fchmodat, 9),
		LOAD(WORD(args[4], 0)),
		ONLY(half[0], 7),
		LOAD(WORD(args[4], 1)),
		ONLY(half[1], 5),
		LOAD(WORD(args[5], 0)),
		ONLY(half[2], 3),
		LOAD(WORD(args[5], 1)),
		ONLY(half[3], 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	int r = buf_add(ret, front, sizeof(front));

	return r < 0 ? r : buf_add(ret, program, len);
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

int setid_begin(enum secfilter_kind kind, const char *project, struct setid *ret,
		struct err *e)
{
	_cleanup_buf_ struct buf prog =
		BUF_INIT(BPF_MAXINSNS * sizeof(struct sock_filter));
	struct setid s = SETID_NONE;
	ssize_t r;

	find_places(project, &s.own);
	r = sys_getrandom(s.own.secret, sizeof(s.own.secret));
	if (r == sizeof(s.own.secret))
		r = add_secret(s.own.secret, kind, &prog);
	if (r < 0)
		return err_sys(e, (int)r, "cannot make the filter of set-id bits");
	r = s.listener = secfilter_install_listen(prog.data, prog.len, e);
	if (r == -EBUSY) {
		*e = ERR_NONE;
		s.listener = -1;
		r = refuse_all(&prog, e);
	}
	if (r < 0)
		return (int)r;
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
