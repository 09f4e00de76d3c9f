#include "rootfs/image/fetch.h"

#include <string.h>

#include "base/file.h"
#include "base/http.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { CHUNK = 1 << 20, STALL_MS = 60000, HTTP_OK = 200, HTTP_GONE = 404 };

void fetch_done(struct fetch *f)
{
	scope_close(&f->fd);
	*f = FETCH_NONE;
}

/* ---- one download ------------------------------------------------------------------- */

struct download {
	const struct fetch_conf *conf;
	struct hash *hash; /* owned; NULL: a text */
	int fd;		   /* borrowed */
	struct buf *text;  /* borrowed */
	int status;
	uint64_t done, total;
	struct err failed; /* of our own side */
};

static void download_done(struct download *d)
{
	hash_free(&d->hash);
}

static int on_head(void *ctx, const struct http_reply *reply)
{
	struct download *d = ctx;

	d->status = reply->status;
	d->total = reply->length > 0 ? (uint64_t)reply->length : 0;
	return reply->status == HTTP_OK ? 0 : -EREMOTEIO;
}

static int on_data(void *ctx, const void *data, size_t len)
{
	struct download *d = ctx;
	int r;

	d->done += len;
	if (d->text)
		r = buf_add(d->text, data, len);
	else if (d->done > FETCH_BYTES)
		r = -EFBIG;
	else {
		r = hash_update(d->hash, data, len, &d->failed)
			    ?: file_write_fd(d->fd, data, len, &d->failed);
	}
	if (r == 0 && d->conf->progress)
		d->conf->progress(d->conf->progress_ctx, d->done, d->total);
	return r;
}

static int explain(struct download *d, int r, const char *url, struct err *e)
{
	const char *shown = text_shown(url);

	if (d->status == HTTP_GONE)
		return err_set(e, -ENOENT, "'%s': there is no such file (404)", shown);
	if (d->status && d->status != HTTP_OK)
		return err_set(e, -EREMOTEIO, "'%s': the server answered %d", shown,
			       d->status);
	if (r == -EMSGSIZE || r == -EFBIG)
		return err_set(e, -EFBIG, "'%s' is too large", shown);
	if (d->failed.code < 0)
		*e = d->failed;
	if (r == -EHOSTUNREACH || r == -ECONNREFUSED) /* which host, it says */
		return err_wrap(e, "cannot download");
	return err_wrap(e, "cannot download '%s'", shown);
}

static int perform(struct download *d, const char *url, struct err *e)
{
	_cleanup_http_ struct http *http = NULL;
	struct http_request req = { .url = url,
				    .follow = true,
				    .first_byte_ms = STALL_MS,
				    .stall_ms = STALL_MS,
				    .abort_fd = d->conf->abort_fd,
				    .on_head = on_head,
				    .on_data = on_data,
				    .ctx = d };
	struct http_reply reply;
	int r;

	r = http_new(&http, e);
	if (r < 0)
		return r;
	r = http_perform(http, &req, &reply, e);
	return r < 0 ? explain(d, r, url, e) : 0;
}

int fetch_url(const struct fetch_conf *c, const char *url, int dirfd, const char *name,
	      struct fetch *ret, struct err *e)
{
	_cleanup_(download_done) struct download d = { .conf = c, .fd = -1 };
	_cleanup_fetch_ struct fetch f = FETCH_NONE;
	int r;

	f.fd = sys_openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (f.fd < 0)
		return err_sys(e, f.fd, "cannot make '%s'", name);
	d.fd = f.fd;
	r = hash_new(&d.hash, e);
	if (r < 0)
		return r;
	r = perform(&d, url, e);
	if (r < 0)
		return r;
	r = hash_final(d.hash, f.digest, e);
	if (r < 0)
		return r;
	f.size = d.done;
	r = (int)MIN(sys_lseek(f.fd, 0, SEEK_SET), 0);
	if (r < 0)
		return err_sys(e, r, "cannot rewind '%s'", name);
	*ret = take(&f, FETCH_NONE);
	return 0;
}

int fetch_text(const struct fetch_conf *c, const char *url, struct buf *ret,
	       struct err *e)
{
	struct fetch_conf quiet = { .abort_fd = c->abort_fd };
	struct download d = { .conf = &quiet, .fd = -1, .text = ret };

	return perform(&d, url, e);
}

/* ---- files -------------------------------------------------------------------------- */

static bool aborted(const struct fetch_conf *c)
{
	struct pollfd p = { .fd = c->abort_fd, .events = POLLIN };

	return c->abort_fd >= 0 && sys_poll(&p, 1, 0) > 0;
}

static int hash_all(const struct fetch_conf *c, struct fetch *f, uint64_t total,
		    struct err *e)
{
	_cleanup_hash_ struct hash *hash = NULL;
	_cleanup_free_ char *chunk = malloc(CHUNK);
	ssize_t n;
	int r;

	if (!chunk)
		return err_sys(e, -ENOMEM, "cannot hash a file");
	r = hash_new(&hash, e);
	while (r == 0) {
		n = sys_read(f->fd, chunk, CHUNK);
		if (n < 0)
			return err_sys(e, (int)n, "cannot read");
		if (n == 0)
			break;
		f->size += (uint64_t)n;
		r = hash_update(hash, chunk, (size_t)n, e);
		if (r == 0 && aborted(c))
			return err_set(e, -ECANCELED, "interrupted");
		if (c->progress)
			c->progress(c->progress_ctx, f->size, total);
	}
	return r < 0 ? r : hash_final(hash, f->digest, e);
}

int fetch_file(const struct fetch_conf *c, int fd, const char *path, struct fetch *ret,
	       struct err *e)
{
	_cleanup_fetch_ struct fetch f = { .fd = fd };
	const char *shown = text_shown(path);
	struct stat st;
	int r = sys_fstat(fd, &st);

	if (r < 0)
		return err_sys(e, r, "cannot open '%s'", shown);
	if (!S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "'%s' is no regular file", shown);
	r = hash_all(c, &f, (uint64_t)st.st_size, e);
	if (r < 0)
		return err_wrap(e, "'%s'", shown);
	r = (int)MIN(sys_lseek(f.fd, 0, SEEK_SET), 0);
	if (r < 0)
		return err_sys(e, r, "cannot rewind '%s'", shown);
	*ret = take(&f, FETCH_NONE);
	return 0;
}
