#include "tests/unit/unit.h"

#include <string.h>

#include "cli/opt/manual.h"

static const struct cmd_option options[] = {
	{ "tty", 't', NULL, "its own * text", { 0 } },
	{ "allow", 'a', "HOST", "not that of boxes", { 0 } },
	{ 0 },
};
static const struct cmd_option common[] = {
	{ "json", 0, NULL, "as JSON", { 0 } },
	{ 0 },
};

/* exec has a page with notes; "x" has none, and "y" no options of its own. */
static const struct row {
	const char *name, *command, *want;
} rows[] = {
	{ "the name", "x", "# cubby-x - sum\n" },
	{ "each form", "x",
	  "```\ncubby x [OPTION...] A\ncubby x [OPTION...] B [C]\n```\n" },
	{ "the table's text alone, as it is", "x",
	  "- `-t`, `--tty`: its own \\* text\n" },
	{ "a note of the page", "exec",
	  "its own \\* text. A filter is such as grep(1).\n" },
	{ "no note of a shared table for an own option", "exec",
	  "- `-a`, `--allow=HOST`: not that of boxes\n" },
	{ "a note of a shared table", "x",
	  "### Common options\n\n- `--json`: as JSON. An error is " },
	{ "no empty heading", "y", "What it does.\n\n## Common options\n\n- `--json`" },
	{ "words of the page", "exec", "What it does.\n\nWhat it leaves" },
	{ "its sections", "exec", "\n\n## Examples\n\n```sh\n" },
	{ "its own statuses", "exec", "## Exit status\n\nThat of the command; 125" },
	{ "the statuses of any other", "x",
	  "0; 1 for a failure; 2 for wrong usage.\n" },
};

static void test(const void *p)
{
	const struct row *r = p;
	const struct cmd c = { .name = r->command,
			       .summary = "sum",
			       .words = "A\nB [C]",
			       .doc = "What it does.",
			       .options = *r->command == 'y' ? NULL : options };
	_cleanup_buf_ struct buf text = BUF_INIT(64 << 10);

	manual_text(&c, common, NULL, &text);
	assert_int_equal(buf_failed(&text), 0);
	if (!strstr(buf_cstr(&text), r->want))
		fail_msg("no '%s' in:\n%s", r->want, buf_cstr(&text));
	assert_null(strstr(buf_cstr(&text), "not run:"));
}

int main(void)
{
	return unit_rows("manual", rows, test);
}
