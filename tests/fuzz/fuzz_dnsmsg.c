#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "runtime/gate/dnsmsg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_answer(const struct dnsmsg_query *q, const uint8_t *data,
			 const struct dnsmsg_answer *a, size_t limit)
{
	uint8_t out[DNSMSG_EDNS];
	size_t len = dnsmsg_build(q, data, a, limit, out);

	assert(len >= 12 && len <= (limit < DNSMSG_UDP ? DNSMSG_UDP : limit));
	assert(out[0] == data[0] && out[1] == data[1]); /* the id */
	assert(out[2] & 0x80);
	assert(!memcmp(out + 12, data + 12, q->question_end - 12));
}

/* Whatever was read can be answered, at every size, and nothing else is touched. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t addr[4] = { 198, 18, 0, 16 };
	struct dnsmsg_answer a = { .ttl_s = 60, .a = addr };
	struct dnsmsg_query q;
	uint8_t reverse[4];
	int r = dnsmsg_parse(data, size, &q);

	assert(r <= DNSMSG_BADVERS);
	if (r < 0)
		return 0;
	assert(q.question_end >= 12 && q.question_end <= size);
	assert(strlen(q.name) < DNSMSG_NAME - 1);
	assert(q.udp_size >= DNSMSG_UDP);
	(void)dnsmsg_reverse(q.name, reverse);
	check_answer(&q, data, &a, DNSMSG_UDP);
	if (q.plain && q.name[0])
		a.ptr = q.name;
	check_answer(&q, data, &a, DNSMSG_UDP);
	check_answer(&q, data, &a, DNSMSG_EDNS);
	return 0;
}
