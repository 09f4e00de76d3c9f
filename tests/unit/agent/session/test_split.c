#include "agent/session/split.h"

#include "tests/unit/unit.h"

/* '%' stands where a piece ends. */
static const struct row {
	const char *name, *text;
} rows[] = {
	{ "one", "echo a" },
	{ "two lines", "echo a\n%echo b" },
	{ "three, the last with its end", "a\n%b\n%c\n" },
	{ "a list on a line is one", "a; b && c || d & e" },
	{ "nothing", "" },
	{ "blank lines go with what follows", "\n\n  a\n%\n\nb\n\n" },
	{ "comments go with what follows", "# x\na # y\n%# z\nb\n# end\n" },
	{ "no comment inside a word", "a#b\n%c" },
	{ "continued by a backslash", "a \\\nb\n%c" },
	{ "continued by an operator", "a &&\n\nb ||\nc |\nd |&\ne\n%f" },
	{ "background", "a &\n%b" },
	{ "single quotes", "echo 'a\nb'\n%c" },
	{ "double quotes", "echo \"a\n$(b\nc)\n\\\"\"\n%d" },
	{ "dollar quotes", "echo $'a\\'\nb'\n%c" },
	{ "backquotes", "echo `a\nb`\n%c" },
	{ "substitution", "echo $(a\nb)\n%c" },
	{ "a quote in a substitution in quotes", "echo \"$(echo \")\")\"\n%c" },
	{ "parameter", "echo ${a:-x\ny}\n%c" },
	{ "arithmetic", "echo $((1\n<<2))\n%((a<<\n3))\n%b" },
	{ "subshell", "(a\nb)\n%c" },
	{ "if", "if a\nthen\nb\nelse\nc\nfi\n%d" },
	{ "if on a line", "if a; then b; fi\n%c" },
	{ "words that only look reserved", "echo if\n%echo {\n%echo done\n%x=if\n%b" },
	{ "for", "for i in if then\ndo\na\ndone >f\n%b" },
	{ "for of arithmetic", "for ((i=0;i<3;i++))\ndo a\ndone\n%b" },
	{ "while", "while a; do\nb\ndone\n%c" },
	{ "nested", "while a; do if b; then\n(c\n); fi\ndone\n%d" },
	{ "case", "case x in\na) b;;\n(c|d)\ne;;\nesac\n%f" },
	{ "case on a line", "case x in a) b;; esac\n%c" },
	{ "empty case", "case x in esac\n%c" },
	{ "group", "{ a\nb\n}\n%c" },
	{ "function", "f() {\na\n}\n%f" },
	{ "function with its body below", "f()\n{\na\n}\n%f" },
	{ "function by the word", "function f {\na\n}\n%function g()\n{ b\n}\n%c" },
	{ "function of a subshell", "f() (\na\n)\n%b" },
	{ "array", "a=(if\n# no\nb)\n%c" },
	{ "test", "[[ a ==\nb && (c || d) ]]\n%e" },
	{ "here-document", "cat <<E\na\n'b\nE\n%c" },
	{ "here-document, quoted", "cat <<'E F'\na\nE F\n%cat <<\\G\nG\n%c" },
	{ "here-document, tabs", "cat <<-E\n\ta\n\tE\n%c" },
	{ "two here-documents", "cat <<A <<B\nx\nA\ny\nB\n%c" },
	{ "here-document in a loop", "while a; do cat <<E\ndone\nE\ndone\n%c" },
	{ "here-document in a substitution", "x=$(cat <<E\n)\nE\n)\n%c" },
	{ "here-document without end", "cat <<E\na\nb" },
	{ "here-string", "cat <<<a\n%b" },
	{ "redirections", "a 2>&1 >&2\n%b" },
	{ "process substitution", "diff <(a\nb) >(c)\n%d" },
	{ "a quote that never ends", "a\n%echo 'b\nc\nd" },
	{ "a loop that never ends", "while a\ndo b\nc" },
	{ "closers without openers", "fi\n%done\n%}\n%)\n%a" },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	char text[512], got[1024];
	size_t n = 0, at = 0, out = 0;

	for (const char *c = row->text; *c; c++)
		if (*c != '%')
			text[n++] = *c;
	while (at < n) {
		size_t len = split_next(text + at, n - at);

		if (at)
			got[out++] = '%';
		memcpy(got + out, text + at, len);
		out += len;
		at += len;
	}
	got[out] = '\0';
	assert_string_equal(got, row->text);
}

static void counts(void)
{
	assert_int_equal(split_count("", 0), 0);
	assert_int_equal(split_count(" \n# a\n", 6), 0);
	assert_int_equal(split_count("a; b\n\n", 6), 1);
	assert_int_equal(split_count("a\nb\nc\n", 6), 2);
}

/* What nests deeper than anybody writes is one piece, and ends. */
static void depth(void)
{
	static char deep[4000];

	memset(deep, '(', sizeof(deep));
	deep[1000] = '\n';
	assert_int_equal(split_next(deep, sizeof(deep)), sizeof(deep));
}

int main(void)
{
	static const struct unit_case cases[] = { { "counts", counts },
						  { "depth", depth } };

	return unit_rows("split_next", rows, test_row) + unit_cases("split", cases);
}
