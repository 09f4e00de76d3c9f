#include "runtime/monitor/volumes.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/dirs.h"
#include "rootfs/git/vet.h"
#include "runtime/spec/volume.h"

enum { WORDS_MAX_BYTES = 64 << 10 };

/* One that the box can write, of the host. */
static bool is_open(const struct json *j, struct spec_volume *v)
{
	struct err ignored = ERR_NONE;

	return spec_volume_from_json(j, v, &ignored) == 0 &&
	       v->kind == SPEC_VOLUME_HOST && v->access == SPEC_VOLUME_RW;
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

static int check_one(const struct spec_volume *v, struct err *e)
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
	r = S_ISDIR(st.st_mode) ? git_dirs_look(fd, &d, e) : 0;
	for (size_t i = 0; i < d.n && r == 0; i++)
		if (git_dirs_path(&d.list[i], GIT_DIRS_DOT, path) ||
		    git_dirs_path(&d.list[i], GIT_DIRS_BARE, path))
			return refuse(v, path, e);
	if (r == 0 && d.partial) {
		err_set(e, -E2BIG,
			"volume '%.160s' is too large to look for git repositories in",
			v->source);
		return err_hint(e, "mount it :ro, or say --git-writable");
	}
	return r;
}

int monitor_volumes_check(const struct spec *spec, struct err *e)
{
	_cleanup_free_ struct spec_volume *v = calloc(1, sizeof(*v));
	int r = v ? 0 : err_sys(e, -ENOMEM, "cannot look at volumes");

	if (spec->git_writable)
		return r;
	json_each(it, spec->volumes)
	{
		if (r == 0 && is_open(it, v))
			r = check_one(v, e);
	}
	return r;
}

/* ---- after ----------------------------------------------------------------------- */

static void vet_path(int dir, const char *root, const char *path, int words)
{
	static const char *const guarded[] = { NULL };
	const struct git_vet v = {
		.project = dir, .root = root, .path = path, .guarded = guarded
	};
	const char *why = git_vet_look(&v);
	struct err ignored = ERR_NONE;
	char line[1024];

	if (!why)
		return;
	git_vet_put_aside(&v, why, line, sizeof(line));
	(void)file_write_fd(words, line, strlen(line) + 1, &ignored);
}

static void vet(const struct spec_volume *v, int words)
{
	static const unsigned kinds[] = { GIT_DIRS_DOT, GIT_DIRS_BARE };
	_cleanup_close_ int fd = inroot_open_real(v->source, O_RDONLY | O_DIRECTORY);
	_cleanup_git_dirs_ struct git_dirs d = { 0 };
	struct err ignored = ERR_NONE;
	char path[PATH_MAX];

	if (fd < 0 || git_dirs_look(fd, &d, &ignored) < 0)
		return;
	for (size_t i = 0; i < d.n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
			if (git_dirs_path(&d.list[i], kinds[k], path))
				vet_path(fd, v->source, path, words);
}

/* Each line ends with a NUL; what is beyond the limit is read and not told. */
static void pass_words(int fd, gitgate_say_fn *say, void *ctx)
{
	_cleanup_buf_ struct buf text = BUF_INIT(WORDS_MAX_BYTES);
	char piece[1024];
	ssize_t n;

	while ((n = sys_read(fd, piece, sizeof(piece))) > 0 || n == -EINTR)
		if (n > 0)
			(void)buf_add(&text, piece, (size_t)n);
	for (const char *l = buf_cstr(&text), *end = l + text.len; say && l < end;
	     l += strlen(l) + 1)
		say(ctx, l);
}

/* What a box left is read by a process that may fail. */
static void vet_apart(const struct spec_volume *v, gitgate_say_fn *say, void *ctx)
{
	int pipe[2];
	siginfo_t si;
	pid_t pid;

	if (sys_pipe2(pipe, 0) < 0)
		return;
	pid = sys_fork();
	if (pid == 0) {
		sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		vet(v, pipe[1]);
		sys_exit(0);
	}
	scope_close(&pipe[1]);
	if (pid > 0) {
		pass_words(pipe[0], say, ctx);
		sys_waitid(P_PID, (id_t)pid, &si, WEXITED);
	}
	scope_close(&pipe[0]);
}

void monitor_volumes_vet(const struct spec *spec, gitgate_say_fn *say, void *ctx)
{
	_cleanup_free_ struct spec_volume *v = calloc(1, sizeof(*v));

	if (!v || spec->git_writable)
		return;
	json_each(it, spec->volumes)
	{
		if (is_open(it, v))
			vet_apart(v, say, ctx);
	}
}
