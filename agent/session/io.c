/* The bytes of a session: terminal to marks to text, and what is written to it. */
#include <errno.h>
#include <string.h>

#include "agent/session/impl.h"
#include "agent/session/split.h"
#include "agent/terminal/screen.h"
#include "base/sys/sys.h"

enum {
	READ_SIZE = 64 << 10,
	READS_AT_ONCE = 16,	 /* then the caller looks at the clock, */
	HEAVY_AT_ONCE = 8 << 10, /* and after so many bytes with sequences among them:
				  * each may redraw the screen */
	LAUNCHES_MAX = 3,
	PUMP_STEPS = 64,   /* with nobody waiting: this often, */
	PUMP_CPU_MS = 250, /* or for so long */
	LONE_ESC_MS = 50
};

/* ---- terminal modes --------------------------------------------------------------- */

static void session_io_quiet(struct session *s)
{
	struct termios t;

	if (sys_tcgetattr(s->proc.master, &t) < 0)
		return;
	t.c_lflag &= ~(tcflag_t)ECHO;
	sys_tcsetattr(s->proc.master, TCSANOW, &t);
}

static bool is_sane(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag &&
	       a->c_cflag == b->c_cflag && a->c_lflag == b->c_lflag &&
	       memcmp(a->c_cc, b->c_cc, VEOL2) == 0;
}

/* As a new pty has it (drivers/tty/tty_io.c, tty_std_termios), with UTF-8 erase. */
static void make_sane(struct termios *t)
{
	static const unsigned char cc[] = {
		[VINTR] = 3,	  [VQUIT] = 034,    [VERASE] = 0177, [VKILL] = 025,
		[VEOF] = 4,	  [VTIME] = 0,	    [VMIN] = 1,	     [VSWTC] = 0,
		[VSTART] = 021,	  [VSTOP] = 023,    [VSUSP] = 032,   [VEOL] = 0,
		[VREPRINT] = 022, [VDISCARD] = 017, [VWERASE] = 027, [VLNEXT] = 026,
	};

	t->c_iflag = ICRNL | IXON | IUTF8;
	t->c_oflag = OPOST | ONLCR;
	t->c_cflag = CREAD | CS8 | (t->c_cflag & CBAUD);
	t->c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN;
	memcpy(t->c_cc, cc, sizeof(cc));
}

static void flush_input(struct session *s)
{
	_cleanup_close_ int peer = sys_pty_peer(s->proc.master, O_RDWR | O_NOCTTY);

	if (peer >= 0)
		sys_tcflush(peer, TCIFLUSH);
	s->to_tty.len = 0;
	s->typed = false;
}

static void session_io_sane(struct session *s)
{
	struct termios t, want;

	if (sys_tcgetattr(s->proc.master, &t) < 0)
		return;
	want = t;
	make_sane(&want);
	if (!is_sane(&t, &want))
		sys_tcsetattr(s->proc.master, TCSANOW, &want);
	if (s->typed || s->to_tty.len)
		flush_input(s);
}

/* ---- text ------------------------------------------------------------------------- */

/* The last that was printed, from the beginning of a line where there is one. */
static void keep_aside(struct session *s, const char *text, size_t len)
{
	size_t half = s->aside.max / 2, over;

	if (len > half) {
		text += len - half;
		len = half;
	}
	if (len > s->aside.max - s->aside.len) {
		const char *nl;

		over = s->aside.len - (half - len);
		nl = memchr(s->aside.data + over, '\n', s->aside.len - over);
		buf_consume(&s->aside, nl ? (size_t)(nl + 1 - s->aside.data) : over);
	}
	buf_add(&s->aside, text, len);
}

static void on_plain(void *ctx, const char *text, size_t len)
{
	struct session *s = ctx;
	bool mine = s->phase == SESSION_IN_COMMAND;

	if (mine) {
		fold_feed(&s->fold, text, len);
		spill_add(&s->spill, text, len);
	} else {
		clip_add(&s->earlier, text, len);
		keep_aside(s, text, len);
	}
}

static void on_folded(void *ctx, const char *text, size_t len)
{
	struct session *s = ctx;

	clip_add(&s->now, text, len);
}

void session_io_batch(struct session *s)
{
	if (s->n_batch)
		redact_feed(&s->text, s->batch, s->n_batch);
	s->n_batch = 0;
}

static void on_output(void *ctx, const char *text, size_t len)
{
	struct session *s = ctx;

	if (len > SESSION_BATCH - s->n_batch)
		session_io_batch(s);
	if (len > SESSION_BATCH) {
		redact_feed(&s->text, text, len);
		return;
	}
	memcpy(s->batch + s->n_batch, text, len);
	s->n_batch += len;
}

