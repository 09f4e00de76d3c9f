#include "rootfs/image/bootstrap.h"

#include <stdio.h>
#include <string.h>

#include "base/embed.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { RELEASE = 16 << 10, OUTPUT = 256 << 10, END_MS = 20000 };

EMBED(bootstrap_text, "scripts/mkrootfs");

/* ---- which one ---------------------------------------------------------------------- */

static const struct {
	const char *host, *version, *suite;
} known[] = {
	{ "debian", "11", "bullseye" }, { "debian", "12", "bookworm" },
	{ "debian", "13", "trixie" },	{ "ubuntu", "22.04", "jammy" },
	{ "ubuntu", "24.04", "noble" },
};

/* KEY=value or KEY="value", a line each (os-release(5)). */
static void variable(const char *text, const char *key, char ret[BOOTSTRAP_WORD])
{
	size_t len = strlen(key), n;

	ret[0] = '\0';
	for (; *text; text += *text == '\n') {
		if (!strncmp(text, key, len) && text[len] == '=') {
			const char *value = text + len + 1;

			value += *value == '"';
			n = strcspn(value, "\"\n");
			if (n < BOOTSTRAP_WORD)
				snprintf(ret, BOOTSTRAP_WORD, "%.*s", (int)n, value);
		}
		text += strcspn(text, "\n");
	}
}

void bootstrap_read(const char *name, const char *os_release, struct bootstrap *ret)
{
	struct bootstrap b = { .suite = "" };
	char tag[BOOTSTRAP_WORD], version[BOOTSTRAP_WORD], own[BOOTSTRAP_WORD];
	size_t n;

	variable(os_release, "ID", b.host);
	if (strcmp(b.host, "debian") != 0 && strcmp(b.host, "ubuntu") != 0)
		b.host[0] = '\0';
	*ret = b;
	n = strlen(b.host);
	if (!n || strncmp(name, b.host, n) != 0 || name[n] != ':' ||
	    text_copy(tag, sizeof(tag), name + n + 1) < 0)
		return;
	if (text_ends(tag, "-slim")) /* documentation left out: a matter of size */
		tag[strlen(tag) - strlen("-slim")] = '\0';
	variable(os_release, "VERSION_ID", version);
	variable(os_release, "VERSION_CODENAME", own);
	if (*own &&
	    (!strcmp(tag, "latest") || !strcmp(tag, version) || !strcmp(tag, own)))
		memcpy(ret->suite, own, sizeof(own));
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(b.host, known[i].host) &&
		    (!strcmp(tag, known[i].version) || !strcmp(tag, known[i].suite)))
			(void)text_copy(ret->suite, sizeof(ret->suite), known[i].suite);
}

void bootstrap_find(const char *name, struct bootstrap *ret)
{
	_cleanup_buf_ struct buf text = BUF_INIT((size_t)RELEASE);

	(void)file_read(AT_FDCWD, "/etc/os-release", &text, ERR_IGNORED);
	bootstrap_read(name, buf_cstr(&text), ret);
}

const char *bootstrap_maker(void)
{
	char path[PATH_MAX];

	if (proc_find("mmdebstrap", path) == 0)
		return "mmdebstrap";
	/* It works as root alone. */
	return sys_geteuid() == 0 && proc_find("debootstrap", path) == 0 ? "debootstrap"
									 : NULL;
}

/* ---- making it ---------------------------------------------------------------------- */

/* What it says: the last line, or the first of the errors of apt and those after it. */
static int explain(struct buf *said, struct err *e)
{
	const char *why = NULL, *last = "it says nothing";

	for (char *rest = said->len ? said->data : NULL, *line;
	     rest && (line = strsep(&rest, "\n"));) {
		if (!why && text_starts(line, "E: "))
			why = line + strlen("E: ");
		if (*line)
			last = line;
	}
	if (!why)
		why = text_starts(last, "mkrootfs: ") ? last + strlen("mkrootfs: ")
						      : last;
	return err_set(e, -EREMOTEIO, "%s", text_shown(why));
}

/* Until it has closed its end: what it says first is of no use once it is much. */
static int hear(int from, int abort_fd, struct buf *said, struct err *e)
{
	for (;;) {
		struct pollfd p[2] = { { .fd = from, .events = POLLIN },
				       { .fd = abort_fd, .events = POLLIN } };
		char data[4096];
		ssize_t n;
		int r = sys_poll(p, 2, -1);

		if (r < 0 && r != -EINTR)
			return err_sys(e, r, "cannot wait for it");
		if (r > 0 && p[1].revents)
			return err_set(e, -ECANCELED, "interrupted");
		if (r <= 0 || !p[0].revents)
			continue;
		n = sys_read(from, data, sizeof(data));
		if (n < 0)
			return err_sys(e, (int)n, "cannot hear it");
		if (n == 0)
			return 0;
		if (said->len + (size_t)n > said->max)
			buf_consume(said, said->len);
		(void)buf_add(said, data, (size_t)n);
	}
}

/* It has a session of its own: all of it is asked to end, and cleans up. */
static void interrupt(struct proc *p)
{
	int status;

	(void)sys_kill(-p->pid, SIGTERM);
	if (proc_wait(p, END_MS, &status, ERR_IGNORED) < 0)
		(void)sys_kill(-p->pid, SIGKILL);
}

int bootstrap_make(const struct bootstrap *b, const char *path, int abort_fd,
		   struct err *e)
{
	const char *argv[] = { "/bin/sh", "/proc/self/fd/3", "--suite",
			       b->suite,  "--output",	     path,
			       NULL };
	_cleanup_buf_ struct buf said = BUF_INIT((size_t)OUTPUT);
	_cleanup_close_ int script = -1, from = -1, to = -1;
	_cleanup_proc_ struct proc p = PROC_NONE;
	int ends[2], status = 0, r;

	script = file_sealed("cubby-mkrootfs", bootstrap_text,
			     (size_t)(bootstrap_text_end - bootstrap_text), e);
	if (script < 0)
		return script;
	r = sys_pipe2(ends, 0);
	if (r < 0)
		return err_sys(e, r, "cannot make a pipe");
	from = ends[0];
	to = ends[1];
	r = proc_start(&(struct proc_conf){ .argv = argv,
					    .fds = { -1, -1, to },
					    .pass_fd = script,
					    .new_session = true },
		       &p, e);
	if (r < 0)
		return r;
	scope_close(&to);
	r = hear(from, abort_fd, &said, e);
	if (r < 0) {
		interrupt(&p);
		return r;
	}
	r = proc_wait(&p, END_MS, &status, e);
	if (r == 0 && status != 0)
		r = explain(&said, e);
	return r;
}
