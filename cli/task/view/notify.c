#include "cli/task/view/notify.h"

#include "base/text.h"

enum notice {
	NOTICE_WORDS, /* OSC 9, of iTerm2: kitty, WezTerm, Ghostty, Windows Terminal … */
	NOTICE_TITLE, /* OSC 777, of rxvt-unicode: it has a title */
	NOTICE_NONE   /* the bell alone */
};

/* By the beginning of TERM. Any other takes OSC 9, or passes over what it does not know.
 * tmux and screen hand neither on, the consoles print what they do not know. */
static const struct {
	const char *term;
	enum notice notice;
} terminals[] = {
	{ "linux", NOTICE_NONE }, { "dumb", NOTICE_NONE },  { "screen", NOTICE_NONE },
	{ "tmux", NOTICE_NONE },  { "rxvt", NOTICE_TITLE }, { "foot", NOTICE_TITLE },
	{ "vt", NOTICE_NONE },	  { "ansi", NOTICE_NONE },  { "cons", NOTICE_NONE },
};

static enum notice notice_of(const char *term, bool vte)
{
	if (!term || !*term)
		return NOTICE_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(terminals); i++)
		if (text_starts(term, terminals[i].term))
			return terminals[i].notice;
	return vte ? NOTICE_TITLE : NOTICE_WORDS;
}

int notify_text(const char *term, bool vte, const char *words, struct buf *out)
{
	const enum notice notice = notice_of(term, vte);

	buf_addc(out, '\a');
	if (notice == NOTICE_WORDS)
		buf_addf(out, "\033]9;cubby: %s\033\\", words);
	else if (notice == NOTICE_TITLE)
		buf_addf(out, "\033]777;notify;cubby;%s\033\\", words);
	return buf_failed(out);
}
