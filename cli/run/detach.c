#include "cli/run/detach.h"

#include "runtime/box/box.h"

static int add_all(struct words *ret, const char *const *v)
{
	int r = 0;

	for (; *v && r == 0; v++)
		r = words_add(ret, *v);
	return r;
}

/* What is followed is over when its process is: that is asked before the rest is read, so
 * that nothing of it is lost. A service may be started again: it is followed until ^C. */
static const char logs_script[] =
	"cd " BOX_LOG_DIR " 2>/dev/null || set -- none\n"
	"f=${2:-$(ls -t -- *.log 2>/dev/null | sed -n 1p)} p=${f%.log}\n"
	"if [ \"$1\" = none ] || [ ! -f \"$p.log\" ]; then\n"
	"	exit 44\n" /* DETACH_STATUS */
	"fi\n"
	"[ \"$1\" = follow ] || exec tail -n \"${3:-+1}\" \"$p.log\"\n"
	"case $p in *[!0-9]*) exec tail -n \"${3:-+1}\" -f \"$p.log\" ;; esac\n"
	"at=$(wc -c <\"$p.log\")\n"
	"at=$((at - $(tail -n \"${3:-+1}\" \"$p.log\" | wc -c) + 1))\n"
	"[ $at -gt 0 ] || at=1\n" /* it grew */
	"while :; do\n"
	"	over=\n"
	"	[ ! -f \"$p.exit\" ] && kill -0 \"$p\" 2>/dev/null || over=1\n"
	"	size=$(wc -c <\"$p.log\")\n"
	"	if [ \"$size\" -ge \"$at\" ]; then\n"
	"		tail -c \"+$at\" \"$p.log\" | head -c \"$((size - at + 1))\"\n"
	"		at=$((size + 1))\n"
	"	fi\n"
	"	[ -z \"$over\" ] || exit 0\n"
	"	sleep 0.1\n"
	"done";

int detach_logs(const char *pid, const char *tail, bool follow, struct words *ret)
{
	static const char *const head[] = { "sh", "-c", logs_script, "sh", NULL };
	int r = add_all(ret, head);

	if (r < 0)
		return r;
	r = words_add(ret, follow ? "follow" : "show");
	if (r < 0)
		return r;
	r = words_add(ret, pid ? pid : "");
	return r == 0 && tail ? words_add(ret, tail) : r;
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
