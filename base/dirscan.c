#include "base/dirscan.h"

#include <dirent.h>
#include <string.h>

#include "base/sys/sys.h"

int dirscan_start(struct dirscan *s, int fd, struct err *e)
{
	off_t r;

	r = sys_lseek(fd, 0, SEEK_SET);
	if (r < 0)
		return err_sys(e, (int)r, "cannot rewind a directory");
	s->fd = fd;
	s->at = s->len = 0;
	return 0;
}

static int fill(struct dirscan *s, struct err *e)
{
	ssize_t n;

	n = sys_getdents64(s->fd, s->bytes, sizeof(s->bytes));
	if (n < 0)
		return err_sys(e, (int)n, "cannot list a directory");
	s->at = 0;
	s->len = (size_t)n;
	return n > 0;
}

int dirscan_next(struct dirscan *s, struct dirscan_entry *ret, struct err *e)
{
	const struct dirent64 *d;
	int r;

	for (;;) {
		if (s->at >= s->len) {
			r = fill(s, e);
			if (r <= 0)
				return r;
		}
		d = (const void *)(s->bytes + s->at);
		s->at += d->d_reclen;
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		*ret = (struct dirscan_entry){ d->d_name, d->d_type };
		return 1;
	}
}
