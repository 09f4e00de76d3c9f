#include "agent/session/jobs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/session/procs.h"
#include "base/sys/sys.h"
#include "base/text.h"

struct gather {
	pid_t shell;
	bool all;	  /* of other sessions, too */
	struct job *jobs; /* borrowed */
	pid_t groups[JOBS_MAX];
	size_t n, max;
};

/* Its words, with spaces between them. */
static void name(struct job *job, pid_t shell)
{
	char words[JOBS_COMMAND];
	int n = procs_args(job->pid, words, sizeof(words));

	job->subshell = n <= 0 || procs_same_args(job->pid, shell);
	if (job->subshell) {
		text_copy(job->command, sizeof(job->command), "(subshell)");
		return;
	}
	for (int i = 0; i < n - 1; i++)
		if (!words[i])
			words[i] = ' ';
	text_escaped(job->command, sizeof(job->command), words,
		     strnlen(words, (size_t)n));
}

static int add(void *ctx, pid_t pid)
{
	struct gather *g = ctx;
	struct job *job = &g->jobs[g->n];
	struct procfs_stat st;
	int inside;

	if (g->n == g->max || g->n == JOBS_MAX)
		return 1;
	if (pid == g->shell || procs_stat(pid, pid, &st) < 0 || procs_ends(&st) ||
	    (st.sid != g->shell && !g->all))
		return 0;
	for (size_t i = 0; i < g->n; i++)
		if (g->groups[i] == st.pgrp) {
			if (st.ppid == g->shell)
				g->jobs[i].last = pid;
			return 0;
		}
	inside = procs_inside(pid);
	if (inside < 0)
		return 0;
	g->groups[g->n++] = st.pgrp;
	*job = (struct job){
		.pid = pid, .inside = inside, .last = pid, .stopped = st.state == 'T'
	};
	name(job, g->shell);
	return 0;
}

/* FNV-1a, over numbers. */
static void mix(uint64_t *key, uint64_t v)
{
	*key = (*key ^ v) * 0x100000001b3u;
}

static int mix_pid(void *ctx, pid_t pid)
{
	mix(ctx, (uint64_t)pid);
	return 0;
}

static uint64_t children_key(pid_t shell, pid_t parent)
{
	uint64_t key = 0;

	procs_children(shell, mix_pid, &key);
	mix(&key, 0); /* a child of the one is none of the other */
	procs_children(parent, mix_pid, &key);
	return key;
}

size_t jobs_list(pid_t shell, struct jobs_none *none, struct job *ret, size_t max)
{
	struct gather g = { .shell = shell, .jobs = ret, .max = max };
	struct jobs_none now = { .shell = shell };
	struct procfs_stat st;

	if (none->shell == shell) {
		now.parent = none->parent;
		now.key = children_key(shell, none->parent);
		if (now.key == none->key)
			return 0;
	} else if (procs_stat(shell, shell, &st) == 0) {
		now.parent = st.ppid;
		now.key = children_key(shell, st.ppid);
	}
	procs_children(shell, add, &g);
	if (now.parent > 0)
		procs_children(now.parent, add, &g);
	*none = g.n ? (struct jobs_none){ 0 } : now;
	return g.n;
}

size_t jobs_left(pid_t like, pid_t parent, struct job *ret, size_t max)
{
	struct gather g = { .shell = like, .all = true, .jobs = ret, .max = max };

	procs_children(parent, add, &g);
	return g.n;
}

uint64_t jobs_key(const struct job *jobs, size_t n)
{
	uint64_t key = 0;

	for (size_t i = 0; i < n; i++) {
		mix(&key, (uint64_t)jobs[i].pid);
		mix(&key, jobs[i].stopped ? 1 : 2);
	}
	return key;
}

int jobs_add(const struct job *jobs, size_t n, struct buf *out)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = buf_addf(out, "%s%d %s%s", i ? "; " : "", jobs[i].inside,
			     jobs[i].command, jobs[i].stopped ? " (stopped)" : "");
	return r;
}

void jobs_output(const struct job *job, char ret[JOBS_PATH])
{
	char fd[64];
	struct stat st;
	ssize_t n;

	*ret = '\0';
	snprintf(fd, sizeof(fd), "/proc/%d/fd/1", job->last);
	if (sys_fstatat(AT_FDCWD, fd, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return;
	n = sys_readlinkat(AT_FDCWD, fd, ret, JOBS_PATH - 1);
	ret[MAX(n, (ssize_t)0)] = '\0';
}
