#include "agent/task/prompt.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"

/* The rules: each is there because models went wrong without it. The assembler takes the
 * file in as it is. */
__asm__(".section .rodata\n"
	".global prompt_rules\n"
	"prompt_rules:\n"
	".incbin \"agent/task/prompt.md\"\n"
	".byte 0\n"
	".previous\n");
extern const char prompt_rules[];

static void add_fact(struct buf *out, const char *label, const char *value)
{
	if (value && *value)
		buf_addf(out, "- %s: %s\n", label, value);
}

static void add_limits(const struct prompt_facts *f, struct buf *out)
{
	char time[32];

	buf_adds(out, "- Limits:");
	if (f->limits && *f->limits)
		buf_addf(out, " %s;", f->limits);
	buf_addf(out, " %u turns", f->rounds);
	if (f->time_ms)
		buf_addf(out, ", %s for all", text_ms(time, sizeof(time), f->time_ms));
	buf_addf(out, "; a result has up to %zu characters\n", f->keep);
}

static void add_places(const struct prompt_facts *f, struct buf *out)
{
	if (!f->directory)
		return;
	buf_adds(out, "\n# What stays\n");
	buf_addf(
		out,
		"- %s (also /workspace), the project: the person's own files, shared "
		"with them.\n"
		"- The rest of the machine: with this directory, for later tasks; also "
		"what you install.\n"
		"- /tmp, /run, and what runs: until the machine stops.\n",
		f->directory);
}

static void add_facts(const struct prompt_facts *f, struct buf *out)
{
	buf_adds(out, "\n# The machine\n");
	add_fact(out, "System", f->system);
	add_fact(out, "Image", f->system && *f->system ? NULL : f->image);
	add_fact(out, "Programs", f->programs);
	if (!f->user || strcmp(f->user, "root") == 0)
		buf_adds(out,
			 "- You are root in it. It is sealed: nothing you do there "
			 "harms the person's computer.\n");
	else
		buf_addf(out, "- You are the user %s in it. It is sealed.\n", f->user);
	add_fact(out, "Network", f->network);
	add_limits(f, out);
	if (f->ask)
		buf_adds(out, "- The person sees each call before it runs and may "
			      "refuse or change it; what ran instead is in the "
			      "result.\n");
	add_places(f, out);
}

/* ---- the directory's first listing ---- */

struct listing {
	char *names[PROMPT_LIST_MAX]; /* owned; sorted */
	size_t n, total;
};

static void listing_done(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->names[i]);
}

/* Keeps the first PROMPT_LIST_MAX in order of name: the answer must not depend on the
 * order of the file system, or no cache would ever know the prompt again. */
static int listing_add(struct listing *l, const char *name, bool dir)
{
	_cleanup_free_ char *copy = malloc(strlen(name) + 2);
	size_t at = l->n;

	l->total++;
	if (!copy)
		return -ENOMEM;
	memcpy(copy, name, strlen(name) + 1);
	if (dir)
		memcpy(copy + strlen(name), "/", 2);
	while (at && strcmp(l->names[at - 1], copy) > 0)
		at--;
	if (at == PROMPT_LIST_MAX)
		return 0;
	if (l->n == PROMPT_LIST_MAX)
		free(l->names[--l->n]);
	memmove(&l->names[at + 1], &l->names[at], (l->n - at) * sizeof(l->names[0]));
	l->names[at] = take(&copy, NULL);
	l->n++;
	return 0;
}

enum { LIST_LOOK_MAX = 100000 };

static int listing_read(int fd, struct listing *l)
{
	struct dirscan_entry entry;
	struct dirscan scan;
	struct err ignored;
	int r = dirscan_start(&scan, fd, &ignored);

	while (r >= 0 && (r = dirscan_next(&scan, &entry, &ignored)) > 0) {
		if (listing_add(l, entry.name, entry.type == DT_DIR) < 0)
			return -ENOMEM;
		if (l->total > LIST_LOOK_MAX)
			break;
	}
	return MIN(r, 0);
}

static int add_listing(int dirfd, struct buf *out)
{
	_cleanup_(listing_done) struct listing l = { 0 };
	_cleanup_close_ int fd = sys_openat(dirfd, ".", O_RDONLY | O_DIRECTORY, 0);
	int r = fd < 0 ? fd : listing_read(fd, &l);

	if (r < 0) /* the model can look for itself */
		return r == -ENOMEM ? r : 0;
	r = buf_adds(out, l.n ? "\nAt the start it holds:\n"
			      : "\nAt the start it is empty.\n");
	for (size_t i = 0; i < l.n && r == 0; i++) {
		r = text_escape(out, l.names[i], strlen(l.names[i]));
		r = r ?: buf_addc(out, '\n');
	}
	if (r == 0 && l.total > l.n)
		r = buf_addf(out, "… and %zu more\n", l.total - l.n);
	return r;
}

/* ---- the person's own words ---- */

static int add_file(int dirfd, const char *name, struct buf *out)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PROMPT_FILE_MAX);
	_cleanup_close_ int fd =
		sys_openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	struct stat st;
	ssize_t n;
	int r;

	/* A symlink could lead out of the directory; a pipe would never end. */
	if (fd < 0 || sys_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return -ENOENT;
	r = buf_reserve(&text, PROMPT_FILE_MAX - 1);
	if (r < 0)
		return r;
	n = sys_pread(fd, text.data, PROMPT_FILE_MAX - 1, 0);
	if (n <= 0)
		return -ENOENT;
	buf_commit(&text, (size_t)n);
	r = buf_addf(out, "\n# From %s in the project directory\n", name);
	r = r ?: text_utf8(out, text.data, text.len);
	if (st.st_size > n)
		r = r
			    ?: buf_addf(out,
					"\n[… the file goes on: %lld bytes in all]",
					(long long)st.st_size);
	return r ?: buf_addc(out, '\n');
}

static int add_files(int dirfd, struct buf *out)
{
	static const char *const names[] = { "CUBBY.md", "AGENTS.md" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int r = add_file(dirfd, names[i], out);

		if (r != -ENOENT)
			return r;
	}
	return 0;
}

int prompt_build(const struct prompt_facts *f, int dirfd, struct buf *out,
		 struct err *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(PROMPT_MAX);
	int r = buf_adds(&b, prompt_rules);

	add_facts(f, &b);
	if (dirfd >= 0)
		r = r ?: add_listing(dirfd, &b);
	if (dirfd >= 0)
		r = r ?: add_files(dirfd, &b);
	if (f->extra && *f->extra)
		r = r ?: buf_addf(&b, "\n# More from the person\n%s\n", f->extra);
	r = r ?: buf_add(out, b.data, b.len);
	if (r == -EMSGSIZE)
		return err_set(e, r, "the system prompt is longer than %d bytes",
			       PROMPT_MAX);
	return r < 0 ? err_sys(e, r, "cannot build the system prompt") : 0;
}
