/* Decompressing and writing take about the same time, so they go on at once: a child
 * decompresses into a pipe, this process reads the tar from there and writes. A plain tar
 * needs no child. */
#include "runtime/worker/unpack.h"

#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"

enum { READ_CHUNK = 512 << 10, PIPE = 1 << 20 };

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
	struct digest digest;
};

struct child {
	pid_t pid;	     /* owned until reaped; -1 = none */
	int data;	     /* owned: the reading end */
	int words;	     /* owned: the same, of the verdict */
	char *chunk;	     /* owned; READ_CHUNK bytes */
	struct verdict said; /* once the data has ended */
};

static void child_done(struct child *c)
{
	siginfo_t si;

	scope_close(&c->data);
	scope_close(&c->words);
	free(c->chunk);
	if (c->pid > 0) {
		(void)sys_kill(c->pid, SIGKILL);
		(void)sys_waitid(P_PID, (id_t)c->pid, &si, WEXITED);
	}
}

struct output {
	int to;		   /* borrowed */
	struct hash *hash; /* borrowed; NULL = not wanted */
};

static int put_out(void *ctx, const void *data, size_t len, struct err *e)
{
	struct output *o = ctx;
	int r = o->hash ? hash_update(o->hash, data, len, e) : 0;

	return r < 0 ? r : file_write_fd(o->to, data, len, e);
}

static _noreturn_ void child_main(struct input *in, int data, int words,
				  const struct untar_limits *limits)
{
	struct output out = { data, take(&in->hash, NULL) };
	struct untar_source src = { input_read, in };
	struct verdict v = { 0 };
	int r;

	r = untar_decompress(&src, put_out, &out, limits, &v.done, &v.err);
	if (r == 0 && out.hash)
		r = digest_end(out.hash, &v.digest, &v.err);
	/* Before the end of the data, so that it is there when that is seen. */
	(void)sys_write(words, &v, sizeof(v));
	sys_exit(r < 0);
}

static int child_start(struct child *c, struct input *in,
		       const struct untar_limits *limits, struct err *e)
{
	int data[2] = { -1, -1 }, words[2] = { -1, -1 };
	int r = sys_pipe2(data, 0) ?: sys_pipe2(words, 0);

	c->data = data[0];
	c->words = words[0];
	c->chunk = malloc(READ_CHUNK);
	if (r == 0)
		(void)sys_pipe_size(data[1], PIPE); /* as large as it may be */
	if (r == 0)
		r = c->chunk ? sys_fork() : -ENOMEM;
	if (r == 0) {
		scope_close(&c->data); /* its reader's end is seen */
		child_main(in, data[1], words[1], limits);
	}
	scope_close(&data[1]);
	scope_close(&words[1]);
	if (r < 0)
		return err_sys(e, r, "cannot start the decompressor");
	c->pid = r;
	return 0;
}

/* At the end of the data the child has said how it went: a broken stream looks like a
 * truncated archive from here. */
static int child_verdict(struct child *c, struct err *e)
{
	struct verdict *v = &c->said;

	if (sys_read(c->words, v, sizeof(*v)) != (ssize_t)sizeof(*v))
		return err_set(e, -EPIPE,
			       "the decompressor ended unexpectedly; "
			       "it may need more memory than allowed");
	v->err.msg[sizeof(v->err.msg) - 1] = '\0';
	v->digest.text[DIGEST_TEXT - 1] = '\0';
	if (v->err.code < 0)
		*e = v->err;
	return v->err.code;
}

static ssize_t child_read(void *ctx, const void **ret, struct err *e)
{
	struct child *c = ctx;
	ssize_t n = sys_read(c->data, c->chunk, READ_CHUNK);

	*ret = c->chunk;
	if (n < 0)
		return err_sys(e, (int)n, "cannot take data over");
	return n ? n : child_verdict(c, e);
}

/* ---- the whole ---------------------------------------------------------------------- */

static int read_all(const struct unpack_conf *conf, const struct untar_sink *sink,
		    struct unpack_result *ret, struct err *e)
{
	_cleanup_(input_done) struct input in = { .fd = -1 };
	_cleanup_(
		child_done) struct child child = { .pid = -1, .data = -1, .words = -1 };
	_cleanup_hash_ struct hash *hash = NULL;
	struct untar_source src = { input_read, &in };
	bool packed;
	int r = conf->like ? digest_begin(conf->like, &hash, e) : 0;

	if (r < 0)
		return r;
	in.hash = hash;
	r = input_open(&in, conf->in, e);
	packed = r > 0;
	if (r == 0)
		r = untar_read(&src, sink, conf->limits, &ret->counts, e);
	if (r == 0 && hash)
		r = digest_end(hash, &ret->digest, e);
	if (!packed)
		return r;
	r = child_start(&child, &in, conf->limits, e);
	if (r < 0)
		return r;
	src = (struct untar_source){ child_read, &child };
	r = untar_read(&src, sink, conf->limits, &ret->counts, e);
	if (r < 0)
		return r;
	ret->digest = child.said.digest;
	ret->counts.in_bytes = child.said.done.in_bytes;
	ret->counts.trailing += child.said.done.trailing;
	return 0;
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

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		uint64_t v;

		memcpy(&v, (const char *)res + fields[i].at, sizeof(v));
		json_set_int(j, fields[i].key, (int64_t)v);
	}
	for (unsigned d = 0; d < ENTRY_DROPS; d++)
		if (res->dropped[d])
			json_set_int(dropped, entry_attr_drop_name(d),
				     (int64_t)res->dropped[d]);
	json_set(j, "dropped", dropped);
	if (res->digest.text[0])
		json_set_str(j, "diff_id", digest_kept(&res->digest));
	return json_failed(j) ? NULL : take(&j, NULL);
}
