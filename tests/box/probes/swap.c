/* swap - "swap A B": exchanges the two names, over and over, until its standard input
 * ends; then says how often. What an attacker does to a path that somebody else is about
 * to use. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { PAUSE_US = 30 };

int main(int argc, char **argv)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	long done = 0, refused = 0;
	char byte;

	if (argc != 3)
		return 2;
	do {
		if (renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE))
			refused++;
		else if (!done++ && puts("first") >= 0)
			fflush(stdout);
		usleep(PAUSE_US);
	} while (poll(&in, 1, 0) <= 0 || read(STDIN_FILENO, &byte, 1) > 0);
	printf("%ld exchanges, %ld refused\n", done, refused);
	return done ? 0 : 1;
}
