#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/monitor/identity.h"
#include "runtime/mount/rootfiles.h"

static const struct row {
	const char *name, *config, *want; /* NULL = nothing */
} rows[] = {
	{ "both", "[user]\n\tname = Ann B\n\temail = ann@example.org\n",
	  "[user]\n\tname = \"Ann B\"\n\temail = \"ann@example.org\"\n" },
	{ "quotes", "[user]\n\tname = \"A \\\"B\\\" \\\\C\"\n\temail = a@b\n",
	  "[user]\n\tname = \"A \\\"B\\\" \\\\C\"\n\temail = \"a@b\"\n" },
	{ "said twice", "[user]\nname=A\nemail=a@b\n[user]\nemail=a@b\n",
	  "[user]\n\tname = \"A\"\n\temail = \"a@b\"\n" },
	{ "two addresses", "[user]\nname=A\nemail=a@b\nemail=c@d\n", NULL },
	{ "only a name", "[user]\nname=A\n", NULL },
	{ "another section", "[user \"x\"]\nname=A\nemail=a@b\n", NULL },
	{ "a line break", "[user]\nname=\"A\\nB\"\nemail=a@b\n", NULL },
	{ "nothing else goes in",
	  "[user]\nname=A\nemail=a@b\nsigningkey=K\n[credential]\nhelper=x\n",
	  "[user]\n\tname = \"A\"\n\temail = \"a@b\"\n" },
};

static void test(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf b = BUF_INIT(4096);
	char path[4200], want[4200] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/config", unit_tmpdir());
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(row->config, f);
	fclose(f);
	setenv("GIT_CONFIG_GLOBAL", path, 1);
	setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
	assert_int_equal(monitor_identity(&b), 0);
	if (row->want)
		snprintf(want, sizeof(want), "%s%s", ROOTFILES_GITCONFIG, row->want);
	assert_string_equal(b.len ? buf_cstr(&b) : "", want);
}

int main(void)
{
	return unit_rows("monitor_identity", rows, test);
}
