#include "agent/terminal/screen.h"

#include <errno.h>
#include <string.h>
#include <vterm.h>

#include "agent/terminal/escape.h"
#include "base/dl.h"
#include "base/text.h"

enum { TITLE_MAX = 256, ANSWER_MAX = 256 };

/* Loaded by the first screen: most commands need none (docs/adr/0002). */
#define LIB_FUNCTIONS(X)                 \
	X(vterm_new)                     \
	X(vterm_free)                    \
	X(vterm_set_utf8)                \
	X(vterm_input_write)             \
	X(vterm_output_set_callback)     \
	X(vterm_obtain_screen)           \
	X(vterm_obtain_state)            \
	X(vterm_keyboard_key)            \
	X(vterm_screen_set_callbacks)    \
	X(vterm_screen_enable_altscreen) \
	X(vterm_screen_reset)            \
	X(vterm_screen_get_cell)         \
	X(vterm_state_get_cursorpos)

struct lib {
	LIB_FUNCTIONS(DL_MEMBER)
};

static int lib_load(struct lib *ret, struct err *e)
{
	static const struct dl_symbol symbols[] = { LIB_FUNCTIONS(DL_ROW) };
	static const struct dl_library library = { "libvterm.so.0", "libvterm0",
						   symbols, ARRAY_SIZE(symbols) };

	return dl_load(&library, ret, e);
}

struct screen {
	struct lib lib;
	VTerm *vt;	 /* owned */
	VTermScreen *vs; /* borrowed from vt */
	int rows, cols;
	bool alternate, cursor_hidden;
	char title[TITLE_MAX];
	char backlog[SCREEN_BACKLOG];
	size_t n;
	bool plain;   /* the backlog has no sequence in it */
	bool touched; /* sequences came since it was calm */
	screen_answer_fn *answer;
	void *ctx;
	struct escape escape;	/* between what comes and vt */
	char probe[ANSWER_MAX]; /* what the terminal said while probing */
	size_t n_probe;
	bool probing;
};

/* ---- callbacks -------------------------------------------------------------------- */

static void on_output(const char *data, size_t len, void *user)
{
	struct screen *s = user;

	if (s->probing) {
		size_t n = MIN(len, sizeof(s->probe) - s->n_probe);

		memcpy(s->probe + s->n_probe, data, n);
		s->n_probe += n;
	} else if (s->answer) {
		s->answer(s->ctx, data, len);
	}
}

#if defined(VTERM_VERSION_MINOR) && \
	(VTERM_VERSION_MAJOR > 0 || VTERM_VERSION_MINOR >= 2)
static void set_title(struct screen *s, const VTermValue *val)
{
	size_t at = val->string.initial ? 0 : strlen(s->title);
	size_t n = MIN((size_t)val->string.len, sizeof(s->title) - 1 - at);

	memcpy(s->title + at, val->string.str, n);
	s->title[at + n] = '\0';
}
#else
static void set_title(struct screen *s, const VTermValue *val)
{
	text_copy(s->title, sizeof(s->title), val->string);
}
#endif

static int on_prop(VTermProp prop, VTermValue *val, void *user)
{
	struct screen *s = user;

	if (prop == VTERM_PROP_ALTSCREEN)
		s->alternate = val->boolean;
	else if (prop == VTERM_PROP_CURSORVISIBLE)
		s->cursor_hidden = !val->boolean;
	else if (prop == VTERM_PROP_TITLE)
		set_title(s, val);
	return 1;
}

static const VTermScreenCallbacks callbacks = { .settermprop = on_prop };

static void on_escape(void *ctx, const char *data, size_t len)
{
	struct screen *s = ctx;

	s->lib.vterm_input_write(s->vt, data, len);
}

/* ---- life ------------------------------------------------------------------------- */

