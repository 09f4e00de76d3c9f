#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/show/tty.h"

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
	int master, fd = open_pty(&master);

	assert_int_equal(tcgetattr(fd, &before), 0);
	assert_int_equal(tty_raw(&t, fd), 0);
	assert_int_equal(tcgetattr(fd, &raw), 0);
	assert_int_equal(raw.c_lflag & (ICANON | ECHO | ISIG), 0);
	assert_int_equal(tty_raw(&t, fd), 0); /* again: what was saved stays */
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
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	assert_false(tty_is(fd));
	assert_int_equal(tty_raw(&t, fd), -ENOTTY);
	tty_restore(&t);
	close(fd);
}

/* What the terminal says up to its answer is thrown away, and nothing behind it. */
static void settled(void)
{
	static const char said[] = "\033[1;1R\033\033[0\033[?62c\033[0ntyped";
	int in[2], out[2];
	char got[16] = "";

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	assert_int_equal(write(in[1], said, sizeof(said) - 1), sizeof(said) - 1);
	tty_settle(in[0], out[1]);
	assert_int_equal(read(out[0], got, sizeof(got)), 4);
	assert_memory_equal(got, "\033[5n", 4);
	assert_int_equal(read(in[0], got, sizeof(got)), 5);
	assert_memory_equal(got, "typed", 5);
	close(in[1]); /* a terminal that is gone is not waited for */
	tty_settle(in[0], out[1]);
	close(in[0]);
	close(out[0]);
	close(out[1]);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "raw and back", raw_and_back },
		{ "sizes", sizes },
		{ "settled", settled },
		{ "not a terminal", not_a_terminal },
	};

	return unit_cases("tty", cases);
}
