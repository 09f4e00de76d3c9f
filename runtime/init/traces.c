#include "runtime/init/traces.h"

#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"

static const char *const filesystems[] = { "/tmp", "/dev" };

/* Each has a line for its columns. */
static const char *const lists[] = { "/proc/sysvipc/shm", "/proc/sysvipc/sem",
				     "/proc/sysvipc/msg" };

void traces_note(struct traces *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < ARRAY_SIZE(filesystems); i++) {
		_cleanup_close_ int fd = sys_open(filesystems[i], O_PATH | O_DIRECTORY);
		struct statfs fs;

		if (fd < 0 || sys_fstatfs(fd, &fs) < 0)
			continue;
		ret->used[2 * i] = fs.f_files - fs.f_ffree;
		ret->used[2 * i + 1] = fs.f_blocks - fs.f_bfree;
	}
}

static bool has_lines(const char *path)
{
	_cleanup_buf_ struct buf text = BUF_INIT(4096);
	struct err ignored = ERR_NONE;
	int r = file_read(AT_FDCWD, path, &text, &ignored);
	const char *end = strchr(buf_cstr(&text), '\n');

	if (r == -ENOENT)
		return false; /* a kernel without them */
	return r < 0 || (end && end[1]);
}

static bool has_queues(void)
{
	_cleanup_close_ int dir = sys_open("/dev/mqueue", O_RDONLY | O_DIRECTORY);
	struct dirscan scan;
	struct dirscan_entry d;
	struct err ignored = ERR_NONE;

	if (dir < 0)
		return false;
	return dirscan_start(&scan, dir, &ignored) < 0 ||
	       dirscan_next(&scan, &d, &ignored) != 0;
}

bool traces_left(const struct traces *t)
{
	struct traces now;

	traces_note(&now);
	if (memcmp(&now, t, sizeof(now)) != 0 || has_queues())
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (has_lines(lists[i]))
			return true;
	return false;
}
