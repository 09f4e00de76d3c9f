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
	"f=${2:-$(ls -t 2>/dev/null | sed -n 1p)}\n"
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
