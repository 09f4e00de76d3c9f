/* passwd and group files of any bytes, cut at the first 0xff: no crash, and what is found
 * is a name or a number that was asked for. */
#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/init/userdb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(int root, const char *path, const uint8_t *data, size_t len)
{
	_cleanup_close_ int fd =
		sys_openat(root, path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert(fd >= 0 && sys_write(fd, data, len) == (ssize_t)len);
}

static int make_root(void)
{
	char dir[] = "/tmp/cubby-fuzz-XXXXXX";
	int root;

	assert(mkdtemp(dir));
	root = sys_open(dir, O_RDONLY | O_DIRECTORY);
	assert(root >= 0 && sys_mkdirat(root, "etc", 0700) == 0);
	return root;
}

static void remove_root(int root)
{
	char path[64], dir[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", root);
	n = sys_readlinkat(AT_FDCWD, path, dir, sizeof(dir) - 1);
	assert(n > 0);
	dir[n] = '\0';
	sys_unlinkat(root, "etc/passwd", 0);
	sys_unlinkat(root, "etc/group", 0);
	sys_unlinkat(root, "etc", AT_REMOVEDIR);
	sys_unlinkat(AT_FDCWD, dir, AT_REMOVEDIR);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const specs[] = { "root", "0", "1:adm", "app:4", "x" };
	const uint8_t *cut = memchr(data, 0xff, size);
	size_t first = cut ? (size_t)(cut - data) : size;
	_cleanup_close_ int root = make_root();

	put(root, "etc/passwd", data, first);
	if (cut)
		put(root, "etc/group", cut + 1, size - first - 1);
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct userdb_user u = { 0 };
		struct err e = ERR_NONE;
		int r = userdb_find(root, specs[i], &u, &e);

		assert(r == 0 ? u.home[0] != '\0' && u.n_groups <= USERDB_GROUPS
			      : e.code == r);
	}
	remove_root(root);
	return 0;
}
