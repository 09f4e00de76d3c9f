#include "rootfs/archive/pack.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dirscan.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/archive/ovlmark.h"
#include "rootfs/archive/owners.h"

enum {
	BLOCK = 512,
	CHUNK = 256 << 10,
	SHORT_NAME = 100,  /* of a name in a header */
	XATTRS = 64 << 10, /* names of one file, and one value */
	PAX = 1 << 20,
	NAMES = 256 << 20, /* of one directory */
	LINKS = 512 << 20, /* bytes of names of files that have several */
	FIRST_LINKS = 1024
};
static const uint64_t octal_7 = 07777777, octal_11 = 077777777777;

/* ustar, POSIX.1-1988; all fields are text. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
	char link[100], magic[8], user[32], group[32], major[8], minor[8], prefix[155];
	char rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "one block");

/* A file of several names, and the first of them. */
struct link {
	dev_t dev;
	ino_t ino;
	size_t path; /* in pack.paths */
};

struct pack {
	const struct pack_conf *conf;
	struct buf out;	    /* owned: not yet written */
	struct link *links; /* owned: open addressing; ino 0 = empty */
	size_t n, size;
	struct buf paths; /* owned: NUL-ended */
	struct buf pax;	  /* owned: records of the entry at hand */
	char *chunk;	  /* owned */
	char path[PATH_MAX];
	struct stat st; /* of the entry at hand */
	uint64_t bytes; /* of files so far */
};

static void pack_done(struct pack *p)
{
	buf_done(&p->out);
	free(p->links);
	buf_done(&p->paths);
	buf_done(&p->pax);
	free(p->chunk);
}

static int fail(const struct pack *p, int code, const char *what, struct err *e)
{
	return err_sys(e, code, "cannot %s '%s'", what, text_shown(p->path));
}

/* ---- bytes -------------------------------------------------------------------------- */

static int flush(struct pack *p, struct err *e)
{
	int r = file_write_fd(p->conf->out, p->out.data, p->out.len, e);

	if (r == 0 && p->conf->tick)
		p->conf->tick(p->conf->ctx, p->out.len);
	p->out.len = 0;
	return r < 0 ? err_sys(e, r, "cannot write the archive") : r;
}

static int put(struct pack *p, const void *data, size_t len, struct err *e)
{
	int r = p->out.len + len > CHUNK ? flush(p, e) : 0;

	if (r == 0 && len > CHUNK)
		return file_write_fd(p->conf->out, data, len, e);
	if (r == 0 && buf_add(&p->out, data, len) < 0)
		return err_sys(e, -ENOMEM, "cannot write an archive");
	return r;
}

static int pad(struct pack *p, uint64_t len, struct err *e)
{
	static const char zeros[BLOCK];

	return len % BLOCK ? put(p, zeros, BLOCK - len % BLOCK, e) : 0;
}

/* ---- headers ------------------------------------------------------------------------ */

static void octal(char *field, size_t size, uint64_t v)
{
	field[--size] = '\0';
	while (size--) {
		field[size] = (char)('0' + (v & 7));
		v >>= 3;
	}
}

/* "LEN KEY=VALUE\n", where LEN counts itself. */
static void add_record(struct pack *p, const char *key, const void *value, size_t len)
{
	size_t rest = strlen(key) + len + 3, n = rest + 1;

	while (n != rest + (size_t)snprintf(NULL, 0, "%zu", n))
		n = rest + (size_t)snprintf(NULL, 0, "%zu", n);
	(void)buf_addf(&p->pax, "%zu %s=", n, key);
	(void)buf_add(&p->pax, value, len);
	(void)buf_add(&p->pax, "\n", 1);
}

static void add_number(struct pack *p, const char *key, uint64_t v)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%llu", (unsigned long long)v);

	add_record(p, key, text, (size_t)n);
}

struct entry {
	const char *path, *link; /* link: "" = none */
	char type;
	mode_t mode;
	uint32_t uid, gid;
	uint64_t size;
	int64_t mtime;
};

