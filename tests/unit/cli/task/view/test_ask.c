#include "tests/unit/unit.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/task/view/ask.h"

static const struct row {
	const char *name, *command, *answers;
	enum task_verdict want;
	const char *words, *instead;
} rows[] = {
	{ "yes", "ls", "y\n", TASK_YES, "", NULL },
	{ "yes after an unclear answer", "ls", "what\n\nYes\n", TASK_YES, "", NULL },
	{ "no, with the reason", "ls", "n\nnot now\n", TASK_NO, "not now", NULL },
	{ "quit", "ls", "q\n", TASK_STOP, "", NULL },
	{ "the end of input is no yes", "ls", "", TASK_STOP, "", NULL },
	{ "another command instead", "ls", "e\nls -l\n", TASK_YES, "", "ls -l" },
	{ "no other command: nothing is decided", "ls", "e\n\nn\nno\n", TASK_NO, "no",
	  NULL },
	{ "another command after all", "ls", "e\n\ne\nls -l\n", TASK_YES, "", "ls -l" },
	{ "a sentence is no answer", "ls", "you must not\nyikes\nno way\nq\n",
	  TASK_STOP, "", NULL },
	{ "words are", "ls", " NO \nnot now\n", TASK_NO, "not now", NULL },
	{ "always is not offered for letters that look like others", "l\xd1\x95 a",
	  "a\nq\n", TASK_STOP, "", NULL },
	{ "always is not offered for two commands", "ls; rm x", "a\nn\nno\n", TASK_NO,
	  "no", NULL },
};

struct asked {
	struct ask ask;
	struct app app;
	struct json *args;
	struct task_call call;
	struct task_answer answer;
	char *text;
	size_t len;
	int in[2];
};

static void begin(struct asked *a, const char *command, const char *answers)
{
	*a = (struct asked){ .app = { .name = "cubby" }, .args = json_object() };
	a->app.err = open_memstream(&a->text, &a->len);
	assert_int_equal(pipe(a->in), 0);
	assert_int_equal(write(a->in[1], answers, strlen(answers)), strlen(answers));
	close(a->in[1]);
	json_set_str(a->args, "command", command);
	a->call = (struct task_call){ .name = "shell", .args = a->args, .number = 1 };
	a->ask = (struct ask){
		.app = &a->app, .in = a->in[0], .interrupt_fd = -1, .each = true
	};
	buf_init(&a->answer.words, 1024);
}

static void end(struct asked *a)
{
	fclose(a->app.err);
	free(a->text);
	close(a->in[0]);
	json_free(&a->args);
	json_free(&a->answer.args);
	buf_done(&a->answer.words);
}

static void test(const void *p)
{
	const struct row *r = p;
	struct asked a;

	begin(&a, r->command, r->answers);
	assert_int_equal(ask_call(&a.ask, &a.call, &a.answer), r->want);
	assert_string_equal(buf_cstr(&a.answer.words), r->words);
	if (r->instead)
		assert_string_equal(json_get_str(a.answer.args, "command"), r->instead);
	else
		assert_null(a.answer.args);
	end(&a);
}

static void always_is_remembered(void)
{
	struct asked a;

	begin(&a, "/usr/bin/make -j2", "a\n");
	assert_int_equal(ask_call(&a.ask, &a.call, &a.answer), TASK_YES);
	json_set_str(a.args, "command",
		     "/usr/bin/make check"); /* no answer is left to read */
	assert_int_equal(ask_call(&a.ask, &a.call, &a.answer), TASK_YES);
	fflush(a.app.err);
	assert_non_null(strstr(a.text, "permitted always: '/usr/bin/make'"));
	assert_non_null(strstr(a.text, "for this task; to keep it: cubby set "
				       "always='/usr/bin/make'\n"));
	json_set_str(a.args, "command", "make check"); /* another one, perhaps */
	assert_int_equal(ask_call(&a.ask, &a.call, &a.answer), TASK_STOP);
	json_set_str(a.args, "command", "/usr/bin/make check; rm -r /");
	assert_int_equal(ask_call(&a.ask, &a.call, &a.answer), TASK_STOP);
	end(&a);
}

static void interrupt_ends_the_question(void)
{
	struct asked a;
	int fds[2];

	begin(&a, "ls", "y\n");
	assert_int_equal(pipe(fds), 0);
	a.ask.interrupt_fd = fds[0];
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(ask_interrupted(&a.ask, &a.answer), TASK_STOP);
	close(fds[0]);
	close(fds[1]);
	end(&a);
}

static void programs_of_commands(void)
{
	static const struct {
		const char *command, *want; /* NULL = not one plain command */
	} lines[] = {
		{ "make", "make" },
		{ "  make -C x", "make" },
		{ "/bin/ls -l", "/bin/ls" },
		{ "python3 a.py -v", "python3 a.py" },
		{ "./sh  b.sh", "./sh  b.sh" },
		{ "python3 -c x", NULL },
		{ "python3.11", NULL },
		{ "find . -exec rm x +", NULL },
		{ "uv run pytest", NULL },
		{ ". ./x", NULL },
		{ "npm exec x", NULL },
		{ "time make", NULL },
		{ "/usr/bin/strace make", NULL },
		{ "fish -c x", NULL },
		{ "awk -f x", NULL },
		{ "/usr/bin/env rm x", NULL },
		{ "a=1 make", NULL },
		{ "make && rm x", NULL },
		{ "make `x`", NULL },
		{ "make $(x)", NULL },
		{ "echo x > y", NULL },
		{ "make\nrm x", NULL },
		{ "", NULL },
		{ "/", NULL },
		{ "m* x", NULL },
		{ "'ma'ke", NULL },
	};
	char got[ASK_PROGRAM];

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		bool ok = ask_program(lines[i].command, got, sizeof(got));

		assert_int_equal(ok, lines[i].want != NULL);
		if (ok)
			assert_string_equal(got, lines[i].want);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "always is remembered", always_is_remembered },
		{ "an interrupt ends the question", interrupt_ends_the_question },
		{ "programs of commands", programs_of_commands },
	};
	int failed = unit_rows("ask", rows, test);

	return failed + unit_cases("ask", cases);
}
