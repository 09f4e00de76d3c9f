#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "runtime/net/syn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read and is sent again reads the same, and every answer fits. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t packet[NETSYN_PACKET], more[NETSYN_PACKET];
	struct netsyn s, again;
	size_t len;

	if (netsyn_parse(data, size, &s) < 0)
		return 0;
	assert(s.tcp_len >= 20 && s.tcp_len <= NETSYN_TCP);
	len = netsyn_again(&s, packet);
	assert(len == 20 + s.tcp_len && len <= size);
	assert(netsyn_parse(packet, len, &again) == 0);
	assert(netsyn_again(&again, more) == len && !memcmp(packet, more, len));
	assert(again.seq == s.seq && again.tcp_len == s.tcp_len);
	assert(!memcmp(&again.from, &s.from, sizeof(s.from)));
	assert(!memcmp(&again.to, &s.to, sizeof(s.to)));
	assert(netsyn_reset(&s, packet) == 40);
	assert(netsyn_parse(packet, 40, &again) < 0);
	assert(netsyn_unreachable(&s, packet) == 56);
	assert(netsyn_parse(packet, 56, &again) < 0);
	return 0;
}
