#include "agent/server/run/runid.h"

#include <time.h>

#include "base/nonce.h"
#include "base/sys/sys.h"

int runid_make(char ret[RUNID], struct err *e)
{
	struct timespec now = sys_wall();
	struct tm tm;

	gmtime_r(&now.tv_sec, &tm);
	return nonce_make(ret + strftime(ret, RUNID, "%Y%m%d-%H%M%S-", &tm), 7, e);
}
