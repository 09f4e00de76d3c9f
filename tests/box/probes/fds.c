/* fds - which descriptors it was started with, what they are, and its ids. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	for (int fd = 0; fd < 4096; fd++) {
		struct stat st;

		if (fstat(fd, &st) == 0)
			printf("%d %s\n", fd,
			       S_ISFIFO(st.st_mode)   ? "pipe"
			       : S_ISSOCK(st.st_mode) ? "socket"
			       : S_ISCHR(st.st_mode)  ? "device"
			       : S_ISDIR(st.st_mode)  ? "directory"
						      : "file");
	}
	return 0;
}
