#include "cli/store/boxend.h"

#include <signal.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "cli/show/render.h"
#include "cli/store/boxps.h"
#include "cli/store/signame.h"
#include "rootfs/image/image.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/snapshot.h"
#include "runtime/box/box.h"
#include "runtime/box/deaf.h"
#include "runtime/box/lookback.h"
#include "runtime/spec/spec.h"
#include "runtime/worker/worker.h"

enum { LOCK_LOOK_MS = 50, END_LOOK_MS = 20 };

/* @dir is the caller's, also when this fails; @spec is initialised in any case. */
static int open_box(const struct store *st, const char *key, struct boxdir *dir,
		    struct spec *spec, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	int r;

	*spec = SPEC_NONE;
	r = boxdir_open(st, key, false, dir, e);
	if (r < 0)
		return r;
	r = boxdir_load(dir, &j, e);
	return r < 0 ? r : spec_from_json(j, spec, e);
}

/* @monitor: a pidfd of the one that was asked; -1 = none, or its end is not to be seen. */
static int ask_to_stop(const struct spec *s, int *monitor, struct err *e)
{
	_cleanup_box_ struct box *box = NULL;
	_cleanup_json_ struct json *info = NULL;
	struct box_open o = { .spec = s, .join_only = true };
	int r;

	*monitor = -1;
	r = box_open(&o, &box, e) ?: box_ask(box, "info", NULL, &info, e);
	if (r == 0) {
		*monitor = sys_pidfd_open((pid_t)json_get_int(info, "monitor_pid", -1));
		r = box_ask(box, "stop", NULL, NULL, e);
	}
	/* Not there, or gone before it could answer: both are what was wanted. */
	return r == -ENOENT || r == -ECONNRESET ? 0 : r;
}

/* The monitor has the lock until all is gone. Whoever uses the box may start it again in
 * that moment (a task does), and then the lock is not to be had for long. */
static int await_end(const struct boxdir *dir, int monitor, struct err *e)
{
	struct pollfd p = { .fd = monitor, .events = POLLIN };

	for (;;) {
		bool over = sys_poll(&p, 1, 0) > 0;
		_cleanup_close_ int lock =
			file_lock_within(dir->dirfd, "lock", LOCK_LOOK_MS, e);

		if (lock != -EWOULDBLOCK)
			return MIN(lock, 0);
		*e = ERR_NONE;
		if (over)
			return 0;
	}
}

/* Nobody has answered: the box was ending, or is being started, or has been since. */
static int ask_again(const struct boxdir *dir, const struct spec *s, struct err *e)
{
	for (;;) {
		_cleanup_close_ int monitor = -1;
		_cleanup_close_ int lock =
			file_lock_within(dir->dirfd, "lock", LOCK_LOOK_MS, e);
		int r = MIN(lock, 0);

		if (lock == -EWOULDBLOCK) {
			*e = ERR_NONE;
			r = ask_to_stop(s, &monitor, e);
			if (r == 0 && monitor < 0)
				continue;
		}
		return monitor < 0 ? r : await_end(dir, monitor, e);
	}
}

/* A monitor that has not answered for as long as clients wait is held up, perhaps by its
 * box. */
static int end_deaf(const struct boxdir *dir, struct err *e)
{
	_cleanup_close_ int monitor = deaf_kill(dir->dirfd, e);

	return monitor < 0 ? monitor : await_end(dir, monitor, e);
}

int boxend_question(const struct store *st, const char *key, const char *what,
		    const struct json *args, struct json **ret, struct err *e)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	_cleanup_spec_ struct spec s;
	_cleanup_box_ struct box *box = NULL;
	int r = open_box(st, key, &dir, &s, e);
	struct box_open o = { .spec = &s, .join_only = true };

	if (r < 0)
		return r;
	r = box_open(&o, &box, e);
	return r < 0 ? r : box_ask(box, what, args, ret, e);
}

