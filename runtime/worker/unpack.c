/* Decompressing and writing take about the same time, so they go on at once: a child
 * decompresses into shared memory (ring.h), this process reads the tar from there and
 * writes. A plain tar needs no child. */
#include "runtime/worker/unpack.h"

#include <string.h>

#include "base/sys/sys.h"
#include "runtime/worker/ring.h"

enum { READ_CHUNK = 512 << 10 };

/* ---- the descriptor ----------------------------------------------------------------- */

struct input {
	int fd;		   /* borrowed */
	char *chunk;	   /* owned; READ_CHUNK bytes */
	size_t ahead;	   /* bytes in chunk that were read to see what they are */
	struct hash *hash; /* borrowed: of a plain archive; NULL = not wanted */
};

static void input_done(struct input *in)
{
	free(in->chunk);
}

static ssize_t read_chunk(struct input *in, struct err *e)
{
	ssize_t n = sys_read(in->fd, in->chunk, READ_CHUNK);

	return n < 0 ? err_sys(e, (int)n, "cannot read the archive") : n;
}

static ssize_t input_read(void *ctx, const void **ret, struct err *e)
{
	struct input *in = ctx;
	ssize_t n = (ssize_t)in->ahead;
	int r = 0;

	*ret = in->chunk;
	in->ahead = 0;
	if (!n)
		n = read_chunk(in, e);
	if (n > 0 && in->hash)
		r = hash_update(in->hash, in->chunk, (size_t)n, e);
	return r < 0 ? r : n;
}

/* 1 = compressed, 0 = not */
static int input_open(struct input *in, int fd, struct err *e)
{
	enum { MAGIC = 6 };
	ssize_t n = 1;

	in->fd = fd;
	in->chunk = malloc(READ_CHUNK);
	if (!in->chunk)
		return err_sys(e, -ENOMEM, "cannot read the archive");
	while (n > 0 && in->ahead < MAGIC) {
		n = sys_read(fd, in->chunk + in->ahead, READ_CHUNK - in->ahead);
		if (n < 0)
			return err_sys(e, (int)n, "cannot read the archive");
		in->ahead += (size_t)n;
	}
	return untar_compressed(in->chunk, in->ahead);
}

/* ---- the child that decompresses ---------------------------------------------------- */

/* Its last words, on a pipe of their own. */
struct verdict {
	struct err err; /* code 0: it went well */
	struct untar_decompressed done;
	char digest[HASH_HEX];
};

struct child {
	pid_t pid;	  /* owned until reaped; -1 = none */
	int verdict;	  /* owned: the reading end */
	struct ring ring; /* owned */
};
#define CHILD_NONE ((struct child){ .pid = -1, .verdict = -1, .ring = RING_NONE })

static void child_done(struct child *c)
{
	siginfo_t si;

	ring_done(&c->ring);
	scope_close(&c->verdict);
	if (c->pid > 0) {
		(void)sys_kill(c->pid, SIGKILL);
		(void)sys_waitid(P_PID, (id_t)c->pid, &si, WEXITED);
	}
	*c = CHILD_NONE;
}

struct output {
	struct ring *ring; /* borrowed */
	struct hash *hash; /* borrowed; NULL = not wanted */
};

static int to_ring(void *ctx, const void *data, size_t len, struct err *e)
{
	struct output *o = ctx;
	int r = o->hash ? hash_update(o->hash, data, len, e) : 0;

	return r < 0 ? r : ring_write(o->ring, data, len, e);
}

static _noreturn_ void child_main(struct child *c, struct input *in, int verdict,
				  const struct untar_limits *limits)
{
	struct output out = { &c->ring, take(&in->hash, NULL) };
	struct untar_source src = { input_read, in };
	struct verdict v = { 0 };
	int r;

	ring_child(&c->ring);
	r = untar_decompress(&src, to_ring, &out, limits, &v.done, &v.err);
	if (r == 0 && out.hash)
		r = hash_final(out.hash, v.digest, &v.err);
	/* Before the end of the data, so that it is there when that is seen. */
	(void)sys_write(verdict, &v, sizeof(v));
	if (r == 0)
		r = ring_end(&c->ring, &v.err);
	sys_exit(r < 0);
}

static int child_start(struct child *c, struct input *in,
		       const struct untar_limits *limits, struct err *e)
{
	_cleanup_close_ int theirs = -1;
	int fds[2], r;

	r = ring_init(&c->ring, e);
	if (r < 0)
		return r;
	r = sys_pipe2(fds, 0);
	if (r < 0)
		return err_sys(e, r, "cannot make a pipe");
	c->verdict = fds[0];
	theirs = fds[1];
	r = sys_fork();
	if (r < 0)
		return err_sys(e, r, "cannot start the decompressor");
	if (r == 0)
		child_main(c, in, theirs, limits);
	c->pid = r;
	ring_parent(&c->ring);
	return 0;
}

