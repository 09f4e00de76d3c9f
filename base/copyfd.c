#include "base/copyfd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { CHUNK = 1 << 20, NAMES = 32 << 10, VALUE = 64 << 10 };

/* What the kernel does not copy: between filesystems before 5.19, and where a filter refuses
 * it. */
static ssize_t copy_by_hand(int from, int to, off_t at, size_t len, char **chunk)
{
	ssize_t n, done = 0;

	*chunk = *chunk ?: malloc(CHUNK);
	n = *chunk ? sys_pread(from, *chunk, len, at) : -ENOMEM;
	while (n > 0 && done < n) {
		ssize_t w =
			sys_pwrite(to, *chunk + done, (size_t)(n - done), at + done);

		if (w < 0)
			return w;
		done += w;
	}
	return n;
}

/* 0 also where the file has become shorter. */
static int copy_range(int from, int to, off_t at, off_t end, char **chunk)
{
	while (at < end) {
		size_t len = (size_t)MIN(end - at, (off_t)CHUNK);
		off_t in = at, out = at;
		ssize_t n = *chunk ? -ENOSYS
				   : sys_copy_file_range(from, &in, to, &out, len);

		if (n < 0)
			n = copy_by_hand(from, to, at, len, chunk);
		if (n <= 0)
			return (int)n;
		at += n;
	}
	return 0;
}

/* What takes no room on the disk takes none in the copy: a box can make a file of any size
 * that has nothing in it. Nor is it followed while it grows: the copy would have no end. */
int copyfd_bytes(int from, int to, uint64_t *room)
{
	_cleanup_free_ char *chunk = NULL;
	off_t at = 0, end, size;
	struct stat st;
	int r = sys_fstat(from, &st);

	if (r < 0)
		return r;
	size = st.st_size;
	if (sys_ficlone(to, from) >= 0)
		return 0;
	while ((at = sys_lseek(from, at, SEEK_DATA)) >= 0 && at < size) {
		end = sys_lseek(from, at, SEEK_HOLE);
		if (end < 0)
			return (int)end;
		end = MIN(end, size);
		if (room && (uint64_t)(end - at) > *room)
			return -EBUSY;
		if (room)
			*room -= (uint64_t)(end - at);
		r = copy_range(from, to, at, end, &chunk);
		if (r < 0)
			return r;
		at = end;
	}
	if (at < 0 && at != -ENXIO) /* there is no more */
		return (int)at;
	r = sys_fstat(from, &st);
	return r < 0 ? r : sys_ftruncate(to, MIN(st.st_size, size));
}

static bool is_wanted(const char *name)
{
	/* They would steer our overlay, but for those of one within the box. */
	if (text_starts(name, "user.overlay.") &&
	    !text_starts(name, "user.overlay.overlay."))
		return false;
	if (text_starts(name, "user.cubby.")) /* they are of one copy */
		return false;
	return text_starts(name, "user.") || !strcmp(name, "security.capability") ||
	       text_starts(name, "system.posix_acl_");
}

static bool copy_one(int from, int to, const char *name, char *value)
{
	ssize_t n = sys_fgetxattr(from, name, value, VALUE);

	return n >= 0 && sys_fsetxattr(to, name, value, (size_t)n, 0) >= 0;
}

unsigned copyfd_xattrs(int from, int to)
{
	_cleanup_free_ char *value = NULL;
	char names[NAMES];
	ssize_t n = sys_flistxattr(from, names, sizeof(names));
	unsigned lost = n < 0 && n != -EOPNOTSUPP;

	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1) {
		if (!is_wanted(names + at))
			continue;
		value = value ?: malloc(VALUE);
		lost += !value || !copy_one(from, to, names + at, value);
	}
	return lost;
}
