/* Theory of operation
 *
 * The notes of take_note.c are read from the last line to the first, refs before files: if
 * HEAD or its branch has moved since, an index or a message of before on top of that would
 * take something back without a word, so these stay. Files are done before refs, so that
 * HEAD is off a branch by then that is to be removed. The list of stashes comes last: it is
 * the log of a ref, to which git writes. */
#include "rootfs/git/take_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/text.h"
#include "rootfs/git/index.h"

enum { SAID_MAX = 10, SHORT = 12 };

static const char none[] = "-";
static const char stash[] = "refs/stash", stash_log[] = "logs/refs/stash";
static const char taken_back[] = "cubby: taken back";

struct back {
	struct git_take t; /* what of it is needed: the configuration, sums, refs */
	struct buf text;   /* owned: the steps */
	char **lines;	   /* owned: into it */
	size_t n;
	const char *head;     /* what HEAD was */
	const char *tip;      /* where its branch was, "-" = there was none; or NULL */
	struct git_refs todo; /* owned: name → old value, "-" = none */
	struct git_refs left; /* owned: those that have moved since */
	bool moved;	      /* HEAD, or its branch, is not where the box left it */
	bool taken;	      /* another worktree is on the branch that HEAD was on */
	size_t said, said_left;
};

static int fail_back(struct err *e, int code)
{
	return err_sys(e, code, "cannot take back what git got");
}

static void back_done(struct back *b)
{
	buf_done(&b->text);
	free(b->lines);
	git_refs_pair_done(&b->t.now);
	git_refs_done(&b->todo);
	git_refs_done(&b->left);
	git_refs_done(&b->t.elsewhere);
}

static _printf_(2, 3) void say(struct back *b, const char *fmt, ...)
{
	char line[GIT_TEXT_NAME + 512], shown[256];
	va_list ap;
	int n = snprintf(line, sizeof(line), "%s: ",
			 text_escaped(shown, sizeof(shown), b->t.conf->shown,
				      strlen(b->t.conf->shown)));

	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, ap);
	va_end(ap);
	b->t.conf->say(b->t.conf->ctx, line);
}

/* The three words of a line and its name; false: it is of another kind, or half of one. */
static bool split(char *line, const char *kind, char *ret[3])
{
	size_t n = strlen(kind);

	if (strncmp(line, kind, n) != 0 || line[n] != ' ')
		return false;
	line += n + 1;
	for (int i = 0; i < 2; i++) {
		ret[i] = line;
		line = strchr(line, ' ');
		if (!line)
			return false;
		*line++ = '\0';
	}
	ret[2] = line;
	return *line;
}

static int read_steps(struct back *b, struct err *e)
{
	int r = takeover_read(b->t.conf->record, "steps", &b->text);
	char *save = NULL;
	size_t most = 1;

	if (r < 0)
		return r == -ENOENT ? 0 : fail_back(e, r);
	if (!b->text.len)
		return 0;
	for (size_t i = 0; i < b->text.len; i++) { /* zeros: a loss of power */
		if (!b->text.data[i])
			b->text.data[i] = '\n';
		most += b->text.data[i] == '\n';
	}
	b->lines = calloc(most, sizeof(*b->lines));
	if (!b->lines)
		return fail_back(e, -ENOMEM);
	for (char *l = strtok_r(b->text.data, "\n", &save); l && b->n < most;
	     l = strtok_r(NULL, "\n", &save)) {
		if (text_starts(l, "head "))
			b->head = b->head ?: l + 5;
		else if (text_starts(l, "tip "))
			b->tip = b->tip ?: l + 4;
		else
			b->lines[b->n++] = l;
	}
	return 0;
}

