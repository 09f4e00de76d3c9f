#include "agent/task/prompt.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/embed.h"
#include "base/hash.h"
#include "base/sys/sys.h"
#include "base/text.h"

/* The rules: each is there because models went wrong without it. */
EMBED(prompt_rules, "agent/task/prompt.md");

static void add_fact(struct buf *out, const char *label, const char *value)
{
	if (value && *value)
		buf_addf(out, "- %s: %s\n", label, value);
}

static void add_limits(const struct prompt_facts *f, struct buf *out)
{
	buf_adds(out, "- Limits:");
	if (f->limits && *f->limits)
		buf_addf(out, " %s;", f->limits);
	buf_addf(out, " %u turns", f->rounds);
	if (f->time_ms)
		buf_addf(out, ", %s for all", text_ms(f->time_ms));
	buf_addf(out, "; a result has up to %zu characters\n", f->keep);
}

static void add_places(const struct prompt_facts *f, struct buf *out)
{
	if (!f->directory)
		return;
	buf_adds(out, "\n# What stays\n");
	buf_addf(
		out,
		"- %s (also /workspace), the project: the person's files%s.\n"
		"- The rest of the machine: with this directory, for later tasks; also "
		"what you install.\n"
		"- /tmp and /run: until the machine stops. What runs in the background "
		"%s\n",
		f->directory, f->project ? f->project : "",
		f->stays ? "goes on when the task ends."
			 : "ends with the task: say so where the person may count on "
			   "it.");
	if (f->cwd && strcmp(f->cwd, f->directory) != 0)
		buf_addf(out, "- The person is in %s: shells begin there.\n", f->cwd);
}

/* Who was told that nobody answers asked nothing of a person who sat there. */
static void add_person(const struct prompt_facts *f, struct buf *out)
{
	if (f->ask)
		buf_adds(out, "- The person sees each call before it runs and may "
			      "refuse it, with words for you, or change it; what ran "
			      "instead is in the result.\n");
	if (f->talk)
		buf_adds(out, "- The person is there: what you ask in your last words "
			      "they answer with their next.\n");
	else if (!f->ask)
		buf_adds(out, "- Nobody answers questions: decide, and name the "
			      "decision.\n");
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
	add_person(f, out);
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
	struct dirscan scan;

	dirscan_start(&scan, fd);
	while (dirscan_next(&scan)) {
		if (listing_add(l, scan.name, scan.type == DT_DIR) < 0)
			return -ENOMEM;
		if (l->total > LIST_LOOK_MAX)
			break;
	}
	return scan.failed;
}

static int add_listing(int dirfd, struct buf *out)
{
	_cleanup_(listing_done) struct listing l = { 0 };
	_cleanup_close_ int fd = sys_openat(dirfd, ".", O_RDONLY | O_DIRECTORY, 0);
	int r = fd < 0 ? fd : listing_read(fd, &l);

	if (r < 0) /* the model can look for itself */
		return r == -ENOMEM ? r : 0;
	buf_adds(out,
		 l.n ? "\nAt the start it holds:\n" : "\nAt the start it is empty.\n");
	for (size_t i = 0; i < l.n; i++) {
		text_escape(out, l.names[i], strlen(l.names[i]));
		buf_addc(out, '\n');
	}
	if (l.total > l.n)
		buf_addf(out, "… and %zu more\n", l.total - l.n);
	return buf_failed(out);
}

/* ---- the project's own words ---- */

enum { NESTED_DEPTH = 4, NESTED_DIRS = 2000, PATH_SHOWN = 300 };

struct words {
	struct buf *out;	 /* NULL = they are not shown */
	struct json *marks;	 /* gets the mark of each; NULL = none are wanted */
	const struct json *boxs; /* marks of what the box wrote; may be NULL */
	size_t left;		 /* bytes that may still be shown */
	unsigned dirs;		 /* that were looked into */
};

static void show_file(struct words *w, const char *path, const struct buf *text,
		      const char *mark, long long size)
{
	size_t n = MIN(text->len, w->left);

	buf_addf(w->out, "\n## %s%s\n", path,
		 json_is(w->boxs, path, mark)
			 ? " (changed by an earlier task in this machine)"
			 : "");
	text_utf8(w->out, text->data, n);
	w->left -= n;
	if (size > (long long)n)
		buf_addf(w->out,
			 "\n[… %s: %lld bytes in all; read it where it matters]",
			 n ? "the file goes on" : "not shown", size);
	buf_addc(w->out, '\n');
}

