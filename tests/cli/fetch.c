/* fetch - "fetch HOST PORT PATH": what a small static program does with the network. It is
 * linked with musl, whose resolver asks for both families from one socket and reads
 * /etc/resolv.conf by itself. Prints what it got; 6 = no such name, 7 = no connection. */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int dial(const struct addrinfo *list)
{
	for (const struct addrinfo *a = list; a; a = a->ai_next) {
		int fd = socket(a->ai_family, SOCK_STREAM, 0);

		if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0)
			return fd;
		close(fd);
	}
	return -1;
}

int main(int argc, char **argv)
{
	const struct addrinfo want = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	char line[4096], *body = line;
	FILE *f;
	int r, fd;

	if (argc != 4)
		return 2;
	r = getaddrinfo(argv[1], argv[2], &want, &list);
	if (r) {
		printf("lookup: %s\n", gai_strerror(r));
		return 6;
	}
	fd = dial(list);
	if (fd < 0) {
		perror("connect");
		return 7;
	}
	dprintf(fd, "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", argv[3], argv[1]);
	f = fdopen(fd, "r");
	while (f && (body = fgets(line, sizeof(line), f)) && strcmp(line, "\r\n") != 0)
		;
	while (body && (body = fgets(line, sizeof(line), f)))
		fputs(line, stdout);
	return 0;
}
