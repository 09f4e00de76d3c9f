/* fault - what each door of the instrumented build asks before its call.
 * Needs:  CUBBY_FAULT.
 * Owns:   nothing.
 * Never:  fails a door of a program that is no test. */
#ifndef BASE_SYS_FAULT_H
#define BASE_SYS_FAULT_H

/** sys_fault() - what the door returns instead of making its call, or 0. That of tests
 *  (tests/unit/fault.c) takes the place of this one. */
long sys_fault(void);
__attribute__((weak)) long sys_fault(void)
{
	return 0L;
}

#endif
