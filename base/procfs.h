/* procfs - what /proc tells of processes.
 * Needs:  /proc, or a descriptor of a directory in one, which a path is relative to.
 * Owns:   nothing.
 * Never:  takes a program's name for anything else, whatever blanks, parentheses and
 *         newlines it has; gives a half of what the kernel wrote. */
#ifndef BASE_PROCFS_H
#define BASE_PROCFS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/def.h"

enum {
	PROCFS_PATH = 80,
	PROCFS_STATUS = 1 << 20 /* bytes of a status: 65536 groups fit */
};

_printf_(2, 3) char *procfs_put_path(char ret[PROCFS_PATH], const char *fmt, ...);
/** procfs_path() - a short path made of numbers; lives as long as the block that it is
 *  written in */
#define procfs_path(...) procfs_put_path((char[PROCFS_PATH]){ "" }, __VA_ARGS__)
/** procfs_fd() - the path of a descriptor of this process; lives as that */
#define procfs_fd(fd) procfs_path("/proc/self/fd/%d", fd)
/** procfs_fd_name() - what a descriptor of this process is open on, as the kernel names it;
 *  bytes, cut at @size, or -errno. @ret ends with a NUL, "" on failure. */
int procfs_fd_name(int fd, char *ret, size_t size);

struct procfs_stat {
	char state; /* R, S, D, T, Z, … */
	pid_t ppid, pgrp, sid;
	int tty;	   /* a device number; 0 = none */
	unsigned flags;	   /* PF_… */
	uint64_t ticks;	   /* of a processor that it has had; _SC_CLK_TCK a second */
	uint64_t threads;  /* of the process */
	uint64_t started;  /* ticks since boot */
	uint64_t rss;	   /* pages */
	uint64_t args;	   /* address of its words; 0 = the kernel does not say */
	uint64_t args_end; /* behind them */
};
/** procfs_stat() - of a process ("12/stat") or a thread ("12/task/13/stat"); 0, -EPROTO or
 *  what the kernel says of one that has ended (-ENOENT, -ESRCH) */
int procfs_stat(int dirfd, const char *path, struct procfs_stat *ret);
/** procfs_stat_parse() - pure; 0 or -EPROTO */
int procfs_stat_parse(const char *text, struct procfs_stat *ret);

/** procfs_value() - what stands behind "@key:" at the start of a line (status, fdinfo,
 *  smaps_rollup), without the blanks before it; borrowed of @text. NULL = no such line. */
const char *procfs_value(const char *text, const char *key);
/** procfs_number() - the first number there, to @base; false, @ret untouched: there is
 *  none */
bool procfs_number(const char *text, const char *key, int base, uint64_t *ret);
/** procfs_inner() - of a status: the number of the process in the innermost pid namespace
 *  that it is in; 0 = the kernel does not say */
pid_t procfs_inner(const char *status);

/* Returns 0 to go on, 1 to end. */
typedef int procfs_fn(void *ctx, pid_t pid);
/** procfs_children() - all that a "…/task/N/children" names, oldest first; 0 or -errno */
int procfs_children(int dirfd, const char *path, procfs_fn *fn, void *ctx);
/** procfs_has_children() - has the first thread of @pid any? 1, 0 or -errno, -ENOENT where
 *  the kernel was built without CONFIG_PROC_CHILDREN */
int procfs_has_children(pid_t pid);

#endif
