#include "rootfs/git/index.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "base/sha1.h"
#include "base/sha256.h"

enum {
	HEADER = 12,
	STAT_BYTES = 40,
	MTIME_AT = 8,
	MODE_AT = 24,
	UNCHANGED = 0x8000, /* of the flags: git does not look at the file */
	EXTENDED = 0x4000,
	STAGE = 0x3000,
	LENGTH = 0xfff,
	ABSENT = 0x4000, /* of the further flags: it is not checked out */
	TO_COME = 0x2000 /* "git add -N" */
};

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

static int begin(const uint8_t *data, size_t len, size_t sum, struct reader **ret)
{
	struct reader *r;
	uint32_t version;

	if (len > GIT_INDEX_MAX)
		return -EMSGSIZE;
	if (len < HEADER + sum || memcmp(data, "DIRC", 4) != 0)
		return -EBADMSG;
	version = be32(data + 4);
	if (version < 2 || version > 4)
		return -EBADMSG;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->data = data;
	r->at = HEADER;
	r->end = len - sum;
	r->sum = sum;
	r->version = version;
	r->count = be32(data + 8);
	*ret = r;
	return 0;
}

static int read_entries(struct reader *r, git_index_fn *fn, void *ctx)
{
	const uint32_t count = r->count;
	int x = 0;

	for (uint32_t i = 0; i < count && x >= 0; i++)
		x = read_entry(r, fn, ctx);
	return MIN(x, 0);
}

int git_index_read(const uint8_t *data, size_t len, size_t sum, git_index_fn *fn,
		   void *ctx)
{
	_cleanup_free_ struct reader *r = NULL;
	int x = begin(data, len, sum, &r) ?: read_entries(r, fn, ctx);

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
	uint16_t stage = x->flags & STAGE;

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

/* ---- what the host may believe ------------------------------------------------------------- */

struct owner {
	const struct git_index_own *conf; /* borrowed */
	struct reader *host;		  /* owned; NULL = there is none */
	uint32_t left;			  /* entries of the host's behind @theirs */
	bool has;			  /* there is one */
	struct git_index_entry theirs;
	const uint8_t *box; /* borrowed: where all begins */
	size_t sum;
	uint8_t *out; /* borrowed: a copy of it */
};

static void owner_done(struct owner *o)
{
	free(o->host);
}

static int note_entry(void *ctx, const struct git_index_entry *x)
{
	*(struct git_index_entry *)ctx = *x;
	return 0;
}

static void next_of_host(struct owner *o)
{
	o->has = o->left && read_entry(o->host, note_entry, &o->theirs) == 0;
	o->left -= o->has;
}

static int compare(const struct git_index_entry *a, const struct git_index_entry *b)
{
	return strcmp(a->path, b->path) ?: (a->flags & STAGE) - (b->flags & STAGE);
}

static uint16_t more_flags(const struct git_index_entry *x, size_t sum)
{
	const uint8_t *p = x->sum + sum + 2;

	return x->flags & EXTENDED ? (uint16_t)(p[0] << 8 | p[1]) : 0;
}

/* Times as of now or later would not tell a change that came at the same moment. */
static bool are_told(const struct owner *o, const struct git_index_entry *x)
{
	const uint8_t *mtime = x->sum - STAT_BYTES + MTIME_AT;

	return (uint64_t)be32(mtime) * 1000000000u + be32(mtime + 4) <
	       o->conf->since_ns;
}

static int own_entry(void *ctx, const struct git_index_entry *x)
{
	struct owner *o = ctx;
	uint8_t *to = o->out + (x->sum - STAT_BYTES - o->box);
	uint8_t *flags = to + STAT_BYTES + o->sum;
	uint16_t more = more_flags(x, o->sum) & (ABSENT | TO_COME);
	const struct git_index_entry *theirs = NULL;
	uint8_t mode[4];

	while (o->has && compare(&o->theirs, x) < 0)
		next_of_host(o);
	if (o->has && compare(&o->theirs, x) == 0)
		theirs = &o->theirs;
	if (!theirs || !(theirs->flags & UNCHANGED))
		flags[0] &= (uint8_t) ~(UNCHANGED >> 8);
	if (!o->conf->sparse && !(theirs && more_flags(theirs, o->sum) & ABSENT))
		more &= (uint16_t)~ABSENT;
	if (x->flags & EXTENDED) {
		flags[2] = (uint8_t)(more >> 8);
		flags[3] = 0;
	}
	memcpy(mode, to + MODE_AT, sizeof(mode));
	if (theirs && theirs->mode == x->mode && are_told(o, theirs) &&
	    memcmp(theirs->sum, x->sum, o->sum) == 0)
		memcpy(to, theirs->sum - STAT_BYTES, STAT_BYTES);
	else
		memset(to, 0, STAT_BYTES);
	memcpy(to + MODE_AT, mode, sizeof(mode));
	return 0;
}

int git_index_own(const uint8_t *data, size_t len, size_t sum,
		  const struct git_index_own *own, struct buf *ret)
{
	_cleanup_(owner_done) struct owner o = { .conf = own, .box = data, .sum = sum };
	_cleanup_free_ struct reader *r = NULL;
	uint8_t digest[SHA256_SIZE];
	int x = begin(data, len, sum, &r) ?: buf_add(ret, data, len);

	if (x < 0)
		return x;
	o.out = (uint8_t *)ret->data + ret->len - len;
	if (own->host && begin(own->host, own->host_len, sum, &o.host) == 0) {
		o.left = o.host->count;
		next_of_host(&o);
	}
	x = read_entries(r, own_entry, &o);
	if (x < 0)
		return x;
	buf_truncate(ret, ret->len - len + r->at);
	if (sum == SHA256_SIZE)
		sha256_digest(o.out, r->at, digest);
	else
		sha1_digest(o.out, r->at, digest);
	return buf_add(ret, digest, sum);
}
