#include "agent/tool/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/terminal/spill.h"
#include "agent/tool/program.h"
#include "base/text.h"

enum { SAID_MAX = 1024, HEAD_MAX = 64 };

/* "ERRNO text" as an error of ours. */
static int said_error(const struct buf *said, int status, struct err *e)
{
	char *text, shown[400];
	long code = strtol(buf_cstr(said), &text, 10);
	size_t len = strcspn(text, "\n");

	if (code <= 0 || code > 4095 || *text != ' ')
		return err_set(e, -EIO, "the file program ended with status %d",
			       status);
	text_escaped(shown, sizeof(shown), text + 1, len - 1);
	return err_set(e, (int)-code, "%s", shown);
}

static struct program applet(const struct files *f, const char *const *argv,
			     struct buf *out, struct buf *said)
{
	return (struct program){ .box = f->box,
				 .user = f->user,
				 .cwd = f->cwd,
				 .argv = argv,
				 .applet = true,
				 .out = out,
				 .said = said };
}

static int end(struct program *p, struct err *e)
{
	int status, r = program_end(p, &status, e);

	return r < 0 || !status ? r : said_error(p->said, status, e);
}

/* "MODE SIZE\n" from the front of what came. */
static int take_head(struct buf *b, struct files_stat *st, struct err *e)
{
	char *nl = b->len ? memchr(b->data, '\n', MIN(b->len, (size_t)HEAD_MAX)) : NULL;
	unsigned mode;
	uint64_t size;

	if (!nl || sscanf(b->data, "%o %" SCNu64, &mode, &size) != 2)
		return err_set(e, -EPROTO, "the file program's answer makes no sense");
	*st = (struct files_stat){ mode, size };
	buf_consume(b, (size_t)(nl + 1 - b->data));
	return 0;
}

int files_get(const struct files *f, const char *path, struct buf *ret,
	      struct files_stat *st, struct err *e)
{
	_cleanup_buf_ struct buf got = BUF_INIT(ret->max - ret->len + HEAD_MAX),
				 said = BUF_INIT(SAID_MAX);
	char max[24];
	const char *const argv[] = { "get", path, max, NULL };
	_cleanup_program_ struct program p = applet(f, argv, &got, &said);
	int r;

	snprintf(max, sizeof(max), "%zu", ret->max - ret->len);
	r = program_start(&p, e);
	if (r < 0)
		return r;
	r = end(&p, e);
	if (r < 0)
		return r;
	r = take_head(&got, st, e);
	if (r < 0)
		return r;
	r = buf_add(ret, got.data, MIN(got.len, ret->max - ret->len));
	return r < 0 ? err_sys(e, r, "cannot keep '%s'", path) : 0;
}

int files_stat(const struct files *f, const char *path, struct files_stat *ret,
	       struct err *e)
{
	_cleanup_buf_ struct buf got = BUF_INIT(HEAD_MAX), said = BUF_INIT(SAID_MAX);
	const char *const argv[] = { "stat", path, NULL };
	_cleanup_program_ struct program p = applet(f, argv, &got, &said);
	int r = program_start(&p, e);

	if (r < 0)
		return r;
	r = end(&p, e);
	return r < 0 ? r : take_head(&got, ret, e);
}

int files_put(const struct files *f, const char *path, const void *data, size_t len,
	      struct err *e)
{
	_cleanup_buf_ struct buf said = BUF_INIT(SAID_MAX);
	char size[24];
	const char *const argv[] = { "put", path, size, NULL };
	_cleanup_program_ struct program p = applet(f, argv, NULL, &said);
	int r;

	snprintf(size, sizeof(size), "%zu", len);
	r = program_start(&p, e);
	if (r < 0)
		return r;
	r = program_send(&p, data, len, e);
	return r < 0 ? r : end(&p, e);
}

static int send_chunk(void *ctx, const void *data, size_t len, struct err *e)
{
	return program_send(ctx, data, len, e);
}

int files_put_spill(const struct files *f, const char *path, struct spill *text,
		    struct err *e)
{
	_cleanup_buf_ struct buf said = BUF_INIT(SAID_MAX);
	char size[24];
	const char *const argv[] = { "put", path, size, NULL };
	_cleanup_program_ struct program p = applet(f, argv, NULL, &said);
	int r;

	snprintf(size, sizeof(size), "%" PRIu64, MIN(text->total, (uint64_t)SPILL_MAX));
	r = program_start(&p, e);
	if (r < 0)
		return r;
	r = spill_copy(text, send_chunk, &p, e);
	return r < 0 ? r : end(&p, e);
}