int screen_new(int rows, int cols, struct screen **ret, struct err *e)
{
	struct screen *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_sys(e, -ENOMEM, "cannot make the screen");
	r = lib_load(&s->lib, e);
	if (r < 0) {
		free(s);
		return r;
	}
	rows = MAX(1, MIN(rows, SCREEN_ROWS_MAX));
	cols = MAX(2, MIN(cols, SCREEN_COLS_MAX));
	s->vt = s->lib.vterm_new(rows, cols);
	if (!s->vt) {
		free(s);
		return err_sys(e, -ENOMEM, "cannot make the screen");
	}
	s->rows = rows;
	s->cols = cols;
	s->plain = true;
	escape_init(&s->escape, on_escape, s);
	s->escape.repeats_max = s->cols;
	s->lib.vterm_set_utf8(s->vt, 1);
	s->lib.vterm_output_set_callback(s->vt, on_output, s);
	s->vs = s->lib.vterm_obtain_screen(s->vt);
	s->lib.vterm_screen_set_callbacks(s->vs, &callbacks, s);
	s->lib.vterm_screen_enable_altscreen(s->vs, 1);
	s->lib.vterm_screen_reset(s->vs, 1);
	*ret = s;
	return 0;
}

void screen_free(struct screen **s)
{
	if (!*s)
		return;
	(*s)->lib.vterm_free((*s)->vt);
	free(*s);
	*s = NULL;
}

void screen_on_answer(struct screen *s, screen_answer_fn *fn, void *ctx)
{
	s->answer = fn;
	s->ctx = ctx;
}

/* ---- bytes ------------------------------------------------------------------------ */

void screen_settle(struct screen *s)
{
	escape_feed(&s->escape, s->backlog, s->n);
	s->n = 0;
	s->plain = true;
}

bool screen_pending(const struct screen *s)
{
	return s->n && !s->plain;
}

/* Text without sequences and shifts: only its last screenful leaves a trace. */
static bool is_plain(const char *data, size_t len)
{
	return !memchr(data, '\033', len) && !memchr(data, '\016', len) &&
	       !memchr(data, '\017', len);
}

/* Where the last screenful of plain text begins; NULL = it is less than that. */
static const char *last_screenful(const struct screen *s, const char *data, size_t len)
{
	const char *end = data + len;

	for (int i = 0; i <= s->rows; i++) {
		end = memrchr(data, '\n', (size_t)(end - data));
		if (!end)
			return NULL;
	}
	return end + 1;
}

/* Sequences wait only for who answers their queries, not for being skipped; and to work
 * off many at once takes long: a screen that is erased over and over costs most. */
void screen_feed(struct screen *s, const char *data, size_t len)
{
	bool plain = is_plain(data, len);
	size_t room = plain && s->plain ? SCREEN_BACKLOG : SCREEN_WAITING;
	const char *last = NULL;

	s->touched |= !plain;
	if (s->n + len > room) {
		if (plain && s->plain && !escape_open(&s->escape))
			last = last_screenful(s, data, len);
		if (last) {
			len -= (size_t)(last - data);
			data = last;
			s->n = 0;
		} else {
			screen_settle(s);
		}
	}
	if (len > room) {
		escape_feed(&s->escape, data, len);
		return;
	}
	memcpy(s->backlog + s->n, data, len);
	s->n += len;
	s->plain = s->plain && plain;
}

void screen_calm(struct screen *s)
{
	/* the whole screen scrolls, from its corner, which moves the cursor; cursor
	 * shown, lines wrap, normal cursor keys and keypad, no mouse, no bracketed
	 * paste, nothing inserted, letters are letters, attributes off. A string that
	 * has no end is cut off by the first of them. */
	static const char calm[] =
		"\0337\033[r\033[?69l\033[?6l\0338\033[?25h\033[?7h\033[?5l"
		"\033[?1l\033>\033[?1000l\033[?1002l\033[?1003l\033[?2004l"
		"\033[4l\033[20l\033(B\033)B\017\033[m";
	/* puts the cursor back, too: at home, where there is nothing to leave */
	static const char leave[] = "\033[?1049l";

	if (!s->touched)
		return;
	screen_settle(s);
	if (s->alternate)
		escape_feed(&s->escape, leave, sizeof(leave) - 1);
	escape_feed(&s->escape, calm, sizeof(calm) - 1);
	s->touched = false;
}

