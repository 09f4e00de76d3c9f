#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/inroot.h"
#include "base/sys/sys.h"
#include "rootfs/git/outside.h"
#include "rootfs/review/layer_outside.h"
#include "runtime/monitor/impl.h"
#include "runtime/monitor/layers.h"
#include "runtime/mount/outside.h"

static void say(void *ctx, const char *line)
{
	monitor_client_note(ctx, line);
}

/* @view: the directory of the box that has its layers */
static void add_mount(struct buf *ret, char kind, const char *path, const char *view)
{
	buf_addc(ret, kind);
	buf_addc(ret, '\0');
	buf_add(ret, path, strlen(path) + 1);
	buf_add(ret, view, strlen(view) + 1);
}

static int make_layer(const struct monitor *m, int project, const char *name, int like)
{
	_cleanup_close_ int dir = layers_dir(project, name, 0711), upper = -1;
	struct stat st;
	int r = dir < 0 ? dir : sys_fstat(like, &st);

	return r < 0 ? r : layers_make(dir, &m->spec, &st, &upper);
}

/* Under review it has layers of its own, beside the project's. */
static int review_outside(const struct monitor *m, int project,
			  const struct git_outside *o, struct err *e)
{
	_cleanup_close_ int dir = layers_dir(m->boxdir, "project", 0711);
	int r = dir < 0 ? dir : make_layer(m, dir, LAYER_OUTSIDE_COMMON, o->common);

	if (r >= 0 && o->tree >= 0)
		r = make_layer(m, dir, LAYER_OUTSIDE_TREE, o->tree);
	return r < 0 ? err_sys(e, r, "cannot make a layer for it")
		     : layer_outside_begin(m->boxdir, project, o, e);
}

static void say_read_only(const char *why)
{
	char line[sizeof(((struct err *)NULL)->msg) + 128];

	snprintf(line, sizeof(line),
		 "the repository of this directory is read-only under review: %s; "
		 "commit here, outside of the box",
		 why);
	monitor_starter_note(NULL, line);
}

/* One that the box may not have is not there; the client has said why. */
static int find_outside(const struct monitor *m, struct buf *ret, struct err *e)
{
	_cleanup_close_ int project =
		inroot_open_real(m->spec.project, O_RDONLY | O_DIRECTORY);
	_cleanup_git_outside_ struct git_outside o = GIT_OUTSIDE_NONE;
	struct err why = ERR_NONE;
	bool view = m->spec.project_mode == PROJECT_REVIEW;

	if (project < 0 || git_outside_open(project, m->spec.project, &o, &why) != 1)
		return 0;
	if (view && review_outside(m, project, &o, &why) < 0) {
		say_read_only(why.msg);
		view = false;
	}
	add_mount(ret, view ? MOUNT_OUTSIDE_VIEW : MOUNT_OUTSIDE_READ, o.common_path,
		  view ? "project/" LAYER_OUTSIDE_COMMON : "");
	if (o.tree >= 0)
		add_mount(ret, MOUNT_OUTSIDE_TREE, o.tree_path,
			  view ? "project/" LAYER_OUTSIDE_TREE : "");
	return buf_failed(ret) < 0 ? err_sys(e, buf_failed(ret),
					     "cannot show the project's repository")
				   : 0;
}

int monitor_git_find(void *ctx, struct buf *ret, struct err *e)
{
	struct monitor *m = ctx;
	int r = 0;

	/* Under review nothing reaches the host by itself. */
	if (m->spec.project_mode != PROJECT_LIVE)
		return find_outside(m, ret, e);
	if (m->spec.git_writable) {
		monitor_starter_note(
			NULL,
			"what is in .git can be written by the box: git on the host "
			"runs the programs that it names there");
		return find_outside(m, ret, e);
	}
	if (!m->git)
		r = gitgate_new(&m->spec, m->boxdir, &m->git, e);
	return r < 0 ? r : gitgate_find(m->git, monitor_starter_note, m, ret, e);
}

void monitor_git_started(struct monitor *m)
{
	struct err why = ERR_NONE;

	if (!m->git && m->run.git) {
		err_sys(&why, m->run.git, "no overlay can be had on it");
		say_read_only(why.msg);
	}
	if (m->git && m->run.git)
		gitgate_read_only(m->git, m->run.git, monitor_starter_note, m);
}

static int begin(struct monitor *m);
static int look(struct monitor *m);

static int on_words(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	if (gitgate_more(m->git))
		return 0;
	loop_remove(m->loop, &m->on_git);
	m->look_failed |= gitgate_end(m->git, say, m) != 0;
	if (monitor_client_settle(m, MONITOR_GIT, false)) {
		if (begin(m) < 0)
			monitor_client_settle(m, MONITOR_GIT, true);
	} else if (m->git_again) {
		look(m);
	}
	return 0;
}

static int wait_for(struct monitor *m, int fd)
{
	int r = fd < 0 ? fd : loop_add(m->loop, fd, EPOLLIN, on_words, m, &m->on_git);

	m->rounds[MONITOR_GIT]++;
	m->git_again = false;
	m->look_failed |= r < 0;
	return r;
}

static int begin(struct monitor *m)
{
	return wait_for(m, gitgate_begin(m->git, ERR_IGNORED));
}

static int look(struct monitor *m)
{
	return wait_for(m, gitgate_look(m->git, ERR_IGNORED));
}

static int on_new(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	if (!gitgate_seen(m->git))
		return 0;
	if (m->idle) { /* it was the host: what git has here is not what it was */
		m->ending = true;
		return 0;
	}
	if (monitor_quiet_is(m)) /* the host, too; it was looked at before */
		return 0;
	if (m->on_git)
		m->git_again = true;
	else
		(void)look(m);
	return 0;
}

void monitor_git_watch(struct monitor *m)
{
	int fd = m->git ? gitgate_watch(m->git) : -ENOENT;

	if (fd >= 0)
		(void)loop_add(m->loop, fd, EPOLLIN, on_new, m, &m->on_new_git);
}

/* What a running worker has looked at already may have changed since. */
void monitor_git_exit(struct monitor *m, struct program *p)
{
	if (!m->git)
		return;
	if (m->on_git)
		p->rounds[MONITOR_GIT] = m->rounds[MONITOR_GIT] + 1;
	else if (gitgate_pending(m->git) && begin(m) == 0)
		p->rounds[MONITOR_GIT] = m->rounds[MONITOR_GIT];
	else
		return;
	p->state = PROGRAM_TAKEN_OVER;
}

void monitor_git_finish(struct monitor *m, bool quiet)
{
	if (m->git)
		gitgate_finish(m->git, quiet);
}
