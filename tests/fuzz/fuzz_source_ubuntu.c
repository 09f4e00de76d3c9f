/* Whatever a server calls SHA256SUMS: a digest and a plain name of this release, or
 * nothing. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "rootfs/image/source_ubuntu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_ubuntu got;
	struct err e = ERR_NONE;

	if (source_ubuntu_pick((const char *)data, size, "24.04", "amd64", &got, &e) <
	    0) {
		assert(e.code == -ENOENT);
		return 0;
	}
	assert(hash_valid(got.digest));
	assert(!strncmp(got.file, "ubuntu-base-24.04", 17) && !strchr(got.file, '/'));
	return 0;
}