static int judge_ref(struct back *b, char *const word[3])
{
	const char *old = word[0], *new = word[1], *name = word[2];
	const char *now = git_refs_get(&b->todo, name)
				  ?: git_refs_pair_get(&b->t.now, name)
				  ?: none;

	if (!git_text_is_ref(name, strlen(name)))
		return 0;
	git_take_moves_unlock(&b->t, name, new);
	if (strcmp(now, old) == 0)
		return 0;
	return strcmp(now, new) == 0 ? git_refs_set(&b->todo, name, old)
				     : git_refs_set(&b->left, name, none);
}

static bool is_symbolic(const char *value)
{
	return text_starts(value, "ref: ");
}

/* Whether HEAD is neither what it was before nor what the box made of it. */
static bool head_has_moved(struct back *b, const char *now)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_TEXT_VALUE + 8);
	char mark[HASH_HEX];
	bool moved = b->head && strcmp(now, b->head) != 0;

	if (moved && git_take_note_now(&b->t, "HEAD", &text, mark, ERR_IGNORED) == 0)
		for (size_t i = 0; i < b->n && moved; i++) {
			_cleanup_free_ char *line = strdup(b->lines[i]);
			char *word[3];

			moved = !line || !split(line, "file", word) ||
				strcmp(word[2], "HEAD") != 0 ||
				strcmp(word[1], mark) != 0;
		}
	return moved;
}

/* Whether the branch that HEAD was on will not be where it was. */
static bool tip_has_moved(const struct back *b)
{
	const char *name = b->head && is_symbolic(b->head) ? b->head + 5 : NULL;
	const char *will = !name ? NULL
				 : git_refs_get(&b->todo, name)
						 ?: git_refs_pair_get(&b->t.now, name);

	return name && b->tip && strcmp(will ?: none, b->tip) != 0;
}

/* Two worktrees on one branch: a commit in either leaves the other's index behind. */
static bool head_is_taken(const struct back *b, const char *now)
{
	return b->head && is_symbolic(b->head) && strcmp(now, b->head) != 0 &&
	       git_refs_get(&b->t.elsewhere, b->head + 5);
}

static void say_left(struct back *b, const char *name, const char *why)
{
	if (b->said_left++ < SAID_MAX)
		say(b, "%s is left as it is: %s", name, why);
}

static int judge_refs(struct back *b, struct err *e)
{
	char now[GIT_TEXT_VALUE];
	int r = git_refs_read(b->t.conf->git, &b->t.now, e)
			?: git_take_tree_read(&b->t, e);

	if (r < 0)
		return r;
	git_take_note_head(&b->t, now);
	b->taken = head_is_taken(b, now);
	b->moved = b->taken || head_has_moved(b, now);
	for (size_t i = b->n; i-- > 0 && r == 0;) {
		_cleanup_free_ char *line = strdup(b->lines[i]);
		char *word[3];

		if (!line)
			r = -ENOMEM;
		else if (split(line, "ref", word))
			r = judge_ref(b, word);
	}
	for (size_t i = 0; i < b->t.elsewhere.n && r == 0; i++) {
		const char *name = b->t.elsewhere.list[i].name;

		if (git_refs_get(&b->todo, name)) {
			r = git_refs_set(&b->todo, name, NULL);
			say_left(b, name, "another worktree is on it");
		}
	}
	for (size_t i = 0; i < b->left.n && r == 0; i++) {
		const char *name = b->left.list[i].name;

		r = git_refs_set(&b->todo, name, NULL);
		b->moved |= is_symbolic(now) && strcmp(now + 5, name) == 0;
		say_left(b, name, "it has moved since");
	}
	b->moved |= tip_has_moved(b);
	return r < 0 ? fail_back(e, r) : 0;
}

struct expected {
	struct back *b;
	const char *path, *mark;
};

static int still(void *ctx, int, struct err *e)
{
	const struct expected *x = ctx;
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_INDEX_MAX);
	char mark[HASH_HEX];
	int r = git_take_note_now(&x->b->t, x->path, &text, mark, e);

	if (r < 0)
		return r;
	return strcmp(mark, x->mark) == 0 ? 0
					  : err_set(e, -ESTALE, "it was changed since");
}

