#include "rootfs/review/step.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/unit/rootfs/review/layer_dirs.h"

enum { ROUNDS = 20000 };

/* Somebody in the box who lets two directories change places for as long as it lives. */
static pid_t swap(int upper)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	while (renameat2(upper, "d", upper, "e", RENAME_EXCHANGE) == 0)
		;
	_exit(0);
}

static void end(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* What was judged is what comes out, whatever directory has its name at that moment. */
static void judged(void)
{
	struct journal_step what = { .path = "d/f" };
	struct layer_dirs d;
	struct step s = { .what = &what, .umask = 022, .mine = 1, .log = -1 };
	struct stat st;
	size_t files = 0;
	pid_t pid;

	layer_dirs_make(&d);
	s.project = d.project;
	s.upper = d.upper;
	s.dir = d.box;
	assert_int_equal(mkdirat(d.project, "d", 0755), 0);
	assert_int_equal(mkdirat(d.upper, "d", 0755), 0);
	assert_int_equal(mkdirat(d.upper, "e", 0755), 0);
	layer_dirs_put(d.upper, "d/f", "judged");
	assert_int_equal(symlinkat("/etc/passwd", d.upper, "e/f"), 0);
	what.now = diff_look(d.upper, "d/f");
	s.log = openat(d.box, "log", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	pid = swap(d.upper);
	for (size_t i = 0; i < ROUNDS; i++) {
		(void)step_forward(&s);
		if (fstatat(d.project, "d/f", &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		files++;
		if (!S_ISREG(st.st_mode))
			end(pid);
		assert_true(S_ISREG(st.st_mode));
		assert_int_equal(unlinkat(d.project, "d/f", 0), 0);
	}
	end(pid);
	assert_true(files > 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what was judged comes out, and nothing in its place", judged },
	};

	return unit_cases("step", cases);
}
