/* idmap_write - the parent gives a map to a child's new user namespace. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/idmap/idmap.h"

enum {
	WORKER_TIMEOUT_MS = 10000, /* an NSS plugin may ask a server */
	WORKER_STDERR = 4096,
	ARG = 12,			/* digits of an id and a NUL */
	ARGS = 2 + 3 * IDMAP_RANGES + 1 /* program, pid, ranges, NULL */
};

static int write_file(int dirfd, const char *name, const char *text, struct err *e)
{
	_cleanup_close_ int fd = sys_openat(dirfd, name, O_WRONLY, 0);
	ssize_t n = fd;

	if (fd >= 0) /* one write: the kernel takes a map whole or not at all */
		n = sys_write(fd, text, strlen(text));
	return n < 0 ? err_sys(e, (int)n, "cannot write %s", name) : 0;
}

static int write_map(int dirfd, const char *name, const struct idmap_range *at,
		     unsigned n, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(4096);
	int r = 0;

	for (unsigned i = 0; i < n && r >= 0; i++)
		r = buf_addf(&text, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
			     at[i].inside, at[i].outside, at[i].count);
	if (r < 0)
		return err_sys(e, r, "cannot write %s", name);
	return write_file(dirfd, name, buf_cstr(&text), e);
}

static int write_directly(const struct idmap *m, pid_t child, struct err *e)
{
	const char *path = procfs_path("/proc/%d", child);
	_cleanup_close_ int dirfd = sys_open(path, O_RDONLY | O_DIRECTORY);
	int r;

	if (dirfd < 0)
		return err_sys(e, dirfd, "cannot open '%s'", path);
	/* The kernel's condition for a gid_map without CAP_SETGID. */
	r = idmap_traits(m)->single ? write_file(dirfd, "setgroups", "deny", e) : 0;
	if (r >= 0)
		r = write_map(dirfd, "gid_map", m->gid, m->n_gid, e);
	return r < 0 ? r : write_map(dirfd, "uid_map", m->uid, m->n_uid, e);
}

/* ---- newuidmap and newgidmap ---------------------------------------------------- */

struct mapper {
	const char *name;
	struct proc proc;
	int stderr_fd; /* owned: a memfd */
	char args[3 * IDMAP_RANGES + 1][ARG];
	const char *argv[ARGS];
};

static void mapper_done(struct mapper *h)
{
	proc_done(&h->proc);
	scope_close(&h->stderr_fd);
}

static int mapper_start(struct mapper *h, pid_t child, const struct idmap_range *at,
			unsigned n, struct err *e)
{
	unsigned a = 0;

	h->argv[0] = h->name;
	snprintf(h->args[a++], ARG, "%d", child);
	for (unsigned i = 0; i < n; i++) {
		snprintf(h->args[a++], ARG, "%" PRIu32, at[i].inside);
		snprintf(h->args[a++], ARG, "%" PRIu32, at[i].outside);
		snprintf(h->args[a++], ARG, "%" PRIu32, at[i].count);
	}
	for (unsigned i = 0; i < a; i++)
		h->argv[i + 1] = h->args[i];
	h->argv[a + 1] = NULL;
	h->stderr_fd = sys_memfd("helper", 0);
	if (h->stderr_fd < 0)
		return err_sys(e, h->stderr_fd, "cannot keep what %s says", h->name);
	return proc_start(&(struct proc_conf){ .argv = h->argv,
					       .fds = { -1, -1, h->stderr_fd },
					       .pass_fd = -1 },
			  &h->proc, e);
}

/* What it said, without its own name and line ends, or that it said nothing. */
static int mapper_failed(struct mapper *h, int status, struct err *e)
{
	_cleanup_buf_ struct buf said = BUF_INIT(WORKER_STDERR);
	const char *text;
	size_t n = strlen(h->name);

	if (sys_lseek(h->stderr_fd, 0, SEEK_SET) == 0)
		(void)file_read_fd(h->stderr_fd, &said, ERR_IGNORED);
	while (said.len && said.data[said.len - 1] == '\n')
		buf_truncate(&said, said.len - 1);
	if (!said.len)
		return err_set(e, -EPERM, "%s exited with %d", h->name, status);
	text = buf_cstr(&said);
	if (!strncmp(text, h->name, n) && !strncmp(text + n, ": ", 2))
		text += n + 2;
	return err_set(e, -EPERM, "%s: %s", h->name, text_shown(text));
}

static int mapper_wait(struct mapper *h, struct err *e)
{
	int status, r = proc_wait(&h->proc, WORKER_TIMEOUT_MS, &status, e);

	if (r < 0)
		return err_wrap(e, "%s", h->name);
	return status ? mapper_failed(h, status, e) : 0;
}

/* At the same time: each is a setuid program that asks NSS, some milliseconds. */
static int write_by_helpers(const struct idmap *m, pid_t child, struct err *e)
{
	_cleanup_(mapper_done) struct mapper u = { .name = "newuidmap",
						   .proc = PROC_NONE,
						   .stderr_fd = -1 };
	_cleanup_(mapper_done) struct mapper g = { .name = "newgidmap",
						   .proc = PROC_NONE,
						   .stderr_fd = -1 };
	int r;

	r = mapper_start(&u, child, m->uid, m->n_uid, e);
	if (r >= 0)
		r = mapper_start(&g, child, m->gid, m->n_gid, e);
	if (r >= 0)
		r = mapper_wait(&u, e);
	return r < 0 ? r : mapper_wait(&g, e);
}

int idmap_write(const struct idmap *m, pid_t child, struct err *e)
{
	return idmap_traits(m)->delegated ? write_by_helpers(m, child, e)
					  : write_directly(m, child, e);
}