static bool reads_keys(void *ctx)
{
	const struct session *s = ctx;
	struct termios t;

	return sys_tcgetattr(s->proc.master, &t) == 0 && !(t.c_lflag & ICANON);
}

/* What the terminal answers goes to a program that reads keys without echo, and to no
 * other: a file full of queries must not type anything. */
static void on_answer(void *ctx, const char *data, size_t len)
{
	struct session *s = ctx;
	struct termios t;

	if (s->proc.master >= 0 && sys_tcgetattr(s->proc.master, &t) == 0 &&
	    !(t.c_lflag & (ICANON | ECHO)))
		buf_add(&s->to_tty, data, len);
}

static void on_raw(void *ctx, const char *data, size_t len)
{
	struct session *s = ctx;

	if (s->conf.output)
		s->conf.output(s->conf.ctx, data, len);
	output_feed(&s->output, data, len);
}

static void on_text(void *ctx, const char *data, size_t len)
{
	struct session *s = ctx;

	if (s->phase != SESSION_LAUNCHING) /* the loop's echo is for nobody */
		screen_feed(s->screen, data, len);
	redact_feed(&s->raw, data, len);
}

void session_io_end_text(struct session *s)
{
	redact_flush(&s->raw);
	output_end(&s->output);
	session_io_batch(s);
	redact_flush(&s->text);
}

/* ---- marks ------------------------------------------------------------------------ */

/* The prompt's hook waits on the channel: type the loop, then let it go on. */
static void launch(struct session *s)
{
	session_io_sane(s);
	flush_input(s);
	if (!s->shell->keeps_modes)
		session_io_quiet(s);
	if (s->launches++ == LAUNCHES_MAX) {
		s->broken = true;
		return;
	}
	s->phase = SESSION_LAUNCHING;
	s->bare = false;
	if (buf_adds(&s->to_tty, s->shell->loop) < 0 ||
	    shell_encode(s->shell, s->nonce, MARKER_NONCE, &s->to_channel) < 0)
		s->broken = true;
}

static void at_prompt(struct session *s, const struct marker_event *ev)
{
	if (s->open && !s->done && !s->at_prompt) {
		session_io_end_text(s);
		s->status = ev->status;
		s->at_prompt = true;
	}
	launch(s);
}

int session_io_next(struct session *s)
{
	size_t len = s->rest.len;
	int r;

	if (s->conf.on_error == SESSION_STOP)
		len = split_next(buf_cstr(&s->rest), len);
	r = shell_encode(s->shell, buf_cstr(&s->rest), len, &s->to_channel);
	buf_consume(&s->rest, len);
	s->phase = SESSION_SENT;
	return r;
}

/* The end of a command of the text: of all of it, or the next one begins. */
static void at_end(struct session *s)
{
	s->ended_ms = sys_now_ms();
	if (!s->open || !s->rest.len) {
		s->done = s->open;
		return;
	}
	if (s->status == 0 && session_io_next(s) == 0)
		return;
	s->done = true;
	s->phase = SESSION_READY;
	session_note(s, "the commands behind the one that failed were not run");
	buf_truncate(&s->rest, 0);
}

static void at_done(struct session *s, const struct marker_event *ev)
{
	if (s->phase == SESSION_READY || s->phase == SESSION_STARTING)
		return;
	if (!s->at_prompt) {
		session_io_end_text(s);
		s->status = ev->status;
	}
	session_io_sane(s);
	free(s->cwd);
	s->cwd = strdup(ev->cwd);
	s->at_prompt = false;
	s->launches = 0;
	s->phase = SESSION_READY;
	at_end(s);
	screen_calm(s->screen);
}

static void on_event(void *ctx, const struct marker_event *ev)
{
	struct session *s = ctx;

	switch (ev->kind) {
	case MARKER_COMMAND:
		if (s->phase != SESSION_SENT)
			break;
		session_io_end_text(s);
		s->phase = SESSION_IN_COMMAND;
		break;
	case MARKER_DONE:
		at_done(s, ev);
		break;
	case MARKER_PROMPT:
		at_prompt(s, ev);
		break;
	case MARKER_BARE:
		/* behind every prompt; news only where the hook could not say P: it
		 * was removed, or the shell has no descriptor left */
		if (s->phase != SESSION_LAUNCHING || s->bare)
			at_prompt(s, ev);
		s->bare = true;
		break;
	}
}

