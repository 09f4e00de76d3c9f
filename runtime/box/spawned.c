#include "runtime/box/spawned.h"

#include <sys/sysmacros.h>

#include "base/sys/sys.h"
#include "runtime/wire/wire.h"

enum {
	BOX_MASTER_MAJOR = 5, /* of a pty master as devpts shows it: 5:2 */
	BOX_MASTER_MINOR = 2,
	BOX_DEVPTS_MAGIC = 0x1cd1
};

/* What came from inside is believed when it is what was asked for: a pty master, or pipes
 * of the right direction. */
static bool is_master(int fd)
{
	struct statfs fs;
	struct stat st;

	return sys_fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
	       st.st_rdev == makedev(BOX_MASTER_MAJOR, BOX_MASTER_MINOR) &&
	       sys_fstatfs(fd, &fs) == 0 && fs.f_type == BOX_DEVPTS_MAGIC;
}

static bool is_pipe(int fd, int access)
{
	struct stat st;
	int fl = sys_getfl(fd);

	return fl >= 0 && (fl & O_ACCMODE) == access && sys_fstat(fd, &st) == 0 &&
	       S_ISFIFO(st.st_mode);
}

int spawned_take(enum box_io io, struct wire_msg *m, struct box_proc *ret,
		 struct err *e)
{
	static const unsigned expected[] = { [BOX_IO_PIPES] = 3,
					     [BOX_IO_TTY] = 1,
					     [BOX_IO_NULL] = 0,
					     [BOX_IO_LOG] = 0 };
	const struct wire_spawned *s = wire_body(m, sizeof(*s));
	bool good = s && m->n_fds == expected[io];

	if (s && s->err.code < 0) {
		*e = s->err;
		e->msg[sizeof(e->msg) - 1] = '\0';
		return e->code;
	}
	if (good && io == BOX_IO_TTY)
		good = is_master(m->fds[0]);
	if (good && io == BOX_IO_PIPES)
		good = is_pipe(m->fds[0], O_WRONLY) && is_pipe(m->fds[1], O_RDONLY) &&
		       is_pipe(m->fds[2], O_RDONLY);
	if (!good)
		return err_set(e, -EBADMSG, "the box sent unexpected descriptors");
	ret->id = m->head.id;
	ret->pid = s->pid;
	for (unsigned i = 0; i < 3; i++)
		ret->fds[i] = wire_take_fd(m, i);
	return 0;
}
