#include "cli/task/detached.h"

#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/sys/sys.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/task/record/tasklog.h"

static void close_to(int fd)
{
	_cleanup_close_ int null = sys_open("/dev/null", O_RDWR);

	(void)sys_dup2(null, fd);
}

static void began(void *ctx, const char *log)
{
	int *said = ctx;

	close_to(STDOUT_FILENO);
	close_to(STDERR_FILENO);
	(void)sys_write(*said, log, strlen(log));
	scope_close(said);
}

static _noreturn_ void child(struct app *app, const struct taskrun *t, int said)
{
	struct taskrun own = *t;
	struct app quiet = *app;
	int status;

	(void)sys_setsid();
	close_to(STDIN_FILENO);
	quiet.live = quiet.color_out = quiet.color_err = false;
	own.began = began;
	own.ctx = &said;
	status = taskrun_do(&quiet, &own);
	fflush(NULL);
	sys_exit(status);
}

static int show(const struct app *app, const char *log)
{
	_cleanup_json_ struct json *j = json_object();

	if (app->json) {
		json_set_str(j, "task", log);
		(void)render_json(app, j);
	} else {
		fprintf(app->out, "%s\n", log);
		render_note(app, "'cubby log --follow %s' shows what it does", log);
	}
	return CMD_DONE;
}

static int begin(struct app *app, const struct taskrun *t, int *said, struct err *e)
{
	int ends[2], r = sys_pipe2(ends, O_CLOEXEC);
	pid_t pid;

	if (r < 0)
		return err_sys(e, r, "cannot begin the task");
	fflush(NULL);
	pid = sys_fork();
	if (pid == 0) {
		scope_close(&ends[0]);
		child(app, t, ends[1]);
	}
	scope_close(&ends[1]);
	if (pid < 0) {
		scope_close(&ends[0]);
		return err_sys(e, (int)pid, "cannot begin the task");
	}
	*said = ends[0];
	return pid;
}

int detached_run(struct app *app, const struct taskrun *t)
{
	_cleanup_close_ int said = -1;
	char log[TASKLOG_NAME] = "";
	siginfo_t si = { 0 };
	struct err e = ERR_NONE;
	int pid = begin(app, t, &said, &e);

	if (pid < 0)
		return cmd_fail(app, &e, CMD_NO_BOX);
	if (sys_read(said, log, sizeof(log) - 1) > 0)
		return show(app, log);
	(void)sys_waitid(P_PID, (id_t)pid, &si, WEXITED); /* it has said why */
	return si.si_code == CLD_EXITED ? si.si_status : CMD_NO_BOX;
}
