/* A git index of any bytes, with sums of either length: no crash, no path without an end. */
#include <assert.h>
#include <string.h>

#include "rootfs/git/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int look(void *ctx, const struct git_index_entry *x)
{
	const uint8_t *const *range = ctx;

	assert(strlen(x->path) < PATH_MAX);
	assert(x->sum >= range[0] && x->sum < range[1]);
	(void)git_index_path_ok(x->path);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *range[] = { data, data + size };
	const struct git_index_own conf = { .host = data, .host_len = size };
	_cleanup_buf_ struct buf own = BUF_INIT(1 << 20);
	uint64_t meaning;

	(void)git_index_read(data, size, 20, look, range);
	(void)git_index_read(data, size, 32, look, range);
	(void)git_index_meaning(data, size, 20, &meaning);
	if (git_index_own(data, size, 20, &conf, &own) == 0)
		assert(git_index_read((uint8_t *)own.data, own.len, 20, look,
				      (const uint8_t *[]){ (uint8_t *)own.data,
							   (uint8_t *)own.data +
								   own.len }) == 0);
	return 0;
}