static int bring_back(struct back *b, char *const word[3], struct err *e)
{
	_cleanup_buf_ struct buf old = BUF_INIT(GIT_INDEX_MAX);
	struct expected x = { b, word[2], word[1] };
	struct takeover_file f = {
		.path = word[2], .mode = 0644, .as_before = still, .ctx = &x
	};
	const int git = git_take_tree_git(&b->t, word[2]);
	int r;

	if (strcmp(word[0], none) == 0)
		return takeover_remove(git, word[2], e);
	r = takeover_read(b->t.conf->record, word[0], &old);
	if (r < 0)
		return fail_back(e, r);
	f.data = buf_cstr(&old);
	f.len = old.len;
	return takeover_put(git, &f, e);
}

/* Return: 1 = it is as it was. */
static int is_old(struct back *b, char *const word[3], const char *now, struct err *e)
{
	_cleanup_buf_ struct buf old = BUF_INIT(GIT_INDEX_MAX);
	char mark[HASH_HEX] = "-";
	int r = 0;

	if (strcmp(word[0], none) != 0) {
		r = takeover_read(b->t.conf->record, word[0], &old);
		if (r < 0)
			return fail_back(e, r);
		git_take_note_mark(&b->t, word[2], &old, mark);
	}
	return r < 0 ? r : strcmp(mark, now) == 0;
}

/* Nobody misses the last message, or what was fetched last. */
static bool is_minor(const char *path)
{
	return text_ends(path, "_EDITMSG") || strcmp(path, "FETCH_HEAD") == 0 ||
	       strcmp(path, "ORIG_HEAD") == 0;
}

static int back_file(struct back *b, char *const word[3], struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_INDEX_MAX);
	bool ref = text_starts(word[2], "refs/");
	const char *why = ref || !b->moved ? "it was changed since"
			  : b->taken ? "another worktree is on the branch of before"
				     : "HEAD has moved since";
	char now[HASH_HEX];
	int r;

	takeover_clean(git_take_tree_git(&b->t, word[2]), word[2]);
	r = git_take_note_now(&b->t, word[2], &text, now, e) ?: is_old(b, word, now, e);
	if (r != 0)
		return MIN(r, 0);
	if (strcmp(now, word[1]) == 0 && (ref || !b->moved)) {
		r = bring_back(b, word, e);
		if (r != -ESTALE && r != -EEXIST)
			return r;
		why = r == -EEXIST ? "the host's git is working on it" : why;
	}
	if (!is_minor(word[2]))
		say(b, "%s is left as it is: %s%s", word[2], why,
		    strcmp(word[2], "index") == 0
			    ? "; 'git reset' makes it that of HEAD"
			    : "");
	return 0;
}

/* ---- the list of stashes ------------------------------------------------------------------- */

/* Git has written a line about that its ref came back, perhaps before a kill, too. */
static void cut_our_lines(struct buf *log)
{
	const size_t n = strlen(taken_back);

	while (log->len > n && log->data[log->len - 1] == '\n' &&
	       memcmp(log->data + log->len - 1 - n, taken_back, n) == 0) {
		const char *before = memrchr(log->data, '\n', log->len - 1);

		buf_truncate(log, before ? (size_t)(before + 1 - log->data) : 0);
	}
}

/* After the refs: what git writes to it by then would be in it. */
static int back_stashes(struct back *b, char *const word[3], struct err *e)
{
	_cleanup_buf_ struct buf log = BUF_INIT(GIT_INDEX_MAX);
	char now[HASH_HEX], cut[HASH_HEX];
	char *as_now[3] = { word[0], now, word[2] };
	int r = git_take_note_now(&b->t, word[2], &log, now, e)
			?: is_old(b, word, now, e);

	if (r != 0)
		return MIN(r, 0);
	memcpy(cut, none, sizeof(none));
	cut_our_lines(&log);
	if (log.len)
		git_take_note_mark(&b->t, word[2], &log, cut);
	r = -ESTALE;
	if (strcmp(now, word[1]) == 0 || strcmp(cut, word[1]) == 0)
		r = bring_back(b, as_now, e);
	if (r != -ESTALE && r != -EEXIST)
		return r;
	if (!git_refs_get(&b->left, stash)) /* else that is said */
		say(b, "the list of stashes is left as it is: it was changed since");
	return 0;
}