int boxend_info(const struct store *st, const char *key, struct json **ret,
		struct err *e)
{
	return boxend_question(st, key, "info", NULL, ret, e);
}

bool boxend_lingers(const struct store *st, const char *key)
{
	_cleanup_json_ struct json *info = NULL;

	return boxend_info(st, key, &info, ERR_IGNORED) == 0 &&
	       json_get_bool(info, "lingering", false);
}

static int busy(struct err *e)
{
	return err_set(e, -EBUSY, "the box is in use; 'cubby stop' ends it");
}

/* Ask a box that runs whether it may go. Ours is the one client that does not count. */
static int ask_if_idle(const struct spec *s, struct err *e)
{
	_cleanup_box_ struct box *box = NULL;
	_cleanup_json_ struct json *info = NULL;
	struct box_open o = { .spec = s, .join_only = true };
	int r;

	r = box_open(&o, &box, e) ?: box_ask(box, "info", NULL, &info, e);
	if (r == -ENOENT || r == -ECONNRESET)
		return 0;
	if (r < 0)
		return r;
	if (json_get_int(info, "clients", 0) > 1 ||
	    json_get_int(info, "programs", 0) > 0 ||
	    json_get_bool(info, "keep", false) ||
	    json_get_bool(info, "background", false) ||
	    json_len(json_get(info, "publish")))
		return busy(e);
	r = box_ask(box, "stop", NULL, NULL, e);
	return r == -ECONNRESET ? 0 : r;
}

/* What a command takes over from a box in use it goes on to take over when that ends. */
static int await_nothing(const struct boxdir *dir, struct err *e)
{
	_cleanup_close_ int lock = -1;
	struct stat st;

	if (sys_fstatat(dir->dirfd, "applying", &st, AT_SYMLINK_NOFOLLOW) == -ENOENT)
		return 0;
	lock = file_lock(dir->dirfd, "applying", false, e);
	return lock == -EWOULDBLOCK
		       ? err_set(e, -EBUSY,
				 "another command takes changes over just now")
		       : MIN(lock, 0);
}

int boxend_idle(const struct store *st, const char *key, struct err *e)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	_cleanup_spec_ struct spec s;
	_cleanup_close_ int lock = -1;
	int r = open_box(st, key, &dir, &s, e);

	if (r < 0)
		return r;
	lock = boxdir_lock(&dir, false, e);
	if (lock == -EWOULDBLOCK) {
		r = ask_if_idle(&s, e);
		if (r < 0)
			return r;
		lock = boxdir_lock(&dir, true, e);
	}
	return lock < 0 ? lock : await_nothing(&dir, e);
}

/* @deaf: that it does not answer is known, or will be. */
static int stop(const struct store *st, const char *key, bool *deaf, struct err *e)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	_cleanup_spec_ struct spec s;
	_cleanup_close_ int monitor = -1;
	int r = open_box(st, key, &dir, &s, e);

	if (r < 0)
		return r;
	if (!*deaf) {
		r = ask_to_stop(&s, &monitor, e);
		*deaf = r == -ETIMEDOUT;
	}
	if (*deaf)
		return end_deaf(&dir, e);
	if (r < 0)
		return r;
	return monitor < 0 ? ask_again(&dir, &s, e) : await_end(&dir, monitor, e);
}

int boxend_stop(const struct store *st, const char *key, struct err *e)
{
	bool deaf = false;

	return stop(st, key, &deaf, e);
}

/* What the image wants its programs to be ended with. */
static int stop_signal(const struct store *st, const struct spec *s)
{
	_cleanup_json_ struct json *run = NULL;
	const char *name;
	int sig;

	(void)image_run(st, s->image, &run, ERR_IGNORED);
	name = json_get_str(run, "stopsignal");
	return name && signame_parse(name, &sig) == 0 && sig != SIGSTOP ? sig : SIGTERM;
}

