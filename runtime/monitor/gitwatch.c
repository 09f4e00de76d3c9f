#include "runtime/monitor/gitwatch.h"

#include <string.h>
#include <sys/inotify.h>

#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

static int add_watch(const struct gitwatch *w, const char *name, uint32_t mask)
{
	return sys_inotify_add(w->notify,
			       procfs_path("/proc/self/fd/%d/%s", w->project, name),
			       mask | IN_ONLYDIR);
}

/* Only what git obeys: a commit is no reason to look. */
static void watch_inside(struct gitwatch *w)
{
	enum { MADE = IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DONT_FOLLOW };

	w->on_git = add_watch(w, ".git", MADE);
	w->on_hooks = add_watch(w, ".git/hooks", MADE);
}

int gitwatch_open(int project, struct gitwatch *ret)
{
	struct gitwatch w = GITWATCH_NONE;

	w.project = project;
	w.notify = sys_inotify_init();
	if (w.notify < 0)
		return w.notify;
	w.on_root = add_watch(&w, ".", IN_CREATE | IN_MOVED_TO);
	if (w.on_root < 0) {
		scope_close(&w.notify);
		return w.on_root;
	}
	watch_inside(&w);
	*ret = w;
	return w.notify;
}

void gitwatch_close(struct gitwatch *w)
{
	scope_close(&w->notify);
	*w = GITWATCH_NONE;
}

/* In capitals, too, which some filesystems do not tell from small letters. */
static bool is_due(const struct gitwatch *w, const struct inotify_event *x)
{
	static const char *const root[] = { ".git", "HEAD", "objects", "refs",
					    "config" };
	static const char *const git[] = { "config", "config.worktree", "commondir",
					   "HEAD",   "hooks",		"gitdir" };

	if (x->mask & IN_Q_OVERFLOW)
		return true;
	if (!x->len)
		return false;
	if (x->wd == w->on_hooks)
		return !text_ends(x->name, ".sample");
	for (size_t i = 0; x->wd == w->on_root && i < ARRAY_SIZE(root); i++)
		if (strcasecmp(x->name, root[i]) == 0)
			return true;
	for (size_t i = 0; x->wd == w->on_git && i < ARRAY_SIZE(git); i++)
		if (strcasecmp(x->name, git[i]) == 0)
			return true;
	return false;
}

bool gitwatch_seen(struct gitwatch *w)
{
	_Alignas(struct inotify_event) char text[8192];
	bool due = false;
	ssize_t n = sys_read(w->notify, text, sizeof(text));

	for (ssize_t at = 0; at + (ssize_t)sizeof(struct inotify_event) <= n;) {
		const struct inotify_event *x = (const void *)(text + at);

		due |= is_due(w, x);
		at += (ssize_t)(sizeof(*x) + x->len);
	}
	if (due)
		watch_inside(w);
	return due;
}