/* 1 = there is such a file, and its text or name is in @w. */
static int add_file(struct words *w, int dirfd, const char *dir, const char *name)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PROMPT_FILE_MAX);
	_cleanup_close_ int fd =
		sys_openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	char path[PATH_SHOWN + 16], shown[4 * sizeof(path)], mark[HASH_HEX];
	struct stat st;
	ssize_t n = 0;

	/* A symlink could lead out of the directory; a pipe would never end. */
	if (fd < 0 || sys_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return 0;
	snprintf(path, sizeof(path), "%s%s%s", dir, *dir ? "/" : "", name);
	text_escaped(shown, sizeof(shown), path, strlen(path));
	if (buf_reserve(&text, PROMPT_FILE_MAX) == 0)
		n = sys_pread(fd, text.data, PROMPT_FILE_MAX, 0);
	if (n > 0)
		buf_commit(&text, (size_t)n);
	hash_text(buf_cstr(&text), text.len, mark);
	if (w->marks)
		json_set_str(w->marks, shown, mark);
	if (w->out)
		show_file(w, shown, &text, mark, (long long)st.st_size);
	return 1;
}

static void add_nearest(struct words *w, int dirfd, const char *dir)
{
	static const char *const names[] = { "CUBBY.md", "AGENTS.md", "CLAUDE.md" };

	for (size_t i = *dir ? 1 : 0; i < ARRAY_SIZE(names); i++)
		if (add_file(w, dirfd, dir, names[i]))
			return;
}

static bool is_looked_into(const struct dirscan *x)
{
	return x->type == DT_DIR && x->name[0] != '.' &&
	       strcmp(x->name, "node_modules") != 0 && strcmp(x->name, "vendor") != 0;
}

/* Those of a directory and below, in order of name: the prompt must be the same again. */
static void add_nested(struct words *w, int dirfd, const char *dir, unsigned depth)
{
	_cleanup_(listing_done) struct listing l = { 0 };
	struct dirscan scan;

	add_nearest(w, dirfd, dir);
	dirscan_start(&scan, depth < NESTED_DEPTH ? dirfd : -ENOENT);
	while (dirscan_next(&scan))
		if (is_looked_into(&scan) && listing_add(&l, scan.name, false) < 0)
			return;
	for (size_t i = 0; i < l.n && w->dirs < NESTED_DIRS; i++) {
		_cleanup_close_ int fd = sys_openat(
			dirfd, l.names[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
		char path[PATH_SHOWN];
		int n = snprintf(path, sizeof(path), "%s%s%s", dir, *dir ? "/" : "",
				 l.names[i]);

		w->dirs++;
		if (fd >= 0 && n > 0 && n < (int)sizeof(path) &&
		    strpbrk(path, "\n\r\033") == NULL)
			add_nested(w, fd, path, depth + 1);
	}
}

static void look_for_words(int dirfd, struct words *w)
{
	_cleanup_close_ int fd = sys_openat(dirfd, ".", O_RDONLY | O_DIRECTORY, 0);

	if (fd >= 0)
		add_nested(w, fd, "", 0);
}

static int add_words(int dirfd, const struct json *boxs, struct buf *out)
{
	_cleanup_buf_ struct buf b = BUF_INIT(PROMPT_MAX);

	look_for_words(
		dirfd,
		&(struct words){ .out = &b, .boxs = boxs, .left = PROMPT_FILE_MAX });
	if (b.len)
		buf_addf(out,
			 "\n# What the project says of itself\nThese are the project's "
			 "words, not the person's. Of several the nearest to a file "
			 "counts.\n%s",
			 b.data);
	return buf_failed(&b) ?: buf_failed(out);
}

struct json *prompt_marks(int dirfd)
{
	struct json *marks = json_object();

	look_for_words(dirfd, &(struct words){ .marks = marks });
	return marks;
}

int prompt_build(const struct prompt_facts *f, int dirfd, struct buf *out,
		 struct err *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(PROMPT_MAX);
	int r = 0;

	buf_adds(&b, prompt_rules);
	add_facts(f, &b);
	if (dirfd >= 0)
		r = add_listing(dirfd, &b) ?: add_words(dirfd, f->boxs_words, &b);
	if (f->extra && *f->extra)
		buf_addf(&b, "\n# More from the person\n%s\n", f->extra);
	if (r == 0)
		r = buf_failed(&b) ?: buf_add(out, b.data, b.len);
	if (r == -EMSGSIZE)
		return err_set(e, r, "the system prompt is longer than %d bytes",
			       PROMPT_MAX);
	return r < 0 ? err_sys(e, r, "cannot build the system prompt") : 0;
}
