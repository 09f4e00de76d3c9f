#include "tests/unit/unit.h"

#include <sys/stat.h>

#include "base/sys/sys.h"
#include "cli/task/talk.h"

/* Sorted, for a directory is in no order. */
static const struct row {
	const char *name, *line, *want[4];
} rows[] = {
	{ "a word of ours", "/co", { "/cost", "/compact" } },
	{ "one of them", "/q", { "/quit" } },
	{ "none", "/zzz", { NULL } },
	{ "names", "look at re", { "readme", "report/" } },
	{ "below a directory", "report/a", { "report/a.txt" } },
	{ "out of the project", "see ../", { NULL } },
	{ "a link out of it", "out/", { NULL } },
	{ "an absolute name later in the line", "see /et", { NULL } },
	{ "hidden ones when asked for", ".h", { ".hidden" } },
	{ "what hides something is not offered", "x", { NULL } },
};

static void test(const void *p)
{
	const struct row *r = p;
	_cleanup_close_ int dir = unit_top();
	_cleanup_buf_ struct buf got = BUF_INIT(4096);
	size_t n = 0;

	assert_int_equal(mkdirat(dir, "report", 0700), 0);
	assert_int_equal(symlinkat("/etc", dir, "out"), 0);
	unit_put(dir, "readme", "", 0600);
	unit_put(dir, "report/a.txt", "", 0600);
	unit_put(dir, ".hidden", "", 0600);
	unit_put(dir, "x\033[2J", "", 0600);
	unit_put(dir, "x\xe2\x80\xae", "", 0600);
	talk_complete(dir, r->line, &got);
	for (const char *s = buf_cstr(&got); *s; s = strchr(s, '\n') + 1)
		n++;
	for (size_t i = 0; i < ARRAY_SIZE(r->want) && r->want[i]; i++, n--) {
		char line[64];

		snprintf(line, sizeof(line), "%s\n", r->want[i]);
		assert_non_null(strstr(buf_cstr(&got), line));
	}
	assert_int_equal(n, 0);
}

int main(void)
{
	return unit_rows("talk_complete", rows, test);
}
