#include "rootfs/store/copyfd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { CHUNK = 1 << 20, NAMES = 32 << 10, VALUE = 64 << 10 };

static int write_all(int to, const char *data, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = sys_write(to, data + at, len - at);

		if (n < 0)
			return (int)n;
		at += (size_t)n;
	}
	return 0;
}

/* One byte beyond the bound tells that there is more. */
static size_t next_piece(uint64_t most, uint64_t done)
{
	return (size_t)MIN(most - done, CHUNK - 1) + 1;
}

static int copy_shared(int from, int to, uint64_t most)
{
	struct stat st;
	int r = sys_ficlone(to, from);

	if (r >= 0)
		r = sys_fstat(to, &st);
	return r < 0 ? r : (uint64_t)st.st_size > most ? -EBUSY : 0;
}

int copyfd_bytes(int from, int to, uint64_t most)
{
	_cleanup_free_ char *chunk = NULL;
	uint64_t done = 0;
	ssize_t n;
	int r = copy_shared(from, to, most);

	if (r == 0 || r == -EBUSY)
		return r;
	do {
		n = sys_copy_file_range(from, NULL, to, NULL, next_piece(most, done));
		done += (uint64_t)MAX(n, 0);
	} while (n > 0 && done <= most);
	if (n >= 0)
		return n > 0 ? -EBUSY : 0;
	/* Between filesystems before 5.19, and where a filter refuses it. */
	chunk = malloc(CHUNK);
	if (!chunk)
		return -ENOMEM;
	r = 0;
	while (r == 0 && (n = sys_read(from, chunk, next_piece(most, done))) > 0) {
		done += (uint64_t)n;
		r = done > most ? -EBUSY : write_all(to, chunk, (size_t)n);
	}
	return r < 0 ? r : (int)n;
}

static bool is_wanted(const char *name)
{
	if (text_starts(name, "user.overlay.")) /* would steer our overlay */
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
