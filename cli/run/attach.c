#include "cli/run/attach.h"

#include <string.h>

#include "base/file.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "cli/show/confirm.h"
#include "cli/show/termfilter.h"
#include "cli/show/tty.h"

enum {
	ATTACH_LINGER_MS = 200, /* of silence, for children that outlive the process */
	ATTACH_CHATTER_MS = 2000, /* what they may say is copied for so long */
	ATTACH_GROUND_MS = 200,	  /* how often the background is left to look */
	ATTACH_PATIENCE = 3,	  /* interrupts, then the process is killed */
	ATTACH_PIPE = 1 << 20,	  /* bytes; what an ordinary user may ask for */
	IN = 0,
	OUT = 1,
	BESIDE = 2,		/* of what is polled: behind signals and the box */
	ATTACH_ASKED_MS = 5000, /* a terminal that has not answered by then will not */
};

struct attach {
	struct box *box; /* borrowed */
	uint32_t id;	 /* of the process */
	int master;	 /* borrowed from the pump's caller; -1 without a terminal */
	int signals;	 /* owned */
	sigset_t old;	 /* mask to put back */
	struct tty tty;
	struct pump_set pump;
	const struct attach_how *how; /* borrowed */
	struct termfilter screens[3]; /* of our streams that are terminals */
	bool filtered[3];	      /* which are */
	unsigned asked;		      /* questions to the terminal */
	uint64_t asked_ms;	      /* when the last one passed */
	unsigned interrupts;
	bool beside;	  /* what else is served has not ended */
	bool exited;	  /* the process; its output may still come */
	bool over, told;  /* told: to end, when only output was left */
	uint64_t owed;	  /* pump.bytes when all that it has written is copied */
	uint64_t paid_ms; /* when that was so; 0 = not yet */
	struct box_exit exit;
};

/* What a filter held back, and what puts the terminal back. */
static void end_screens(struct attach *a)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);

	if (a->pump.midway)
		(void)buf_addc(&b, '\030'); /* what was half written is no sequence */
	for (int i = OUT; i < 3; i++) {
		const bool other = a->how->filter && i == STDOUT_FILENO;

		if (a->filtered[i])
			(void)termfilter_end(&a->screens[i], &b);
		else if (other)
			(void)a->how->filter(a->how->filter_ctx, "", 0, &b);
		(void)file_write_fd(i, buf_cstr(&b), b.len, ERR_IGNORED);
		buf_truncate(&b, 0);
	}
	if (a->asked && a->tty.raw && sys_now_ms() - a->asked_ms < ATTACH_ASKED_MS)
		tty_settle(STDIN_FILENO, STDOUT_FILENO);
}

static void attach_done(struct attach *a)
{
	struct signalfd_siginfo si;

	end_screens(a);
	tty_restore(&a->tty);
	/* A SIGPIPE that still waits would end us as soon as it is let in. */
	while (a->signals >= 0 && sys_read(a->signals, &si, sizeof(si)) > 0)
		;
	pump_done(&a->pump);
	scope_close(&a->signals);
	(void)sys_sigprocmask(SIG_SETMASK, &a->old, NULL);
}

/* Of SIGPIPE nothing is made: what counts is the EPIPE of the call. */
static int take_signals(struct attach *a, struct err *e)
{
	static const int ours[] = { SIGINT,  SIGQUIT, SIGTERM,	SIGHUP,
				    SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP,
				    SIGCONT, SIGPIPE, 0 };

	a->signals = signals_watch(ours, &a->old);
	return a->signals < 0 ? err_sys(e, a->signals, "cannot watch signals") : 0;
}

static void resize(const struct attach *a)
{
	unsigned short rows, cols;

	if (a->master >= 0 && tty_size(STDIN_FILENO, &rows, &cols) == 0)
		(void)tty_set_size(a->master, rows, cols);
}

static bool in_foreground(void)
{
	return sys_tcgetpgrp(STDIN_FILENO) == sys_getpgid(0);
}

/* From the background it would stop us. */
static void enter_raw(struct attach *a)
{
	if (a->master >= 0 && tty_is(STDIN_FILENO) && in_foreground())
		(void)tty_raw(&a->tty, STDIN_FILENO);
}

/* A process that is gone already needs no signal: failures do not matter. */
static void forward(const struct attach *a, int sig)
{
	(void)box_signal(a->box, a->id, sig, ERR_IGNORED);
}

