#include "rootfs/git/dirs.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/sys/sys.h"
#include "rootfs/git/takeover.h"

/* A second change within one tick of the kernel's clock leaves the ctime as it was. */
enum { TICK_NS = 20000000, TEXT_MAX = 32 << 20 };

void git_dirs_done(struct git_dirs *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->list[i].path);
	free(d->list);
	*d = (struct git_dirs){ 0 };
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct git_dir *)a)->path,
		      ((const struct git_dir *)b)->path);
}

static uint64_t ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

static struct git_dir *find(const struct git_dirs *d, const char *path)
{
	struct git_dir key = { 0 };

	memcpy(&key.path, &path, sizeof(path)); /* it is not written to */
	return d->sorted ? bsearch(&key, d->list, d->sorted, sizeof(key), by_path)
			 : NULL;
}

/* At the end; sorted in when the look is over. */
static int add(struct git_dirs *d, const char *path, uint64_t ctime)
{
	char *copy;

	if (d->n >= GIT_DIRS_MAX) {
		d->partial = true;
		return 0;
	}
	copy = grow_room(d->list, d->n) ? strdup(path) : NULL;
	if (!copy)
		return -ENOMEM;
	d->list[d->n++] = (struct git_dir){ .path = copy, .ctime = ctime };
	return 0;
}