static ssize_t child_read(void *ctx, const void **ret, struct err *e)
{
	struct child *c = ctx;

	return ring_read(&c->ring, ret, e);
}

/* What the child says goes before what follows from it for the reader: a broken stream
 * looks like a truncated archive from there. */
static int child_verdict(struct child *c, int r, struct unpack_result *ret,
			 struct err *e)
{
	struct verdict v;

	if (r < 0 && r != -EPIPE)
		return r;
	if (sys_read(c->verdict, &v, sizeof(v)) != (ssize_t)sizeof(v))
		return err_set(e, -EPIPE,
			       "the decompressor ended unexpectedly; "
			       "it may need more memory than allowed");
	if (v.err.code < 0) {
		*e = v.err;
		e->msg[sizeof(e->msg) - 1] = '\0';
		return e->code;
	}
	if (r < 0)
		return r;
	memcpy(ret->digest, v.digest, HASH_HEX);
	ret->digest[HASH_HEX - 1] = '\0';
	ret->counts.in_bytes = v.done.in_bytes;
	ret->counts.trailing += v.done.trailing;
	return 0;
}

/* ---- the whole ---------------------------------------------------------------------- */

static int read_all(const struct unpack_conf *conf, const struct untar_sink *sink,
		    struct unpack_result *ret, struct err *e)
{
	_cleanup_(input_done) struct input in = { .fd = -1 };
	_cleanup_(child_done) struct child child = CHILD_NONE;
	_cleanup_hash_ struct hash *hash = NULL;
	struct untar_source src = { input_read, &in };
	bool packed;
	int r = conf->digest ? hash_new(&hash, e) : 0;

	if (r < 0)
		return r;
	in.hash = hash;
	r = input_open(&in, conf->in, e);
	packed = r > 0;
	if (r == 0)
		r = untar_read(&src, sink, conf->limits, &ret->counts, e);
	if (r == 0 && hash)
		r = hash_final(hash, ret->digest, e);
	if (!packed)
		return r;
	r = child_start(&child, &in, conf->limits, e);
	if (r < 0)
		return r;
	src = (struct untar_source){ child_read, &child };
	r = untar_read(&src, sink, conf->limits, &ret->counts, e);
	return child_verdict(&child, r, ret, e);
}

int unpack_run(const struct unpack_conf *conf, struct unpack_result *ret, struct err *e)
{
	_cleanup_extract_ struct extract *x = NULL;
	struct unpack_result result = { 0 };
	struct untar_sink sink;
	int r;

	r = extract_new(&(struct extract_conf){ .root = conf->root,
						.single = conf->single,
						.kind = conf->kind,
						.names = conf->names,
						.limits = conf->limits },
			&x, e);
	if (r < 0)
		return r;
	sink = extract_sink(x);
	r = read_all(conf, &sink, &result, e);
	if (r < 0)
		return r;
	r = extract_finish(x, e);
	if (r < 0)
		return r;
	memcpy(result.dropped, extract_dropped(x), sizeof(result.dropped));
	*ret = result;
	return 0;
}

/* ---- the result as text ------------------------------------------------------------- */

static const struct field {
	const char *key;
	size_t at; /* of a uint64_t in struct unpack_result */
} fields[] = {
	{ "entries", offsetof(struct unpack_result, counts.entries) },
	{ "bytes", offsetof(struct unpack_result, counts.bytes) },
	{ "in_bytes", offsetof(struct unpack_result, counts.in_bytes) },
	{ "warned", offsetof(struct unpack_result, counts.warned) },
	{ "trailing", offsetof(struct unpack_result, counts.trailing) },
};

struct json *unpack_to_json(const struct unpack_result *res)
{
	_cleanup_json_ struct json *j = json_object();
	struct json *dropped = json_object();
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields) && r >= 0; i++) {
		uint64_t v;

		memcpy(&v, (const char *)res + fields[i].at, sizeof(v));
		r = json_set_int(j, fields[i].key, (int64_t)v);
	}
	for (unsigned d = 0; d < ENTRY_DROPS && r >= 0; d++)
		if (res->dropped[d])
			r = json_set_int(dropped, entry_attr_drop_name(d),
					 (int64_t)res->dropped[d]);
	if (r < 0)
		json_free(&dropped);
	else
		r = json_set(j, "dropped", dropped);
	if (r >= 0 && res->digest[0])
		r = json_set_str(j, "diff_id", res->digest);
	return r < 0 ? NULL : take(&j, NULL);
}
