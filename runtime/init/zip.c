/* zip - the applet that packs files and directories into a zip archive.
 * Needs:  absolute paths.
 * Never:  follows a link; compresses; packs a file of 4 GiB or more, or more than ZIP_MOST.
 *         Source: APPNOTE.TXT 6.3.3 of PKWARE.
 *
 * Theory of operation
 *
 * All is looked at first, so that what is too much is known before anything is written, and
 * nothing large is read in vain. Nothing is compressed: a file is read once for its checksum,
 * which stands before its content, and once more for the content. One that changes in between
 * ends the archive, and with it the download. The list at the end is gathered in memory. */
#include "runtime/init/applets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/init/walk.h"

enum {
	ZIP_MOST = 65000,
	HEADS = 2 * 64, /* of a member, besides its name */
	CHUNK = 64 << 10,
	CENTRAL_MAX = 32 << 20,
	VERSION = 20,
	UTF8 = 1 << 11,
	DIRECTORY = 16
};

struct zip {
	bool weighs;	    /* nothing is written yet: how much will it be? */
	uint64_t at;	    /* bytes written */
	struct buf central; /* the list at the end */
	unsigned count;
	uint32_t crcs[256];
	const char *root; /* the name that all begins with */
	struct err *e;
	int failed;
};

struct member {
	const char *name;
	uint32_t crc, size, at;
	uint16_t time, date;
	bool directory;
	mode_t mode;
};

static void crc_table(uint32_t table[256])
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320U ^ (c >> 1) : c >> 1;
		table[i] = c;
	}
}

static void put16(struct buf *b, unsigned v)
{
	buf_addc(b, (char)v);
	buf_addc(b, (char)(v >> 8));
}

static void put32(struct buf *b, uint32_t v)
{
	put16(b, v & 0xffff);
	put16(b, v >> 16);
}

static bool is_utf8(const char *s)
{
	int n = 1;

	while (*s && (n = text_utf8_len(s, strlen(s))) > 0)
		s += n;
	return n > 0;
}

/* What the local header and the list say alike. */
static void put_common(struct buf *b, const struct member *m)
{
	put16(b, VERSION);
	put16(b, is_utf8(m->name) ? UTF8 : 0);
	put16(b, 0); /* stored */
	put16(b, m->time);
	put16(b, m->date);
	put32(b, m->crc);
	put32(b, m->size);
	put32(b, m->size);
	put16(b, (unsigned)strlen(m->name));
	put16(b, 0);
}

static int write_out(struct zip *z, const void *data, size_t len)
{
	int r = file_write_fd(1, data, len, z->e);

	z->at += len;
	return r;
}

static int check_room(struct zip *z)
{
	return z->count > ZIP_MOST || z->at > UINT32_MAX - (16U << 20)
		       ? err_set(z->e, -EFBIG,
				 "too much for one archive: 4 GiB and %d files are the "
				 "most",
				 ZIP_MOST)
		       : 0;
}

static int weigh(struct zip *z, const char *name, const struct stat *st)
{
	z->count++;
	z->at += HEADS + 2 * strlen(name);
	z->at += S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0;
	return check_room(z);
}

static int begin_member(struct zip *z, struct member *m)
{
	_cleanup_buf_ struct buf head = BUF_INIT(PATH_MAX + 64L);

	z->count++;
	if (check_room(z) < 0)
		return z->e->code;
	m->at = (uint32_t)z->at;
	put32(&head, 0x04034b50);
	put_common(&head, m);
	buf_adds(&head, m->name);
	put32(&z->central, 0x02014b50);
	put16(&z->central, VERSION | 3 << 8); /* made on Unix */
	put_common(&z->central, m);
	put16(&z->central, 0);
	put32(&z->central, 0);
	put32(&z->central, (uint32_t)m->mode << 16 | (m->directory ? DIRECTORY : 0));
	put32(&z->central, m->at);
	buf_adds(&z->central, m->name);
	if (buf_failed(&head) < 0 || buf_failed(&z->central) < 0)
		return err_sys(z->e, -ENOMEM, "cannot pack");
	return write_out(z, head.data, head.len);
}