static void end_session(const struct attach *a)
{
	(void)box_kill_session(a->box, a->id, ERR_IGNORED);
}

static void stop_ourselves(struct attach *a)
{
	tty_restore(&a->tty);
	if (a->master < 0)
		forward(a, SIGTSTP);
	(void)sys_kill(sys_getpid(), SIGSTOP);
}

static void take_terminal(struct attach *a)
{
	enter_raw(a);
	resize(a);
	pump_resume(&a->pump);
}

static void go_on(struct attach *a)
{
	take_terminal(a);
	if (a->master < 0)
		forward(a, SIGCONT);
}

static bool ends(int sig)
{
	return sig == SIGINT || sig == SIGQUIT || sig == SIGTERM || sig == SIGHUP;
}

static void on_signal(struct attach *a, int sig)
{
	if (a->exited && ends(sig)) { /* there is nobody left to get it */
		a->told = true;
		return;
	}
	switch (sig) {
	case SIGPIPE:
		return;
	case SIGWINCH:
		resize(a);
		return;
	case SIGTSTP:
		stop_ourselves(a);
		return;
	case SIGCONT:
		go_on(a);
		return;
	case SIGINT:
		forward(a, sig);
		if (++a->interrupts >= ATTACH_PATIENCE)
			end_session(a);
		return;
	case SIGTERM:
	case SIGHUP:
		if (a->master >= 0) {
			end_session(a);
			return;
		}
		_fallthrough_;
	default:
		forward(a, sig);
	}
}

static void read_signals(struct attach *a)
{
	struct signalfd_siginfo si;

	while (sys_read(a->signals, &si, sizeof(si)) == (ssize_t)sizeof(si))
		on_signal(a, (int)si.ssi_signo);
}

/* What it wrote before it ended is copied, however slow our reader is. */
static void count_owed(struct attach *a)
{
	a->owed = a->pump.bytes;
	for (unsigned i = OUT; i < a->pump.n; i++) {
		const struct pump_stream *s = &a->pump.s[i];
		int waiting = 0;

		if (s->from >= 0 && sys_pending(s->from, &waiting) >= 0)
			a->owed += (uint64_t)waiting;
		a->owed += pump_owed(&a->pump, i);
	}
}

static int read_exits(struct attach *a, struct err *e)
{
	struct box_exit x;
	int r;

	for (;;) {
		r = box_next_exit(a->box, &x, e);
		if (r < 0 && a->exited)
			return 0; /* the box has ended too, after it */
		if (r <= 0)
			return r;
		if (x.id != a->id)
			continue;
		a->exit = x;
		a->exited = true;
		pump_end(&a->pump, IN);
		count_owed(a);
	}
}

static bool output_open(const struct attach *a)
{
	for (unsigned i = OUT; i < a->pump.n; i++)
		if (pump_open(&a->pump, i))
			return true;
	return false;
}

/* A terminal whose input has ended is told so, as by a typed ^D. */
static void input_ended(struct attach *a, bool was_open)
{
	static const char eof = 4;

	if (a->master >= 0 && was_open && !pump_open(&a->pump, IN) && !a->exited)
		(void)sys_write(a->master, &eof, 1);
}

/* Is something on its way that our reader does not take now? */
static bool reader_waits(const struct attach *a)
{
	for (unsigned i = OUT; i < a->pump.n; i++)
		if (pump_open(&a->pump, i) && pump_full(&a->pump, i))
			return true;
	return false;
}

/* After the process: what its children say is not waited for. */
static bool is_over(struct attach *a, bool quiet)
{
	if (!a->exited)
		return false;
	if (a->told || !output_open(a))
		return true;
	if (reader_waits(a))
		return false;
	if (!a->paid_ms && a->pump.bytes >= a->owed)
		a->paid_ms = sys_now_ms();
	return quiet || (a->paid_ms && sys_now_ms() - a->paid_ms >= ATTACH_CHATTER_MS);
}

/* In the background, and the terminal is wanted. A shell that fetches a job which runs
 * sends it no SIGCONT. */
static bool wants_terminal(const struct attach *a)
{
	return pump_open(&a->pump, IN) &&
	       (a->pump.s[IN].held ||
		(a->master >= 0 && !a->tty.raw && a->pump.s[IN].tty));
}

