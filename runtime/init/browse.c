/* browse - the applets that a file panel needs: list, read a text or what a program says
 * that a document has, make, remove, move.
 * Needs:  absolute paths.
 * Never:  follows a link to remove what it leads to. */
#include "runtime/init/applets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/init/jsonout.h"
#include "runtime/init/regular.h"
#include "runtime/init/trees.h"
#include "runtime/init/walk.h"

enum { CHUNK = 64 << 10, DOCUMENT_MS = 60000, DOCUMENT_TEXT_MAX = 16 << 20 };
#define TEXT_FILE_MAX ((off_t)4 << 30)

static struct jsonout *jsonout_new(struct err *e)
{
	struct jsonout *j = calloc(1, sizeof(*j));

	if (!j)
		err_sys(e, -ENOMEM, "cannot answer");
	return j;
}

/* ---- list DIR ------------------------------------------------------------------- */

static bool writable(int dirfd, const char *name)
{
	return sys_faccessat(dirfd, name, W_OK, AT_EACCESS) == 0;
}

static void list_entry(struct jsonout *j, int dirfd, const char *name, bool *first)
{
	struct stat st;

	if (sys_fstatat(dirfd, name, &st, 0) < 0)
		return;
	jsonout_raw(j, *first ? "{" : ",{");
	*first = false;
	jsonout_string(j, true, "name", name);
	jsonout_string(j, false, "type", S_ISDIR(st.st_mode) ? "directory" : "file");
	jsonout_number(j, false, "size", st.st_size);
	jsonout_number(j, false, "modified", st.st_mtime);
	jsonout_bool(j, "writable", writable(dirfd, name));
	jsonout_raw(j, "}");
}

int browse_list(char *const argv[], struct err *e)
{
	_cleanup_close_ int fd = sys_open(argv[1], O_RDONLY | O_DIRECTORY);
	_cleanup_(walk_names_free) char **names = NULL;
	_cleanup_free_ struct jsonout *j = jsonout_new(e);
	bool first = true;
	int r;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return err_set(e, -ENOENT, "Directory not found");
	if (fd < 0)
		return err_sys(e, fd, "cannot open '%s'", argv[1]);
	r = j ? walk_names(fd, &names, e) : e->code;
	if (r < 0)
		return r;
	jsonout_raw(j, "{");
	jsonout_string(j, true, "dir", argv[1]);
	jsonout_bool(j, "writable", writable(fd, "."));
	jsonout_raw(j, ",\"entries\":[");
	for (char **n = names; n && *n; n++)
		list_entry(j, fd, *n, &first);
	jsonout_raw(j, "]}");
	return jsonout_end(j, e);
}

/* ---- text PATH FIRST LAST ------------------------------------------------------- */

struct text {
	int fd; /* owned */
	struct jsonout *j;
	uint64_t first, last, line; /* line: of the byte that comes */
	bool ended;		    /* the byte before was the end of a line */
};

/* What a chunk holds for the lines that were asked for. */
static void text_lines(struct text *t, const char *s, size_t len, bool show)
{
	while (len) {
		const char *nl = memchr(s, '\n', len);
		size_t n = nl ? (size_t)(nl - s) + 1 : len;

		if (t->ended)
			t->line++;
		t->ended = nl != NULL;
		if (show && t->line >= t->first && t->line <= t->last)
			jsonout_text(t->j, s, n);
		s += n;
		len -= n;
	}
}

/* One pass over the file: characters that two reads cut stay whole. */
static int text_pass(struct text *t, bool show, struct err *e)
{
	char data[CHUNK];
	size_t kept = 0;

	t->line = 0;
	t->ended = true;
	for (;;) {
		ssize_t n = sys_read(t->fd, data + kept, sizeof(data) - kept);
		size_t len = kept + (size_t)MAX(n, 0), at = 0;

		if (n < 0)
			return err_sys(e, (int)n, "cannot read");
		while (at < len) {
			int c = text_utf8_len(data + at, len - at);

			if (c < 0 || (c == 0 && n == 0))
				return err_set(e, -EMEDIUMTYPE, "no text");
			if (c == 0)
				break;
			at += (size_t)c;
		}
		text_lines(t, data, at, show);
		kept = len - at;
		memmove(data, data + at, kept);
		if (n == 0)
			return 0;
	}
}

int browse_text(char *const argv[], struct err *e)
{
	struct stat st;
	_cleanup_close_ int fd = regular_open(argv[1], &st, e);
	_cleanup_free_ struct jsonout *j = fd < 0 ? NULL : jsonout_new(e);
	struct text t = { .fd = fd, .j = j };
	int r;

	if (!j)
		return e->code;
	/* it is read twice: once to be judged and counted */
	if (st.st_size > TEXT_FILE_MAX)
		return err_set(e, -EFBIG,
			       "the file is larger than 4 GiB: a command reads it "
			       "better (sed, tail), or /files/view all of it");
	if (num_u64(argv[2], &t.first) < 0 || num_u64(argv[3], &t.last) < 0)
		return err_set(e, -EINVAL, "bad line numbers");
	r = text_pass(&t, false, e);
	if (r < 0)
		return r;
	jsonout_raw(j, "{");
	jsonout_string(j, true, "path", argv[1]);
	jsonout_number(j, false, "total_lines", (int64_t)t.line);
	jsonout_raw(j, ",\"content\":\"");
	r = (int)sys_lseek(fd, 0, SEEK_SET);
	if (r >= 0)
		r = text_pass(&t, true, e);
	if (r < 0)
		return r;
	jsonout_raw(j, "\"}");
	return jsonout_end(j, e);
}

