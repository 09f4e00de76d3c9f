/* How an archive is read. libarchive gets bytes through one callback and gives headers
 * and blocks of data back; nothing else of it is used. Formats and filters are named one
 * by one, since "all" would bring filters that start programs and formats in which most
 * of its past memory bugs sat. Even so its input is hostile: the runtime runs this in a
 * confined process. Decompression is a reading of its own, so that it can go on in
 * another process beside the writing. */
#include "rootfs/archive/untar.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "base/scope.h"
#include "base/text.h"

const struct untar_limits untar_limits_default = {
	.bytes = 32ULL << 30,
	.stream = 36ULL << 30,
	.entries = 4ULL << 20,
	.ratio = 300,
	.ratio_from = 256ULL << 20,
	.path = 4095,
	.component = 255,
	.depth = 1024,
	.link = 4095,
	.xattrs = 128,
	.xattr_bytes = 64 << 10,
};

/* ---- the library ------------------------------------------------------------------ */

#define LIB_FUNCTIONS(X)                     \
	X(archive_read_new)                  \
	X(archive_read_free)                 \
	X(archive_read_support_format_tar)   \
	X(archive_read_support_format_raw)   \
	X(archive_read_support_filter_gzip)  \
	X(archive_read_support_filter_zstd)  \
	X(archive_read_support_filter_xz)    \
	X(archive_read_support_filter_bzip2) \
	X(archive_read_set_read_callback)    \
	X(archive_read_set_callback_data)    \
	X(archive_read_open1)                \
	X(archive_read_next_header)          \
	X(archive_read_data_block)           \
	X(archive_read_data_skip)            \
	X(archive_filter_bytes)              \
	X(archive_error_string)              \
	X(archive_errno)                     \
	X(archive_entry_pathname)            \
	X(archive_entry_hardlink)            \
	X(archive_entry_symlink)             \
	X(archive_entry_mode)                \
	X(archive_entry_uid)                 \
	X(archive_entry_gid)                 \
	X(archive_entry_size)                \
	X(archive_entry_mtime)               \
	X(archive_entry_mtime_nsec)          \
	X(archive_entry_mtime_is_set)        \
	X(archive_entry_acl_types)           \
	X(archive_entry_xattr_reset)         \
	X(archive_entry_xattr_next)

struct lib {
	LIB_FUNCTIONS(DL_MEMBER)
};

static int lib_load(struct lib *ret, struct err *e)
{
	static const struct dl_symbol symbols[] = { LIB_FUNCTIONS(DL_ROW) };
	static const struct dl_library library = { "libarchive.so.13", "libarchive13",
						   symbols, ARRAY_SIZE(symbols) };

	return dl_load(&library, ret, e);
}

int untar_preload(struct err *e)
{
	struct lib lib;

	return lib_load(&lib, e);
}

/* ---- one reading, of a tar archive or of a compressed stream ------------------------ */

struct reading {
	struct lib lib;
	struct archive *a;     /* owned */
	locale_t utf8, before; /* names of pax headers need it to be read at all */
	const struct untar_source *src;
	const struct untar_limits *limits;
	const void *block; /* borrowed from src: what the library has now */
	size_t block_len;
	uint64_t in_bytes;	     /* read from src, block included */
	bool ended;		     /* src has no more */
	struct err failed;	     /* of src */
	struct archive_entry *entry; /* borrowed from a */
};

static void reading_done(struct reading *r)
{
	if (r->a)
		r->lib.archive_read_free(r->a);
	if (r->utf8) {
		uselocale(r->before);
		freelocale(r->utf8);
	}
}

static la_ssize_t on_read(struct archive *, void *ctx, const void **ret)
{
	struct reading *r = ctx;
	ssize_t n;

	if (r->ended)
		return 0;
	n = r->src->read(r->src->ctx, ret, &r->failed);
	if (n < 0)
		return ARCHIVE_FATAL;
	r->ended = n == 0;
	r->in_bytes += (uint64_t)n;
	if (n) {
		r->block = *ret;
		r->block_len = (size_t)n;
	}
	return n;
}

