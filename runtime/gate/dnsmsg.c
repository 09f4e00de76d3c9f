#include "runtime/gate/dnsmsg.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { HEAD = 12, CLASS_IN = 1, FLAG_QR = 0x8000, OPCODE = 0x7800 };
enum { FLAG_TC = 0x0200, FLAG_RD = 0x0100, FLAG_RA = 0x0080 };
enum { LABEL_MAX = 63, NAME_MAX_WIRE = 255 };

/* What is left of a message. Reading past its end sets @bad and yields zeros. */
struct cursor {
	const uint8_t *data;
	size_t len, at;
	bool bad;
};

static const uint8_t *get(struct cursor *c, size_t n)
{
	const uint8_t *p = c->data + c->at;

	if (c->bad || n > c->len - c->at) {
		c->bad = true;
		return NULL;
	}
	c->at += n;
	return p;
}

static uint8_t get8(struct cursor *c)
{
	const uint8_t *p = get(c, 1);

	return p ? p[0] : 0;
}

static uint16_t get16(struct cursor *c)
{
	const uint8_t *p = get(c, 2);

	return p ? (uint16_t)(p[0] << 8 | p[1]) : 0;
}

/* One label's text behind @used bytes of the name; odd bytes clear @plain and become
 * '?', for such a name is never looked up, only shown. */
static size_t add_label(struct dnsmsg_query *q, size_t used, const uint8_t *label,
			size_t n)
{
	if (used)
		q->name[used++] = '.';
	for (size_t i = 0; i < n; i++) {
		if (isalnum(label[i]) || label[i] == '-' || label[i] == '_') {
			q->name[used++] = (char)tolower(label[i]);
		} else {
			q->plain = false;
			q->name[used++] = '?';
		}
	}
	return used;
}

static void get_name(struct cursor *c, struct dnsmsg_query *q)
{
	size_t used = 0, start = c->at;

	q->plain = true;
	for (;;) {
		size_t n = get8(c);
		const uint8_t *label;

		if (!n || c->bad)
			break;
		label = n <= LABEL_MAX ? get(c, n) : NULL; /* more: a pointer */
		if (!label || c->at - start >= NAME_MAX_WIRE) {
			c->bad = true;
			break;
		}
		used = add_label(q, used, label, n);
	}
	q->name[used] = '\0';
}

/* Skips an owner name of an additional record, compressed or not. */
static void skip_name(struct cursor *c)
{
	for (;;) {
		size_t n = get8(c);

		if (!n || c->bad)
			return;
		if (n > LABEL_MAX) {
			if ((n & 0xc0) != 0xc0)
				c->bad = true;
			get8(c);
			return;
		}
		get(c, n);
	}
}

/* Looks through the records behind the question for OPT. Return: 0 or a code. */
static int get_records(struct cursor *c, unsigned n, struct dnsmsg_query *q)
{
	for (unsigned i = 0; i < n && !c->bad; i++) {
		uint16_t type, class, version;

		skip_name(c);
		type = get16(c);
		class = get16(c);
		version = get16(c) & 0xff; /* extended code and version; then flags */
		get16(c);
		get(c, get16(c));
		if (type != DNSMSG_OPT || c->bad)
			continue;
		if (q->edns)
			return DNSMSG_FORMERR; /* two of them */
		q->edns = true;
		q->udp_size = MAX(class, DNSMSG_UDP);
		if (version)
			return DNSMSG_BADVERS;
	}
	return c->bad ? DNSMSG_FORMERR : 0;
}

int dnsmsg_parse(const void *data, size_t len, struct dnsmsg_query *ret)
{
	struct cursor c = { .data = data, .len = len };
	uint16_t flags, questions, class;
	unsigned others = 0;
	int r;

	*ret = (struct dnsmsg_query){ .udp_size = DNSMSG_UDP, .question_end = HEAD };
	if (len < HEAD)
		return -EBADMSG;
	ret->id = get16(&c);
	flags = get16(&c);
	if (flags & FLAG_QR)
		return -EBADMSG;
	ret->recursion = flags & FLAG_RD;
	questions = get16(&c);
	for (int i = 0; i < 3; i++)
		others += get16(&c);
	if (flags & OPCODE)
		return DNSMSG_NOTIMP;
	if (questions != 1)
		return DNSMSG_FORMERR;
	get_name(&c, ret);
	ret->type = get16(&c);
	class = get16(&c);
	if (c.bad)
		return DNSMSG_FORMERR;
	ret->question_end = c.at;
	r = get_records(&c, others, ret);
	if (r)
		return r;
	return class == CLASS_IN ? 0 : DNSMSG_REFUSED;
}

