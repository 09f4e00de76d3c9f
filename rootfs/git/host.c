#include "rootfs/git/host.h"

#include <limits.h>
#include <string.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { GIT_HOST_MS = 300000, GIT_HOST_WORDS = 4096 };

bool git_host_there(void)
{
	char path[PATH_MAX];

	return proc_find("git", path) == 0;
}

static void last_words(int fd, char *out, size_t size)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_HOST_WORDS);
	struct err ignored = ERR_NONE;
	const char *line;

	sys_lseek(fd, 0, SEEK_SET);
	(void)file_read_fd(fd, &text, &ignored);
	while (text.len && text.data[text.len - 1] == '\n')
		buf_truncate(&text, text.len - 1);
	line = strrchr(buf_cstr(&text), '\n');
	line = line ? line + 1 : buf_cstr(&text);
	text_escaped(out, size, line, strlen(line));
}

int git_host_run(const struct git_host_run *run, struct err *e)
{
	_cleanup_close_ int words = sys_memfd("git", 0);
	_cleanup_proc_ struct proc p = PROC_NONE;
	char dir[PATH_MAX + 16], objects[PATH_MAX + 32], shown[256];
	const char *env[] = {
		"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin",
		"HOME=/nonexistent",
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_COMMITTER_NAME=cubby",
		"GIT_COMMITTER_EMAIL=cubby@localhost",
		dir,
		run->objects ? objects : NULL,
		NULL
	};
	struct proc_conf conf = { .argv = run->argv,
				  .env = env,
				  .fds = { run->in, run->out, words },
				  .pass_fd = -1 };
	int status = 0, r = words < 0 ? words : sys_fchdir(run->cwd);

	if (r < 0)
		return err_sys(e, r, "cannot run git");
	snprintf(dir, sizeof(dir), "GIT_DIR=%s", run->git_dir);
	snprintf(objects, sizeof(objects), "GIT_OBJECT_DIRECTORY=%s",
		 run->objects ? run->objects : "");
	r = proc_start(&conf, &p, e);
	if (r == 0)
		r = proc_wait(&p, GIT_HOST_MS, &status, e);
	if (r < 0)
		return err_wrap(e, "git %s", run->argv[1]);
	if (status == 0)
		return 0;
	last_words(words, shown, sizeof(shown));
	return err_set(e, -EIO, "git %s: %s", run->argv[1],
		       *shown ? shown : "ended without a word");
}
