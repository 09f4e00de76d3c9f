/* With the host's own python3: what needs no box. */
#include "agent/python/python.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "agent/python/show.h"
#include "base/proc.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

enum { FAR = 200, WAIT_MS = 30000 };

/* ---- a port that starts programs of the host ----------------------------------------- */

struct host {
	pid_t pid;	      /* 0 = none, or reaped */
	const char *program;  /* instead of python3; NULL = that */
	bool later;	      /* python_spawned() is told of it */
	struct box_proc proc; /* what is to be told */
};

static _noreturn_ void child(const struct host *h, const struct box_command *c,
			     const int ends[3])
{
	char *const *argv;

	sys_setsid();
	for (int i = 0; i < 3; i++)
		sys_dup2(ends[i], i);
	for (unsigned i = 0; i < c->n_extra_fds; i++)
		sys_dup2(c->extra_fds[i], FAR + (int)i);
	for (unsigned i = 0; i < c->n_extra_fds; i++)
		sys_dup2(FAR + (int)i, 3 + (int)i);
	sys_close_range(3 + c->n_extra_fds, ~0u, 0);
	memcpy(&argv, &c->argv, sizeof(argv));
	execvp(h->program ?: argv[0], argv);
	sys_exit(127);
}

static int on_spawn(void *ctx, const struct box_command *c, struct box_proc *ret,
		    struct err *e)
{
	struct host *h = ctx;
	int in[2], out[2], err[2];
	pid_t pid;