/* Where an answer is written; what does not fit sets @full. */
struct writer {
	uint8_t *out;
	size_t len, limit;
	bool full;
};

static void put(struct writer *w, const void *v, size_t n)
{
	if (w->full || n > w->limit - w->len) {
		w->full = true;
		return;
	}
	memcpy(w->out + w->len, v, n);
	w->len += n;
}

static void put16(struct writer *w, unsigned v)
{
	put(w, (uint8_t[]){ (uint8_t)(v >> 8), (uint8_t)v }, 2);
}

static void put32(struct writer *w, uint32_t v)
{
	put16(w, v >> 16);
	put16(w, v & 0xffff);
}

/* @name is ours: plain, at most 253 bytes. Return: bytes on the wire. */
static size_t encode_name(const char *name, uint8_t *out)
{
	size_t len = 0;

	while (*name) {
		size_t n = strcspn(name, ".");

		out[len++] = (uint8_t)n;
		memcpy(out + len, name, n);
		len += n;
		name += n + (name[n] == '.');
	}
	out[len++] = 0;
	return len;
}

/* The owner is the question's name, which always begins at byte 12. */
static void put_record_head(struct writer *w, uint16_t type, uint32_t ttl_s)
{
	put16(w, 0xc000 | HEAD);
	put16(w, type);
	put16(w, CLASS_IN);
	put32(w, ttl_s);
}

static void put_records(struct writer *w, const struct dnsmsg_answer *a)
{
	uint8_t name[NAME_MAX_WIRE + 1];
	size_t n;

	if (a->a) {
		put_record_head(w, DNSMSG_A, a->ttl_s);
		put16(w, 4);
		put(w, a->a, 4);
	}
	if (a->ptr) {
		n = encode_name(a->ptr, name);
		put_record_head(w, DNSMSG_PTR, a->ttl_s);
		put16(w, (unsigned)n);
		put(w, name, n);
	}
}

static void put_opt(struct writer *w, enum dnsmsg_rcode rcode)
{
	put(w, "", 1); /* the root */
	put16(w, DNSMSG_OPT);
	put16(w, DNSMSG_EDNS);
	put32(w, (uint32_t)(rcode >> 4) << 24);
	put16(w, 0);
}

static void put_head(struct writer *w, const struct dnsmsg_query *q,
		     const struct dnsmsg_answer *a, unsigned flags)
{
	bool question = q->question_end > HEAD;

	put16(w, q->id);
	put16(w, FLAG_QR | FLAG_RA | (q->recursion ? FLAG_RD : 0) | (a->rcode & 15) |
			 flags);
	put16(w, question);
	put16(w, flags & FLAG_TC ? 0 : !!a->a + !!a->ptr);
	put16(w, 0);
	put16(w, q->edns);
}

size_t dnsmsg_build(const struct dnsmsg_query *q, const void *query,
		    const struct dnsmsg_answer *a, size_t limit, uint8_t *out)
{
	const uint8_t *question = (const uint8_t *)query + HEAD;
	struct writer w = { .out = out, .limit = MAX(limit, DNSMSG_UDP) };

	put_head(&w, q, a, 0);
	put(&w, question, q->question_end - HEAD);
	put_records(&w, a);
	if (q->edns)
		put_opt(&w, a->rcode);
	if (!w.full)
		return w.len;
	w.len = 0;
	w.full = false;
	put_head(&w, q, a, FLAG_TC);
	put(&w, question, q->question_end - HEAD); /* 272 bytes at the most: fits */
	if (q->edns)
		put_opt(&w, a->rcode);
	return w.len;
}

int dnsmsg_reverse(const char *name, uint8_t ret[4])
{
	unsigned b[4];
	char text[DNSMSG_NAME];

	if (sscanf(name, "%3u.%3u.%3u.%3u", &b[0], &b[1], &b[2], &b[3]) != 4)
		return -EINVAL;
	snprintf(text, sizeof(text), "%u.%u.%u.%u.in-addr.arpa", b[0], b[1], b[2],
		 b[3]);
	if (strcmp(text, name) != 0)
		return -EINVAL;
	for (int i = 0; i < 4; i++) {
		if (b[i] > 255)
			return -EINVAL;
		ret[3 - i] = (uint8_t)b[i];
	}
	return 0;
}
