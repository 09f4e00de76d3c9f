/* A tar archive, plain or compressed, into a sink that only checks what it is told:
 * within the limits, in order, of the size that was announced. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "rootfs/archive/entry_path.h"
#include "rootfs/archive/untar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct untar_limits limits = {
	.bytes = 1 << 20,
	.stream = 2 << 20,
	.entries = 200,
	.ratio = 100,
	.ratio_from = 64 << 10,
	.path = 4095,
	.component = 255,
	.depth = 64,
	.link = 4095,
	.xattrs = 16,
	.xattr_bytes = 4096,
};

struct memory {
	const uint8_t *at;
	size_t left, chunk;
};

static ssize_t memory_read(void *ctx, const void **ret, struct err *)
{
	struct memory *m = ctx;
	size_t n = MIN(m->left, m->chunk);

	*ret = m->at;
	m->at += n;
	m->left -= n;
	return (ssize_t)n;
}

struct log {
	uint64_t entries, bytes, next, size;
};

static int on_entry(void *ctx, const struct untar_entry *en, struct err *e)
{
	struct log *l = ctx;
	char path[ENTRY_PATH];

	assert(en->path);
	l->entries++;
	l->next = 0;
	l->size = en->size;
	if (entry_path_clean(en->path, &limits, path, e) < 0)
		return e->code;
	assert(path[0] != '/' && !strstr(path, "//"));
	return en->hardlink ? 0 : 1;
}

static int on_data(void *ctx, const void *data, size_t len, uint64_t at, struct err *)
{
	struct log *l = ctx;

	assert(data && len && at >= l->next && at + len <= l->size);
	l->next = at + len;
	l->bytes += len;
	return 0;
}

static int on_end(void *, const struct untar_entry *en, struct err *)
{
	struct untar_xattr x;

	while (untar_next_xattr(en, &x))
		assert(x.name);
	return 0;
}

static int collect(void *ctx, const void *data, size_t len, struct err *)
{
	return buf_add(ctx, data, len);
}

static void read_tar(const void *data, size_t size, size_t chunk)
{
	struct memory m = { data, size, chunk };
	struct untar_source src = { memory_read, &m };
	struct untar_counts counts;
	struct err e = ERR_NONE;
	struct log log = { 0 };
	struct untar_sink sink = { on_entry, on_data, on_end, &log };
	int r = untar_read(&src, &sink, &limits, &counts, &e);

	assert(r <= 0 && (r < 0) == (e.code < 0) && r == e.code);
	assert(log.entries <= limits.entries && log.bytes <= limits.bytes);
	if (r == 0)
		assert(m.left == 0 && counts.in_bytes == size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory m = { data, size, 4096 };
	struct untar_source src = { memory_read, &m };
	_cleanup_buf_ struct buf out = BUF_INIT(4 << 20);
	struct untar_decompressed done;
	struct err e = ERR_NONE;

	if (!untar_compressed(data, size)) {
		read_tar(data, size, 997);
		return 0;
	}
	if (untar_decompress(&src, collect, &out, &limits, &done, &e) < 0) {
		assert(e.code < 0 && e.msg[0]);
		return 0;
	}
	assert(done.in_bytes == size && out.len <= limits.stream);
	read_tar(out.data, out.len, SIZE_MAX);
	return 0;
}
