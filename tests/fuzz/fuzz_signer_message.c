#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/scope.h"
#include "runtime/signer/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void within(struct signer_bytes b, const uint8_t *data, size_t size)
{
	assert(!b.len || (b.data >= data && b.data + b.len <= data + size));
}

/* What is found lies in the message; a login has all of its parts. A list that is taken is
 * one that is taken again, as it is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf once = BUF_INIT(SIGNER_ANSWER_MAX),
				 twice = BUF_INIT(SIGNER_ANSWER_MAX);
	struct signer_message m;

	if (signer_message_read(data, size, &m) == 0) {
		within(m.key, data, size);
		within(m.session, data, size);
		within(m.user, data, size);
		within(m.host, data, size);
		assert(!m.login || (m.kind == SIGNER_SIGN && m.session.len > 0 &&
				    m.session.len <= SIGNER_SESSION_MAX &&
				    m.user.len <= SIGNER_USER_MAX));
		assert(m.kind != SIGNER_BIND || (m.key.len && m.session.len));
	}
	if (signer_message_list(data, size, &once) < 0)
		return 0;
	assert(once.len <= size);
	assert(signer_message_list(once.data, once.len, &twice) == 0);
	assert(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
	return 0;
}
