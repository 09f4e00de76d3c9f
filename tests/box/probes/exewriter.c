/* exewriter - for MS milliseconds, tries to open for writing what other processes run
 * (CVE-2019-5736). A line "writable LINK" for each success on a program that is neither
 * the image's nor ours; nothing is written. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Through a descriptor too: it outlives the process, and ETXTBSY with it. */
static void attempt(const char *pid)
{
	char path[512], link[512] = "", again[64];
	int fd, out = -1;

	snprintf(path, sizeof(path), "/proc/%s/exe", pid);
	if (readlink(path, link, sizeof(link) - 1) < 0 || !strncmp(link, "/usr/", 5) ||
	    !strncmp(link, "/bin/", 5) || strstr(link, "exewriter"))
		return;
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return;
	printf("seen %s\n", link);
	snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
	for (int i = 0; i < 200 && out < 0; i++) {
		out = open(again, O_WRONLY);
		if (out < 0)
			usleep(500);
	}
	if (out >= 0)
		printf("writable %s\n", link);
	close(out);
	close(fd);
}

int main(int argc, char **argv)
{
	long end = now_ms() + (argc > 1 ? atol(argv[1]) : 1000);

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (now_ms() < end) {
		DIR *proc = opendir("/proc");
		struct dirent *d;

		while (proc && (d = readdir(proc)))
			if (d->d_name[0] >= '2' && d->d_name[0] <= '9')
				attempt(d->d_name);
		closedir(proc);
	}
	puts("done");
	return 0;
}
