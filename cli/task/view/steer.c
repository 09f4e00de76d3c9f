#include "cli/task/view/steer.h"

#include <errno.h>
#include <string.h>

#include "base/sys/sys.h"
#include "cli/show/tty.h"

enum { SEQ_MAX = 32, CTRL_U = 0x15, CTRL_W = 0x17, ESC = 0x1b, DEL = 0x7f };

void steer_init(struct steer *s, int fd)
{
	*s = (struct steer){ .fd = fd,
			     .line = BUF_INIT(STEER_LINE),
			     .said = BUF_INIT(STEER_LINE),
			     .seq = BUF_INIT(SEQ_MAX) };
}

void steer_done(struct steer *s)
{
	steer_end(s);
	buf_done(&s->line);
	buf_done(&s->said);
	buf_done(&s->seq);
}

static int set_mode(struct steer *s, struct err *e)
{
	struct termios now;
	int r;

	if (!tty_here(s->fd))
		return 0;
	r = sys_tcgetattr(s->fd, &s->was);
	if (r < 0)
		return err_sys(e, r, "cannot read the terminal's mode");
	now = s->was;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	now.c_cc[VMIN] = 1;
	now.c_cc[VTIME] = 0;
	r = sys_tcsetattr(s->fd, TCSADRAIN, &now);
	if (r < 0)
		return err_sys(e, r, "cannot set the terminal's mode");
	s->set = true;
	return 0;
}

int steer_begin(struct steer *s, struct err *e)
{
	int r;

	if (s->on || s->fd < 0)
		return 0;
	r = set_mode(s, e);
	s->on = r == 0;
	return r;
}

void steer_again(struct steer *s)
{
	s->set = false;
	if (s->on)
		(void)set_mode(s, ERR_IGNORED);
}

void steer_end(struct steer *s)
{
	if (s->set && tty_here(s->fd))
		(void)sys_tcsetattr(s->fd, TCSADRAIN, &s->was);
	s->on = false;
	s->set = false;
}

/* One character, all its bytes. */
static void drop_last(struct buf *line)
{
	size_t n = line->len;

	while (n && ((unsigned char)line->data[n - 1] & 0xc0) == 0x80)
		n--;
	buf_truncate(line, n ? n - 1 : 0);
}

static void drop_word(struct buf *line)
{
	while (line->len && line->data[line->len - 1] == ' ')
		drop_last(line);
	while (line->len && line->data[line->len - 1] != ' ')
		drop_last(line);
}

static bool end_line(struct steer *s)
{
	const char *text = buf_cstr(&s->line);
	const bool any = text[strspn(text, " \t\n")] != '\0';

	if (any)
		buf_addf(&s->said, "%s%s", s->said.len ? "\n" : "", text);
	buf_truncate(&s->line, 0);
	return any;
}

/* A sequence is whole at its final byte; what is too long for one is none. */
static void in_sequence(struct steer *s, char c)
{
	const size_t before = s->seq.len;

	if (buf_addc(&s->seq, c) < 0)
		buf_truncate(&s->seq, 0);
	if (before == 1 && (c == '[' || c == 'O'))
		return;
	if (before > 1 && s->seq.data[1] == '[' && (c < '@' || c > '~'))
		return;
	if (strcmp(buf_cstr(&s->seq), "\033[200~") == 0)
		s->pasting = true;
	else if (strcmp(buf_cstr(&s->seq), "\033[201~") == 0)
		s->pasting = false;
	buf_truncate(&s->seq, 0);
}

static bool feed_key(struct steer *s, char c)
{
	if (s->seq.len) {
		in_sequence(s, c);
	} else if (c == ESC) {
		buf_addc(&s->seq, c);
	} else if (c == '\n' || c == '\r') {
		if (!s->pasting)
			return end_line(s);
		buf_addc(&s->line, '\n');
	} else if (c == DEL || c == '\b') {
		drop_last(&s->line);
	} else if (c == CTRL_U) {
		buf_truncate(&s->line, 0);
	} else if (c == CTRL_W) {
		drop_word(&s->line);
	} else if ((unsigned char)c >= ' ' || c == '\t') {
		buf_addc(&s->line, c);
	}
	return false;
}

bool steer_feed(struct steer *s, const char *keys, size_t len)
{
	bool ended = false;

	for (size_t i = 0; i < len; i++)
		ended |= feed_key(s, keys[i]);
	return ended;
}

int steer_read(struct steer *s)
{
	char keys[4096];
	ssize_t n = sys_read(s->fd, keys, sizeof(keys));

	if (n == -EAGAIN || n == -EINTR)
		return 0;
	return n <= 0 ? -ENODATA : steer_feed(s, keys, (size_t)n);
}
