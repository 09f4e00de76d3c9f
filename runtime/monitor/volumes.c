/* Theory of operation
 *
 * A volume of the host that the box may write has no repository when the box starts, or the
 * box does not start. When a command ends, and when the box does, a process of its own
 * (gitwork.h) looks for those that the box has made, and sets aside what git on the host
 * may not meet: also where time is short. A look that finds nothing new costs one stat for
 * each directory: what was found is kept in boxes/KEY/volumes, by the source's digest.
 *
 * The file "due" there, from before the start to the last look, lists the sources: if the
 * monitor is killed, the next one of this box looks at them first. Where nothing is looked
 * at (--git-writable), "open" lists them as long as the box runs: no program there is run on
 * this computer meanwhile (cli/store/passover.c). */
#include "runtime/monitor/volumes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/dirs.h"
#include "rootfs/git/host.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/vet.h"
#include "runtime/monitor/impl.h"
#include "runtime/spec/volume.h"

enum {
	START_MS = 10000, /* a start waits for its looks no longer */
	LOOK_MS = 5000,	  /* then what is left is set aside unseen */
	KILL_MS = 15000,  /* then the look has failed, and that is said */
	DUE_MAX = SPEC_VOLUMES * PATH_MAX
};

/* One that the box can write, of the host. */
static bool is_open(const struct json *j, struct spec_volume *v)
{
	return spec_volume_from_json(j, v, ERR_IGNORED) == 0 &&
	       v->kind == SPEC_VOLUME_HOST && v->access == SPEC_VOLUME_RW;
}

/* Like git_dirs_look(), from where the last one was; @dir -1 = from nothing. */
static int look_at_dirs(int dir, const char *source, int fd, struct git_dirs *d,
			uint64_t end_ms, struct err *e)
{
	char name[HASH_HEX];
	int r;

	hash_text(source, strlen(source), name);
	git_dirs_load(dir, name, d);
	d->end_ms = end_ms;
	r = git_dirs_look(fd, d, e);
	if (r >= 0)
		(void)git_dirs_save(dir, name, d, ERR_IGNORED);
	return r;
}

/* ---- before ---------------------------------------------------------------------- */

static bool is_bare(const char *dir)
{
	static const char *const parts[] = { "HEAD", "objects", "refs" };
	char path[PATH_MAX + 16];
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, parts[i]);
		if (sys_fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return false;
	}
	return true;
}

/* Hooks alone, say: a part of a git directory. */
static bool lies_in_git(const char *source)
{
	char up[PATH_MAX];

	if (text_copy(up, sizeof(up), source) < 0)
		return true;
	while (*up) {
		char *slash = strrchr(up, '/');

		if (!slash || strcmp(slash, "/.git") == 0 || is_bare(up))
			return true;
		*slash = '\0';
	}
	return false;
}

static int refuse(const struct spec_volume *v, const char *where, struct err *e)
{
	char shown[160], at[160];

	text_escaped(shown, sizeof(shown), v->source, strlen(v->source));
	text_escaped(at, sizeof(at), where, strlen(where));
	err_set(e, -EPERM,
		"volume '%s' has a git repository ('%s'), whose settings and hooks git "
		"on this machine runs",
		shown, at);
	return err_hint(e, "mount it :ro, or say --git-writable");
}

static int check_one(int dir, const struct spec_volume *v, uint64_t end, struct err *e)
{
	_cleanup_close_ int fd = inroot_open_real(v->source, O_RDONLY);
	_cleanup_git_dirs_ struct git_dirs d = { 0 };
	char path[PATH_MAX];
	struct stat st;
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	if (lies_in_git(v->source))
		return refuse(v, v->source, e);
	if (r < 0)
		return err_sys(e, r, "cannot look at volume '%.160s'", v->source);
	r = S_ISDIR(st.st_mode) ? look_at_dirs(dir, v->source, fd, &d, end, e) : 0;
	for (size_t i = 0; i < d.n && r == 0; i++)
		if (git_dirs_path(&d.list[i], GIT_DIRS_DOT, path) ||
		    git_dirs_path(&d.list[i], GIT_DIRS_BARE, path))
			return refuse(v, path, e);
	if (r == 0 && d.late) {
		err_set(e, -ETIMEDOUT,
			"volume '%.160s' takes more than %d s to look for git "
			"repositories in",
			v->source, START_MS / 1000);
		return err_hint(e,
				"the next start goes on from there; or mount it :ro, "
				"or say --git-writable");
	}
	if (r == 0 && (d.partial || d.closed)) {
		err_set(e, -E2BIG,
			"volume '%.160s' is too large to look for git repositories in, "
			"or has directories that cannot be read",
			v->source);
		return err_hint(e, "mount it :ro, or say --git-writable");
	}
	return r;
}

