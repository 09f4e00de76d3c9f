/* handout - "handout give SOCKET PATH": waits at SOCKET for one who asks, and hands it PATH,
 * open; of "socket" a socket that is not connected. "handout take SOCKET COMMAND...": asks, and
 * runs COMMAND in what it was handed. "handout dial SOCKET NAME": asks, and connects what it
 * was handed to the abstract socket NAME. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int failed(const char *what)
{
	perror(what);
	return 1;
}

static int give(const struct sockaddr_un *at, const char *path)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0), c;
	int fd = strcmp(path, "socket") ? open(path, O_RDONLY)
					: socket(AF_UNIX, SOCK_STREAM, 0);
	char byte = 0;
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} u = { 0 };
	struct iovec one = { &byte, 1 };
	struct msghdr m = { .msg_iov = &one,
			    .msg_iovlen = 1,
			    .msg_control = u.room,
			    .msg_controllen = sizeof(u.room) };

	if (fd < 0)
		return failed(path);
	if (bind(s, (const void *)at, sizeof(*at)) || listen(s, 1))
		return failed("bind");
	c = accept(s, NULL, NULL);
	u.h = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(CMSG_DATA(&u.h), &fd, sizeof(fd));
	return sendmsg(c, &m, 0) == 1 ? 0 : failed("sendmsg");
}

/* What was handed over, or -1. */
static int asked(const struct sockaddr_un *at)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0), fd = -1, tries = 1000;
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} u = { 0 };
	char byte;
	struct iovec one = { &byte, 1 };
	struct msghdr m = { .msg_iov = &one,
			    .msg_iovlen = 1,
			    .msg_control = u.room,
			    .msg_controllen = sizeof(u.room) };

	while (connect(s, (const void *)at, sizeof(*at))) {
		if (!tries--)
			return -failed("connect");
		usleep(20000);
	}
	if (recvmsg(s, &m, 0) != 1)
		return -failed("recvmsg");
	memcpy(&fd, CMSG_DATA(&u.h), sizeof(fd));
	return fd;
}

static int take(const struct sockaddr_un *at, char **argv)
{
	if (fchdir(asked(at)))
		return failed("fchdir");
	execvp(argv[0], argv);
	return failed(argv[0]);
}

static int dial(const struct sockaddr_un *at, const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = asked(at);

	snprintf(to.sun_path + 1, sizeof(to.sun_path) - 1, "%s", name);
	puts(connect(fd, (const void *)&to,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				 strlen(name)))
		     ? strerror(errno)
		     : "reached");
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	if (argc < 4)
		return 2;
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", argv[2]);
	if (!strcmp(argv[1], "give"))
		return give(&at, argv[3]);
	return !strcmp(argv[1], "dial") ? dial(&at, argv[3]) : take(&at, argv + 3);
}