static int put_block(struct pack *p, const struct entry *en, struct err *e)
{
	struct header h = { .type = en->type };
	unsigned sum = 0;

	memcpy(h.name, en->path, MIN(strlen(en->path), sizeof(h.name)));
	memcpy(h.link, en->link, MIN(strlen(en->link), sizeof(h.link)));
	octal(h.mode, sizeof(h.mode), en->mode & 07777);
	octal(h.uid, sizeof(h.uid), MIN(en->uid, octal_7));
	octal(h.gid, sizeof(h.gid), MIN(en->gid, octal_7));
	octal(h.size, sizeof(h.size), MIN(en->size, octal_11));
	octal(h.mtime, sizeof(h.mtime), (uint64_t)MAX(en->mtime, 0) & octal_11);
	memcpy(h.magic, "ustar\00000", 8);
	memset(h.sum, ' ', sizeof(h.sum));
	for (size_t i = 0; i < sizeof(h); i++)
		sum += ((const unsigned char *)&h)[i];
	octal(h.sum, 7, sum);
	return put(p, &h, sizeof(h), e);
}

static int put_header(struct pack *p, const struct entry *en, struct err *e)
{
	int r = 0;

	if (strlen(en->path) > SHORT_NAME)
		add_record(p, "path", en->path, strlen(en->path));
	if (strlen(en->link) > SHORT_NAME)
		add_record(p, "linkpath", en->link, strlen(en->link));
	if (en->size > octal_11)
		add_number(p, "size", en->size);
	if (en->uid > octal_7)
		add_number(p, "uid", en->uid);
	if (en->gid > octal_7)
		add_number(p, "gid", en->gid);
	if (buf_failed(&p->pax) < 0)
		return fail(p, -E2BIG, "describe", e);
	if (p->pax.len) {
		r = put_block(p,
			      &(struct entry){ .path = "pax",
					       .link = "",
					       .type = 'x',
					       .mode = 0644,
					       .size = p->pax.len },
			      e) ?:
			put(p, p->pax.data, p->pax.len, e) ?:
			pad(p, p->pax.len, e);
		p->pax.len = 0;
	}
	return r < 0 ? r : put_block(p, en, e);
}

/* A mark without content: ".wh.NAME", ".wh..wh..opq". */
static int put_mark(struct pack *p, const char *dir, const char *name, struct err *e)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s%s.wh.%s", dir, *dir ? "/" : "", name);
	return put_header(
		p,
		&(struct entry){ .path = path, .link = "", .type = '0', .mode = 0644 },
		e);
}

/* ---- one file ----------------------------------------------------------------------- */

/* What stays of a file's attributes; the record of its owner is the owner. */
static void add_xattrs(struct pack *p, int fd, struct entry *en)
{
	char names[XATTRS], value[XATTRS], key[300];
	ssize_t n = sys_flistxattr(fd, names, sizeof(names)), len;
	struct owners_stat o;

	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1) {
		const char *name = names + at;

		if (text_starts(name, "user.overlay.") ||
		    (!text_starts(name, "user.") &&
		     strcmp(name, "security.capability") != 0))
			continue;
		len = sys_fgetxattr(fd, name, value, sizeof(value));
		if (len < 0)
			continue;
		if (strcmp(name, OWNERS_XATTR) != 0) {
			snprintf(key, sizeof(key), "SCHILY.xattr.%s", name);
			add_record(p, key, value, (size_t)len);
		} else if (owners_parse(value, (size_t)len, &o) == 0) {
			en->uid = o.uid;
			en->gid = o.gid;
			en->mode = o.mode;
		}
	}
}

/* Before the first byte of it: a file of any size is made in a moment. */
static int take_room(struct pack *p, uint64_t size, struct err *e)
{
	if (p->conf->most && size > p->conf->most - p->bytes) {
		err_set(e, -EFBIG,
			"cannot pack '%s' of %s: the files of a layer have %s at the "
			"most",
			text_shown(p->path), text_bytes(size),
			text_bytes(p->conf->most));
		return err_hint(e, "what a file has as holes counts, too");
	}
	p->bytes += size;
	return 0;
}

