#include "cli/tty.h"

#include "base/sys.h"

bool tty_is(int fd)
{
	return sys_isatty(fd) == 0;
}

int tty_raw(struct tty *t, int fd, struct err *e)
{
	struct termios now;
	int r;

	r = sys_tcgetattr(fd, &now);
	if (r < 0)
		return err_sys(e, r, "cannot read the terminal's mode");
	if (!t->raw)
		t->saved = now;
	cfmakeraw(&now);
	r = sys_tcsetattr(fd, TCSADRAIN, &now);
	if (r < 0)
		return err_sys(e, r, "cannot set the terminal's mode");
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
