#include "base/dirscan.h"

#include <dirent.h>
#include <string.h>

#include "base/def.h"
#include "base/sys/sys.h"

void dirscan_resume(struct dirscan *s, int fd, off_t next)
{
	off_t r = fd < 0 ? fd : sys_lseek(fd, next, SEEK_SET);

	s->fd = fd;
	s->failed = (int)MIN(r, 0);
	s->at = s->len = 0;
}

void dirscan_start(struct dirscan *s, int fd)
{
	dirscan_resume(s, fd, 0);
}

bool dirscan_next(struct dirscan *s)
{
	const struct dirent64 *d;
	ssize_t n;

	do {
		if (s->at >= s->len) {
			n = s->failed
				    ?: sys_getdents64(s->fd, s->bytes,
						      sizeof(s->bytes));
			if (n <= 0) {
				s->failed = (int)n;
				return false;
			}
			s->at = 0;
			s->len = (size_t)n;
		}
		d = (const void *)(s->bytes + s->at);
		s->at += d->d_reclen;
	} while (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."));
	s->name = d->d_name;
	s->type = d->d_type;
	s->next = d->d_off;
	return true;
}

int dirscan_failed(const struct dirscan *s, struct err *e)
{
	return s->failed ? err_sys(e, s->failed, "cannot list a directory") : 0;
}