static int wait_ms(const struct attach *a)
{
	if (a->exited)
		return reader_waits(a) ? -1 : ATTACH_LINGER_MS;
	return wants_terminal(a) ? ATTACH_GROUND_MS : -1;
}

static void note_questions(struct attach *a)
{
	if (a->screens[OUT].asked == a->asked)
		return;
	a->asked = a->screens[OUT].asked;
	a->asked_ms = sys_now_ms();
}

/* ---- what is asked and said meanwhile ----------------------------------------------- */

/* What the box was about to draw ends, and how it draws: its text would stand in ours, or
 * ours in its colours. Then the terminal is the person's. */
static void take_screen(struct attach *a)
{
	static const char plain[] = "\030\033(B\033[m\r\n";

	if (tty_is(STDERR_FILENO) && a->pump.bytes)
		(void)file_write_fd(STDERR_FILENO, plain, sizeof(plain) - 1,
				    ERR_IGNORED);
	tty_restore(&a->tty);
}

static void write_line(const char *text, const char *end)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096);

	if (buf_addf(&b, "cubby: %s%s", text, end) == 0)
		(void)file_write_fd(STDERR_FILENO, b.data, b.len, ERR_IGNORED);
}

/* After ^C or an end of the input nothing has ended the line of the question. */
static bool no_answer(void)
{
	(void)file_write_fd(STDERR_FILENO, "\r\n", 2, ERR_IGNORED);
	return false;
}

/* Signals are heard meanwhile, as always: one that ends the command is a no, a window that
 * got another size no answer. Who was stopped sees the question again. */
