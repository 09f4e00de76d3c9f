/* boxps - the processes of a running box, seen from outside.
 * Needs:  /proc; the pid of the box's init.
 * Owns:   its list.
 * Never:  asks the box: what runs in it could lie; shows a process of the host.
 *
 * Everything in a box descends from its init, for orphans become init's children. The
 * kernel tells anybody a process's parent and its number in each pid namespace. */
#ifndef CLI_STORE_BOXPS_H
#define CLI_STORE_BOXPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/scope.h"

enum { BOXPS_COMMAND = 512 };

struct boxps_proc {
	pid_t pid, parent; /* in the box; parent 0 = init's own */
	pid_t host_pid, host_parent;
	char state;	 /* R, S, D, Z, T, … */
	bool has_tty;	 /* it has a terminal */
	uint64_t cpu_ms; /* user and system */
	uint64_t rss_bytes;
	char command[BOXPS_COMMAND]; /* arguments, cut; valid UTF-8, hostile */
};

struct boxps {
	struct boxps_proc *v; /* owned; sorted by pid */
	size_t n;
};
#define BOXPS_NONE ((struct boxps){ 0 })
void boxps_done(struct boxps *p);
#define _cleanup_boxps_ _cleanup_(boxps_done)

/**
 * boxps_list() - all processes of the box whose init is @init, itself included
 * Return: 0; -ESRCH when there is no such process; -ENOMEM.
 */
int boxps_list(pid_t init, struct boxps *ret, struct err *e);
/** boxps_machine() - what of all processes of this machine boxps_of() needs to know */
int boxps_machine(struct boxps *ret, struct err *e);
/** boxps_of() - as boxps_list(), of many boxes after one look at the machine */
int boxps_of(const struct boxps *machine, pid_t init, struct boxps *ret, struct err *e);

/** boxps_is_own() - is it cubby's: init, or its process above a terminal? By what a process
 *  calls itself, so a program of the box can claim it */
bool boxps_is_own(const struct boxps *p, const struct boxps_proc *one);

/** boxps_end() - ask every process of the box but its init to end: @sig, and HUP where a
 *  terminal goes away, for shells take no TERM; how many there were */
int boxps_end(pid_t init, int sig, struct err *e);
/** boxps_count() - processes that have not ended, without its init */
int boxps_count(pid_t init, struct err *e);

/** boxps_signal() - send @sig to process @pid of the box
 *  Return: 0; -ESRCH "no process N in the box"; -EPERM for its init. */
int boxps_signal(pid_t init, pid_t pid, int sig, struct err *e);

#endif
