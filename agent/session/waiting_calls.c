#include "agent/session/waiting_calls.h"

/* clang-format off */
#if defined(__x86_64__)
static const struct call { short nr; bool is_32bit; enum waiting_call kind; } table[] = {
	{   0, false, WAITING_CALL_READ },	/* read */
	{  19, false, WAITING_CALL_READ },	/* readv */
	{ 327, false, WAITING_CALL_READ },	/* preadv2 */
	{   7, false, WAITING_CALL_POLL },	/* poll */
	{ 271, false, WAITING_CALL_POLL },	/* ppoll */
	{  23, false, WAITING_CALL_SELECT },	/* select */
	{ 270, false, WAITING_CALL_SELECT },	/* pselect6 */
	{ 232, false, WAITING_CALL_EPOLL },	/* epoll_wait */
	{ 281, false, WAITING_CALL_EPOLL },	/* epoll_pwait */
	{ 441, false, WAITING_CALL_EPOLL },	/* epoll_pwait2 */
	{ 219, false, WAITING_CALL_EPOLL },	/* restart_syscall */
	{   3, true,  WAITING_CALL_READ },	/* read */
	{ 145, true,  WAITING_CALL_READ },	/* readv */
	{ 378, true,  WAITING_CALL_READ },	/* preadv2 */
	{ 168, true,  WAITING_CALL_POLL },	/* poll */
	{ 309, true,  WAITING_CALL_POLL },	/* ppoll */
	{ 414, true,  WAITING_CALL_POLL },	/* ppoll_time64 */
	{ 142, true,  WAITING_CALL_SELECT },	/* _newselect */
	{ 308, true,  WAITING_CALL_SELECT },	/* pselect6 */
	{ 413, true,  WAITING_CALL_SELECT },	/* pselect6_time64 */
	{ 256, true,  WAITING_CALL_EPOLL },	/* epoll_wait */
	{ 319, true,  WAITING_CALL_EPOLL },	/* epoll_pwait */
	{ 441, true,  WAITING_CALL_EPOLL },	/* epoll_pwait2 */
	{   0, true,  WAITING_CALL_EPOLL },	/* restart_syscall */
};
#elif defined(__aarch64__)
static const struct call { short nr; bool is_32bit; enum waiting_call kind; } table[] = {
	{  63, false, WAITING_CALL_READ },	/* read */
	{  65, false, WAITING_CALL_READ },	/* readv */
	{ 286, false, WAITING_CALL_READ },	/* preadv2 */
	{  73, false, WAITING_CALL_POLL },	/* ppoll */
	{  72, false, WAITING_CALL_SELECT },	/* pselect6 */
	{  22, false, WAITING_CALL_EPOLL },	/* epoll_pwait */
	{ 441, false, WAITING_CALL_EPOLL },	/* epoll_pwait2 */
	{ 128, false, WAITING_CALL_EPOLL },	/* restart_syscall */
	{   3, true,  WAITING_CALL_READ },	/* read */
	{ 145, true,  WAITING_CALL_READ },	/* readv */
	{ 392, true,  WAITING_CALL_READ },	/* preadv2 */
	{ 168, true,  WAITING_CALL_POLL },	/* poll */
	{ 336, true,  WAITING_CALL_POLL },	/* ppoll */
	{ 414, true,  WAITING_CALL_POLL },	/* ppoll_time64 */
	{ 142, true,  WAITING_CALL_SELECT },	/* _newselect */
	{ 335, true,  WAITING_CALL_SELECT },	/* pselect6 */
	{ 413, true,  WAITING_CALL_SELECT },	/* pselect6_time64 */
	{ 252, true,  WAITING_CALL_EPOLL },	/* epoll_wait */
	{ 346, true,  WAITING_CALL_EPOLL },	/* epoll_pwait */
	{ 441, true,  WAITING_CALL_EPOLL },	/* epoll_pwait2 */
	{   0, true,  WAITING_CALL_EPOLL },	/* restart_syscall */
};
#else
#error "the numbers of this architecture's system calls are missing"
#endif
/* clang-format on */

enum waiting_call waiting_calls_kind(long nr, bool is_32bit)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].nr == nr && table[i].is_32bit == is_32bit)
			return table[i].kind;
	return WAITING_CALL_OTHER;
}

bool waiting_calls_both(long nr)
{
	return waiting_calls_kind(nr, true) != waiting_calls_kind(nr, false);
}

bool waiting_calls_poll_ms(long nr)
{
#if defined(__x86_64__)
	return nr == 7;
#else
	(void)nr; /* arm64 has ppoll only */
	return false;
#endif
}