static bool read_yes(struct attach *a, const char *question)
{
	struct pollfd p[] = { { .fd = a->signals, .events = POLLIN },
			      { .fd = STDIN_FILENO, .events = POLLIN } };
	struct signalfd_siginfo si;
	bool shown = false;
	char line[64];
	ssize_t n;

	do {
		if (!shown)
			write_line(question, " [y/N] ");
		shown = true;
		n = sys_poll(p, ARRAY_SIZE(p), -1);
		if (n < 0 && n != -EINTR)
			return false;
		while (sys_read(a->signals, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
			on_signal(a, (int)si.ssi_signo);
			if (ends((int)si.ssi_signo))
				return no_answer();
			shown &= si.ssi_signo != SIGCONT;
		}
		tty_restore(&a->tty); /* going on has made it raw */
	} while (n < 0 || !shown || !p[1].revents);
	n = sys_read(STDIN_FILENO, line, sizeof(line) - 1);
	line[MAX(n, 0)] = '\0';
	return n > 0 ? confirm_is_yes(line) : no_answer();
}

bool attach_ask(struct attach *a, const char *question)
{
	bool yes;

	if (!tty_is(STDIN_FILENO) || !tty_is(STDERR_FILENO) || !in_foreground())
		return false;
	take_screen(a);
	confirm_fresh(STDIN_FILENO);
	yes = read_yes(a, question);
	enter_raw(a);
	return yes;
}

void attach_note(struct attach *a, const char *line)
{
	take_screen(a);
	write_line(line, "\n");
	enter_raw(a);
}

/* One wait and what came of it. */
static int step(struct attach *a, struct err *e)
{
	struct pollfd fds[BESIDE + 1 + PUMP_POLLFDS] = {
		{ .fd = a->signals, .events = POLLIN },
		{ .fd = a->exited ? -1 : box_fd(a->box), .events = POLLIN },
		[BESIDE] = { .fd = a->beside ? a->how->beside_fd : -1,
			     .events = POLLIN },
	};
	unsigned n = BESIDE + 1 + pump_poll(&a->pump, fds + BESIDE + 1);
	bool was_open = pump_open(&a->pump, IN);
	bool quiet;
	int r;

	r = sys_poll(fds, n, wait_ms(a));
	if (r < 0)
		return r == -EINTR ? 0 : err_sys(e, r, "cannot wait");
	quiet = a->exited && r == 0;
	if (wants_terminal(a) && in_foreground())
		take_terminal(a);
	if (fds[0].revents)
		read_signals(a);
	pump_step(&a->pump, fds + BESIDE + 1);
	note_questions(a);
	if (fds[BESIDE].revents)
		a->beside = a->how->beside(a->how->beside_ctx, a);
	input_ended(a, was_open);
	r = fds[1].revents ? read_exits(a, e) : 0;
	/* After the exits: where all output had ended before, nothing is waited for. */
	a->over = is_over(a, quiet);
	return r;
}

static int add_stream(struct attach *a, int from, int to, struct pump_stream **ret,
		      struct err *e)
{
	*ret = pump_add(&a->pump, from, to);
	return *ret ? 0 : err_sys(e, -ENOMEM, "cannot copy");
}

static int filter_screen(void *ctx, const char *in, size_t len, struct buf *out)
{
	return termfilter_feed(ctx, in, len, out);
}

/* @fd: which of our streams @s writes to. Questions to the terminal are for a program
 * that reads its keys; the line editor of the terminal would keep the answers for the
 * shell that comes after us. */
static void add_filter(struct attach *a, const struct attach_how *how,
		       struct pump_stream *s, int fd)
{
	if (how->filter && fd == STDOUT_FILENO) {
		pump_filter(s, how->filter, how->filter_ctx);
		return;
	}
	if (how->raw || !tty_is(fd))
		return;
	a->filtered[fd] = true;
	termfilter_init(&a->screens[fd], how->tty && tty_is(STDIN_FILENO));
	pump_filter(s, filter_screen, &a->screens[fd]);
}

static int join_pipes(struct attach *a, struct box_proc *p,
		      const struct attach_how *how, struct err *e)
{
	struct pump_stream *s;
	int r;

	for (size_t i = 0; i < 3; i++)
		(void)sys_pipe_size(p->fds[i], ATTACH_PIPE); /* only for speed */
	r = add_stream(a, STDIN_FILENO, p->fds[0], &s, e);
	if (r < 0)
		return r;
	s->tty = tty_is(STDIN_FILENO);
	s->close_to = true;
	p->fds[0] = -1;
	if (how->no_input)
		pump_end(&a->pump, IN);
	for (int i = 1; i < 3; i++) {
		r = add_stream(a, p->fds[i], i, &s, e);
		if (r < 0)
			return r;
		s->close_from = true;
		add_filter(a, how, s, i);
		p->fds[i] = -1;
	}
	return 0;
}

static int join_tty(struct attach *a, struct box_proc *p, const struct attach_how *how,
		    struct err *e)
{
	struct pump_stream *s;
	int r;

	a->master = p->fds[0];
	r = add_stream(a, STDIN_FILENO, a->master, &s, e);
	if (r < 0)
		return r;
	s->tty = tty_is(STDIN_FILENO);
	r = add_stream(a, a->master, STDOUT_FILENO, &s, e);
	if (r < 0)
		return r;
	add_filter(a, how, s, STDOUT_FILENO);
	enter_raw(a);
	resize(a);
	return 0;
}

/* A reader that has gone is its own affair, and who closed standard error wants none; a
 * full disk is another thing. */
static int check_output(const struct attach *a, struct err *e)
{
	static const char *const names[] = { "standard input", "standard output",
					     "standard error" };

	for (unsigned i = OUT; i < a->pump.n && i < ARRAY_SIZE(names); i++) {
		int error = a->pump.s[i].error;

		if (error == -EBADF && i != OUT)
			continue;
		if (error < 0 && error != -EPIPE && a->master < 0)
			return err_sys(e, error, "cannot write %s", names[i]);
	}
	return 0;
}

int attach_run(const struct app *app, struct box *b, struct box_proc *p,
	       const struct attach_how *how, struct box_exit *ret, struct err *e)
{
	_cleanup_(attach_done) struct attach a = { .box = b,
						   .how = how,
						   .id = p->id,
						   .master = -1,
						   .signals = -1,
						   .beside = how->beside != NULL,
						   .tty = TTY_NONE };
	int r;

	fflush(app->out);
	pump_init(&a.pump);
	r = take_signals(&a, e);
	if (r < 0)
		return r;
	r = how->tty ? join_tty(&a, p, how, e) : join_pipes(&a, p, how, e);
	if (r < 0)
		return r;
	r = read_exits(&a, e); /* it may have ended, and be queued, already */
	while (r >= 0 && !a.over)
		r = step(&a, e);
	if (r < 0)
		return r;
	r = check_output(&a, e);
	if (r < 0)
		return r;
	*ret = a.exit;
	return 0;
}
