/* waiting_calls - which system calls read or poll, by their numbers.
 * Needs:  nothing.
 * Owns:   the table of x86-64, arm64 and their 32-bit modes.
 * Never:  asks the kernel. */
#ifndef AGENT_SESSION_WAITING_CALLS_H
#define AGENT_SESSION_WAITING_CALLS_H

#include "base/def.h"

enum waiting_call {
	WAITING_CALL_OTHER,
	WAITING_CALL_READ,   /* descriptor is the first argument */
	WAITING_CALL_POLL,   /* an array of struct pollfd and its length */
	WAITING_CALL_SELECT, /* highest descriptor + 1, a set of bits */
	WAITING_CALL_EPOLL   /* also a call that is being restarted: it was a poll */
};

enum waiting_call waiting_calls_kind(long nr, bool is_32bit);
/** waiting_calls_poll_ms() - is it the poll(2) whose timeout is a number? 64-bit modes */
bool waiting_calls_poll_ms(long nr);
/** waiting_calls_both() - has @nr a meaning in the 32-bit mode as well? */
bool waiting_calls_both(long nr);

#endif