/* The library's own words are for programmers, and may quote the archive. */
static int lib_failed(struct reading *r, struct err *e)
{
	const char *text = r->lib.archive_error_string(r->a);

	if (r->failed.code) {
		*e = r->failed;
		return e->code;
	}
	if (!text)
		text = "unknown error";
	if (r->lib.archive_errno(r->a) == ENOMEM || strstr(text, "allocate"))
		return err_set(e, -ENOMEM, "archive needs more memory than allowed");
	/* liblzma's word for an input that ends early is "No progress is possible". */
	if (strcasestr(text, "truncated") || (r->ended && strstr(text, "No progress")))
		return err_set(e, -ENODATA, "archive is truncated");
	if (strstr(text, "Unrecognized archive format"))
		return err_set(e, -EINVAL, "not a tar archive");
	return err_set(e, -EINVAL, "damaged archive: %s", text_shown(text));
}

static int start(struct reading *r, struct err *e)
{
	int n = lib_load(&r->lib, e);

	if (n < 0)
		return n;
	/* In the C locale a pax name outside ASCII is not converted but lost. */
	r->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	if (r->utf8)
		r->before = uselocale(r->utf8);
	r->a = r->lib.archive_read_new();
	if (!r->a)
		return err_sys(e, -ENOMEM, "cannot read archives");
	r->lib.archive_read_set_read_callback(r->a, on_read);
	r->lib.archive_read_set_callback_data(r->a, r);
	return 0;
}

static int open_archive(struct reading *r, struct err *e)
{
	if (r->lib.archive_read_open1(r->a) != ARCHIVE_OK)
		return lib_failed(r, e);
	return 0;
}

/* Reads the source to its end, so that whoever hashes it has seen all of it.
 * Return: bytes from the first that is not zero, or a negative errno. */
static int64_t drain(struct reading *r, uint64_t used, struct err *e)
{
	uint64_t from = r->in_bytes - r->block_len;
	uint64_t count = 0;
	const void *p = r->block;
	ssize_t n = (ssize_t)r->block_len;
	size_t skip = used > from ? (size_t)MIN(used - from, r->block_len) : 0;

	while (n > 0) {
		const char *c = (const char *)p + skip, *end = (const char *)p + n;

		while (!count && c < end && !*c)
			c++;
		count += (uint64_t)(end - c);
		skip = 0;
		n = r->ended ? 0 : r->src->read(r->src->ctx, &p, e);
		if (n > 0)
			r->in_bytes += (uint64_t)n;
	}
	return n < 0 ? n : (int64_t)count;
}

static int over_limit(struct err *e, const char *what, uint64_t limit)
{
	return err_set(e, -E2BIG, "archive has more than %llu %s",
		       (unsigned long long)limit, what);
}

/* ---- tar ---------------------------------------------------------------------------- */

static int fill_entry(struct reading *r, struct untar_entry *ret, struct err *e)
{
	struct lib *l = &r->lib;
	struct archive_entry *ae = r->entry;
	int64_t size = l->archive_entry_size(ae);

	*ret = (struct untar_entry){
		.path = l->archive_entry_pathname(ae),
		.hardlink = l->archive_entry_hardlink(ae),
		.symlink = l->archive_entry_symlink(ae),
		.mode = l->archive_entry_mode(ae),
		.uid = l->archive_entry_uid(ae),
		.gid = l->archive_entry_gid(ae),
		.size = (uint64_t)size,
		.mtime = l->archive_entry_mtime(ae),
		.mtime_ns = l->archive_entry_mtime_nsec(ae),
		.has_mtime = l->archive_entry_mtime_is_set(ae) != 0,
		.has_acl = l->archive_entry_acl_types(ae) != 0,
		.reader = r,
	};
	if (!ret->path)
		return err_set(e, -EINVAL, "archive has an entry without a name");
	if (size < 0)
		return err_set(e, -EINVAL, "archive has an entry of negative size");
	return 0;
}

