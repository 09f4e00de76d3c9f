#include "cli/show/lineedit.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/show/tty.h"

#define PASTE_BEGIN "\033[200~"
#define PASTE_END "\033[201~"
#define START_KEY "\033[777~" /* no keyboard has it */

enum { HISTORY_LINES = 500, PASTE_MAX = 1 << 20, PROMPT_MAX = 256 };

#define LIB_FUNCTIONS(X) \
	X(el_init_fd)    \
	X(el_end)        \
	X(el_gets)       \
	X(el_set)        \
	X(el_get)        \
	X(el_insertstr)  \
	X(el_deletestr)  \
	X(el_line)       \
	X(el_push)       \
	X(el_resize)     \
	X(history_init)  \
	X(history_end)   \
	X(history)

struct lib {
	LIB_FUNCTIONS(DL_MEMBER)
};

static int lib_load(struct lib *ret, struct err *e)
{
	static const struct dl_symbol symbols[] = { LIB_FUNCTIONS(DL_ROW) };
	static const struct dl_library library = { "libedit.so.2", "libedit2", symbols,
						   ARRAY_SIZE(symbols) };

	return dl_load(&library, ret, e);
}

struct lineedit {
	struct lib lib;
	struct lineedit_conf conf;
	EditLine *el;	  /* owned */
	History *history; /* owned */
	FILE *in, *out;	  /* owned; copies of the descriptors */
	char prompt[PROMPT_MAX];
	const char *start; /* borrowed */
	char path[64];	   /* of the history; "" = it is not kept */
	bool interrupted;
};

static void switch_paste(const struct lineedit *l, bool on)
{
	fputs(on ? "\033[?2004h" : "\033[?2004l", l->out);
	fflush(l->out);
}

/* ---- characters ----------------------------------------------------------------------- */

/* After ^Z and fg the mode is the shell's, and the cursor below what the shell wrote. */
static void take_terminal_back(struct lineedit *l)
{
	struct termios now;

	if (!tty_here(l->conf.in) || sys_tcgetattr(l->conf.in, &now) < 0 ||
	    !(now.c_lflag & ICANON))
		return;
	l->lib.el_set(l->el, EL_PREP_TERM, 0); /* so that the library sees a change */
	l->lib.el_set(l->el, EL_PREP_TERM, 1);
	switch_paste(l, true);
	l->lib.el_set(l->el, EL_REFRESH);
}

/* The next byte; 0 at the end or after ^C. */
static int next_byte(struct lineedit *l, char *ret)
{
	struct pollfd fds[] = { { .fd = l->conf.in, .events = POLLIN },
				{ .fd = l->conf.interrupt_fd, .events = POLLIN },
				{ .fd = l->conf.aside.ready ? l->conf.aside.fd : -1,
				  .events = POLLIN } };

	for (;;) {
		int r = sys_poll(fds, ARRAY_SIZE(fds), -1);

		if (r < 0 && r != -EINTR)
			return 0;
		if (r > 0 && fds[1].revents) {
			l->interrupted = true;
			return 0;
		}
		if (r > 0 && fds[0].revents)
			return sys_read(l->conf.in, ret, 1) == 1;
		if (r > 0 && fds[2].revents && l->conf.aside.ready) {
			l->conf.aside.ready(l->conf.aside.ctx);
			l->lib.el_resize(l->el);
			take_terminal_back(l);
		}
	}
}

static struct lineedit *owner_of(EditLine *el);

/* An el_rfunc_t. What is no UTF-8 is U+FFFD. */
static int next_char(EditLine *el, wchar_t *ret)
{
	struct lineedit *l = owner_of(el);
	char bytes[4];
	unsigned c = 0xfffd;
	size_t n = 0;

	do {
		if (!next_byte(l, bytes + n))
			return 0;
		n++;
	} while (n < sizeof(bytes) && text_utf8_len(bytes, n) == 0);
	if (text_decode(bytes, n, &c) < 0)
		c = 0xfffd;
	*ret = (wchar_t)c;
	return 1;
}

/* ---- keys ----------------------------------------------------------------------------- */

/* What is pasted does not act: its newlines are a part of the line, and of all else only
 * text is kept. */