static int read_crc(struct zip *z, int fd, struct member *m)
{
	unsigned char data[CHUNK];
	uint32_t crc = ~0U;
	uint64_t size = 0;
	ssize_t n;

	while ((n = sys_read(fd, data, sizeof(data))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			crc = z->crcs[(crc ^ data[i]) & 255] ^ (crc >> 8);
		size += (uint64_t)n;
	}
	if (n < 0)
		return err_sys(z->e, (int)n, "cannot read '%s'", m->name);
	if (size > UINT32_MAX - (32U << 20))
		return err_set(z->e, -EFBIG, "'%s' is too large for an archive",
			       m->name);
	m->crc = ~crc;
	m->size = (uint32_t)size;
	return (int)sys_lseek(fd, 0, SEEK_SET);
}

static int add_content(struct zip *z, int fd, const struct member *m)
{
	char data[CHUNK];
	uint32_t left = m->size;

	while (left) {
		ssize_t n = sys_read(fd, data, MIN(left, (uint32_t)CHUNK));
		int r = n > 0 ? write_out(z, data, (size_t)n)
			      : err_set(z->e, -EBUSY, "'%s' changed", m->name);

		if (r < 0)
			return r;
		left -= (uint32_t)n;
	}
	return 0;
}

static int add(struct zip *z, int dirfd, const char *file, const char *name,
	       const struct stat *st)
{
	_cleanup_close_ int fd = -1;
	struct member m = { .name = name,
			    .mode = st->st_mode,
			    .directory = S_ISDIR(st->st_mode) };
	struct tm tm = { 0 };
	int r = 0;

	if (z->weighs)
		return weigh(z, name, st);
	gmtime_r(&st->st_mtime, &tm);
	if (tm.tm_year >= 80) {
		m.date = (uint16_t)((tm.tm_year - 80) << 9 | (tm.tm_mon + 1) << 5 |
				    tm.tm_mday);
		m.time = (uint16_t)(tm.tm_hour << 11 | tm.tm_min << 5 | tm.tm_sec / 2);
	}
	if (m.directory)
		return begin_member(z, &m);
	if (!S_ISREG(st->st_mode))
		return 0;
	fd = sys_openat(dirfd, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return 0; /* what cannot be read is left out, as links are */
	r = read_crc(z, fd, &m);
	if (r < 0)
		return r;
	r = begin_member(z, &m);
	return r < 0 ? r : add_content(z, fd, &m);
}

static enum walk_next on_walk(void *ctx, const struct walk_entry *w)
{
	struct zip *z = ctx;
	char name[2 * PATH_MAX];
	struct stat link;

	if (sys_fstatat(w->dirfd, w->name, &link, AT_SYMLINK_NOFOLLOW) < 0 ||
	    S_ISLNK(link.st_mode))
		return WALK_ON;

	snprintf(name, sizeof(name), "%s/%s%s", z->root, w->path,
		 w->directory ? "/" : "");
	z->failed = add(z, w->dirfd, w->name, name, w->st);
	return z->failed < 0 ? WALK_STOP : WALK_ON;
}

/* Before anything is said. What is made up has no size, is another each time, or has no end. */
static int look_at(const char *path, struct err *e)
{
	_cleanup_close_ int fd = sys_open(path, O_PATH);

	if (fd < 0)
		return err_set(e, -ENOENT, "Path not found: %s", path);
	if (walk_is_kernels(fd))
		return err_set(e, -EINVAL,
			       "'%s' is made up by the kernel: it cannot be packed",
			       path);
	return 0;
}

static int add_path(struct zip *z, const char *path)
{
	const char *slash = strrchr(path, '/');
	char name[PATH_MAX];
	struct stat st;
	int r = sys_fstatat(AT_FDCWD, path, &st, 0);

	if (r < 0)
		return err_set(z->e, -ENOENT, "Path not found: %s", path);
	z->root = slash && slash[1] ? slash + 1 : "root";
	snprintf(name, sizeof(name), "%s%s", z->root, S_ISDIR(st.st_mode) ? "/" : "");
	r = add(z, AT_FDCWD, path, name, &st);
	if (r == 0 && S_ISDIR(st.st_mode))
		r = walk_tree(path, on_walk, z, z->e);
	return r < 0 ? r : MIN(z->failed, 0);
}

static int add_all(struct zip *z, char *const paths[])
{
	int r = 0;

	for (int pass = 0; pass < 2 && r == 0; pass++) {
		z->weighs = pass == 0;
		z->count = 0;
		z->at = 0;
		for (char *const *path = paths; *path && r == 0; path++)
			r = add_path(z, *path);
	}
	return r;
}

int zip_run(char *const argv[], struct err *e)
{
	_cleanup_free_ struct zip *z = calloc(1, sizeof(*z));
	_cleanup_buf_ struct buf end = BUF_INIT(64);
	int r = 0;

	if (!z)
		return err_sys(e, -ENOMEM, "cannot pack");
	z->e = e;
	buf_init(&z->central, CENTRAL_MAX);
	crc_table(z->crcs);
	for (char *const *path = argv + 1; *path && r == 0; path++)
		r = look_at(*path, e);
	if (r < 0)
		return r;
	r = add_all(z, argv + 1);
	put32(&end, 0x06054b50);
	put32(&end, 0);
	put16(&end, z->count);
	put16(&end, z->count);
	put32(&end, (uint32_t)z->central.len);
	put32(&end, (uint32_t)z->at);
	put16(&end, 0);
	if (r == 0)
		r = write_out(z, z->central.data, z->central.len)
			    ?: write_out(z, end.data, end.len);
	buf_done(&z->central);
	return r;
}
