/* fuzz_setid_who - whatever the text is, either it is refused and nothing is filled in,
 * or there are no more groups than it has numbers. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/scope.h"
#include "runtime/init/setid_who.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(setid_who_done) struct setid_who w = SETID_WHO_NONE;
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);

	if (buf_add(&text, data, size) < 0)
		return 0;
	if (setid_who_read(buf_cstr(&text), &w) < 0)
		assert(!w.groups && !w.n_groups);
	else
		assert(w.groups && w.n_groups <= size / 2 + 1);
	return 0;
}
