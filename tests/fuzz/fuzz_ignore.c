#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "runtime/init/ignore.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A path, a NUL, then a file: what it says of a directory it says of it alone; a rule
 * that is added and cut changes nothing; "*" behind all ignores everything. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = (const char *)data,
		   *nul = size ? memchr(data, 0, size) : NULL;
	struct ignore g = IGNORE_NONE;
	const char *rules = nul ? nul + 1 : NULL;
	size_t len = nul ? size - (size_t)(nul + 1 - path) : 0, n;
	bool file, directory;

	if (!nul || !*path)
		return 0;
	assert(ignore_add(&g, rules, len, 0) == 0);
	assert(g.n <= len && g.bytes.len <= len + 1);
	file = ignore_says(&g, path, false);
	directory = ignore_says(&g, path, true);
	n = g.n;
	assert(ignore_add(&g, "\n*\n", 3, 0) == 0 && g.n == n + 1);
	assert(ignore_says(&g, path, false) || !*(strrchr(path, '/') ?: "/x"));
	ignore_cut(&g, n);
	assert(g.n == n && file == ignore_says(&g, path, false));
	assert(directory == ignore_says(&g, path, true));
	ignore_done(&g);
	return 0;
}