/* Its init as the host numbers it; 0 when it does not run. @sig: its programs' end. */
static int join_box(const struct store *st, const char *key, struct box **ret, int *sig,
		    struct err *e)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	_cleanup_spec_ struct spec s;
	struct box_open o = { .spec = &s, .join_only = true };
	int r = open_box(st, key, &dir, &s, e) ?: box_open(&o, ret, e);

	if (r == -ENOENT || r == -ECONNRESET)
		return 0;
	if (r < 0)
		return r;
	*sig = stop_signal(st, &s);
	return box_init_pid(*ret);
}

int boxend_ask(const struct store *st, const char *key, boxend_first *first,
	       struct err *e)
{
	_cleanup_box_ struct box *box = NULL;
	int sig = SIGTERM, init = join_box(st, key, &box, &sig, e);

	if (init > 0 && first && boxps_count(init, e) > 0 && first(box, NULL))
		return 0;
	return init > 0 ? boxps_end(init, sig, e) : init;
}

int boxend_within(const struct store *st, const char *key,
		  const struct boxend_grace *grace, struct err *e)
{
	_cleanup_box_ struct box *box = NULL;
	struct pollfd p = { .fd = grace->interrupt, .events = POLLIN };
	struct err gone = ERR_NONE;
	int left = 0, sig = SIGTERM, init = join_box(st, key, &box, &sig, e), r;
	bool deaf = init == -ETIMEDOUT;

	if (init < 0 && !deaf)
		return init;
	if (init > 0) {
		if (grace->first && boxps_count(init, &gone) > 0)
			(void)grace->first(box, grace);
		(void)box_ask(box, "stopping", NULL, NULL, &gone);
		left = boxps_end(init, sig, &gone);
	}
	while (left > 0 && sys_now_ms() < grace->until_ms) {
		if (sys_poll(&p, 1, END_LOOK_MS) > 0)
			break;
		left = boxps_count(init, &gone);
	}
	r = stop(st, key, &deaf, e);
	if (r == 0 && deaf && grace->killed)
		*grace->killed = true;
	return r;
}

/* A monitor whose last client has just left still holds the lock for some milliseconds:
 * that is no box in use. */
static int wait_for_end(const struct boxdir *dir, const struct spec *s, struct err *e)
{
	_cleanup_box_ struct box *box = NULL;
	_cleanup_close_ int lock = -1;
	struct box_open o = { .spec = s, .join_only = true };

	if (box_open(&o, &box, e) != -ENOENT)
		return 0; /* somebody answers: boxdir_wipe() will say that it runs */
	lock = boxdir_lock(dir, true, e);
	return lock < 0 ? lock : 0;
}

void boxend_look_back(const struct app *app, const char *key)
{
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	_cleanup_spec_ struct spec s;
	_cleanup_close_ int lock = -1;

	if (open_box(app->store, key, &dir, &s, ERR_IGNORED) < 0)
		return;
	lock = boxdir_lock(&dir, false, ERR_IGNORED);
	if (lock >= 0)
		lookback(&s, dir.dirfd, render_note_line, (void *)(uintptr_t)app);
}

int boxend_remove(const struct app *app, const char *key, bool keep_logs, struct err *e)
{
	const struct store *st = app->store;
	_cleanup_boxdir_ struct boxdir dir = BOXDIR_NONE;
	_cleanup_spec_ struct spec s;
	_cleanup_close_ int merging = -1;
	const struct boxdir_rm rm = { worker_rmtree, &s.map };
	int r = open_box(st, key, &dir, &s, e);

	if (r < 0)
		return r;
	r = wait_for_end(&dir, &s, e);
	if (r < 0)
		return r;
	/* whoever merges its layers writes to its directory (shorten.h) */
	r = merging = file_lock(dir.dirfd, "merging.lock", true, e);
	if (r < 0)
		return r;
	boxdir_close(&dir);
	dir = BOXDIR_NONE;
	boxend_look_back(app, key);
	r = boxdir_wipe(st, key, keep_logs, &rm, e);
	return r < 0 ? r : snapshot_collect(st, &rm, e);
}
