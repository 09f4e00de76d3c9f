#include "runtime/idmap/lease.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/idmap/range.h"

#define LEASE_DIR "/run/cubby/ids"

enum { LEASE_SUBIDS = 1 << 20 /* bytes of /etc/subuid */ };

bool idmap_lease_is_given(const char *text, uint32_t base)
{
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		uint64_t first, count;

		if (sscanf(text, "%*[^:\n]:%" SCNu64 ":%" SCNu64, &first, &count) ==
			    2 &&
		    first < (uint64_t)base + IDMAP_RANGE_SIZE && base < first + count)
			return true;
	}
	return false;
}

bool idmap_lease_overlay(void)
{
	struct utsname u;
	unsigned major, minor;

	return sys_uname(&u) >= 0 && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 19));
}

static int open_dir(struct err *e)
{
	return file_make_dir(AT_FDCWD, LEASE_DIR, 0700, e);
}

/* Nothing is written: where /run is on a disk that may wait for its journal. */
static int try_one(int dir, uint32_t base)
{
	_cleanup_close_ int fd = -1;
	char name[16];
	int r;

	snprintf(name, sizeof(name), "%" PRIu32, base);
	fd = sys_openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
	if (fd < 0)
		return fd;
	r = sys_flock_once(fd, LOCK_EX | LOCK_NB);
	return r < 0 ? r : take(&fd, -1);
}

/* A container that shares the host's ids, and not its /run, has locks of its own: there a
 * box of the same name begins elsewhere. Here it finds the lock that it had before. */
static uint32_t first_slot(int dir, const char *key)
{
	struct stat st = { .st_ino = 0 };
	uint64_t n;

	(void)sys_fstat(dir, &st);
	n = st.st_ino * 31 + st.st_dev;
	for (; *key; key++)
		n = n * 31 + (unsigned char)*key;
	return (uint32_t)(n >> 16);
}

int idmap_lease_take(const char *key, uint32_t *base, struct err *e)
{
	_cleanup_buf_ struct buf given = BUF_INIT(2 * LEASE_SUBIDS);
	_cleanup_close_ int dir = open_dir(e);
	uint32_t start;

	if (dir < 0)
		return dir;
	(void)file_read(AT_FDCWD, "/etc/subuid", &given, ERR_IGNORED);
	(void)file_read(AT_FDCWD, "/etc/subgid", &given, ERR_IGNORED);
	start = first_slot(dir, key);
	for (uint32_t i = 0; i < IDMAP_RANGE_COUNT - 1; i++) {
		uint32_t slot = 1 + (start % (IDMAP_RANGE_COUNT - 1) + i) %
					    (IDMAP_RANGE_COUNT - 1);
		uint32_t at = IDMAP_RANGE_FIRST + slot * IDMAP_RANGE_SIZE;
		int fd;

		if (idmap_lease_is_given(buf_cstr(&given), at))
			continue;
		fd = try_one(dir, at);
		if (fd >= 0)
			*base = at;
		if (fd >= 0)
			return fd;
		if (fd != -EWOULDBLOCK)
			return err_sys(e, fd, "cannot lock a range of ids");
	}
	return err_set(e, -ENOSPC, "every range of ids has a box");
}