/* ---- document PATH FIRST LAST WORD… --------------------------------------------- */

/* NULs are no text. */
static void drop_nuls(struct buf *b)
{
	size_t len = 0;

	for (size_t i = 0; i < b->len; i++)
		if (b->data[i])
			b->data[len++] = b->data[i];
	buf_truncate(b, len);
}

int browse_document(char *const argv[], struct err *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(DOCUMENT_TEXT_MAX);
	_cleanup_free_ struct jsonout *j = jsonout_new(e);
	struct text t = { .fd = -1, .j = j, .ended = true };
	int r = j ? proc_run((const char *const *)argv + 4, DOCUMENT_MS, &b, e)
		  : e->code;

	if (r > 0)
		return err_set(e, -EMEDIUMTYPE, "the program failed");
	if (r < 0)
		return r;
	if (num_u64(argv[2], &t.first) < 0 || num_u64(argv[3], &t.last) < 0)
		return err_set(e, -EINVAL, "bad line numbers");
	drop_nuls(&b);
	text_lines(&t, buf_cstr(&b), b.len, false);
	jsonout_raw(j, "{");
	jsonout_string(j, true, "path", argv[1]);
	jsonout_number(j, false, "total_lines", (int64_t)t.line);
	jsonout_raw(j, ",\"content\":\"");
	t.line = 0;
	t.ended = true;
	text_lines(&t, buf_cstr(&b), b.len, true);
	jsonout_raw(j, "\"}");
	return jsonout_end(j, e);
}

/* ---- mkdir PATH, remove PATH, move FROM TO -------------------------------------- */

static int answer_path(const char *path, const char *name, const char *value,
		       struct err *e)
{
	_cleanup_free_ struct jsonout *j = jsonout_new(e);

	if (!j)
		return e->code;
	jsonout_raw(j, "{");
	jsonout_string(j, true, "path", path);
	if (name)
		jsonout_string(j, false, name, value);
	jsonout_raw(j, "}");
	return jsonout_end(j, e);
}

int browse_mkdir(char *const argv[], struct err *e)
{
	int r = file_mkdirs(AT_FDCWD, argv[1], 0777, e);

	return r < 0 ? r : answer_path(argv[1], NULL, NULL, e);
}

int browse_remove(char *const argv[], struct err *e)
{
	struct stat st;
	int r = sys_fstatat(AT_FDCWD, argv[1], &st, AT_SYMLINK_NOFOLLOW);

	if (r == -ENOENT || r == -ENOTDIR)
		return err_set(e, -ENOENT, "Path not found");
	r = trees_remove(AT_FDCWD, argv[1], e);
	return r < 0 ? r
		     : answer_path(argv[1], "type",
				   S_ISDIR(st.st_mode) ? "directory" : "file", e);
}

/* Whoever asked may leave, and his program is killed then: what takes long, and would be
 * half done, is done in a session of its own. Only that returns, with 0. */
static int go_apart(struct err *e)
{
	siginfo_t info = { 0 };
	pid_t pid = sys_fork();

	if (pid < 0)
		return err_sys(e, pid, "cannot move");
	if (pid == 0) {
		(void)sys_setsid();
		return 0;
	}
	if (sys_waitid(P_PID, (id_t)pid, &info, WEXITED) < 0)
		sys_exit(1);
	sys_exit(info.si_code == CLD_EXITED ? info.si_status : 1);
}

static int move_far(const char *from, const char *to, struct err *e)
{
	int r = go_apart(e);

	return r < 0 ? r : trees_move(from, to, e);
}

int browse_move(char *const argv[], struct err *e)
{
	_cleanup_free_ struct jsonout *j = jsonout_new(e);
	struct stat st;
	int r;

	if (!j)
		return e->code;
	if (sys_fstatat(AT_FDCWD, argv[1], &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_set(e, -ENOENT, "Source not found: %s", argv[1]);
	r = sys_renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_NOREPLACE);
	if (r == -EXDEV) {
		r = move_far(argv[1], argv[2], e);
		if (r < 0 && r != -EEXIST && r != -ENOENT && r != -ENOTDIR)
			return r;
	}
	if (r == -EEXIST)
		return err_set(e, r, "Destination already exists: %s", argv[2]);
	if (r == -ENOENT || r == -ENOTDIR)
		return err_set(e, -EINVAL,
			       "Destination parent directory does not exist: %s",
			       argv[2]);
	if (r < 0)
		return err_sys(e, r, "cannot move '%s'", argv[1]);
	jsonout_raw(j, "{");
	jsonout_string(j, true, "source", argv[1]);
	jsonout_string(j, false, "destination", argv[2]);
	jsonout_raw(j, "}");
	return jsonout_end(j, e);
}
