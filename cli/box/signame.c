#include "cli/box/signame.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"

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
	return -EINVAL;
}
