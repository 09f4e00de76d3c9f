/* listen - the applet that makes a socket in the box whose other side is served outside.
 * Needs:  descriptor 3: a socket of messages to who serves.
 * Owns:   the directory until all is well.
 * Never:  serves it. */
#include "runtime/init/applets.h"

#include <stdio.h>
#include <sys/un.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/wire/wire.h"

#define LISTEN_NAME "agent" /* of the socket */

enum { OUT = 3, WAITING = 16 };

static int hand_out(const struct sockaddr_un *at, struct err *e)
{
	const struct wire_head head = { .type = WIRE_READY };
	_cleanup_close_ int fd = sys_socket(AF_UNIX, SOCK_STREAM, 0);
	int r = MIN(fd, 0) ?: sys_bind(fd, (const void *)at, sizeof(*at)) ?:
		sys_listen(fd, WAITING) ?: wire_send(OUT, &head, NULL, &fd, 1);

	return r < 0 ? err_sys(e, r, "cannot listen at '%s'", at->sun_path) : 0;
}

int listen_run(char *const argv[], struct err *e)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int n = snprintf(at.sun_path, sizeof(at.sun_path), "%s/" LISTEN_NAME, argv[1]);
	int r;

	if (n >= (int)sizeof(at.sun_path))
		return err_set(e, -ENAMETOOLONG, "the path is too long");
	r = sys_mkdirat(AT_FDCWD, argv[1], 0700);
	if (r < 0)
		return err_sys(e, r, "cannot make '%s'", argv[1]);
	r = hand_out(&at, e);
	if (r < 0)
		(void)sys_unlinkat(AT_FDCWD, argv[1], AT_REMOVEDIR);
	return r;
}
