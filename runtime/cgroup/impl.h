/* cgroup_impl - what the files of cgroup share. Included by them alone.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  is seen elsewhere. */
#ifndef RUNTIME_CGROUP_IMPL_H
#define RUNTIME_CGROUP_IMPL_H

#include "runtime/cgroup/cgroup.h"
#include "runtime/cgroup/find.h"

enum { CGROUP_NAME = 64, CGROUP_PERIOD_US = 100000 };

/* A directory that was made below another. */
struct cgroup_leaf {
	int parent; /* owned; -1 = none */
	int dir;    /* owned; -1 = none */
	int tasks;  /* owned; v1: the file by which a thread moves itself; -1 = none */
	char name[CGROUP_NAME];
};

#define CGROUP_LEAF_NONE ((struct cgroup_leaf){ .parent = -1, .dir = -1, .tasks = -1 })

struct cgroup {
	enum cgroup_method method;
	bool crowded; /* v2 has no place: processes at the top of a container's tree */
	bool has[CGROUP_CONTROLLERS]; /* which controllers hold the limits */
	struct cgroup_leaf v2;	      /* also beside v1: for clone and kill */
	struct cgroup_leaf v1[CGROUP_CONTROLLERS];
};

/* ---- leaf.c: directories and their files --------------------------------------- */

/** cgroup_leaf_make() - @name below @parent (taken over, also on failure); one that is
 *  there already was left by a dead monitor: killed, removed and made afresh */
int cgroup_leaf_make(int parent, const char *name, struct cgroup_leaf *ret);
/** cgroup_leaf_open() - one that cgroup_leaf_make() just made; @parent is taken over */
int cgroup_leaf_open(int parent, const char *name, struct cgroup_leaf *ret);
/** cgroup_leaf_kill() - SIGKILL all in it, however fast they fork */
int cgroup_leaf_kill(const struct cgroup_leaf *l);
/** cgroup_leaf_signal() - SIGKILL to those that are in it now; how many they were */
int cgroup_leaf_signal(const struct cgroup_leaf *l);
/** cgroup_leaf_freeze() - all in it stand still, @pid among them
 *  Return: 0; -ESRCH: it is not in there; -ENOENT: nothing can be frozen here; -ETIMEDOUT: it
 *  did not come to that, and all go on */
int cgroup_leaf_freeze(const struct cgroup_leaf *l, pid_t pid, unsigned timeout_ms);
void cgroup_leaf_thaw(const struct cgroup_leaf *l);
/** cgroup_leaf_remove() - when it is empty, or becomes so within two seconds */
void cgroup_leaf_remove(struct cgroup_leaf *l);

int cgroup_leaf_write(int dirfd, const char *file, const char *value);
int cgroup_leaf_number(int dirfd, const char *file, uint64_t *ret);
/** cgroup_leaf_field() - the number behind "@key " at the start of a line */
int cgroup_leaf_field(int dirfd, const char *file, const char *key, uint64_t *ret);
/** cgroup_leaf_enter() - move a process in, unless it is there already */
int cgroup_leaf_enter(const struct cgroup_leaf *l, pid_t pid);

/* ---- the methods. Each returns 0 when it holds at least memory or pids ---------- */

int cgroup_v2_create(struct cgroup *cg, const struct cgroup_places *p, const char *name,
		     struct buf *why);
int cgroup_v2_limit(const struct cgroup *cg, const struct limits *lim, struct err *e);
void cgroup_v2_usage(const struct cgroup *cg, struct cgroup_usage *ret);
/** cgroup_v2_controllers() - have @dirfd's children use the controllers that it has, if
 *  no process is in it; true when it has any that we want, handed on or not */
bool cgroup_v2_controllers(int dirfd, bool has[CGROUP_CONTROLLERS]);

int cgroup_v1_create(struct cgroup *cg, const struct cgroup_places *p, const char *name,
		     const struct limits *lim, struct buf *why);
int cgroup_v1_limit(const struct cgroup *cg, const struct limits *lim, struct err *e);
void cgroup_v1_usage(const struct cgroup *cg, struct cgroup_usage *ret);

int cgroup_systemd_create(struct cgroup *cg, const struct cgroup_places *p,
			  const char *name, struct buf *why);

#endif