/* ---- after ----------------------------------------------------------------------- */

struct job {
	int dir;		   /* of the notes; borrowed */
	const struct buf *sources; /* borrowed */
	uint64_t end_ms;	   /* no long look after that */
};

static void vet_path(const struct job *j, const struct git_vet *v, int words)
{
	const char *why = sys_now_ms() < j->end_ms
				  ? git_vet_look(v)
				  : "there is no time left to look at it";
	char line[1024];

	if (!why)
		return;
	git_vet_put_aside(v, why, line, sizeof(line));
	gitwork_word(words, line);
}

static int say_partial(const char *source, const char *why, int words)
{
	char line[512], shown[200];

	snprintf(line, sizeof(line),
		 "volume '%s' was looked at in part only (%s): a repository that the "
		 "box made may be there; look before you run git in it",
		 text_escaped(shown, sizeof(shown), source, strlen(source)), why);
	gitwork_word(words, line);
	return 1;
}

static int vet(const struct job *j, const char *source, int words)
{
	static const unsigned kinds[] = { GIT_DIRS_DOT, GIT_DIRS_BARE };
	static const char *const guarded[] = { NULL };
	_cleanup_close_ int fd = inroot_open_real(source, O_RDONLY | O_DIRECTORY);
	_cleanup_git_dirs_ struct git_dirs d = { 0 };
	struct git_vet v = { .project = fd, .root = source, .guarded = guarded };
	struct err e = ERR_NONE;
	char path[PATH_MAX];

	if (fd == -ENOTDIR || fd == -ENOENT)
		return 0;
	if (fd < 0 || look_at_dirs(j->dir, source, fd, &d, j->end_ms, &e) < 0)
		return say_partial(source, fd < 0 ? "it cannot be opened" : e.msg,
				   words);
	v.path = path;
	for (size_t i = 0; i < d.n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
			if (git_dirs_path(&d.list[i], kinds[k], path))
				vet_path(j, &v, words);
	if (!d.partial && !d.closed)
		return 0;
	return say_partial(source,
			   d.late      ? "it took too long"
			   : d.partial ? "too many directories, or too deep ones"
				       : "directories that cannot be read",
			   words);
}

/* It reads what a box wrote: of the monitor's descriptors it has those that it needs. */
static void keep_only(int a, int b)
{
	unsigned low = (unsigned)MIN(a, b), high = (unsigned)MAX(a, b);

	if (low > 3)
		sys_close_range(3, low - 1, 0);
	if (high > low + 1)
		sys_close_range(low + 1, high - 1, 0);
	sys_close_range(high + 1, ~0U, 0);
}

static int vet_all(void *ctx, int words)
{
	const struct job *j = ctx;
	const char *end = buf_cstr(j->sources) + j->sources->len;
	struct err e = ERR_NONE;
	int part = 0;

	keep_only(words, j->dir);
	if (git_host_confine(j->dir, &e) < 0)
		gitwork_word(words, e.msg);
	for (const char *s = buf_cstr(j->sources); s < end; s += strlen(s) + 1)
		part |= vet(j, s, words);
	return part;
}

static int begin_work(struct gitwork *w, int dir, const struct buf *sources,
		      struct err *e)
{
	struct job j = { dir, sources, sys_now_ms() + LOOK_MS };

	return gitwork_begin(w, vet_all, &j, e);
}

static int end_work(struct gitwork *w, gitwork_say_fn *say, void *ctx)
{
	int r = gitwork_end(w, say, ctx);

	if (r < 0 && say)
		say(ctx, "volumes were not looked at to the end: repositories that the "
			 "box made may be there; look before you run git in them");
	return r;
}

/* ---- in the monitor's loop ------------------------------------------------------- */

static void say(void *ctx, const char *line)
{
	monitor_client_note(ctx, line);
}

static int begin(struct monitor *m);

static void end(struct monitor *m)
{
	loop_remove(m->loop, &m->on_volumes);
	loop_remove(m->loop, &m->on_volumes_late);
	m->look_failed |= end_work(&m->volumes_work, say, m) != 0;
}

static int on_words(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	if (gitwork_more(&m->volumes_work))
		return 0;
	end(m);
	if (monitor_client_settle(m, MONITOR_VOLUMES, false) && begin(m) < 0)
		monitor_client_settle(m, MONITOR_VOLUMES, true);
	return 0;
}

static int on_late(void *ctx, uint32_t, struct err *)
{
	const struct monitor *m = ctx;

	gitwork_kill(&m->volumes_work); /* which on_words() hears */
	return 0;
}

static int begin(struct monitor *m)
{
	int r = begin_work(&m->volumes_work, m->volumes_dir, &m->volumes, ERR_IGNORED);

	if (r >= 0)
		r = loop_add(m->loop, r, EPOLLIN, on_words, m, &m->on_volumes);
	if (r >= 0)
		r = loop_timer(m->loop, KILL_MS, on_late, m, &m->on_volumes_late);
	m->rounds[MONITOR_VOLUMES]++;
	if (r < 0) {
		gitwork_kill(&m->volumes_work);
		end(m);
	}
	return r;
}

/* What a running one has looked at already may have changed since. */
void monitor_volumes_exit(struct monitor *m, struct program *p)
{
	if (!m->volumes.len)
		return;
	if (m->on_volumes)
		p->rounds[MONITOR_VOLUMES] = m->rounds[MONITOR_VOLUMES] + 1;
	else if (begin(m) >= 0)
		p->rounds[MONITOR_VOLUMES] = m->rounds[MONITOR_VOLUMES];
	else
		return;
	p->state = PROGRAM_TAKEN_OVER;
}

/* ---- start and end --------------------------------------------------------------- */

void volumes_recover(int boxdir, gitwork_say_fn *note, void *ctx)
{
	_cleanup_close_ int dir =
		sys_openat(boxdir, "volumes", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	_cleanup_buf_ struct buf sources = BUF_INIT(DUE_MAX);
	struct gitwork w = GITWORK_NONE;

	if (dir >= 0)
		sys_unlinkat(dir, "open", 0);
	if (dir < 0 || takeover_read(dir, "due", &sources) < 0 ||
	    begin_work(&w, dir, &sources, ERR_IGNORED) < 0)
		return;
	gitwork_wait(&w, KILL_MS);
	(void)end_work(&w, note, ctx);
	sys_unlinkat(dir, "due", 0); /* who is there has been told */
}

static int note_due(int dir, const char *name, const struct buf *sources, struct err *e)
{
	_cleanup_close_ int fd =
		sys_openat(dir, name, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	if (fd < 0)
		return err_sys(e, fd, "cannot note which volumes the box may write");
	return file_write_fd(fd, sources->data, sources->len, e);
}

int monitor_volumes_begin(struct monitor *m, struct err *e)
{
	_cleanup_free_ struct spec_volume *v = calloc(1, sizeof(*v));
	_cleanup_buf_ struct buf sources = BUF_INIT(DUE_MAX);
	const bool looks = !m->spec.git_writable;
	int r = v ? 0 : err_sys(e, -ENOMEM, "cannot look at volumes");
	uint64_t end;

	volumes_recover(m->boxdir, monitor_starter_note, m);
	end = sys_now_ms() + START_MS;
	json_each(it, m->spec.volumes)
	{
		if (r < 0 || !is_open(it, v))
			continue;
		if (m->volumes_dir < 0) {
			(void)sys_mkdirat(m->boxdir, "volumes", 0700);
			r = m->volumes_dir = file_open_dir(m->boxdir, "volumes", e);
		}
		if (r >= 0 && looks)
			r = check_one(m->volumes_dir, v, end, e);
		if (r >= 0 && buf_add(&sources, v->source, strlen(v->source) + 1) < 0)
			r = err_sys(e, -ENOMEM, "cannot look at volumes");
	}
	if (r >= 0 && sources.len)
		r = note_due(m->volumes_dir, looks ? "due" : "open", &sources, e);
	if (r >= 0 && looks)
		m->volumes = take(&sources, (struct buf)BUF_INIT(DUE_MAX));
	return MIN(r, 0);
}

void monitor_volumes_finish(struct monitor *m, bool quiet)
{
	gitwork_kill(&m->volumes_work); /* another begins anew */
	(void)gitwork_end(&m->volumes_work, NULL, NULL);
	if (m->volumes.len && quiet) {
		sys_unlinkat(m->volumes_dir, "due", 0);
	} else if (m->volumes.len && begin_work(&m->volumes_work, m->volumes_dir,
						&m->volumes, ERR_IGNORED) >= 0) {
		gitwork_wait(&m->volumes_work, KILL_MS);
		if (end_work(&m->volumes_work, NULL, m) == 0)
			sys_unlinkat(m->volumes_dir, "due", 0);
	}
	if (m->volumes_dir >= 0)
		sys_unlinkat(m->volumes_dir, "open", 0);
	buf_done(&m->volumes);
	scope_close(&m->volumes_dir);
}
