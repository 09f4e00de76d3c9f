#include "agent/server/run/runid.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/sys/sys.h"

int runid_make(char ret[RUNID], struct err *e)
{
	struct timespec now = sys_wall();
	unsigned char bytes[3];
	struct tm tm;
	size_t n;

	if (sys_getrandom(bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
		return err_set(e, -EIO, "no random bytes");
	gmtime_r(&now.tv_sec, &tm);
	n = strftime(ret, RUNID, "%Y%m%d-%H%M%S-", &tm);
	snprintf(ret + n, RUNID - n, "%02x%02x%02x", bytes[0], bytes[1], bytes[2]);
	return 0;
}
