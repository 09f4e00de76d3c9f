#include "rootfs/oci/certs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

static const struct place {
	const char *variable, *dir; /* variable: NULL = none, the path is whole */
} places[] = {
	{ "HOME", "/.config/containers/certs.d" },
	{ NULL, "/etc/containers/certs.d" },
	{ NULL, "/etc/docker/certs.d" },
};

static void take_all(int dir, struct buf *ret)
{
	struct dirscan scan;

	dirscan_start(&scan, dir);
	while (dirscan_next(&scan)) {
		_cleanup_buf_ struct buf one = BUF_INIT((size_t)CERTS_MAX);

		if (text_ends(scan.name, ".crt") &&
		    file_read(dir, scan.name, &one, ERR_IGNORED) == 0 && one.len &&
		    buf_add(ret, one.data, one.len) == 0)
			(void)buf_adds(ret, "\n");
	}
}

void certs_find(const char *host, struct buf *ret)
{
	if (*host == '.') /* as the host of a URL may */
		return;
	for (size_t i = 0; i < ARRAY_SIZE(places) && !ret->len; i++) {
		const struct place *p = &places[i];
		const char *base = p->variable ? getenv(p->variable) : "";
		_cleanup_close_ int dir = -1;
		char path[PATH_MAX];

		if (!base || (p->variable && base[0] != '/') ||
		    snprintf(path, sizeof(path), "%s%s/%s", base, p->dir, host) >=
			    (int)sizeof(path))
			continue;
		dir = file_open_dir(AT_FDCWD, path, ERR_IGNORED);
		if (dir >= 0)
			take_all(dir, ret);
	}
}