void session_io_init(struct session *s)
{
	fold_done(&s->fold);
	fold_init(&s->fold, on_folded, s);
	s->n_batch = 0;
	s->told = 0;
	buf_truncate(&s->aside, 0);
	output_init(&s->output, on_output, reads_keys, s);
	marker_init(&s->marker, s->nonce, on_text, on_event, s);
	screen_on_answer(s->screen, on_answer, s);
	s->raw.out = on_raw;
	s->text.out = on_plain;
	s->raw.ctx = s->text.ctx = s;
	s->raw.held.len = s->text.held.len = 0;
}

/* ---- steps ------------------------------------------------------------------------ */

/* What cannot be sent because nobody reads any more is dropped: the shell's death is
 * told otherwise. */
static void sent(struct buf *b, ssize_t n)
{
	if (n > 0)
		buf_consume(b, (size_t)n);
	else if (n != -EAGAIN)
		buf_truncate(b, 0);
}

/* Nothing to read at the moment. */
static void idle(struct session *s)
{
	/* of what else may become a mark nothing can be seen, and to take a mark for
	 * text would lose the end of a command: whoever writes it may have been stopped
	 * within it, by a full terminal */
	if (s->marker.n_held == 1 && sys_now_ms() - s->last_output_ms >= LONE_ESC_MS)
		marker_flush(&s->marker);
	/* a program that reads keys may have asked the terminal something */
	if (screen_pending(s->screen) && reads_keys(s))
		screen_settle(s->screen);
}

void session_io_write(struct session *s)
{
	if (s->to_tty.len && s->proc.master >= 0)
		sent(&s->to_tty,
		     sys_write(s->proc.master, s->to_tty.data, s->to_tty.len));
}

bool session_io_step(struct session *s)
{
	char data[READ_SIZE];
	size_t heavy = 0;
	bool any = false;

	for (int i = 0;
	     i < READS_AT_ONCE && heavy < HEAVY_AT_ONCE && s->proc.master >= 0; i++) {
		ssize_t n = sys_read(s->proc.master, data, sizeof(data));

		if (n <= 0)
			break;
		any = true;
		heavy += memchr(data, '\033', (size_t)n) ? (size_t)n : 0;
		marker_feed(&s->marker, data, (size_t)n);
	}
	if (any) {
		s->last_output_ms = sys_now_ms();
		session_io_batch(s);
	} else {
		idle(s);
	}
	session_io_write(s);
	if (s->to_channel.len && s->channel >= 0)
		sent(&s->to_channel, sys_send(s->channel, s->to_channel.data,
					      s->to_channel.len, MSG_DONTWAIT));
	return any;
}

void session_io_pump(struct session *s)
{
	uint64_t from = 0;

	for (int i = 0; i < PUMP_STEPS && session_io_step(s); i++)
		if (i == 0)
			from = sys_cpu_ms();
		else if (sys_cpu_ms() - from >= PUMP_CPU_MS)
			break;
}

enum { ASIDE = 4 }; /* index of the first in the poll set */

void session_io_poll(struct session *s, int timeout_ms)
{
	struct pollfd p[] = {
		{ s->proc.master, POLLIN, 0 },
		{ s->to_channel.len ? s->channel : -1, POLLOUT, 0 },
		{ s->conf.port->fd(s->conf.port->ctx), POLLIN, 0 },
		{ s->open ? s->conf.interrupt_fd : -1, POLLIN, 0 },
		{ -1, POLLIN, 0 },
		{ -1, POLLIN, 0 },
	};

	_Static_assert(ARRAY_SIZE(p) == ASIDE + SESSION_ASIDES, "one for each aside");
	for (int i = 0; i < SESSION_ASIDES; i++)
		if (s->conf.asides[i].ready)
			p[ASIDE + i].fd = s->conf.asides[i].fd;

	if (s->to_tty.len)
		p[0].events |= POLLOUT;
	if (p[2].fd < 0)
		timeout_ms = MIN(timeout_ms, 20);
	sys_poll(p, ARRAY_SIZE(p), timeout_ms);
	/* all slaves closed and the shell's death not told yet: do not spin */
	if ((p[0].revents & (POLLIN | POLLHUP)) == POLLHUP) {
		p[0].fd = -1;
		sys_poll(p, ARRAY_SIZE(p), MIN(timeout_ms, 5));
	}
	if (p[3].revents & POLLIN)
		s->interrupt = true;
	for (int i = 0; i < SESSION_ASIDES; i++)
		if (p[ASIDE + i].revents && s->conf.asides[i].ready)
			s->conf.asides[i].ready(s->conf.asides[i].ctx);
}