/* As a hole, where there can be one. */
static int put_zeros(struct pack *p, size_t n, struct err *e)
{
	int r = flush(p, e);

	if (r == 0 && sys_lseek(p->conf->out, (off_t)n, SEEK_CUR) < 0)
		r = put(p, p->chunk, n, e);
	return r;
}

static int put_data(struct pack *p, int fd, uint64_t size, struct err *e)
{
	uint64_t left = size;
	int r = 0;

	while (left && r == 0) {
		ssize_t n = sys_read(fd, p->chunk, (size_t)MIN(left, (uint64_t)CHUNK));

		if (n <= 0)
			return fail(p, n < 0 ? (int)n : -EIO, "read", e);
		left -= (uint64_t)n;
		r = n == CHUNK && file_is_zeros(p->chunk, CHUNK)
			    ? put_zeros(p, CHUNK, e)
			    : put(p, p->chunk, (size_t)n, e);
	}
	return r < 0 ? r : pad(p, size, e);
}

static struct link *place(struct link *links, size_t size, dev_t dev, ino_t ino)
{
	size_t i = (size_t)((ino * 0x9e3779b97f4a7c15u) >> 20) & (size - 1);

	while (links[i].ino && (links[i].ino != ino || links[i].dev != dev))
		i = (i + 1) & (size - 1);
	return &links[i];
}

static int grow(struct pack *p)
{
	size_t size = p->links ? p->size * 2 : FIRST_LINKS;
	struct link *links = calloc(size, sizeof(*links));

	if (!links)
		return -ENOMEM;
	for (size_t i = 0; p->links && i < p->size; i++)
		if (p->links[i].ino)
			*place(links, size, p->links[i].dev, p->links[i].ino) =
				p->links[i];
	free(p->links);
	p->links = links;
	p->size = size;
	return 0;
}

/* The first name that this file was met under; "": this is it, and it is noted. */
static int first_name(struct pack *p, const char **ret)
{
	struct link *l;
	int r = p->n * 2 >= p->size ? grow(p) : 0;

	*ret = "";
	if (r < 0)
		return r;
	l = place(p->links, p->size, p->st.st_dev, p->st.st_ino);
	if (l->ino) {
		*ret = p->paths.data + l->path;
		return 0;
	}
	*l = (struct link){ p->st.st_dev, p->st.st_ino, p->paths.len };
	p->n++;
	return buf_add(&p->paths, p->path, strlen(p->path) + 1);
}

