/* A SPAWN message of any bytes: the head as they come, the rest as its text, which is
 * behind it when the padding says so, and else in a memfd. Whatever is taken is whole: as
 * many strings as said, each ended. */
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "base/sys/sys.h"
#include "runtime/init/payload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_payload_ struct payload p = PAYLOAD_NONE;
	_cleanup_wire_ struct wire_msg m;
	struct wire_spawn s = { 0 };
	struct err e = ERR_NONE;
	size_t head = MIN(size, sizeof(s));

	memcpy(&s, data, head);
	wire_msg_init(&m);
	assert(buf_add(&m.body, &s, sizeof(s)) == 0);
	if (s.pad) {
		(void)buf_add(&m.body, data + head, size - head);
	} else {
		m.fds[m.n_fds++] = sys_memfd("fuzz", 0);
		assert(sys_write(m.fds[0], data + head, size - head) >= 0);
	}
	for (unsigned i = 0; i < s.n_extra % (WIRE_EXTRA + 2); i++)
		m.fds[m.n_fds++] = sys_memfd("extra", 0);
	if (payload_parse(&m, &p, &e) < 0) {
		assert(e.code < 0 && !p.argv && !p.text);
		return 0;
	}
	for (uint32_t i = 0; i < s.n_argv; i++)
		assert(strlen(p.argv[i]) < s.text_len);
	assert(!p.argv[s.n_argv] && !p.env[s.n_env]);
	assert(p.cwd && p.user && p.n_extra == s.n_extra);
	return 0;
}
