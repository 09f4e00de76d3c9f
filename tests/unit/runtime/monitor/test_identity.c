#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	{ "two addresses: the last", "[user]\nname=A\nemail=a@b\nemail=c@d\n",
	  "[user]\n\tname = \"A\"\n\temail = \"c@d\"\n" },
	{ "of this project",
	  "[user]\nname=A\nemail=a@b\n[includeIf \"gitdir:/p/\"]\npath=%s/other\n",
	  "[user]\n\tname = \"A\"\n\temail = \"c@d\"\n" },
	{ "of another",
	  "[user]\nname=A\nemail=a@b\n[includeIf \"gitdir:/q/\"]\npath=%s/other\n",
	  "[user]\n\tname = \"A\"\n\temail = \"a@b\"\n" },
	{ "of what may be in this one",
	  "[user]\nname=A\nemail=a@b\n[includeIf \"gitdir:/p/x/sub/\"]\npath=%s/other\n",
	  NULL },
	{ "of a branch",
	  "[user]\nname=A\nemail=a@b\n[includeIf \"onbranch:x\"]\npath=%s/other\n",
	  NULL },
	{ "of a branch, and the same",
	  "[user]\nname=A\nemail=c@d\n[includeIf \"onbranch:x\"]\npath=%s/other\n",
	  "[user]\n\tname = \"A\"\n\temail = \"c@d\"\n" },
	{ "a condition in what a condition includes",
	  "[user]\nname=A\nemail=a@b\n[includeIf \"onbranch:x\"]\npath=%s/nested\n",
	  NULL },
	{ "only a name", "[user]\nname=A\n", NULL },
	{ "another section", "[user \"x\"]\nname=A\nemail=a@b\n", NULL },
	{ "a line break", "[user]\nname=\"A\\nB\"\nemail=a@b\n", NULL },
	{ "nothing else goes in",
	  "[user]\nname=A\nemail=a@b\nsigningkey=K\n[credential]\nhelper=x\n",
	  "[user]\n\tname = \"A\"\n\temail = \"a@b\"\n" },
};

/* "%s" in it is the directory. */
static void put(const char *name, const char *text)
{
	const char *at = strstr(text, "%s");
	char path[4200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", unit_tmpdir(), name);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%.*s%s%s", at ? (int)(at - text) : (int)strlen(text), text,
		at ? unit_tmpdir() : "", at ? at + 2 : "");
	fclose(f);
}

static void test(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf b = BUF_INIT(4096);
	char path[4200], want[4200] = "";

	put("other", "[user]\nemail=c@d\n");
	put("nested", "[includeIf \"gitdir:/p/\"]\npath=other\n");
	put("config", row->config);
	snprintf(path, sizeof(path), "%s/config", unit_tmpdir());
	setenv("GIT_CONFIG_GLOBAL", path, 1);
	setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
	assert_int_equal(monitor_identity("/p/x", &b), 0);
	if (row->want)
		snprintf(want, sizeof(want), "%s%s", ROOTFILES_GITCONFIG, row->want);
	assert_string_equal(b.len ? buf_cstr(&b) : "", want);
}

int main(void)
{
	return unit_rows("monitor_identity", rows, test);
}
