#include "tests/unit/unit.h"

#include <stdio.h>

#include "cli/opt/config.h"
#include "cli/task/view/view.h"

struct watched {
	struct app app;
	struct view view;
	char *text;
	size_t len;
};

static void begin(struct watched *w)
{
	*w = (struct watched){ .app = { .name = "cubby" } };
	w->app.err = open_memstream(&w->text, &w->len);
	w->app.out = w->app.err;
	view_init(&w->view, &w->app);
}

static void end(struct watched *w, const char *want)
{
	view_done(&w->view);
	fclose(w->app.err);
	assert_string_equal(w->text, want);
	free(w->text);
}

static void call(struct watched *w, const char *command)
{
	struct json *args = json_object();
	struct task_call c = { .name = "shell", .args = args, .number = 1 };

	json_set_str(args, "command", command);
	view_events()->call(&w->view, &c);
	json_free(&args);
}

static void result(struct watched *w, int exit, const char *name)
{
	struct task_call c = { .name = name, .number = 1 };
	struct tool_result r = { .outcome = TOOL_OK, .exit = exit, .time_ms = 1200 };

	view_events()->result(&w->view, &c, &r);
}

static void words_stream_and_end_their_line(void)
{
	struct watched w;

	begin(&w);
	view_events()->words(&w.view, "I will\033[2J lo", 13);
	view_events()->words(&w.view, "ok.", 3);
	call(&w, "ls");
	view_events()->output(&w.view, "a\033[31mb\nc", 9);
	result(&w, 0, "shell");
	end(&w, "I will<U+001B>[2J look.\n$ ls\n  ab\n  c\n  exit 0, 1.2s\n");
}

static void long_output_is_cut(void)
{
	struct watched w;
	char line[32];

	begin(&w);
	call(&w, "seq 100");
	for (int i = 1; i <= 100; i++) {
		snprintf(line, sizeof(line), "%d\r\n", i);
		view_events()->output(&w.view, line, strlen(line));
	}
	result(&w, 3, "shell");
	end(&w,
	    "$ seq 100\n  1\n  2\n  3\n  4\n  5\n  6\n  7\n  8\n  9\n  10\n  11\n  12\n"
	    "  … 84 lines, 'cubby log -l' shows them …\n  97\n  98\n  99\n  100\n  "
	    "exit 3, 1.2s\n");
}

