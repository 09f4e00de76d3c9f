#include "rootfs/review/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"

static const char head[] = "cubby journal 1";

enum { SIDE = 5, NUMBERS = 2 * SIDE };

void journal_done(struct journal *j)
{
	buf_done(&j->text);
	free(j->steps);
	*j = JOURNAL_NONE;
}

static int add_side(struct buf *text, const struct diff_side *x)
{
	return buf_addf(text,
			"%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ",
			(uint64_t)x->mode, x->size, x->ino, x->mtime, x->ctime);
}

int journal_begin(struct buf *text)
{
	return buf_add(text, head, sizeof(head));
}

int journal_add(struct buf *text, const struct diff_item *x)
{
	if (!text->len)
		journal_begin(text);
	add_side(text, &x->was);
	add_side(text, &x->now);
	buf_add(text, x->path, strlen(x->path) + 1);
	return buf_failed(text);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Digits and the blank behind them; NULL: there are none. */
static const char *number(const char *p, uint64_t *ret)
{
	uint64_t n = 0;

	if (*p < '0' || *p > '9')
		return NULL;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return NULL;
	*ret = n;
	return *p == ' ' ? p + 1 : NULL;
}

/* Below the project: no part is empty, "." or "..". */
static bool is_below(const char *path)
{
	do {
		size_t n = strcspn(path, "/");

		if (!n || (n == 1 && path[0] == '.') ||
		    (n == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		path += n;
	} while (*path++);
	return true;
}

static bool parse_step(const char *p, struct journal_step *ret)
{
	uint64_t v[NUMBERS];

	for (size_t i = 0; i < NUMBERS; i++) {
		p = number(p, &v[i]);
		if (!p)
			return false;
	}
	*ret = (struct journal_step){
		.path = p,
		.was = { (mode_t)v[0], v[1], v[2], v[3], v[4] },
		.now = { (mode_t)v[5], v[6], v[7], v[8], v[9] },
	};
	return is_below(p) && (ret->was.mode || ret->now.mode);
}

int journal_parse(struct journal *ret)
{
	const char *text = buf_cstr(&ret->text), *end = text + ret->text.len;
	size_t n = 0;

	if (ret->text.len < sizeof(head) || memcmp(text, head, sizeof(head)) != 0 ||
	    end[-1])
		return -EBADMSG;
	for (const char *p = text; p < end; p++)
		n += !*p;
	free(ret->steps);
	ret->n = 0;
	ret->steps = calloc(n + 1, sizeof(*ret->steps));
	if (!ret->steps)
		return -ENOMEM;
	for (const char *p = text + sizeof(head); p < end; p += strlen(p) + 1)
		if (!parse_step(p, &ret->steps[ret->n++]))
			return -EBADMSG;
	return 0;
}

int journal_log(int fd, size_t i, const struct diff_side *x, struct err *e)
{
	char text[96];
	int n = snprintf(text, sizeof(text), "%zu %" PRIu64 " %" PRIu64 " %u \n", i,
			 x->ino, x->ctime, (unsigned)x->mode);

	return file_write_fd(fd, text, (size_t)n, e);
}

void journal_take_log(struct journal *j, const char *text, size_t len)
{
	const char *end = text + len, *nl;

	for (; text < end && (nl = memchr(text, '\n', (size_t)(end - text)));
	     text = nl + 1) {
		uint64_t v[4] = { 0 };
		const char *p = text;
		int n = 0;

		for (; n < 4 && p && p != nl; n++)
			p = number(p, &v[n]);
		if (p != nl || n < 3 || v[0] >= j->n)
			continue;
		j->steps[v[0]].ino = v[1];
		j->steps[v[0]].ctime = v[2];
		j->steps[v[0]].mode = (mode_t)v[3];
	}
}

int journal_read(int dir, struct journal *ret, struct err *e)
{
	_cleanup_journal_ struct journal j = JOURNAL_NONE;
	_cleanup_buf_ struct buf log = BUF_INIT(JOURNAL_BYTES);
	int r = file_read(dir, "journal", &j.text, e);

	if (r < 0)
		return r;
	r = journal_parse(&j);
	if (r < 0)
		return err_sys(e, r, "cannot read the journal of an apply");
	if (file_read(dir, "log", &log, ERR_IGNORED) == 0)
		journal_take_log(&j, buf_cstr(&log), log.len);
	*ret = take(&j, JOURNAL_NONE);
	return 0;
}