static unsigned char on_paste(EditLine *el, int)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PASTE_MAX), safe = BUF_INIT(PASTE_MAX);
	struct lineedit *l = owner_of(el);
	char c;

	while (next_byte(l, &c)) {
		if (buf_addc(&text, c == '\r' ? '\n' : c) < 0)
			break;
		if (text.len >= strlen(PASTE_END) && text_ends(text.data, PASTE_END)) {
			buf_truncate(&text, text.len - strlen(PASTE_END));
			break;
		}
	}
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.data[i] >= ' ' || strchr("\n\t", text.data[i]))
			buf_addc(&safe, text.data[i]);
	if (safe.len)
		(void)l->lib.el_insertstr(el, buf_cstr(&safe));
	return CC_REFRESH;
}

static unsigned char on_newline(EditLine *el, int)
{
	return owner_of(el)->lib.el_insertstr(el, "\n") < 0 ? CC_ERROR : CC_REFRESH;
}

/* What the line is at first. Typed for the person it would act: a newline in it would
 * be an Enter that nobody pressed. */
static unsigned char on_start(EditLine *el, int)
{
	struct lineedit *l = owner_of(el);

	return l->lib.el_insertstr(el, l->start) < 0 ? CC_ERROR : CC_REFRESH;
}

/* How many bytes all words of the list have in common, and the words. */
static size_t common_start(const char *words, size_t *n)
{
	size_t common = strcspn(words, "\n");

	*n = 0;
	for (const char *w = words; *w; w = strchrnul(w, '\n'), w += *w == '\n') {
		size_t same = 0;

		while (same < common && w[same] == words[same])
			same++;
		common = same;
		++*n;
	}
	return common;
}

static void list_words(const struct lineedit *l, const char *words)
{
	fputc('\n', l->out);
	for (const char *w = words; *w; w = strchrnul(w, '\n'), w += *w == '\n')
		fprintf(l->out, "%.*s  ", (int)strcspn(w, "\n"), w);
	fputc('\n', l->out);
	fflush(l->out);
}

static unsigned char on_tab(EditLine *el, int)
{
	_cleanup_buf_ struct buf before = BUF_INIT(PASTE_MAX),
				 words = BUF_INIT(64 << 10);
	struct lineedit *l = owner_of(el);
	const LineInfo *line = l->lib.el_line(el);
	size_t n, common, typed = 0;

	buf_add(&before, line->buffer, (size_t)(line->cursor - line->buffer));
	while (typed < before.len &&
	       !strchr(" \t\n", before.data[before.len - typed - 1]))
		typed++;
	if (l->conf.complete)
		l->conf.complete(l->conf.ctx, buf_cstr(&before), &words);
	if (!words.len)
		return CC_REFRESH_BEEP;
	common = common_start(words.data, &n);
	if (common > typed) {
		char *more = strndup(words.data + typed, common - typed);

		if (more)
			(void)l->lib.el_insertstr(el, more);
		free(more);
	}
	if (n == 1 && words.data[common - 1] != '/')
		(void)l->lib.el_insertstr(el, " ");
	if (n == 1 || common > typed)
		return CC_REFRESH;
	list_words(l, words.data);
	return CC_REDISPLAY;
}

/* ---- the editor ----------------------------------------------------------------------- */

/* The library is loaded already; there is no other place for its functions. */
static struct lineedit *owner_of(EditLine *el)
{
	struct lineedit *l = NULL;
	struct lib lib;

	if (lib_load(&lib, ERR_IGNORED) == 0)
		lib.el_get(el, EL_CLIENTDATA, &l);
	if (!l)
		abort();
	return l;
}

static char *prompt_of(EditLine *el)
{
	return owner_of(el)->prompt;
}

/* What terminals send for a key differs; what is not bound types its last letter. */
static const struct {
	const char *key, *does;
} keys[] = {
	{ START_KEY, "cubby-start" },
	{ PASTE_BEGIN, "cubby-paste" },
	{ "\033\r", "cubby-newline" },
	{ "\033\n", "cubby-newline" },
	{ "\t", "cubby-complete" },
	{ "\033[3~", "ed-delete-next-char" },
	{ "\033[H", "ed-move-to-beg" },
	{ "\033OH", "ed-move-to-beg" },
	{ "\033[1~", "ed-move-to-beg" },
	{ "\033[7~", "ed-move-to-beg" },
	{ "\033[F", "ed-move-to-end" },
	{ "\033OF", "ed-move-to-end" },
	{ "\033[4~", "ed-move-to-end" },
	{ "\033[8~", "ed-move-to-end" },
	{ "\033[1;5D", "ed-prev-word" }, /* Ctrl and an arrow */
	{ "\033[1;5C", "em-next-word" },
	{ "\033[2~", "ed-unassigned" }, /* Insert, PgUp, PgDn */
	{ "\033[5~", "ed-unassigned" },
	{ "\033[6~", "ed-unassigned" },
	{ "^R", "em-inc-search-prev" },
	{ "^W", "ed-delete-prev-word" },
};