static int read_data(struct reading *r, const struct untar_entry *en,
		     const struct untar_sink *sink, struct untar_counts *c,
		     struct err *e)
{
	uint64_t next = 0;
	const void *p;
	int64_t at;
	size_t n;
	int s;

	while ((s = r->lib.archive_read_data_block(r->a, &p, &n, &at)) == ARCHIVE_OK) {
		if (!n)
			continue;
		if (at < 0 || (uint64_t)at < next || (uint64_t)at > en->size ||
		    n > en->size - (uint64_t)at)
			return err_set(e, -EINVAL,
				       "archive has a malformed sparse file");
		next = (uint64_t)at + n;
		c->bytes += n;
		if (c->bytes > r->limits->bytes)
			return over_limit(e, "bytes of data", r->limits->bytes);
		s = sink->data(sink->ctx, p, n, (uint64_t)at, e);
		if (s < 0)
			return s;
	}
	return s == ARCHIVE_EOF ? 0 : lib_failed(r, e);
}

static int read_entry(struct reading *r, const struct untar_sink *sink,
		      struct untar_counts *c, struct err *e)
{
	struct untar_entry en;
	int s;

	s = fill_entry(r, &en, e);
	if (s < 0)
		return s;
	if (++c->entries > r->limits->entries)
		return over_limit(e, "entries", r->limits->entries);
	s = sink->entry(sink->ctx, &en, e);
	if (s > 0 && en.size)
		s = read_data(r, &en, sink, c, e);
	r->lib.archive_entry_xattr_reset(r->entry);
	if (s >= 0)
		s = sink->end(sink->ctx, &en, e);
	if (s < 0)
		return s;
	/* Also moves behind the padding: from here to the next header nothing is left. */
	return r->lib.archive_read_data_skip(r->a) < ARCHIVE_OK ? lib_failed(r, e) : 0;
}

static int read_entries(struct reading *r, const struct untar_sink *sink,
			struct untar_counts *c, struct err *e)
{
	int64_t before;
	int s;

	for (;;) {
		before = r->lib.archive_filter_bytes(r->a, 0);
		s = r->lib.archive_read_next_header(r->a, &r->entry);
		if (s == ARCHIVE_EOF)
			break;
		if (s != ARCHIVE_OK && s != ARCHIVE_WARN)
			return lib_failed(r, e);
		if (s == ARCHIVE_WARN) {
			const char *text = r->lib.archive_error_string(r->a);

			if (text && strstr(text, "negative size"))
				return lib_failed(r, e);
			c->warned++;
		}
		s = read_entry(r, sink, c, e);
		if (s < 0)
			return s;
	}
	/* The library takes the end of its input for the end of the archive as well. */
	if (r->lib.archive_filter_bytes(r->a, 0) == before)
		return err_set(e, -ENODATA,
			       r->in_bytes ? "archive is truncated"
					   : "not a tar archive");
	return 0;
}

int untar_read(const struct untar_source *src, const struct untar_sink *sink,
	       const struct untar_limits *limits, struct untar_counts *ret,
	       struct err *e)
{
	_cleanup_(reading_done) struct reading r = { .src = src, .limits = limits };
	int64_t trailing;
	int s;

	*ret = (struct untar_counts){ 0 };
	s = start(&r, e);
	if (s < 0)
		return s;
	r.lib.archive_read_support_format_tar(r.a);
	s = open_archive(&r, e);
	if (s == 0)
		s = read_entries(&r, sink, ret, e);
	ret->in_bytes = r.in_bytes;
	if (s < 0)
		return s;
	trailing = drain(&r, (uint64_t)r.lib.archive_filter_bytes(r.a, 0), e);
	ret->in_bytes = r.in_bytes;
	if (trailing < 0)
		return (int)trailing;
	ret->trailing = (uint64_t)trailing;
	return 0;
}

