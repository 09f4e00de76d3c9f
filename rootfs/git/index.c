#include "rootfs/git/index.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"

enum { HEADER = 12, STAT_BYTES = 40, MODE_AT = 24, EXTENDED = 0x4000, LENGTH = 0xfff };

struct reader {
	const uint8_t *data;
	size_t at, end; /* end: where the last sum begins */
	size_t sum;
	uint32_t version;
	uint32_t count;
	size_t path_len;
	size_t kept; /* of the path before, in this one */
	char path[PATH_MAX];
};

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* A number of bytes to take off the path before, as git writes offsets in packs. */
static int read_varint(struct reader *r, uint64_t *ret)
{
	uint64_t v;
	uint8_t c;

	if (r->at >= r->end)
		return -EBADMSG;
	c = r->data[r->at++];
	v = c & 0x7f;
	while (c & 0x80) {
		if (r->at >= r->end || v > PATH_MAX)
			return -EBADMSG;
		c = r->data[r->at++];
		v = ((v + 1) << 7) | (c & 0x7f);
	}
	*ret = v;
	return 0;
}

static int read_path(struct reader *r, size_t start)
{
	const uint8_t *nul;
	uint64_t strip = 0;
	size_t n, keep = 0;
	int x = r->version == 4 ? read_varint(r, &strip) : 0;

	if (x < 0)
		return x;
	nul = memchr(r->data + r->at, '\0', r->end - r->at);
	if (!nul || strip > r->path_len)
		return -EBADMSG;
	if (r->version == 4)
		keep = r->path_len - strip;
	n = (size_t)(nul - (r->data + r->at));
	if (keep + n >= PATH_MAX)
		return -EBADMSG;
	memcpy(r->path + keep, r->data + r->at, n);
	r->path_len = keep + n;
	r->kept = keep;
	r->path[r->path_len] = '\0';
	r->at += n + 1;
	if (r->version < 4) /* padded with NULs to a multiple of eight */
		r->at = start + ((r->at - start + 7) & ~(size_t)7);
	return r->at > r->end ? -EBADMSG : 0;
}

static int read_entry(struct reader *r, git_index_fn *fn, void *ctx)
{
	size_t start = r->at, fixed = STAT_BYTES + r->sum + 2;
	struct git_index_entry x = { .path = r->path };
	const uint8_t *p = r->data + start;
	int ret;

	if (r->end - r->at < fixed + 2)
		return -EBADMSG;
	x.mode = be32(p + MODE_AT);
	x.sum = p + STAT_BYTES;
	x.flags = (uint16_t)(p[fixed - 2] << 8 | p[fixed - 1]);
	r->at += fixed;
	if (x.flags & EXTENDED) {
		if (r->version < 3)
			return -EBADMSG;
		r->at += 2;
	}
	ret = read_path(r, start);
	/* git goes by this number, not by the NUL: both must mean the same. */
	if (ret == 0 && (x.flags & LENGTH) != MIN(r->path_len, (size_t)LENGTH))
		return -EBADMSG;
	return ret < 0 || !fn ? ret : fn(ctx, &x);
}

/* Where git's threads begin to read: at the entries that are read here, nowhere else. */
static int check_offsets(const struct reader *r, const uint8_t *p, size_t n)
{
	_cleanup_free_ struct reader *again = calloc(1, sizeof(*again));
	uint64_t total = 0;
	int x = 0;

	if (!again)
		return -ENOMEM;
	if (n < 4 || (n - 4) % 8 != 0)
		return -EBADMSG;
	*again = *r;
	again->at = HEADER;
	again->path_len = 0;
	for (size_t i = 4; i < n; i += 8) {
		uint32_t count = be32(p + i + 4);

		if (be32(p + i) != again->at || (total += count) > r->count)
			return -EBADMSG;
		for (uint32_t k = 0; k < count && x == 0; k++) {
			x = read_entry(again, NULL, NULL);
			if (x == 0 && k == 0 && again->kept)
				x = -EBADMSG;
		}
		if (x < 0)
			return x;
	}
	return total == r->count ? 0 : -EBADMSG;
}

/* Those with a capital letter may be ignored by who does not know them. What is known and
 * leads nowhere: TREE, REUC, EOIE, IEOT, UNTR, FSMN; and "sdir", a sparse index. */
static int read_extensions(struct reader *r)
{
	const size_t first = r->at;

	while (r->at < r->end) {
		const uint8_t *p = r->data + r->at;
		int x = 0;
		uint32_t n;

		if (r->end - r->at < 8)
			return -EBADMSG;
		n = be32(p + 4);
		if (n > r->end - r->at - 8)
			return -EBADMSG;
		if ((p[0] < 'A' || p[0] > 'Z') && memcmp(p, "sdir", 4) != 0)
			return -EOPNOTSUPP;
		if (memcmp(p, "IEOT", 4) == 0)
			x = check_offsets(r, p + 8, n);
		else if (memcmp(p, "EOIE", 4) == 0 && (n < 4 || be32(p + 8) != first))
			x = -EBADMSG;
		if (x < 0)
			return x;
		r->at += 8 + (size_t)n;
	}
	return 0;
}

int git_index_read(const uint8_t *data, size_t len, size_t sum, git_index_fn *fn,
		   void *ctx)
{
	_cleanup_free_ struct reader *r = NULL;
	uint32_t count;
	int x = 0;

	if (len > GIT_INDEX_MAX)
		return -EMSGSIZE;
	if (len < HEADER + sum || memcmp(data, "DIRC", 4) != 0)
		return -EBADMSG;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->data = data;
	r->at = HEADER;
	r->end = len - sum;
	r->sum = sum;
	r->version = be32(data + 4);
	count = r->count = be32(data + 8);
	if (r->version < 2 || r->version > 4)
		return -EBADMSG;
	for (uint32_t i = 0; i < count && x >= 0; i++)
		x = read_entry(r, fn, ctx);
	return x < 0 ? x : read_extensions(r);
}

bool git_index_path_ok(const char *path)
{
	for (;;) {
		size_t n = strcspn(path, "/");

		if (!n || (n == 1 && path[0] == '.') ||
		    (n == 2 && memcmp(path, "..", 2) == 0) ||
		    (n == 4 && strncasecmp(path, ".git", 4) == 0) ||
		    (n == 5 && strncasecmp(path, "git~1", 5) == 0))
			return false;
		path += n;
		if (!*path)
			return true;
		path++;
		if (!*path) /* a directory of a sparse index */
			return true;
	}
}

struct meaning {
	uint64_t h;
	size_t sum;
};

static void mix(struct meaning *m, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < len; i++)
		m->h = (m->h ^ p[i]) * 0x100000001b3u;
}

static int add_meaning(void *ctx, const struct git_index_entry *x)
{
	struct meaning *m = ctx;
	uint16_t stage = x->flags & 0x3000;

	mix(m, &x->mode, sizeof(x->mode));
	mix(m, &stage, sizeof(stage));
	mix(m, x->sum, m->sum);
	mix(m, x->path, strlen(x->path) + 1);
	return 0;
}

int git_index_meaning(const uint8_t *data, size_t len, size_t sum, uint64_t *ret)
{
	struct meaning m = { .h = 0xcbf29ce484222325u, .sum = sum };
	int r = git_index_read(data, len, sum, add_meaning, &m);

	if (r < 0)
		return r;
	*ret = m.h;
	return 0;
}