static void bind_keys(struct lineedit *l)
{
	const struct lib *lib = &l->lib;

	lib->el_set(l->el, EL_ADDFN, "cubby-paste", "take what is pasted", on_paste);
	lib->el_set(l->el, EL_ADDFN, "cubby-newline", "add a line", on_newline);
	lib->el_set(l->el, EL_ADDFN, "cubby-complete", "complete a word", on_tab);
	lib->el_set(l->el, EL_ADDFN, "cubby-start", "begin with a text", on_start);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		lib->el_set(l->el, EL_BIND, keys[i].key, keys[i].does, NULL);
}

static void load_history(struct lineedit *l)
{
	HistEvent ev;

	if (!l->history)
		return;
	l->lib.history(l->history, &ev, H_SETSIZE, HISTORY_LINES);
	l->lib.history(l->history, &ev, H_SETUNIQUE, 1);
	if (l->conf.dir >= 0 && l->conf.file) {
		snprintf(l->path, sizeof(l->path), "/proc/self/fd/%d/%s", l->conf.dir,
			 l->conf.file);
		l->lib.history(l->history, &ev, H_LOAD, l->path);
	}
	l->lib.el_set(l->el, EL_HIST, l->lib.history, l->history);
}

/* The library's own functions for characters ask the locale what is one. */
static int open_editor(struct lineedit *l, struct err *e)
{
	int in = sys_dup(l->conf.in, 3), out = sys_dup(l->conf.out, 3);

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		(void)setlocale(LC_CTYPE, "");
	l->in = in < 0 ? NULL : fdopen(in, "r");
	l->out = out < 0 ? NULL : fdopen(out, "w");
	if (!l->in || !l->out)
		return err_sys(e, -EMFILE, "cannot open the terminal");
	l->el = l->lib.el_init_fd("cubby", l->in, l->out, l->out, in, out, out);
	l->history = l->lib.history_init();
	if (!l->el)
		return err_sys(e, -ENOMEM, "cannot edit lines");
	l->lib.el_set(l->el, EL_CLIENTDATA, l);
	l->lib.el_set(l->el, EL_EDITOR, "emacs");
	l->lib.el_set(l->el, EL_PROMPT, prompt_of);
	l->lib.el_set(l->el, EL_GETCFN, next_char);
	l->lib.el_set(l->el, EL_SIGNAL, 0);
	bind_keys(l);
	load_history(l);
	return 0;
}

int lineedit_new(const struct lineedit_conf *conf, struct lineedit **ret, struct err *e)
{
	struct lineedit *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return err_sys(e, -ENOMEM, "cannot edit lines");
	l->conf = *conf;
	r = lib_load(&l->lib, e) ?: open_editor(l, e);
	if (r < 0)
		lineedit_free(&l);
	else
		*ret = l;
	return r;
}

void lineedit_free(struct lineedit **p)
{
	struct lineedit *l = *p;

	if (!l)
		return;
	if (l->history)
		l->lib.history_end(l->history);
	if (l->el)
		l->lib.el_end(l->el);
	if (l->in)
		fclose(l->in);
	if (l->out)
		fclose(l->out);
	free(l);
	*p = NULL;
}

int lineedit_read(struct lineedit *l, const char *prompt, const char *start,
		  struct buf *ret)
{
	const char *line;
	int n = 0;

	(void)text_copy(l->prompt, sizeof(l->prompt), prompt);
	l->interrupted = false;
	switch_paste(l, true);
	l->start = start;
	if (start && *start)
		l->lib.el_push(l->el, START_KEY);
	line = l->lib.el_gets(l->el, &n);
	switch_paste(l, false);
	if (l->interrupted || !line || n <= 0) {
		fputc('\n', l->out);
		fflush(l->out);
		return l->interrupted ? -ECANCELED : -ENODATA;
	}
	if (line[n - 1] == '\n')
		n--;
	return buf_add(ret, line, (size_t)n);
}

void lineedit_keep(struct lineedit *l, const char *line)
{
	HistEvent ev;

	if (!l->history || !line[strspn(line, " \t\n")])
		return;
	l->lib.history(l->history, &ev, H_ENTER, line);
	if (l->path[0])
		l->lib.history(l->history, &ev, H_SAVE, l->path);
}