bool screen_application_keys(struct screen *s)
{
	/* libvterm does not tell the mode, but it knows what the key sends */
	screen_settle(s);
	s->probing = true;
	s->n_probe = 0;
	s->lib.vterm_keyboard_key(s->vt, VTERM_KEY_UP, VTERM_MOD_NONE);
	s->probing = false;
	return s->n_probe == 3 && memcmp(s->probe, "\033OA", 3) == 0;
}

/* ---- text ------------------------------------------------------------------------- */

static int add_cell(const VTermScreenCell *cell, struct buf *out)
{
	char bytes[VTERM_MAX_CHARS_PER_CELL * 4];
	size_t n = 0;

	if (cell->chars[0] == UINT32_MAX) /* the second half of a wide character */
		return 0;
	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i]; i++)
		if (cell->chars[i] >= ' ' && cell->chars[i] < 0x110000)
			n += text_encode(cell->chars[i], bytes + n);
	return n ? buf_add(out, bytes, n) : buf_addc(out, ' ');
}

static int add_row(const struct screen *s, int row, struct buf *out)
{
	const size_t start = out->len;
	bool full;

	for (int col = 0; col < s->cols; col++) {
		VTermScreenCell cell;
		int r;

		if (!s->lib.vterm_screen_get_cell(s->vs, (VTermPos){ row, col }, &cell))
			continue;
		r = add_cell(&cell, out);
		if (r < 0)
			return r;
	}
	/* libvterm does not tell which rows were wrapped */
	full = out->len > start && out->data[out->len - 1] != ' ';
	while (out->len > start && out->data[out->len - 1] == ' ')
		buf_truncate(out, out->len - 1);
	return buf_addc(out, full && row + 1 < s->rows ? SCREEN_WRAP : '\n');
}

static int add_head(const struct screen *s, struct buf *out)
{
	VTermPos pos;
	char title[TITLE_MAX * 2];

	s->lib.vterm_state_get_cursorpos(s->lib.vterm_obtain_state(s->vt), &pos);
	buf_addf(out,
		 "[screen of %d rows and %d columns, cursor %sin row %d column %d%s",
		 s->rows, s->cols, s->cursor_hidden ? "hidden " : "", pos.row + 1,
		 pos.col + 1, s->alternate ? ", full-screen program" : "");
	if (s->title[0])
		buf_addf(
			out, ", title \"%s\"",
			text_escaped(title, sizeof(title), s->title, strlen(s->title)));
	buf_adds(out, "]\n");
	return buf_failed(out);
}

int screen_text(struct screen *s, struct buf *out)
{
	int r;

	screen_settle(s);
	r = add_head(s, out);
	for (int row = 0; row < s->rows && r == 0; row++)
		r = add_row(s, row, out);
	while (out->len > 1 && out->data[out->len - 1] == '\n' &&
	       (out->data[out->len - 2] == '\n' ||
		out->data[out->len - 2] == SCREEN_WRAP))
		buf_truncate(out, out->len - 1);
	return r;
}

/* How many rows behind the one of @len bytes at @at are like it. */
static size_t rows_alike(const struct buf *text, size_t at, size_t len)
{
	size_t n = 0;

	while (text->len - at - len * (n + 1) >= len &&
	       memcmp(text->data + at, text->data + at + len * (n + 1), len) == 0)
		n++;
	return n;
}

void screen_fold(struct buf *text)
{
	size_t to = 0, at = 0;

	while (at < text->len) {
		const char *end = memchr(text->data + at, '\n', text->len - at);
		size_t len =
			end ? (size_t)(end + 1 - (text->data + at)) : text->len - at;
		size_t alike = rows_alike(text, at, len);
		char said[64];
		int n = snprintf(
			said, sizeof(said),
			"[\xe2\x80\xa6 %zu rows like the one above \xe2\x80\xa6]\n",
			alike);

		memmove(text->data + to, text->data + at, len);
		to += len;
		at += len;
		if (alike >= SCREEN_ALIKE && alike * len > (size_t)n) {
			memcpy(text->data + to, said, (size_t)n);
			to += (size_t)n;
			at += alike * len;
		}
	}
	buf_truncate(text, to);
}
