/* sys_ret - how every door turns its call into a value.
 * Needs:  glibc's -1 and errno.
 * Owns:   nothing.
 * Never:  is used outside the doors of sys_*.h. */
#ifndef BASE_SYS_RET_H
#define BASE_SYS_RET_H

#include <errno.h>
#include <stdint.h>

/* A test of the instrumented build may fail the n-th door before its call is made; the
 * release build folds this to nothing. */
#ifdef CUBBY_FAULT
#include "base/sys/fault.h"
#else
static inline long sys_fault(void)
{
	return 0L;
}
#endif

#if defined(__clang_analyzer__) || defined(CUBBY_ANALYZE)
/* errno of a call that failed is above 0, which analysers do not know: they would
 * follow each failed call on as if it had been a success. They lose what they know of a
 * number when its type changes. */
void sys_some_errno(void *ret);
#define sys_errno(call)                                  \
	({                                               \
		__typeof__(call) ret_ = (call);          \
		if (ret_ < 0) {                          \
			sys_some_errno(&ret_);           \
			if (ret_ >= 0)                   \
				__builtin_unreachable(); \
		}                                        \
		ret_;                                    \
	})
#define sys_ret(call) sys_errno(call)
#else
static inline long sys_errno(long r)
{
	return r < 0 ? -(long)errno : r;
}
#define sys_ret(call) (sys_fault() ?: sys_errno((long)(call)))
#endif

/* For calls that did nothing when interrupted, and only for those. */
#define sys_retry(call)                           \
	({                                        \
		__typeof__(sys_ret(call)) again_; \
		do                                \
			again_ = sys_ret(call);   \
		while (again_ == -EINTR);         \
		again_;                           \
	})

#endif