static void long_commands_are_cut(void)
{
	struct watched w;

	begin(&w);
	call(&w, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10");
	end(&w, "$ 1\n2\n3\n4\n5\n6\n7\n8\n… 2 lines, 'cubby log -l' shows them …\n");
}

static void a_failure_is_red(void)
{
	struct watched w;

	begin(&w);
	w.app.color_err = true;
	result(&w, 3, "shell");
	result(&w, 0, "shell");
	end(&w, "\033[0;31m  exit 3, 1.2s\033[0m\n\033[0;32m  exit 0, 1.2s\033[0m\n");
}

static void a_terminal_gets_a_status(void)
{
	const struct task_status st = {
		.round = 2, .max_rounds = 50, .tokens_in = 12300, .elapsed_ms = 2000
	};
	struct watched w;

	begin(&w);
	w.view.footer.cols = 80;
	w.view.footer.rows = 24;
	view_events()->round(&w.view, &st);
	view_events()->words(&w.view, "x", 1);
	end(&w,
	    "\033[?7l\033[2K⠋ waiting for the model · round 2, 12.3k tokens, "
	    "2s\033[K\033[?7h"
	    "\r\033[?7l\033[2Kx\033[K\r\n\033[2K⠋ answering · round 2, 12.3k tokens, "
	    "2s\033[K\033[?7h\033[J"
	    "\r\033[1A\033[2Kx\033[K\033[J\r\n");
}

static void quiet_shows_nothing(void)
{
	const struct task_status st = { .round = 1 };
	struct watched w;

	begin(&w);
	w.app.quiet = true;
	view_events()->round(&w.view, &st);
	view_events()->words(&w.view, "x", 1);
	call(&w, "ls");
	view_events()->output(&w.view, "a\n", 2);
	result(&w, 1, "shell");
	view_events()->notice(&w.view, "n");
	end(&w, "");
}

static void retries_and_notices(void)
{
	struct task_retry r = { .attempt = 1,
				.max_attempts = 6,
				.wait_ms = 500,
				.why = "the host is down; start it" };
	const struct task_status st = { .round = 2 };
	struct watched w;

	begin(&w);
	view_events()->words(&w.view, "half an ans", 11);
	view_events()->discarded(&w.view);
	view_events()->retry(&w.view, &r);
	view_events()->notice(&w.view, "80 % of the\033 rounds");
	r.attempt = 2;
	view_events()->retry(&w.view, &r);
	r.attempt = 3;
	r.why = "overloaded";
	view_events()->retry(&w.view, &r);
	view_events()->round(&w.view, &st);
	view_events()->retry(&w.view, &r);
	r.compacted = true;
	r.why = "too long";
	view_events()->retry(&w.view, &r);
	end(&w, "half an ans\n(the answer was cut off: these words do not count)\n"
		"cubby: the host is down\n"
		"cubby: attempt 2 of 6 in 0.5s\n"
		"cubby: 80 % of the\\x1b rounds\n"
		"cubby: attempt 3 of 6 in 0.5s\n"
		"cubby: overloaded\n"
		"cubby: attempt 4 of 6 in 0.5s\n"
		"cubby: overloaded\n"
		"cubby: attempt 4 of 6 in 0.5s\n"
		"cubby: too long; the history was shortened\n");
}

static void calls_say_what_they_are_about(void)
{
	static const struct {
		const char *tool, *args, *want;
		bool secret;
	} calls[] = {
		{ "python", "{\"code\":\"x = 1\"}", "python x = 1", false },
		{ "shell", "{\"command\":\"1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n\"}",
		  "$ 1\n2\n3\n4\n5\n6\n7\n8", false },
		{ "shell",
		  "{\"command\":\"1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n\"}",
		  "$ 1\n2\n3\n4\n5\n6\n7\n8\n… 2 lines, 'cubby log -l' shows them …",
		  false },
		{ "input", "{\"keys\":\"C-c Up\"}", "input C-c Up", false },
		{ "input", "{\"keys\":\"C-u\",\"text\":\"\"}", "input C-u", false },
		{ "input", "{\"keys\":\"Tab Enter\",\"text\":\"a b\"}",
		  "input a b Tab Enter", false },
		{ "input", "{}", "waits on", false },
		{ "shell", "{\"command\":\"\"}", "waits on", false },
		{ "shell", "{\"command\":\"\",\"reset\":true}", "$ ", false },
		{ "screen", "{}", "screen", false },
		{ "input", "{\"text\":\"yes\"}", "input yes", false },
		{ "input", "{\"text\":\"s3cret\"}", "input ***", true },
		{ "input", "{\"keys\":\"C-c\"}", "input C-c", true },
		{ "input", "{\"text\":\"s3cret\",\"keys\":\"Tab Enter\"}",
		  "input *** Tab Enter", true },
		{ "input", "{\"keys\":\"s 3 c, Enter\"}", "input *** Enter", true },
		{ "input", "{\"keys\":\"s3cret Enter\"}", "input *** Enter", true },
		{ "input", "{\"keys\":\"s \xc3\xa9 Space c Tab M-x\"}",
		  "input *** Tab M-x", true },
		{ "input", "{}", "input", true },
		{ "read_file", "{\"path\":\"a\\u202e\"}", "read_file a<U+202E>",
		  false },
		{ "a\033]52;c;QQ==\a", "{}", "a<U+001B>]52;c;QQ==<U+0007>", false },
		{ "a\342\200\256", "{\"path\":\"b\"}", "a<U+202E> b", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		_cleanup_json_ struct json *args = NULL;
		_cleanup_buf_ struct buf b = BUF_INIT(1024);
		struct task_call c = { .name = calls[i].tool };
		struct err e = ERR_NONE;

		unit_ok(json_parse(calls[i].args, strlen(calls[i].args), &args, &e),
			&e);
		c.args = args;
		assert_int_equal(view_call_text(&c, calls[i].secret, &b), 0);
		assert_string_equal(buf_cstr(&b), calls[i].want);
	}
}

static void the_end_of_a_long_task_rings(void)
{
	static const struct {
		uint64_t ms;
		bool terminal;
		const char *notify, *want;
	} ends[] = {
		{ 29999, true, "yes", "cubby: done, 0 rounds, 0 calls, 30.0s\n" },
		{ 30000, true, "yes",
		  "cubby: done, 0 rounds, 0 calls, 30.0s\n\a\033]9;cubby: the task "
		  "has ended: done\033\\" },
		{ 30000, true, "no", "cubby: done, 0 rounds, 0 calls, 30.0s\n" },
		{ 30000, false, "yes", "cubby: done, 0 rounds, 0 calls, 30.0s\n" },
	};

	setenv("TERM", "xterm", 1);
	unsetenv("VTE_VERSION");
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		_cleanup_config_ struct config config;
		struct err e = ERR_NONE;
		struct task_report r;
		struct watched w;

		config_init(&config);
		unit_ok(config_set(&config, CONFIG_NOTIFY, ends[i].notify,
				   CONFIG_FROM_FLAG, &e),
			&e);
		begin(&w);
		w.app.config = &config;
		if (ends[i].terminal) {
			w.view.footer.cols = 80;
			w.view.footer.rows = 24;
		}
		task_report_init(&r);
		r.end = TASK_DONE;
		r.status.elapsed_ms = ends[i].ms;
		view_events()->end(&w.view, &r);
		task_report_done(&r);
		end(&w, ends[i].want);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "words stream and end their line", words_stream_and_end_their_line },
		{ "long output is cut", long_output_is_cut },
		{ "long commands are cut", long_commands_are_cut },
		{ "a failure is red", a_failure_is_red },
		{ "a terminal gets a status", a_terminal_gets_a_status },
		{ "quiet shows nothing", quiet_shows_nothing },
		{ "retries and notices", retries_and_notices },
		{ "the end of a long task rings", the_end_of_a_long_task_rings },
		{ "calls say what they are about", calls_say_what_they_are_about },
	};

	return unit_cases("view", cases);
}
