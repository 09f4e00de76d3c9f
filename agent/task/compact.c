#include "agent/task/compact.h"

#include <errno.h>
#include <string.h>

#include "agent/wire/message.h"

/* The nearest start of a character at or before @at. */
static size_t char_start(const char *s, size_t at)
{
	while (at && ((unsigned char)s[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static int cut_middle(const char *text, size_t keep, const char *log, struct buf *out)
{
	size_t len = strlen(text);
	size_t head = char_start(text, keep * 2 / 3);
	size_t tail = char_start(text, len - keep / 3);

	buf_add(out, text, head);
	buf_addf(out, "\n[… %zu bytes left out to save context%s%s …]\n", tail - head,
		 log ? "; all of it is in " : "", log ? log : "");
	buf_adds(out, text + tail);
	return buf_failed(out);
}

static bool is_long(const struct history_entry *x, unsigned round, size_t keep)
{
	return x->kind == HISTORY_RESULT && x->round <= round &&
	       strlen(x->text) > keep + 200;
}

size_t compact_gain(const struct history *h, unsigned round, size_t keep)
{
	size_t gain = 0;

	for (size_t i = 0; i < h->n; i++)
		if (is_long(&h->entries[i], round, keep))
			gain += strlen(h->entries[i].text) - keep;
	return gain;
}

int compact_shorten(struct history *h, unsigned round, size_t keep, unsigned *cut,
		    struct err *e)
{
	*cut = 0;
	for (size_t i = 0; i < h->n; i++) {
		_cleanup_buf_ struct buf out = BUF_INIT(64 << 20);
		struct history_entry *x = &h->entries[i];
		int r;

		if (x->kind == HISTORY_PICTURE && x->picture && x->round <= round) {
			history_drop_picture(h, i);
			++*cut;
		}
		if (!is_long(x, round, keep))
			continue;
		r = cut_middle(x->text, keep, x->log_path, &out);
		if (r < 0)
			return err_sys(e, r, "cannot shorten the history");
		r = history_set_text(h, i, buf_cstr(&out), e);
		if (r < 0)
			return r;
		++*cut;
	}
	return 0;
}

size_t compact_point(const struct history *h, size_t bytes, unsigned turns)
{
	size_t point = 0, size = 0;
	unsigned kept = 0;

	for (size_t i = h->n; i > 0; i--) {
		size += history_entry_size(&h->entries[i - 1]);
		if (h->entries[i - 1].kind != HISTORY_ASSISTANT)
			continue;
		if (kept >= turns && size > bytes)
			break;
		kept++;
		point = i - 1;
	}
	for (size_t i = 0; i < point; i++)
		if (h->entries[i].kind != HISTORY_TASK)
			return point;
	return 0; /* nothing but the person's words is older */
}

/* ---- the older part as text ---- */

static int add_turn(const struct json *message, struct buf *out)
{
	_cleanup_turn_ struct turn t;
	uint64_t seed = 1;
	int r;

	turn_init(&t);
	r = message_turn(message, &seed, &t, ERR_IGNORED);
	if (r < 0)
		return r == -ENOMEM ? r : 0; /* a message of nobody's */
	if (t.text.len)
		buf_addf(out, "YOU: %s\n", t.text.data);
	for (size_t i = 0; i < t.n_calls; i++)
		buf_addf(out, "CALL %s %s\n", t.calls[i].name,
			 buf_cstr(&t.calls[i].raw));
	return buf_failed(out);
}

static int add_entry(const struct history_entry *x, struct buf *out)
{
	switch (x->kind) {
	case HISTORY_TASK:
		return buf_addf(out, "PERSON: %s\n", x->text);
	case HISTORY_NOTICE:
		return buf_addf(out, "NOTICE: %s\n", x->text);
	case HISTORY_SUMMARY:
		return buf_addf(out, "EARLIER: %s\n", x->text);
	case HISTORY_PICTURE:
		return buf_addf(out, "PICTURE: %s\n", x->text);
	case HISTORY_RESULT:
		return buf_addf(out, "RESULT: %s\n", x->text);
	case HISTORY_ASSISTANT:
		return add_turn(x->message, out);
	}
	return 0;
}

int compact_source(const struct history *h, size_t point, size_t max, struct buf *out)
{
	_cleanup_buf_ struct buf all = BUF_INIT(512 << 20);
	int r = 0;

	for (size_t i = 0; i < point && r == 0; i++)
		r = add_entry(&h->entries[i], &all);
	if (r < 0)
		return r;
	if (all.len <= max)
		return buf_add(out, all.data, all.len);
	return cut_middle(all.data, max, NULL, out);
}

int compact_replace(struct history *h, size_t point, const char *summary, struct err *e)
{
	size_t kept = 0;
	int r = history_add_text(h, HISTORY_SUMMARY, h->entries[point].round, summary,
				 e);

	if (r < 0)
		return r;
	for (size_t left = point; left; left--) {
		if (h->entries[kept].kind == HISTORY_TASK)
			kept++;
		else
			history_remove(h, kept, 1);
	}
	history_move_last(h, kept);
	return 0;
}
