/* dnsmsg - DNS messages (RFC 1035, RFC 6891): questions read, answers written. A parser
 * of what the box sends.
 * Needs:  one whole message.
 * Owns:   nothing.
 * Never:  follows a compression pointer (a question of one name needs none); reads or
 *         writes past what it was given. */
#ifndef RUNTIME_GATE_DNSMSG_H
#define RUNTIME_GATE_DNSMSG_H

#include "base/def.h"

enum {
	DNSMSG_NAME = 256,  /* text of a name with its NUL */
	DNSMSG_UDP = 512,   /* an answer by UDP without EDNS */
	DNSMSG_EDNS = 1232, /* with it: what fits every path */
	DNSMSG_MAX = 4096   /* a question by TCP at the most; an answer is far below */
};

enum dnsmsg_rcode {
	DNSMSG_NOERROR = 0,
	DNSMSG_FORMERR = 1,
	DNSMSG_SERVFAIL = 2,
	DNSMSG_NXDOMAIN = 3,
	DNSMSG_NOTIMP = 4,
	DNSMSG_REFUSED = 5,
	DNSMSG_BADVERS = 16
};

enum dnsmsg_type {
	DNSMSG_A = 1,
	DNSMSG_PTR = 12,
	DNSMSG_AAAA = 28,
	DNSMSG_OPT = 41,
	DNSMSG_IXFR = 251,
	DNSMSG_AXFR = 252,
	DNSMSG_ANY = 255
};

struct dnsmsg_query {
	uint16_t id;
	bool recursion;	   /* RD, repeated in the answer */
	bool edns;	   /* there is an OPT record, so the answer has one */
	uint16_t udp_size; /* what the asker can take by UDP; at least DNSMSG_UDP */
	uint16_t type;	   /* enum dnsmsg_type, or another */
	char name[DNSMSG_NAME]; /* lower case, no final dot; "" = the root */
	bool plain;		/* the name is made of letters, digits, '-', '_' */
	size_t question_end;	/* the question is bytes 12 to this */
};

/**
 * dnsmsg_parse() - read a question
 * @ret: filled as far as it was understood, on an error code too: enough for an answer
 *
 * Return: 0 = a question of class IN; an enum dnsmsg_rcode to be answered; -EBADMSG =
 *         not to be answered at all (too short, or itself an answer).
 */
int dnsmsg_parse(const void *data, size_t len, struct dnsmsg_query *ret);

struct dnsmsg_answer {
	enum dnsmsg_rcode rcode;
	uint32_t ttl_s;
	const uint8_t *a; /* four bytes: an A record; NULL = none */
	const char *ptr;  /* a PTR record; NULL = none */
};

/**
 * dnsmsg_build() - write the answer to a question
 * @query: the message that @q was read from; its question is repeated as it was
 * @limit: bytes that fit; an answer that does not is cut to an empty one with TC
 * @out:   at least DNSMSG_UDP bytes
 * Return: length of the answer.
 */
size_t dnsmsg_build(const struct dnsmsg_query *q, const void *query,
		    const struct dnsmsg_answer *a, size_t limit, uint8_t *out);

/** dnsmsg_reverse() - "4.3.2.1.in-addr.arpa" → 1.2.3.4; -EINVAL for other names */
int dnsmsg_reverse(const char *name, uint8_t ret[4]);

#endif
