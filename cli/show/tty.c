#include "cli/show/tty.h"

#include <string.h>

#include "base/sys/sys.h"

enum { SETTLE_MS = 1000, SETTLE_MOST_MS = 5000 };

bool tty_is(int fd)
{
	return sys_isatty(fd) == 0;
}

bool tty_here(int fd)
{
	const pid_t group = sys_tcgetpgrp(fd);

	return group < 0 || group == sys_getpgid(0);
}

int tty_raw(struct tty *t, int fd)
{
	struct termios now;
	int r;

	r = sys_tcgetattr(fd, &now);
	if (r < 0)
		return r;
	if (!t->raw)
		t->saved = now;
	cfmakeraw(&now);
	r = sys_tcsetattr(fd, TCSADRAIN, &now);
	if (r < 0)
		return r;
	t->fd = fd;
	t->raw = true;
	return 0;
}

void tty_restore(struct tty *t)
{
	if (!t->raw)
		return;
	(void)sys_tcsetattr(t->fd, TCSADRAIN, &t->saved);
	t->raw = false;
}

int tty_size(int fd, unsigned short *rows, unsigned short *cols)
{
	struct winsize ws = { 0 };
	int r = sys_get_winsize(fd, &ws);

	if (r < 0)
		return r;
	if (!ws.ws_row || !ws.ws_col)
		return -ENOTTY;
	*rows = ws.ws_row;
	*cols = ws.ws_col;
	return 0;
}

int tty_set_size(int fd, unsigned short rows, unsigned short cols)
{
	struct winsize ws = { .ws_row = rows, .ws_col = cols };

	return sys_set_winsize(fd, &ws);
}

/* Byte by byte: what is typed behind the answer is for whoever reads next. */
void tty_settle(int in, int out)
{
	static const char question[] = "\033[5n", answer[] = "\033[0n";
	const uint64_t end = sys_now_ms() + SETTLE_MOST_MS;
	size_t seen = 0;
	char c;

	if (sys_write(out, question, strlen(question)) < 0)
		return;
	while (answer[seen] && sys_now_ms() < end) {
		struct pollfd p = { .fd = in, .events = POLLIN };

		if (sys_poll(&p, 1, SETTLE_MS) <= 0 || sys_read(in, &c, 1) <= 0)
			return;
		seen = c == answer[seen] ? seen + 1 : c == answer[0];
	}
}