	if (h->program && !*h->program)
		return err_set(e, -ENOENT, "no such program");
	assert_int_equal(sys_pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(sys_pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(sys_pipe2(err, O_CLOEXEC), 0);
	pid = sys_fork();
	assert_true(pid >= 0);
	if (pid == 0)
		child(h, c, (int[]){ in[0], out[1], err[1] });
	close(in[0]);
	close(out[1]);
	close(err[1]);
	h->pid = pid;
	*ret = (struct box_proc){ 1, pid, { in[1], out[0], err[0] } };
	if (!h->later)
		return 0;
	h->proc = take(ret, BOX_PROC_NONE);
	return 1;
}

static int on_wait(void *ctx, uint32_t id, int timeout_ms, struct box_exit *ret,
		   struct err *e)
{
	struct host *h = ctx;
	uint64_t until = sys_now_ms() + (uint64_t)timeout_ms;
	siginfo_t si = { 0 };

	do {
		sys_waitid(P_PID, (id_t)h->pid, &si, WEXITED | WNOHANG);
		if (!si.si_pid)
			usleep(1000);
	} while (!si.si_pid && sys_now_ms() < until);
	if (!si.si_pid)
		return err_set(e, -ETIMEDOUT, "it runs");
	h->pid = 0;
	*ret = (struct box_exit){ .id = id, .status = si.si_status };
	if (si.si_code != CLD_EXITED)
		*ret = (struct box_exit){ .id = id,
					  .status = 128 + si.si_status,
					  .signal = si.si_status };
	return 0;
}

static int on_signal(void *ctx, uint32_t, int sig, struct err *)
{
	const struct host *h = ctx;

	return h->pid ? sys_kill(-h->pid, sig) : 0;
}

static int on_end(void *ctx, uint32_t id, struct err *e)
{
	return on_signal(ctx, id, SIGKILL, e);
}

/* ---- what was told, as text ------------------------------------------------------------ */

struct seen {
	struct host host;
	struct python *python;
	struct buf text;
	uint64_t bytes; /* of streams, when they are only counted */
	bool count;
};

static void stream(void *ctx, int fd, const char *data, size_t len)
{
	struct seen *s = ctx;

	s->bytes += len;
	if (s->count)
		return;
	if (fd == 2)
		buf_adds(&s->text, "E:");
	buf_add(&s->text, data, len);
}

/* What a cell showed is a file in /tmp; where another user has /tmp/cubby-out, in a directory
 * of its own. */
static void remove_shown(const struct json *files)
{
	json_each(it, files)
	{
		char *path = strdup(json_get_str(it, "path"));

		assert_non_null(path);
		assert_int_equal(unlink(path), 0);
		*strrchr(path, '/') = '\0';
		(void)rmdir(path);
		free(path);
	}
}

static void message(void *ctx, const struct python_message *m)
{
	static const char *const words[] = { "ok", "error", "interrupted" };
	struct seen *s = ctx;

	if (m->kind == PYTHON_ASK)
		buf_addf(&s->text, "[%s %s]", m->password ? "secret" : "ask",
			 m->prompt);
	if (m->kind == PYTHON_CLEAR)
		buf_adds(&s->text, "[clear]");
	assert_int_equal(python_show(m, &s->text), 0);
	remove_shown(m->files);
	json_each(it, m->names) buf_addf(&s->text, "%s ", json_str(it));
	if (m->kind == PYTHON_COMPLETE)
		buf_addf(&s->text, "%d-%d", (int)m->from, (int)m->to);
	if (m->kind == PYTHON_INSPECT)
		buf_adds(&s->text, m->text ? m->text : "(nothing)");
	json_each(it, m->vars)
		buf_addf(&s->text, "%s:%s:%s:%s ", json_get_str(it, "name"),
			 json_get_str(it, "type"), json_get_str(it, "size") ?: "",
			 json_get_str(it, "repr"));
	if (m->kind == PYTHON_VARS)
		buf_addf(&s->text, "+%d", (int)m->more);
	if (m->kind == PYTHON_DONE)
		buf_addf(&s->text, "[%s]", words[m->status]);
}

static void death(void *ctx, const struct python_death *d)
{
	struct seen *s = ctx;

	buf_addf(&s->text, "[%s %d%s%s%s]", d->in_cell ? "died" : "ended",
		 d->exit.status, d->killed ? " killed" : "", d->why ? " " : "",
		 d->why ?: "");
}

static const struct python_events events = { stream, message, death };

/* That of the host, which has more to say of magics. */
static void without_ipython(void)
{
	_cleanup_close_ int top = unit_top();

	unit_put(top, "IPython.py", "raise ImportError\n", 0644);
	setenv("PYTHONPATH", unit_tmpdir(), 1);
}

static void begin(struct seen *s, bool merge)
{
	struct python_conf conf = { .port = { on_spawn, on_wait, on_signal, on_end,
					      &s->host },
				    .events = &events,
				    .ctx = s,
				    .files = true,
				    .merge = merge };
	struct err e = ERR_NONE;
	char path[PATH_MAX];

	if (proc_find("python3", path) < 0)
		unit_skip("no python3 here");
	without_ipython();
	buf_init(&s->text, 1 << 20);
	unit_ok(python_new(&conf, &s->python, &e), &e);
}

static void end(struct seen *s)
{
	python_free(&s->python);
	buf_done(&s->text);
}

/* Runs a cell; answers what it asks with "bob". */
static const char *cell(struct seen *s, const char *code)
{
	struct python_wait w = { .timeout_ms = WAIT_MS, .interrupt_fd = -1 };
	struct python_cell c = { .code = code };
	struct err e = ERR_NONE;

	buf_truncate(&s->text, 0);
	unit_ok(python_run(s->python, &c, &e), &e);
	for (;;) {
		assert_int_equal(python_wait(s->python, &w, &e), 0);
		if (python_state(s->python) != PYTHON_ASKING)
			return buf_cstr(&s->text);
		unit_ok(python_input(s->python, "bob", &e), &e);
	}
}

/* ---- a cell, and what it says ------------------------------------------------------------ */

#define MANY(x) x x x x x x x x x x x x

static const struct row {
	const char *name;
	const char *code;
	const char *want;
} rows[] = {
	{ "a value", "1+1", "2\n[ok]" },
	{ "none", "None", "[ok]" },
	{ "a value that is not wanted", "1;", "[ok]" },
	{ "the last value", "7\n8", "8\n[ok]" },
	{ "output before the value", "print('a', end='')\n2", "a2\n[ok]" },
	{ "an exception", "1/0\n",
	  "Traceback (most recent call last):\n  File \"<cell 1>\", line 1, in "
	  "<module>\n"
	  "    1/0\n" },
	{ "a syntax error", "a b", "  File \"<cell 1>\", line 1\n    a b\n" },
	{ "an exit is an error of the cell", "import sys; sys.exit(3)",
	  "SystemExit: 3\n[error]" },
	{ "await", "import asyncio\nawait asyncio.sleep(0.01)\n3", "3\n[ok]" },
	{ "a question", "x = input('who? ')\nx", "[ask who? ]'bob'\n[ok]" },
	{ "a secret", "import getpass\ngetpass.getpass('key: ')",
	  "[secret key: ]'bob'\n[ok]" },
	{ "display, in the order of all that is printed",
	  "for i in range(3): print('a', i); display(i); print('b', i)\n2",
	  "a 0\n0\nb 0\na 1\n1\nb 1\na 2\n2\nb 2\n2\n[ok]" },
	{ "display from a thread",
	  "import threading\nt = threading.Thread(target=lambda: display(1))\n"
	  "t.start(); t.join(); display(2)",
	  "1\n2\n[ok]" },
	{ "a shell's command", "x = 5\n!echo {x} $x", "5 5\n[ok]" },
	{ "its output as lines", "y = !printf 'a\\nb'\ny", "['a', 'b']\n[ok]" },
	{ "a cell of the shell that fails", "%%sh\necho no; exit 3",
	  "no\nsubprocess.CalledProcessError: Command 'sh' returned non-zero exit "
	  "status 3.\n[error]" },
	{ "a cell of the shell", "%%sh\necho in $0 >&2", "E:in sh\n[ok]" },
	{ "an ignored magic", "%matplotlib inline\n4", "4\n[ok]" },
	{ "an unknown magic", "%nosuch",
	  "Traceback (most recent call last):\n  File \"<cell 1>\", line 1, in "
	  "<module>\n"
	  "    %nosuch\nUsageError: there is no magic '%nosuch' here" },
	{ "lines of a text that look like one",
	  "s = '''\n% tex\n!no\nlen?\n'''\n!echo yes\ns",
	  "yes\n'\\n% tex\\n!no\\nlen?\\n'\n[ok]" },
	{ "one that goes on in the next line, and the number of what follows",
	  "!echo a \\\n  b\n1/0",
	  "a b\nTraceback (most recent call last):\n  File \"<cell 1>\", line 3, in" },
	{ "more of them than are looked for one by one",
	  "exec('n = 0')\nfor i in range(2):\n" MANY(MANY("  !:\n")) "  n += 1\nn",
	  "2\n[ok]" },
	{ "in blocks, behind others", "if 1:\n  !echo '('\n  x = %pwd\nlen(x) > 0",
	  "(\nTrue\n[ok]" },
	{ "the environment", "%env A = b c\n%env D e f\nx = %env A\ny = %env D\nx, y",
	  "('b c', 'e f')\n[ok]" },
	{ "the place", "%cd /\n%pwd", "/\n'/'\n[ok]" },
	{ "the time of a line", "%time 1 + 1", "CPU times: " },
	{ "the time of a cell", "%%time\nx = 1\nx + 1", "CPU times: " },
	{ "an option that is not known", "%timeit -n 1 pass",
	  "Traceback (most recent call last):\n  File \"<cell 1>\", line 1, in "
	  "<module>\n    %timeit -n 1 pass\nUsageError: %timeit takes no options here" },
	{ "one of a cell's", "%%bash --bg\ntrue",
	  "UsageError: %%bash takes no options here\n[error]" },
	{ "an extension that is not missed", "%load_ext autoreload\n%autoreload 2\n7",
	  "7\n[ok]" },
	{ "one that would be", "%load_ext sql",
	  "Traceback (most recent call last):\n  File \"<cell 1>\", line 1, in "
	  "<module>\n    %load_ext sql\nUsageError: there are no extensions here: 'sql'" },
	{ "what is ignored", "%colors nocolor\n%matplotlib\n%config a.b = 1\n8",
	  "8\n[ok]" },
	{ "an unknown one of a cell's", "%%nosuch\n1",
	  "UsageError: there is no magic '%%nosuch' here; known are: %%bash, %%sh, "
	  "%%time, %%timeit, %%writefile\n[error]" },
	{ "a line that begins with an operator", "(7\n% 4)", "3\n[ok]" },
	{ "surrogates", "print('\\ud800')\n'\\ud800'", "\\ud800\n'\\ud800'\n[ok]" },
	{ "NUL in an exception", "raise ValueError('a\\0b')",
	  "Traceback (most recent call last):\n  File \"<cell 1>\", line 1, in "
	  "<module>\n"
	  "    raise ValueError('a\\0b')\nValueError: a\357\277\275b\n[error]" },
	{ "multiprocessing",
	  "import multiprocessing as m\ndef f(x): return x * x\n"
	  "c = m.get_context('fork')\nwith c.Pool(2) as p: print(p.map(f, [1, 2, 3]))",
	  "[1, 4, 9]\n[ok]" },
	{ "a child that falls out of the cell",
	  "import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nelse: "
	  "print('child')",
	  "child\n[ok]" },
	{ "a picture",
	  "class P:\n  def _repr_png_(self): return b'\\x89PNG\\r\\n\\x1a\\n' + "
	  "bytes(11) + "
	  "b'\\5\\0\\0\\0\\6'\n  def __repr__(self): return 'P'\nP()",
	  "P\n[image/png, 5 × 6 pixels, 24 B: /tmp/cubby-out" },
	{ "a form that fails",
	  "class P:\n  def _repr_html_(self): 1/0\n  def __repr__(self): return "
	  "'P'\nP()",
	  "P\n[ok]" },
	{ "a repr that fails", "class P:\n  def __repr__(self): 1/0\nP()",
	  "<P whose repr() failed: ZeroDivisionError>\n[ok]" },
	{ "a long trace loses its middle",
	  "d = {}\nexec('\\n'.join(f'def f{i}(): f{i+1}()' for i in range(60)), d)\n"
	  "d['f60'] = lambda: 1/0\nd['f0']()",
	  "Traceback (most recent call last):\n  File \"<cell 1>\", line 4, in "
	  "<module>\n" },
	{ "the forms of IPython's objects",
	  "class M:\n  def _repr_mimebundle_(self, include=None, exclude=None):\n"
	  "    return {'text/markdown': '# x', 'image/jpeg': 'QUJD'}\nM()",
	  "# x\n[image/jpeg, 3 B: /tmp/cubby-out" },
	{ "what a cell does not know", "undefined_name",
	  "Traceback (most recent call last):\n  File \"<cell 1>\", line 1, in "
	  "<module>\n"
	  "    undefined_name\nNameError: name 'undefined_name' is not defined" },
};

/* Where it ends with a bracket all of it is compared: versions of Python mark the place of
 * an exception in different ways. */
static void test_cell(const void *ptr)
{
	const struct row *row = ptr;
	struct seen s = { .count = false };
	const char *got;

	begin(&s, false);
	got = cell(&s, row->code);
	if (row->want[strlen(row->want) - 1] == ']')
		assert_string_equal(got, row->want);
	else if (strncmp(got, row->want, strlen(row->want)) != 0)
		fail_msg("wanted: %s\ngot: %s", row->want, got);
	end(&s);
}

/* ---- looks at names ------------------------------------------------------------------------ */

/* What says that it ran must not, for a look. */
static const char things[] =
	"import os, json as j\n"
	"class A:\n"
	"    __slots__ = ('slot',)\n"
	"    def __init__(self, a, b=2, *c, d, e=[1], **f): 'makes one'\n"
	"    @property\n"
	"    def prop(self): print('RAN'); return 1\n"
	"    def __getattr__(self, name): print('RAN'); raise AttributeError(name)\n"
	"    def __dir__(self): print('RAN'); return ['never']\n"
	"    def __repr__(self): print('RAN'); return 'never'\n"
	"    def __len__(self): print('RAN'); return 0\n"
	"class B(A):\n"
	"    def __init__(self): self.mine = j; self.slot = 'text'\n"
	"    @property\n"
	"    def __class__(self): print('RAN'); return int\n"
	"    @property\n"
	"    def __doc__(self): print('RAN'); return 'never'\n"
	"class D(dict):\n"
	"    def keys(self): print('RAN'); return ['never']\n"
	"class C:\n"
	"    @property\n"
	"    def __dict__(self): print('RAN'); return {}\n"
	"b, c, höhe, big = B(), C(), 5, list(range(1000))\n"
	"class S(str):\n"
	"    def startswith(self, *_): print('RAN')\n"
	"b.__dict__[S('strange')] = 1; globals()[S('strange')] = 1; b.__dict__['1 2'] = 1\n"
	"deep = {'a': [1, {2: b}], 'b': b, 'c': (1,), 'd': set()}; wide = 10 ** 5000\n";

static const struct look_row {
	const char *name;
	enum python_kind what;
	const char *code;
	int pos;
	const char *want;
} look_rows[] = {
	{ "names of an object", PYTHON_COMPLETE, "b.", -1, "mine prop slot 2-2[ok]" },
	{ "with what they begin", PYTHON_COMPLETE, "x = (b.m", -1, "mine 7-8[ok]" },
	{ "of what an attribute holds", PYTHON_COMPLETE, "b.mine.lo", -1,
	  "load loads 7-9[ok]" },
	{ "of what a slot holds", PYTHON_COMPLETE, "b.slot.upp", -1, "upper 7-10[ok]" },
	{ "of what a property would say", PYTHON_COMPLETE, "b.prop.re", -1, "7-9[ok]" },
	{ "of a class", PYTHON_COMPLETE, "A.", -1, "prop slot 2-2[ok]" },
	{ "of an object that hides its own", PYTHON_COMPLETE, "c.", -1, "2-2[ok]" },
	{ "of what would have to be computed", PYTHON_COMPLETE, "f().app", -1,
	  "4-7[ok]" },
	{ "of a number", PYTHON_COMPLETE, "1.re", -1, "2-4[ok]" },
	{ "hidden ones where they are asked for", PYTHON_COMPLETE, "A.__ini", -1,
	  "__init__ __init_subclass__ 2-7[ok]" },
	{ "global ones, builtins and keywords", PYTHON_COMPLETE, "wi", -1,
	  "wide with 0-2[ok]" },
	{ "in the middle of a text, by its characters", PYTHON_COMPLETE,
	  "é = 1\nhö + 1", 8, "höhe 6-8[ok]" },
	{ "a place that is none", PYTHON_COMPLETE, "wid", 99, "wide 0-3[ok]" },
	{ "modules", PYTHON_COMPLETE, "import os, json.deco", -1, "decoder 16-20[ok]" },
	{ "names of a module", PYTHON_COMPLETE, "from os import path, getpi", -1,
	  "getpid 21-26[ok]" },
	{ "no module", PYTHON_COMPLETE, "from nosuch import a", -1, "19-20[ok]" },
	{ "a function", PYTHON_INSPECT, "os.path.basename", -1,
	  "os.path.basename(p)\n\nReturns the final component of a pathname[ok]" },
	{ "around the place", PYTHON_INSPECT, "os.path.basename", 10,
	  "os.path.basename(p)\n\nReturns the final component of a pathname[ok]" },
	{ "what is being called", PYTHON_INSPECT, "x = A(f(1), ", -1,
	  "A(a, b=2, *c, d, e=[1], **f)[ok]" },
	{ "a builtin", PYTHON_INSPECT, "len", -1,
	  "len(obj, /)\n\nReturn the number of items in a container.[ok]" },
	{ "an object", PYTHON_INSPECT, "b", -1, "b: <B>[ok]" },
	{ "a property", PYTHON_INSPECT, "b.prop", -1, "(nothing)[ok]" },
	{ "no name", PYTHON_INSPECT, "nosuch", -1, "(nothing)[ok]" },
	{ "nothing", PYTHON_INSPECT, "", -1, "(nothing)[ok]" },
	{ "what is defined", PYTHON_VARS, NULL, 0,
	  "os:module::<module> j:module::<module> A:type::<class A> B:type::<class B> "
	  "D:type::<class D> C:type::<class C> b:B::<B> c:C::<C> höhe:int::5 "
	  "big:list:1000:[0, 1, 2, 3, 4, 5, 6, 7, …] S:type::<class S> "
	  "deep:dict:4:{'a': [1, <dict>], 'b': <B>, 'c': (1,), 'd': set()} "
	  "wide:int::<int of 16610 bits> +0[ok]" },
};

static const char *look(struct seen *s, const struct python_look *l)
{
	struct python_wait w = { .timeout_ms = WAIT_MS, .interrupt_fd = -1 };
	struct err e = ERR_NONE;

	buf_truncate(&s->text, 0);
	unit_ok(python_look(s->python, l, &e), &e);
	assert_int_equal(python_wait(s->python, &w, &e), 0);
	return buf_cstr(&s->text);
}

static void test_look(const void *ptr)
{
	const struct look_row *row = ptr;
	const struct python_look l = { row->what, row->code, row->pos };
	struct seen s = { .count = false };

	begin(&s, false);
	assert_string_equal(cell(&s, things), "[ok]");
	assert_string_equal(look(&s, &l), row->want);
	end(&s);
}

/* However much there is, some of it is told. */
static void test_look_bounds(void)
{
	const struct python_look names = { PYTHON_COMPLETE, "a", 1 };
	const struct python_look vars = { .what = PYTHON_VARS };
	struct seen s = { .count = false };
	const char *got;

	begin(&s, false);
	assert_string_equal(look(&s, &vars), "+0[ok]"); /* it starts one, too */
	cell(&s, "for i in range(3000): globals()['a%04d' % i] = 'x' * 1000000\n"
		 "globals()['a' * 300] = 1");
	got = look(&s, &names);
	assert_non_null(strstr(got, "a0499 0-1[ok]"));
	got = look(&s, &vars);
	assert_non_null(strstr(got, "a0998:str:1000000:'xxx"));
	assert_non_null(strstr(got, "… +2001[ok]"));
	assert_true(strlen(got) < 200000);
	assert_non_null(strstr(cell(&s, "%whos"), "a0001                str"));
	end(&s);
}

/* ---- several --------------------------------------------------------------------------------- */

static void test_state(void)
{
	struct seen s = { .count = false };

	begin(&s, false);
	assert_int_equal(python_state(s.python), PYTHON_NONE);
	cell(&s, "x = 1\ndef f(): return x");
	assert_int_equal(python_state(s.python), PYTHON_IDLE);
	assert_string_equal(cell(&s, "x = 5\nf()"), "5\n[ok]");
	assert_string_equal(cell(&s, "_"), "5\n[ok]");
	cell(&s, "from __future__ import annotations");
	assert_string_equal(cell(&s, "def g(x: nosuch): pass"), "[ok]");
	end(&s);
}

/* 500 cells of one line: each has its own. */
static void test_order(void)
{
	struct seen s = { .count = false };
	char code[64], want[64];

	begin(&s, false);
	for (int i = 0; i < 500; i++) {
		snprintf(code, sizeof(code), "print('line %d')", i);
		snprintf(want, sizeof(want), "line %d\n[ok]", i);
		assert_string_equal(cell(&s, code), want);
	}
	end(&s);
}

static void test_merged(void)
{
	struct seen s = { .count = false };

	begin(&s, true);
	assert_string_equal(cell(&s, "import sys\nfor i in range(3):\n"
				     "  print(i); print('e', i, file=sys.stderr)"),
			    "0\ne 0\n1\ne 1\n2\ne 2\n[ok]");
	end(&s);
}

static void test_flood(void)
{
	struct seen s = { .count = true };

	begin(&s, false);
	cell(&s, "import os\nb = b'x' * 1048576\nfor i in range(100):\n"
		 "  w = 0\n  while w < len(b): w += os.write(1, b[w:])");
	assert_int_equal(s.bytes, 100 << 20);
	assert_string_equal(buf_cstr(&s.text), "[ok]");
	end(&s);
}

/* What a cell does to its descriptors does not last. */
static void test_streams(void)
{
	struct seen s = { .count = false };

	begin(&s, false);
	cell(&s, "import os, sys, io\nos.close(1)");
	assert_string_equal(cell(&s, "print('after close')"), "after close\n[ok]");
	cell(&s, "sys.stdout.close()");
	assert_string_equal(cell(&s, "print('again')"), "again\n[ok]");
	cell(&s, "sys.stdout = io.StringIO()\nprint('kept')");
	assert_string_equal(cell(&s, "sys.stdout.getvalue()"), "'kept\\n'\n[ok]");
	end(&s);
}

static void interrupted(struct seen *s, const char *code)
{
	struct python_wait w = { .timeout_ms = 300, .interrupt_fd = -1 };
	struct python_cell c = { .code = code };
	struct err e = ERR_NONE;

	buf_truncate(&s->text, 0);
	unit_ok(python_run(s->python, &c, &e), &e);
	assert_int_equal(python_wait(s->python, &w, &e), 1);
}

static void test_interrupt(void)
{
	static const char *const codes[] = {
		"import time\nwhile True: time.sleep(60)",
		"import subprocess\nsubprocess.run(['sleep', '60'])",
		"import asyncio\nawait asyncio.sleep(60)",
		"while True: pass",
	};
	struct seen s = { .count = false };

	begin(&s, false);
	cell(&s, "x = 8");
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		interrupted(&s, codes[i]);
		assert_non_null(
			strstr(buf_cstr(&s.text), "KeyboardInterrupt\n[interr"));
	}
	python_interrupt(s.python); /* where nothing runs it is nothing */
	assert_string_equal(cell(&s, "x"), "8\n[ok]");
	end(&s);
}

/* What takes no interrupt is killed; the next cell has another interpreter. */
static void test_kill(void)
{
	struct seen s = { .count = false };

	begin(&s, false);
	cell(&s, "1"); /* an interrupt while it starts ends it at once */
	interrupted(&s, "import signal, time\nx = 1\nsignal.pthread_sigmask("
			"signal.SIG_BLOCK, [signal.SIGINT])\ntime.sleep(60)");
	assert_string_equal(buf_cstr(&s.text), "[died 137 killed]");
	assert_int_equal(python_state(s.python), PYTHON_NONE);
	assert_string_equal(cell(&s, "'x' in globals()"), "False\n[ok]");
	end(&s);
}

static void test_question_interrupted(void)
{
	struct python_wait w = { .timeout_ms = WAIT_MS, .interrupt_fd = -1 };
	struct python_cell c = { .code = "input('?')" };
	struct seen s = { .count = false };
	struct err e = ERR_NONE;

	begin(&s, false);
	unit_ok(python_run(s.python, &c, &e), &e);
	assert_int_equal(python_wait(s.python, &w, &e), 0);
	assert_int_equal(python_state(s.python), PYTHON_ASKING);
	assert_int_equal(python_run(s.python, &c, &e), -EBUSY);
	python_interrupt(s.python);
	assert_int_equal(python_wait(s.python, &w, &e), 0);
	assert_non_null(strstr(buf_cstr(&s.text), "[interrupted]"));
	assert_int_equal(python_input(s.python, "x", &e), -ENOMSG);
	unit_err(&e, -ENOMSG, "no cell waits for input");
	/* nobody answers */
	unit_ok(python_run(s.python, &c, &e), &e);
	assert_int_equal(python_wait(s.python, &w, &e), 0);
	unit_ok(python_input(s.python, NULL, &e), &e);
	assert_int_equal(python_wait(s.python, &w, &e), 0);
	assert_non_null(strstr(buf_cstr(&s.text), "EOFError: nobody answers\n[error]"));
	end(&s);
}

static const struct end_row {
	const char *name, *code, *want;
} end_rows[] = {
	{ "it exits", "print('last', flush=True)\nimport os\nos._exit(4)",
	  "last\n[died 4]" },
	{ "it is killed", "import os\nos.kill(os.getpid(), 9)", "[died 137]" },
	{ "it closes the channel",
	  "import os, time\nos.closerange(3, 100)\ntime.sleep(60)", "[died 137]" },
	{ "it talks nonsense",
	  "import os, time\nos.write(5, b'nonsense')\ntime.sleep(60)",
	  "[died 137 it sent what is no message]" },
	{ "it forges a message of a bad form",
	  "import os, time, struct\nm = b'{\"t\":\"done\"}'\n"
	  "os.write(5, struct.pack('<I', len(m)) + m)\ntime.sleep(60)",
	  "[died 137 it sent what is no message]" },
	{ "it forges the end of its cell: the next one waits",
	  "import os, struct\nm = b'{\"t\":\"done\",\"id\":1,\"status\":\"ok\"}'\n"
	  "os.write(5, struct.pack('<I', len(m)) + m)\nprint('more')",
	  NULL },
};

static void test_end(const void *ptr)
{
	const struct end_row *row = ptr;
	struct seen s = { .count = false };
	const char *got;

	begin(&s, false);
	got = cell(&s, row->code);
	if (row->want)
		assert_string_equal(got, row->want);
	else
		assert_non_null(strstr(got, "[ok]"));
	got = cell(&s, "1 + 1");
	assert_non_null(strstr(got, "2\n[ok]"));
	end(&s);
}

/* It ends by itself, with what it has to do at its exit. */
static void test_finish(void)
{
	struct pollfd at = { .events = POLLIN };
	struct seen s = { .count = false };

	begin(&s, false);
	cell(&s, "import atexit, threading, time\natexit.register(print, 'at exit')\n"
		 "threading.Thread(target=lambda: (time.sleep(0.1), "
		 "print('late'))).start()");
	at.fd = python_fd(s.python);
	buf_truncate(&s.text, 0);
	python_finish(s.python);
	while (python_state(s.python) == PYTHON_IDLE && sys_poll(&at, 1, WAIT_MS) > 0)
		python_pump(s.python);
	assert_string_equal(buf_cstr(&s.text), "late\nat exit\n[ended 0]");
	end(&s);
}

/* What a cell writes is run by another. */
static void test_scripts(void)
{
	struct seen s = { .count = false };
	char dir[] = "/tmp/cubby-python-XXXXXX";
	char code[256], want[256];

	assert_non_null(mkdtemp(dir));
	begin(&s, false);
	snprintf(code, sizeof(code), "%%cd %s", dir);
	snprintf(want, sizeof(want), "%s\n[ok]", dir);
	assert_string_equal(cell(&s, code), want);
	assert_string_equal(cell(&s, "%%writefile 'a b.py'\nimport sys\nz = sys.argv"),
			    "Writing a b.py\n[ok]");
	assert_string_equal(cell(&s, "%%writefile -a 'a b.py'\nprint(z)"),
			    "Appending to a b.py\n[ok]");
	assert_string_equal(cell(&s, "w = 'c d'\n%run 'a b.py' x '{w}'\nsys.argv"),
			    "['a b.py', 'x', 'c d']\n['']\n[ok]");
	cell(&s, "import os\nos.mkdir('plotly')");
	cell(&s, "%%writefile plotly/basedatatypes.py\nclass BaseFigure:\n"
		 "  def to_html(self, **how): return str(how)\n  def show(self): 1/0");
	assert_string_equal(cell(&s, "import plotly.basedatatypes as p, shutil\n"
				     "shutil.rmtree('plotly')\np.BaseFigure().show()"),
			    "{'include_plotlyjs': 'cdn', 'full_html': False}\n[ok]");
	assert_non_null(strstr(cell(&s, "%timeit pass"), " s per loop ("));
	assert_non_null(strstr(cell(&s, "%%timeit x = 1\nx + 1"), " s per loop ("));
	assert_string_equal(
		cell(&s, "import os\nos.unlink('a b.py')\nos.rmdir(os.getcwd())"),
		"[ok]");
	end(&s);
}

static void test_restart(void)
{
	struct seen s = { .count = false };

	begin(&s, false);
	cell(&s, "x = 1");
	python_restart(s.python);
	assert_int_equal(python_state(s.python), PYTHON_NONE);
	assert_string_equal(cell(&s, "'x' in globals()"), "False\n[ok]");
	end(&s);
}

static void test_no_python(void)
{
	struct python_cell c = { .code = "1" };
	struct seen s = { .host.program = "" };
	struct err e = ERR_NONE;

	begin(&s, false);
	assert_int_equal(python_run(s.python, &c, &e), -ENOENT);
	unit_err(
		&e, -ENOENT,
		"there is no python3 in this box; install it in the box: apt-get update && "
		"apt-get "
		"install -y python3 (apk add python3, dnf install -y python3)");
	s.host.program = "false"; /* one that ends before it is ready */
	assert_string_equal(cell(&s, "1"), "[died 1]");
	end(&s);
}

/* A port that answers later: until then an end of the channel is none. */
static void test_later(void)
{
	struct python_wait w = { .timeout_ms = WAIT_MS, .interrupt_fd = -1 };
	static const struct err why = { -ENOENT, "no such program" };
	struct python_cell c = { .code = "1 + 1" };
	struct seen s = { .host.later = true };
	struct err e = ERR_NONE;

	begin(&s, false);
	unit_ok(python_run(s.python, &c, &e), &e);
	python_pump(s.python);
	assert_int_equal(python_state(s.python), PYTHON_RUNNING);
	python_spawned(s.python, &s.host.proc, NULL);
	assert_int_equal(python_wait(s.python, &w, &e), 0);
	assert_string_equal(buf_cstr(&s.text), "2\n[ok]");
	python_restart(s.python);
	buf_truncate(&s.text, 0);
	s.host.program = "false";
	unit_ok(python_run(s.python, &c, &e), &e);
	kill(s.host.pid, SIGKILL);
	box_proc_done(&s.host.proc);
	python_pump(s.python);
	assert_int_equal(python_state(s.python), PYTHON_RUNNING);
	python_spawned(s.python, NULL, &why);
	assert_int_equal(python_state(s.python), PYTHON_NONE);
	assert_string_equal(buf_cstr(&s.text), "[died -1 no such program]");
	buf_truncate(&s.text, 0);
	s.host.program = "yes";
	unit_ok(python_run(s.python, &c, &e), &e);
	w.timeout_ms = 1; /* and nobody tells of it */
	assert_int_equal(python_wait(s.python, &w, &e), 1);
	assert_string_equal(buf_cstr(&s.text), "[died 130 killed]");
	box_proc_done(&s.host.proc);
	end(&s);
}

static void test_too_long(void)
{
	_cleanup_free_ char *code = malloc(PYTHON_CODE_MAX + 2);
	struct python_cell c = { .code = code };
	struct seen s = { .count = false };
	struct err e = ERR_NONE;

	assert_non_null(code);
	memset(code, '1', PYTHON_CODE_MAX + 1);
	code[PYTHON_CODE_MAX + 1] = '\0';
	begin(&s, false);
	assert_int_equal(python_run(s.python, &c, &e), -EMSGSIZE);
	code[PYTHON_CODE_MAX] = '\0';
	code[0] = '#'; /* more than a socket has room for */
	assert_string_equal(cell(&s, code), "[ok]");
	end(&s);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what one cell defines the next one has", test_state },
		{ "output belongs to its cell", test_order },
		{ "both streams in their order", test_merged },
		{ "100 MiB", test_flood },
		{ "descriptors that a cell closed", test_streams },
		{ "an interrupt", test_interrupt },
		{ "no reaction to one", test_kill },
		{ "a question that is interrupted", test_question_interrupted },
		{ "an end of its own", test_finish },
		{ "a restart", test_restart },
		{ "a script that a cell writes", test_scripts },
		{ "much to look at", test_look_bounds },
		{ "no python3", test_no_python },
		{ "code that is too long", test_too_long },
		{ "a start that is told of later", test_later },
	};

	signal(SIGPIPE, SIG_IGN);
	return unit_rows("python", rows, test_cell) +
	       unit_rows("python, its end", end_rows, test_end) +
	       unit_rows("python, a look", look_rows, test_look) +
	       unit_cases("python", cases);
}