bool untar_next_xattr(const struct untar_entry *en, struct untar_xattr *ret)
{
	struct reading *r = en->reader;

	return r->lib.archive_entry_xattr_next(r->entry, &ret->name, &ret->value,
					       &ret->len) == ARCHIVE_OK;
}

/* ---- compression -------------------------------------------------------------------- */

static const struct magic {
	const char *bytes;
	size_t len;
} magics[] = {
	{ "\x1f\x8b", 2 },	   /* gzip, RFC 1952 */
	{ "\x28\xb5\x2f\xfd", 4 }, /* zstd, RFC 8878 */
	{ "\xfd\x37zXZ\0", 6 },	   /* xz file format 1.0.4 */
	{ "BZh", 3 },		   /* bzip2 */
};

bool untar_compressed(const void *first, size_t len)
{
	const unsigned char *b = first;

	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if (len >= magics[i].len && !memcmp(b, magics[i].bytes, magics[i].len))
			return true;
	/* zstd also begins with skippable frames: 0x184D2A50 to 0x184D2A5F */
	return len >= 4 && (b[0] & 0xf0) == 0x50 && !memcmp(b + 1, "\x2a\x4d\x18", 3);
}

static int open_stream(struct reading *r, struct err *e)
{
	struct lib *l = &r->lib;
	int s;

	s = start(r, e);
	if (s < 0)
		return s;
	/* A filter that the library lacks is ARCHIVE_WARN: it would start a program. */
	if (l->archive_read_support_filter_gzip(r->a) != ARCHIVE_OK ||
	    l->archive_read_support_filter_zstd(r->a) != ARCHIVE_OK ||
	    l->archive_read_support_filter_xz(r->a) != ARCHIVE_OK ||
	    l->archive_read_support_filter_bzip2(r->a) != ARCHIVE_OK)
		return err_set(e, -ENOPKG,
			       "libarchive was built without gzip, zstd, xz or bzip2");
	l->archive_read_support_format_raw(r->a);
	s = open_archive(r, e);
	if (s < 0)
		return s;
	s = l->archive_read_next_header(r->a, &r->entry);
	return s == ARCHIVE_OK || s == ARCHIVE_WARN ? 0 : lib_failed(r, e);
}

static int check_growth(const struct reading *r, uint64_t out, struct err *e)
{
	const struct untar_limits *l = r->limits;

	if (out > l->stream)
		return over_limit(e, "bytes uncompressed", l->stream);
	if (out > l->ratio_from && out / l->ratio > r->in_bytes)
		return err_set(e, -E2BIG,
			       "archive grows more than %llu times when uncompressed",
			       (unsigned long long)l->ratio);
	return 0;
}

int untar_decompress(const struct untar_source *src, untar_write_fn *put, void *ctx,
		     const struct untar_limits *limits, struct untar_decompressed *ret,
		     struct err *e)
{
	_cleanup_(reading_done) struct reading r = { .src = src, .limits = limits };
	uint64_t out = 0, used;
	const void *p;
	int64_t at;
	size_t n;
	int s, a;

	s = open_stream(&r, e);
	if (s < 0)
		return s;
	while ((a = r.lib.archive_read_data_block(r.a, &p, &n, &at)) == ARCHIVE_OK) {
		out += n;
		s = check_growth(&r, out, e) ?: put(ctx, p, n, e);
		if (s < 0)
			return s;
	}
	if (a != ARCHIVE_EOF)
		return lib_failed(&r, e);
	used = (uint64_t)r.lib.archive_filter_bytes(r.a, -1);
	if (drain(&r, used, e) < 0)
		return e->code;
	*ret = (struct untar_decompressed){ r.in_bytes, r.in_bytes - used };
	return 0;
}
