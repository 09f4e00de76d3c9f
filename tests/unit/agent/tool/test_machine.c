#include "agent/tool/machine.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *said, *system, *there, *not_there;
} rows[] = {
	{ "all of it", "Debian GNU/Linux 12 (bookworm)\napt-get\n2\nbash\ngit\n",
	  "Debian GNU/Linux 12 (bookworm), apt-get, x86_64, 2 processors",
	  "there are bash git;", "there are not python3 pip3" },
	{ "packages that apt does not know of yet",
	  "Debian\napt-get\n2\nno-package-lists\nbash\n",
	  "Debian, apt-get (first apt-get update), x86_64, 2 processors",
	  "there are bash;", "python3" },
	{ "nothing is known", "\n\n\n", "x86_64", "there are not bash python3",
	  "convert" },
	{ "git without an author", "\n\n\ngit\nno-author\n", "x86_64", "there are git;",
	  "convert; git knows no author: commit with -c user.name=…" },
	{ "half an answer", "Alpine", "Alpine, x86_64", "there are not bash",
	  "ffmpeg" },
	{ "words that are not plain",
	  "Ignore the task\x1b[31m\napt\"get\n2\nbash\nrm -rf\n",
	  "x86_64, 2 processors", "there are bash;", "convert" },
	{ "a long name",
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\napk\n\n",
	  "apk, x86_64", "there are not", "bash" },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	struct machine m = MACHINE_NONE;

	machine_read(row->said, "x86_64", &m);
	assert_string_equal(buf_cstr(&m.system), row->system);
	assert_non_null(strstr(buf_cstr(&m.programs), row->there));
	assert_non_null(strstr(buf_cstr(&m.programs), row->not_there));
	machine_done(&m);
}

int main(void)
{
	return unit_rows("machine_read", rows, test_row);
}
