#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/tty.h"

static int open_pty(int *master)
{
	*master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(*master >= 0);
	assert_int_equal(grantpt(*master), 0);
	assert_int_equal(unlockpt(*master), 0);
	return open(ptsname(*master), O_RDWR | O_NOCTTY | O_CLOEXEC);
}

static void raw_and_back(void)
{
	struct tty t = TTY_NONE;
	struct termios before, raw, after;
	struct err e = ERR_NONE;
	int master, fd = open_pty(&master);

	assert_int_equal(tcgetattr(fd, &before), 0);
	unit_ok(tty_raw(&t, fd, &e), &e);
	assert_int_equal(tcgetattr(fd, &raw), 0);
	assert_int_equal(raw.c_lflag & (ICANON | ECHO | ISIG), 0);
	unit_ok(tty_raw(&t, fd, &e), &e); /* again: what was saved stays */
	tty_restore(&t);
	assert_int_equal(tcgetattr(fd, &after), 0);
	assert_memory_equal(&after.c_lflag, &before.c_lflag, sizeof(before.c_lflag));
	assert_memory_equal(&after.c_iflag, &before.c_iflag, sizeof(before.c_iflag));
	tty_restore(&t); /* and once more does nothing */
	close(fd);
	close(master);
}

static void sizes(void)
{
	unsigned short rows = 1, cols = 1;
	int master, fd = open_pty(&master);

	assert_int_equal(tty_size(fd, &rows, &cols), -ENOTTY); /* 0 × 0: not known */
	assert_int_equal(tty_set_size(master, 30, 90), 0);
	assert_int_equal(tty_size(fd, &rows, &cols), 0);
	assert_int_equal(rows, 30);
	assert_int_equal(cols, 90);
	close(fd);
	close(master);
}

static void not_a_terminal(void)
{
	struct tty t = TTY_NONE;
	struct err e = ERR_NONE;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	assert_false(tty_is(fd));
	assert_int_equal(tty_raw(&t, fd, &e), -ENOTTY);
	unit_err(&e, -ENOTTY,
		 "cannot read the terminal's mode: Inappropriate ioctl for device");
	tty_restore(&t);
	close(fd);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "raw and back", raw_and_back },
		{ "sizes", sizes },
		{ "not a terminal", not_a_terminal },
	};

	return unit_cases("tty", cases);
}
