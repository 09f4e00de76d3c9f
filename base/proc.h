/* proc - programs of the host that cubby runs: newuidmap, its own self.
 * Needs:  an absolute path or a name for the caller's PATH.
 * Owns:   its children until they are reaped.
 * Never:  uses a shell; passes a descriptor that was not named. */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct proc_conf {
	const char *const *argv; /* NULL-ended; argv[0] is looked up in PATH */
	const char *const *env;	 /* NULL-ended "K=V"; NULL = the caller's */
	int fds[3];		 /* borrowed; -1 = /dev/null */
	int pass_fd;	  /* borrowed; becomes descriptor 3 of the child; -1 = none */
	const char *dir;  /* where it runs; NULL = where the caller is */
	bool new_session; /* setsid: no terminal, own group */
	unsigned files;	  /* descriptors that it may have; 0 = as here */
};

struct proc {
	pid_t pid; /* -1 = none */
	int pidfd; /* owned; -1 = none */
};
#define PROC_NONE ((struct proc){ .pid = -1, .pidfd = -1 })

/** proc_start() - fork and exec; an exec that fails is returned here, not by the child
 */
int proc_start(const struct proc_conf *conf, struct proc *ret, struct err *e);
/**
 * proc_fork() - run a function of this program in a process of its own, without an exec
 * @conf: argv: what it shall be called (argv[0] and argv[1], as far as there is room for
 *        them); env: not used; the rest as for proc_start(). No other descriptor is kept
 * @run:  its result is the exit status
 *
 * Context: @run has this process's memory as it is now, but no more than its thread.
 * Return: 0, or -EBUSY: there are other threads here, which may hold locks that would
 *         never be released in the copy.
 */
int proc_fork(const struct proc_conf *conf, int (*run)(void), struct proc *ret,
	      struct err *e);
/**
 * proc_wait() - reap
 * @timeout_ms: -1 = for ever; -ETIMEDOUT afterwards (still running)
 * @status:     0–255, or 128 + signal
 */
int proc_wait(struct proc *p, int timeout_ms, int *status, struct err *e);
/** proc_done() - kill if still running, reap, close */
void proc_done(struct proc *p);
#define _cleanup_proc_ _cleanup_(proc_done)

/**
 * proc_run() - run to the end and keep what it printed
 * @out: standard output; NULL = thrown away, as standard error is
 * Return: exit status, or a negative errno (also -ETIMEDOUT, after killing it).
 */
int proc_run(const char *const *argv, int timeout_ms, struct buf *out, struct err *e);

/** Makes PATH what it is to be; @about: as it was given, less than PATH_MAX */
typedef int proc_path_fn(const char *about, struct err *e);
/**
 * proc_path_later() - call @settle when a program is first wanted
 *
 * proc_start(), proc_find() and proc_path_settle() do so, once; again if it failed. Most
 * commands start no program and need not pay for it. What was to be called before is called
 * now. A copy (proc_fork()) that begins before that has its own call.
 * Return: 0, or what the call of before came to.
 */
int proc_path_later(proc_path_fn *settle, const char *about, struct err *e);
/** proc_path_settle() - now, for who copies the environment or will have threads */
int proc_path_settle(struct err *e);

/** proc_files() - this process, and those that it starts, may have @n descriptors, or as many
 *  as the hard limit says; how many it was before, 0: it is not known */
unsigned proc_files(unsigned n);

/** proc_find() - absolute path of a program in PATH or the usual sbin directories;
 *  -ENOENT. @ret has PATH_MAX bytes. */
int proc_find(const char *name, char *ret);

/** proc_path_is_usual() - has PATH the system's own directories alone? */
bool proc_path_is_usual(void);

/** proc_leads_into() - is what stands at @path, now or later, up to somebody who may write in
 *  @dir, a real path? On its way it may go there by a link. */
bool proc_leads_into(const char *path, const char *dir);

/** proc_path_without() - PATH less the entries that are relative or lead into one of @dirs
 *  (real paths, NULL-ended): for those who run programs where others may write in them */
int proc_path_without(const char *const *dirs, struct buf *ret);

/** proc_self() - the path of the running binary, for re-execution; @ret has PATH_MAX */
int proc_self(char *ret, struct err *e);

#endif
