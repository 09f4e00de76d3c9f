#include "cli/box/detach.h"

#include "runtime/box/box.h"

static int add_all(struct words *ret, const char *const *v)
{
	int r = 0;

	for (; *v && r == 0; v++)
		r = words_add(ret, *v);
	return r;
}

static const char logs_script[] =
	"cd " BOX_LOG_DIR " 2>/dev/null || set -- none\n"
	"f=${2:-$(ls -t -- *.log 2>/dev/null | sed -n 1p)}\n"
	"if [ \"$1\" = none ] || [ ! -f \"${f%.log}.log\" ]; then\n"
	"	exit 44\n" /* DETACH_STATUS */
	"fi\n"
	"[ \"$1\" = follow ] && exec tail -n +1 -f \"${f%.log}.log\"\n"
	"exec cat \"${f%.log}.log\"";

int detach_logs(const char *pid, bool follow, struct words *ret)
{
	static const char *const head[] = { "sh", "-c", logs_script, "sh", NULL };
	int r = add_all(ret, head);

	if (r == 0)
		r = words_add(ret, follow ? "follow" : "show");
	if (r == 0 && pid)
		r = words_add(ret, pid);
	return r;
}

/* A process is gone when its number is; the file of its end is init's (payload.h). */
static const char wait_script[] =
	"cd " BOX_LOG_DIR " 2>/dev/null || exit 44\n" /* DETACH_STATUS */
	"last=0\n"
	"for p; do\n"
	"	[ -f \"$p.log\" ] || exit 44\n"
	"	while [ ! -f \"$p.exit\" ] && kill -0 \"$p\" 2>/dev/null; do\n"
	"		sleep 0.05\n"
	"	done\n"
	"	for i in 1 2 3 4 5 6 7 8; do [ -f \"$p.exit\" ] || sleep 0.05; done\n"
	"	last=$(cat \"$p.exit\" 2>/dev/null) || last=137\n"
	"	echo \"$last\"\n"
	"done\n"
	"exit \"$last\"";

int detach_wait(const char *const *pids, struct words *ret)
{
	static const char *const head[] = { "sh", "-c", wait_script, "sh", NULL };
	int r = add_all(ret, head);

	return r < 0 ? r : add_all(ret, pids);
}
