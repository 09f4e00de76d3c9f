#include "runtime/confine/secfilter_cache.h"

#include <inttypes.h>
#include <linux/filter.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

/* Raise with every change of the generator: tables and version are in the key. */
enum { GENERATOR = 1 };

struct head {
	char magic[8];
	uint64_t key;
	uint64_t len; /* of the program, which follows */
	uint64_t sum;
};

static const char magic[8] = "cubbyBPF";

/* FNV-1a, against damage and mix-ups; against an attacker there is the directory's
 * mode. */
static uint64_t sum(uint64_t h, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}

static uint64_t sum_text(uint64_t h, const char *s)
{
	return sum(h, s, strlen(s) + 1);
}

static uint64_t sum_names(uint64_t h, const char *const *names)
{
	for (; names && *names; names++)
		h = sum_text(h, *names);
	return sum(h, "", 1);
}

/* What the program depends on: two builds with other tables never share a file. */
static uint64_t key_of(const struct secfilter_table *t)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	int generator = GENERATOR;

	h = sum_text(sum(h, &generator, sizeof(generator)), CUBBY_VERSION);
	h = sum(sum_text(h, t->name), &t->otherwise, sizeof(t->otherwise));
	h = sum_names(sum_names(h, t->allow), t->refuse);
	for (size_t i = 0; i < t->n_rules; i++) {
		const struct secfilter_rule *r = &t->rules[i];
		uint32_t v[] = { (uint32_t)r->verdict, r->test, r->arg, r->mask,
				 r->value };

		h = sum(sum_text(h, r->call), v, sizeof(v));
	}
	return h;
}

static void name_of(const struct secfilter_table *t, uint64_t key, char ret[64])
{
	snprintf(ret, 64, "secfilter-%s-%016" PRIx64 ".bpf", t->name, key);
}

int secfilter_cache_load(int dirfd, const struct secfilter_table *t, struct buf *ret)
{
	uint64_t key = key_of(t);
	_cleanup_buf_ struct buf all = BUF_INIT(
		sizeof(struct head) + BPF_MAXINSNS * sizeof(struct sock_filter));
	struct err e = ERR_NONE;
	struct head h;
	char name[64];

	name_of(t, key, name);
	if (file_read(dirfd, name, &all, &e) < 0 || all.len < sizeof(h))
		return -ENOENT;
	memcpy(&h, all.data, sizeof(h));
	buf_consume(&all, sizeof(h));
	if (memcmp(h.magic, magic, sizeof(magic)) || h.key != key || h.len != all.len ||
	    !h.len || h.len % sizeof(struct sock_filter) ||
	    h.sum != sum(key, all.data, all.len))
		return -ENOENT;
	return buf_add(ret, all.data, all.len) < 0 ? -ENOENT : 0;
}

int secfilter_cache_save(int dirfd, const struct secfilter_table *t,
			 const struct buf *prog, struct err *e)
{
	_cleanup_buf_ struct buf all = BUF_INIT(sizeof(struct head) + prog->len);
	struct head h = { .key = key_of(t), .len = prog->len };
	char name[64];
	int r;

	memcpy(h.magic, magic, sizeof(magic));
	h.sum = sum(h.key, prog->data, prog->len);
	name_of(t, h.key, name);
	r = buf_add(&all, &h, sizeof(h));
	if (r >= 0)
		r = buf_add(&all, prog->data, prog->len);
	if (r < 0)
		return err_sys(e, r, "cannot keep the %s filter", t->name);
	return file_replace(
		dirfd, name,
		&(struct file_data){ .data = all.data, .len = all.len, .mode = 0600 },
		e);
}
