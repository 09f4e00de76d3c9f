#include "rootfs/store/copyfd.h"

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

int copyfd_bytes(int from, int to)
{
	_cleanup_free_ char *chunk = NULL;
	ssize_t n;
	int r = 0;

	if (sys_ficlone(to, from) >= 0)
		return 0;
	do
		n = sys_copy_file_range(from, NULL, to, NULL, CHUNK);
	while (n > 0);
	if (n == 0)
		return 0;
	/* Between filesystems before 5.19, and where a filter refuses it. */
	chunk = malloc(CHUNK);
	if (!chunk)
		return -ENOMEM;
	while (r == 0 && (n = sys_read(from, chunk, CHUNK)) > 0)
		r = write_all(to, chunk, (size_t)n);
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