static unsigned depth_of(const char *path)
{
	unsigned n = *path ? 1 : 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

/* ---- one directory ------------------------------------------------------------------------ */

/* Some filesystems do not tell small letters from capitals (vfat, exFAT, ext4 and f2fs with
 * casefold), by rules that know all alphabets, or know a file by more names than they list.
 * So it is the filesystem that is asked, as git asks it; no listed name is compared. */
static bool is_bare(int dir)
{
	return file_is_there(dir, "HEAD") &&
	       ((file_is_there(dir, "objects") && file_is_there(dir, "refs")) ||
		file_is_there(dir, "commondir"));
}

/* A folded name differs in the case of letters, or has bytes beyond them: there are
 * characters that fold to a letter, and such that fold to nothing. */
static bool may_be_dot(const char *name)
{
	if (strcasecmp(name, ".git") == 0)
		return true;
	for (; *name; name++)
		if (*name & 0x80)
			return true;
	return false;
}

static bool is_dot(int dir, const char *name)
{
	struct stat a, b;

	return strcmp(name, ".git") == 0 ||
	       (may_be_dot(name) &&
		sys_fstatat(dir, ".git", &b, AT_SYMLINK_NOFOLLOW) == 0 &&
		sys_fstatat(dir, name, &a, AT_SYMLINK_NOFOLLOW) == 0 &&
		a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static bool is_dir(int dir, const struct dirscan *x)
{
	struct stat st;

	if (x->type != DT_UNKNOWN)
		return x->type == DT_DIR;
	return sys_fstatat(dir, x->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

static int note_subdir(struct git_dirs *d, const char *path, const char *name)
{
	char sub[PATH_MAX];
	int n = snprintf(sub, sizeof(sub), "%s%s%s", path, *path ? "/" : "", name);

	if (n >= PATH_MAX || depth_of(sub) > GIT_DIRS_DEPTH) {
		d->partial = true;
		return 0;
	}
	return find(d, sub) ? 0 : add(d, sub, 0);
}

/* Git needs to search a directory, not to read it; and its owner can open it again. */
static bool hides(int project, const char *path)
{
	_cleanup_close_ int dir = sys_openat2(project, *path ? path : ".",
					      O_PATH | O_DIRECTORY | O_NOFOLLOW, 0,
					      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	struct stat st, git;

	return dir >= 0 && sys_fstat(dir, &st) == 0 &&
	       (st.st_uid == sys_geteuid() ||
		sys_fstatat(dir, ".git", &git, AT_SYMLINK_NOFOLLOW) != -EACCES);
}

static bool is_late(struct git_dirs *d)
{
	if (d->end_ms && sys_now_ms() >= d->end_ms)
		d->partial = d->late = true;
	return d->late;
}

/* Its names; the directories among them go to the end of the list. */
static int read_dir(int project, struct git_dirs *d, size_t i, struct err *e)
{
	_cleanup_free_ char *path = strdup(d->list[i].path);
	_cleanup_free_ struct dirscan *scan = malloc(sizeof(*scan));
	_cleanup_close_ int dir = -1;
	struct timespec now = sys_wall();
	bool before = d->partial, whole, dot;
	struct stat st;
	int r = 0;

	if (!path || !scan)
		return -ENOMEM;
	dir = sys_openat2(project, *path ? path : ".",
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0,
			  RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	d->list[i].ctime = d->list[i].flags = 0;
	if (dir == -EACCES)
		d->closed |= hides(project, path);
	if (dir < 0 || sys_fstat(dir, &st) < 0)
		return 0; /* or gone */
	d->partial = false;
	dirscan_start(scan, dir);
	while (r >= 0 && !is_late(d) && dirscan_next(scan))
		if (!is_dot(dir, scan->name) && is_dir(dir, scan))
			r = note_subdir(d, path, scan->name);
	r = r < 0 ? r : dirscan_failed(scan, e);
	dot = file_is_there(dir, ".git");
	/* One that did not go in whole is read again the next time. */
	whole = !d->partial;
	d->partial |= before;
	if (whole && ns(&now) > ns(&st.st_ctim) + TICK_NS)
		d->list[i].ctime = ns(&st.st_ctim);
	d->list[i].ino = st.st_ino;
	d->list[i].flags = (dot ? GIT_DIRS_DOT : 0u) |
			   ((*path || !dot) /* git's order */ && is_bare(dir)
				    ? (unsigned)GIT_DIRS_BARE
				    : 0u);
	return MIN(r, 0);
}

static void settle(struct git_dirs *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n; i++) {
		if (d->list[i].ctime == UINT64_MAX)
			free(d->list[i].path);
		else
			d->list[kept++] = d->list[i];
	}
	d->n = kept;
	if (d->n)
		qsort(d->list, d->n, sizeof(*d->list), by_path);
	d->sorted = d->n;
}

int git_dirs_look(int project, struct git_dirs *d, struct err *e)
{
	int r = 0;

	d->partial = d->closed = d->late = false;
	if (!d->n)
		r = add(d, "", 0);
	for (size_t i = 0; i < d->n && r >= 0 && !is_late(d); i++) {
		struct git_dir *x = &d->list[i];
		struct stat st;

		if (i < d->sorted) {
			int s = sys_fstatat(project, *x->path ? x->path : ".", &st,
					    AT_SYMLINK_NOFOLLOW);

			if (s < 0 || !S_ISDIR(st.st_mode)) {
				x->ctime = UINT64_MAX; /* to be taken out */
				continue;
			}
			if (x->ctime && x->ctime == ns(&st.st_ctim) &&
			    x->ino == st.st_ino)
				continue;
		}
		r = read_dir(project, d, i, e);
	}
	settle(d);
	if (r == -ENOMEM)
		return err_sys(e, r, "cannot look for repositories");
	return r;
}

bool git_dirs_path(const struct git_dir *d, unsigned flag, char ret[PATH_MAX])
{
	if (!(d->flags & flag))
		return false;
	if (flag == GIT_DIRS_BARE && !*d->path)
		return snprintf(ret, PATH_MAX, ".") == 1;
	return snprintf(ret, PATH_MAX, "%s%s%s", d->path,
			flag == GIT_DIRS_DOT && *d->path ? "/" : "",
			flag == GIT_DIRS_DOT ? ".git" : "") < PATH_MAX;
}

/* ---- for the next start ---------------------------------------------------------------- */

void git_dirs_load(int dir, const char *name, struct git_dirs *d)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TEXT_MAX);
	const char *at, *end;

	if (takeover_read(dir, name, &text) < 0)
		return;
	end = buf_cstr(&text) + text.len;
	for (at = buf_cstr(&text); at < end; at += strlen(at) + 1) {
		uint64_t ctime;
		uintmax_t ino;
		unsigned flags;
		int n = 0;

		if (sscanf(at, "i%ju %" SCNu64 " %u %n", &ino, &ctime, &flags, &n) !=
			    3 ||
		    !n || add(d, at + n, ctime) < 0)
			break;
		d->list[d->n - 1].ino = (ino_t)ino;
		d->list[d->n - 1].flags = flags;
	}
	settle(d);
}

/* To write what is there already would take the disk a while, at the end of each box. */
int git_dirs_save(int dir, const char *name, const struct git_dirs *d, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TEXT_MAX), old = BUF_INIT(TEXT_MAX);
	_cleanup_close_ int fd = -1;

	for (size_t i = 0; i < d->n; i++) {
		buf_addf(&text, "i%ju %" PRIu64 " %u ", (uintmax_t)d->list[i].ino,
			 d->list[i].ctime, d->list[i].flags);
		buf_add(&text, d->list[i].path, strlen(d->list[i].path) + 1);
	}
	if (buf_failed(&text))
		return err_sys(e, buf_failed(&text),
			       "cannot note where repositories are");
	if (file_read(dir, name, &old, ERR_IGNORED) == 0 && old.len == text.len &&
	    memcmp(buf_cstr(&old), buf_cstr(&text), text.len) == 0)
		return 0;
	fd = sys_openat(dir, name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (fd < 0)
		return err_sys(e, fd, "cannot note where repositories are");
	return text.len ? file_write_fd(fd, text.data, text.len, e) : 0;
}