/* The list of stashes, or all else. */
static int back_files(struct back *b, bool stashes, struct err *e)
{
	int r = 0;

	for (size_t i = b->n; i-- > 0 && r == 0;) {
		_cleanup_free_ char *line = strdup(b->lines[i]);
		char *word[3];

		if (!line)
			return fail_back(e, -ENOMEM);
		if (split(line, "file", word) &&
		    (strcmp(word[2], stash_log) == 0) == stashes)
			r = stashes ? back_stashes(b, word, e) : back_file(b, word, e);
	}
	return r;
}

/* ---- refs ----------------------------------------------------------------------------------- */

/* Its value is named: with a ref that is removed goes its log, so nothing else names it. */
static void say_back(struct back *b, const struct git_ref *x)
{
	const char *now = git_refs_pair_get(&b->t.now, x->name);
	bool gone = strcmp(x->value, none) == 0;

	if (gone || b->said++ < SAID_MAX)
		say(b, "%s is %s%.*s%s%.*s", x->name,
		    gone ? "removed again" : "back at ", gone ? 0 : SHORT, x->value,
		    now ? "; it was at " : "", SHORT, now ?: "");
}

static int refused(void *ctx, const struct git_ref *x, const char *why, struct err *e)
{
	struct back *b = ctx;

	say_left(b, x->name, why);
	return git_refs_set(&b->left, x->name, none) < 0 ? fail_back(e, -ENOMEM) : 0;
}

/* The branch that HEAD is on is not removed, unless HEAD was on it before there was one. */
static void keep_branch_of_head(struct back *b)
{
	char head[GIT_TEXT_VALUE];
	const char *value;

	git_take_note_head(&b->t, head);
	if (!is_symbolic(head) || (b->head && strcmp(head, b->head) == 0))
		return;
	value = git_refs_get(&b->todo, head + 5);
	if (!value || strcmp(value, none) != 0)
		return;
	say_left(b, head + 5, "HEAD is on it");
	git_refs_set(&b->todo, head + 5, NULL);
}

static int back_refs(struct back *b, struct err *e)
{
	struct git_take_moves moves = { &b->t, &b->todo, taken_back, refused, b };
	int r;

	keep_branch_of_head(b);
	r = git_take_moves(&moves, e);
	for (size_t i = 0; i < b->todo.n && r == 0; i++)
		if (!git_refs_get(&b->left, b->todo.list[i].name))
			say_back(b, &b->todo.list[i]);
	if (b->said > SAID_MAX)
		say(b, "%zu more refs are back where they were", b->said - SAID_MAX);
	if (b->said_left > SAID_MAX)
		say(b, "%zu more refs are left as they are", b->said_left - SAID_MAX);
	return r;
}

int git_take_back(const struct git_take_conf *conf, struct err *e)
{
	_cleanup_(back_done) struct back b = { .t = { .conf = conf },
					       .text = BUF_INIT(GIT_TAKE_STEPS) };
	int r = read_steps(&b, e);

	if (r < 0 || !b.n)
		return r;
	r = git_take_base_format(&b.t, e);
	if (r < 0)
		return r;
	r = judge_refs(&b, e);
	if (r < 0)
		return r;
	r = back_files(&b, false, e);
	if (r < 0)
		return r;
	r = back_refs(&b, e);
	return r < 0 ? r : back_files(&b, true, e);
}
