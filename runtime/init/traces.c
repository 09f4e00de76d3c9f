#include "runtime/init/traces.h"

#include <fcntl.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"

static const char *const filesystems[] = { "/tmp", "/dev" };

/* Each has a line for its columns. */
static const char *const lists[] = { "/proc/sysvipc/shm", "/proc/sysvipc/sem",
				     "/proc/sysvipc/msg" };

/* What is in memory from the start, each of a filesystem of its own. */
static const char *const places[] = { "/tmp", "/run", "/dev/shm", "/dev",
				      "/dev/mqueue" };

/* Of terminals what is there without any: those of a client may go a moment later. */
static const char *const terminals[] = { "/dev/pts", "/dev/pts/ptmx" };

/* What each program has from process 1, and may write. */
static const char *const inherited[] = { "/proc/1/oom_score_adj",
					 "/proc/1/coredump_filter",
					 "/proc/1/autogroup" };

enum { DEEPEST = 16 };

static void mix(uint64_t *h, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < len; i++)
		*h = (*h ^ p[i]) * 0x100000001b3u;
}

/* Times of directories tell of what came and went; those of devices, of their use. */
static uint64_t number_of(const char *name, const struct stat *st)
{
	const bool timed = S_ISREG(st->st_mode) || S_ISLNK(st->st_mode);
	const uint64_t all[] = { st->st_ino,
				 st->st_mode,
				 st->st_uid,
				 st->st_gid,
				 st->st_rdev,
				 timed ? (uint64_t)st->st_ctim.tv_sec : 0,
				 timed ? (uint64_t)st->st_ctim.tv_nsec : 0 };
	uint64_t h = 0xcbf29ce484222325u;

	mix(&h, name, strlen(name));
	mix(&h, all, sizeof(all));
	return h;
}

/* Names come in any order, so they are added up. False: it cannot be seen whole. */
static bool add_below(int dir, const struct stat *top, int deep, uint64_t *sum)
{
	struct dirscan scan;
	ssize_t more = sys_flistxattr(dir, NULL, 0);

	*sum += more > 0 ? (uint64_t)more << 32 : 0;
	dirscan_start(&scan, deep < DEEPEST ? dir : -ELOOP);
	while (dirscan_next(&scan)) {
		_cleanup_close_ int below = -1;
		struct stat st;

		if (sys_fstatat(dir, scan.name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return false;
		if (st.st_dev != top->st_dev)
			continue;
		*sum += number_of(scan.name, &st) * (uint64_t)(deep + 1);
		if (!S_ISDIR(st.st_mode))
			continue;
		below = sys_openat(dir, scan.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
				   0);
		if (below < 0 || !add_below(below, top, deep + 1, sum))
			return false;
	}
	return !scan.failed;
}

static bool add_place(const char *path, uint64_t *sum)
{
	_cleanup_close_ int dir = sys_open(path, O_RDONLY | O_DIRECTORY);
	struct stat st;

	if (dir == -ENOENT)
		return true;
	if (dir < 0 || sys_fstat(dir, &st) < 0)
		return false;
	*sum += number_of(path, &st);
	return add_below(dir, &st, 0, sum);
}

static uint64_t look(void)
{
	uint64_t sum = 1;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (!add_place(places[i], &sum))
			return 0;
	for (size_t i = 0; i < ARRAY_SIZE(terminals); i++) {
		struct stat st;

		if (sys_fstatat(AT_FDCWD, terminals[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
			return 0;
		sum += number_of(terminals[i], &st);
	}
	for (size_t i = 0; i < ARRAY_SIZE(inherited); i++) {
		_cleanup_buf_ struct buf text = BUF_INIT(256);
		uint64_t h = i;

		if (file_read(AT_FDCWD, inherited[i], &text, ERR_IGNORED) == 0)
			mix(&h, buf_cstr(&text), text.len);
		sum += h;
	}
	return sum;
}

static void note_used(struct traces *ret)
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

void traces_note(struct traces *ret)
{
	note_used(ret);
	ret->seen = look();
}

static bool has_lines(const char *path)
{
	_cleanup_buf_ struct buf text = BUF_INIT(4096);
	int r = file_read(AT_FDCWD, path, &text, ERR_IGNORED);
	const char *end = strchr(buf_cstr(&text), '\n');

	if (r == -ENOENT)
		return false; /* a kernel without them */
	return r < 0 || (end && end[1]);
}

static bool has_queues(void)
{
	_cleanup_close_ int dir = sys_open("/dev/mqueue", O_RDONLY | O_DIRECTORY);
	struct dirscan scan;

	if (dir < 0)
		return false;
	dirscan_start(&scan, dir);
	return dirscan_next(&scan) || scan.failed;
}

bool traces_left(const struct traces *t)
{
	struct traces now;

	note_used(&now);
	if (memcmp(now.used, t->used, sizeof(now.used)) != 0 || has_queues() ||
	    !t->seen || look() != t->seen) /* in this order: the look is at few */
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (has_lines(lists[i]))
			return true;
	return false;
}