static int put_regular(struct pack *p, struct entry *en, struct err *e)
{
	_cleanup_close_ int fd = -1;
	int r = p->st.st_nlink > 1 ? first_name(p, &en->link) : 0;

	if (r < 0)
		return fail(p, r, "note the names of", e);
	if (*en->link) {
		en->type = '1';
		return put_header(p, en, e);
	}
	fd = sys_openat(p->conf->root, p->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return fail(p, fd, "open", e);
	add_xattrs(p, fd, en);
	en->size = (uint64_t)p->st.st_size;
	r = take_room(p, en->size, e) ?: put_header(p, en, e);
	return r < 0 ? r : put_data(p, fd, en->size, e);
}

static int put_link(struct pack *p, const struct entry *en, struct err *e)
{
	char to[PATH_MAX] = "";
	struct entry link = *en;
	ssize_t n = sys_readlinkat(p->conf->root, p->path, to, sizeof(to) - 1);

	if (n < 0)
		return fail(p, (int)n, "read the link", e);
	link.type = '2';
	link.link = to;
	return put_header(p, &link, e);
}

/* ---- directories -------------------------------------------------------------------- */

/* All names, sorted, so that the same tree is the same archive; @names keeps the text. */
static int read_names(struct pack *p, int fd, struct buf *names, char ***ret, size_t *n,
		      struct err *e)
{
	struct dirscan scan;
	int r;

	*n = 0;
	dirscan_start(&scan, fd);
	while (dirscan_next(&scan)) {
		if (buf_add(names, scan.name, strlen(scan.name) + 1) < 0)
			return fail(p, -E2BIG, "list", e);
		++*n;
	}
	r = dirscan_failed(&scan, e);
	*ret = r < 0 ? NULL : calloc(*n + 1, sizeof(**ret));
	if (!*ret)
		return r < 0 ? r : fail(p, -ENOMEM, "list", e);
	for (size_t i = 0, at = 0; i < *n; i++, at += strlen(names->data + at) + 1)
		(*ret)[i] = names->data + at;
	qsort(*ret, *n, sizeof(**ret), text_order);
	return 0;
}

static int put_one(struct pack *p, const char *name, struct err *e);

static int put_dir(struct pack *p, struct entry *en, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT((size_t)NAMES);
	_cleanup_free_ char **names = NULL;
	size_t len = strlen(p->path), n;
	bool opaque;
	int fd, r;

	fd = sys_openat(p->conf->root, len ? p->path : ".",
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0)
		return fail(p, fd, "open", e);
	add_xattrs(p, fd, en);
	opaque = len && ovlmark_is_opaque(fd);
	r = read_names(p, fd, &text, &names, &n, e);
	scope_close(
		&fd); /* directories may be nested deeper than there are descriptors */
	if (r < 0)
		return r;
	en->type = '5';
	if (!len)
		en->path = "./";
	r = put_header(p, en, e);
	if (r == 0 && opaque)
		r = put_mark(p, p->path, ".wh..opq", e);
	for (size_t i = 0; i < n && r == 0; i++) {
		r = put_one(p, names[i], e);
		p->path[len] = '\0';
	}
	return r;
}

static int put_kind(struct pack *p, struct err *e)
{
	struct entry en = { .path = p->path,
			    .link = "",
			    .type = '0',
			    .mode = p->st.st_mode,
			    .uid = p->st.st_uid,
			    .gid = p->st.st_gid,
			    .mtime = p->st.st_mtim.tv_sec };

	switch (p->st.st_mode & S_IFMT) {
	case S_IFDIR:
		return put_dir(p, &en, e);
	case S_IFREG:
		return put_regular(p, &en, e);
	case S_IFLNK:
		return put_link(p, &en, e);
	case S_IFIFO:
		en.type = '6';
		return put_header(p, &en, e);
	default:
		return 0;
	}
}

/* @name in the directory p->path; leaves it in p->path. */
static int put_one(struct pack *p, const char *name, struct err *e)
{
	size_t len = strlen(p->path);
	char *end = p->path + len;
	int r;

	if (len + strlen(name) + 2 > sizeof(p->path))
		return fail(p, -E2BIG, "pack what is in", e);
	snprintf(end, sizeof(p->path) - len, "%s%s", len ? "/" : "", name);
	if (p->conf->skip && !strcmp(p->path, p->conf->skip))
		return 0;
	r = sys_fstatat(p->conf->root, p->path, &p->st, AT_SYMLINK_NOFOLLOW);
	if (r < 0)
		return fail(p, r, "look at", e);
	if (!ovlmark_is_whiteout(&p->st))
		return put_kind(p, e);
	*end = '\0';
	return put_mark(p, p->path, name, e);
}

int pack_run(const struct pack_conf *conf, struct err *e)
{
	static const char end[2 * BLOCK];
	_cleanup_(pack_done) struct pack p = { .conf = conf,
					       .out = BUF_INIT((size_t)CHUNK),
					       .paths = BUF_INIT((size_t)LINKS),
					       .pax = BUF_INIT((size_t)PAX),
					       .chunk = malloc(CHUNK) };
	int r = p.chunk ? sys_fstat(conf->root, &p.st) : -ENOMEM;

	if (r < 0)
		return err_sys(e, r, "cannot write an archive");
	r = put_kind(&p, e);
	if (r < 0)
		return r;
	r = put(&p, end, sizeof(end), e);
	return r < 0 ? r : flush(&p, e);
}
