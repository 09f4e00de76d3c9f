#include "cli/store/signame.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"

/* "RTMIN", "RTMIN+3", "RTMAX-1": their numbers are the C library's. */
static int parse_realtime(const char *s, int *ret)
{
	bool low = strncasecmp(s, "RTMIN", 5) == 0;
	uint64_t n = 0, most = (uint64_t)(SIGRTMAX - SIGRTMIN);

	if (!low && strncasecmp(s, "RTMAX", 5) != 0)
		return -EINVAL;
	s += 5;
	if (*s && (*s != (low ? '+' : '-') || num_range(s + 1, 0, most, &n) < 0))
		return -EINVAL;
	*ret = low ? SIGRTMIN + (int)n : SIGRTMAX - (int)n;
	return 0;
}

int signame_parse(const char *s, int *ret)
{
	uint64_t n;

	if (num_range(s, 1, (uint64_t)(NSIG - 1), &n) == 0) {
		*ret = (int)n;
		return 0;
	}
	if (strncasecmp(s, "SIG", 3) == 0)
		s += 3;
	for (int i = 1; i < NSIG; i++) {
		const char *name = sigabbrev_np(i);

		if (!name || strcasecmp(name, s) != 0)
			continue;
		*ret = i;
		return 0;
	}
	return parse_realtime(s, ret);
}
