#include "rootfs/oci/push.h"

#include <stdio.h>
#include <string.h>

#include "base/inroot.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/oci/ask.h"

enum { PATH = OCI_REPO + 128, HTTP_OK = 200, CREATED = 201, ACCEPTED = 202 };

/* ---- where an upload goes --------------------------------------------------------------- */

/* Behind the base, with the digest. What an answer names must be the registry itself: many
 * say "http://" of themselves behind a proxy, and are asked as before. */
static int upload_path(const struct oci_registry *r, const char *location,
		       const char *digest, char ret[ASK_URL], struct err *e)
{
	char host[ASK_BASE], own[ASK_BASE], shown[128];
	const char *at = location;
	int n;

	if (!*at)
		return err_set(e, -EPROTO, "it does not say where the upload goes");
	text_escaped(shown, sizeof(shown), location, strlen(location));
	if (at[0] != '/' || at[1] == '/') {
		ask_host(at, host);
		ask_host(r->at->base, own);
		if ((!text_starts(at, "https://") && !text_starts(at, "http://")) ||
		    strcmp(host, own) != 0)
			return err_set(e, -EPROTO,
				       "it wants the image at another place, '%s'",
				       shown);
		at = strstr(at, "://") + 3;
		at += strcspn(at, "/");
	}
	if (*at != '/' || strpbrk(at, " #\"<>\\^`{|}"))
		return err_set(e, -EPROTO, "it wants the image at an odd place, '%s'",
			       shown);
	n = snprintf(ret, ASK_URL, "%s%cdigest=%s", at, strchr(at, '?') ? '&' : '?',
		     digest);
	return n < ASK_URL
		       ? 0
		       : err_set(e, -EPROTO, "it names too long a place, '%s'", shown);
}

/* ---- one blob --------------------------------------------------------------------------- */

/* 1 = it has it; where it is kept does not matter */
static int is_there(struct oci_registry *r, const struct oci_blob *b, struct err *e)
{
	char path[PATH];
	_cleanup_(ask_done) struct ask x = { .r = r, .path = path, .method = "HEAD" };
	struct err why = ERR_NONE;
	int n;

	snprintf(path, sizeof(path), "blobs/%s", b->digest.text);
	n = ask_registry(&x, &why);
	if (n < 0 && !x.reply.status) { /* nobody answered */
		*e = why;
		return n;
	}
	return x.reply.status == HTTP_OK || x.reply.status / 100 == 3;
}

/* Where both fail in passing, the caller begins again with both. */
static int send_once(struct oci_registry *r, const struct oci_blob *b, struct ask *x,
		     struct err *e)
{
	char at[ASK_URL];
	_cleanup_(ask_done) struct ask begin = { .r = r,
						 .path = "blobs/uploads/",
						 .method = "POST",
						 .want = ACCEPTED,
						 .once = true };
	int n;

	n = ask_registry(&begin, e)
		    ?: upload_path(r, begin.reply.location, b->digest.text, at, e);
	if (n < 0) {
		x->reply = begin.reply;
		return n;
	}
	x->path = at;
	n = ask_registry(x, e);
	x->path = NULL;
	return n;
}

static int open_blob(const struct oci_layout *l, const struct oci_blob *b,
		     struct err *e)
{
	_cleanup_close_ int fd = -1;
	struct stat st = { 0 };
	char path[PATH], name[DIGEST_TEXT];
	int n;

	digest_path(&b->digest, name);
	snprintf(path, sizeof(path), "blobs/%s", name);
	n = fd = inroot_open(l->dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (n >= 0)
		n = sys_fstat(fd, &st);
	if (n < 0)
		return err_sys(e, n, "'%s'", path);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != b->size)
		return err_set(e, -EBADMSG, "'%s' is not what the manifest says", path);
	return take(&fd, -1);
}

static int send_blob(struct oci_registry *r, const struct oci_layout *l,
		     const struct oci_blob *b, struct err *e)
{
	_cleanup_close_ int fd = -1;
	int n = is_there(r, b, e);

	if (n)
		return MIN(n, 0);
	fd = open_blob(l, b, e);
	if (fd < 0)
		return fd;
	for (int attempt = 0;; attempt++) {
		struct http_file file = { fd, b->size, r->conf.tick, r->conf.ctx };
		_cleanup_(ask_done) struct ask x = {
			.r = r,
			.method = "PUT",
			.type = "Content-Type: application/octet-stream",
			.want = CREATED,
			.file = &file,
			.once = true
		};

		n = send_once(r, b, &x, e);
		if (n == 0 || attempt + 1 == ASK_ATTEMPTS || !ask_is_passing(&x, n))
			return n;
		n = ask_wait(&x, attempt, e);
		if (n < 0)
			return n;
	}
}

/* ---- all of it -------------------------------------------------------------------------- */

static int send_manifest(struct oci_registry *r, const struct oci_layout *l,
			 const struct oci_image *image, struct err *e)
{
	const struct oci_name *name = &r->name;
	char path[PATH + OCI_TAG];
	struct http_file file = { .fd = -1 };
	_cleanup_(ask_done) struct ask x = {
		.r = r,
		.path = path,
		.method = "PUT",
		.type = "Content-Type: application/vnd.oci.image.manifest.v1+json",
		.want = CREATED,
		.file = &file
	};
	_cleanup_close_ int fd = -1;
	struct stat st;
	int n;

	snprintf(path, sizeof(path), "blobs/sha256/%s", image->digest);
	n = fd = inroot_open(l->dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (n >= 0)
		n = sys_fstat(fd, &st);
	if (n < 0)
		return err_sys(e, n, "'%s'", path);
	file = (struct http_file){ .fd = fd, .size = (uint64_t)st.st_size };
	snprintf(path, sizeof(path), "manifests/%s", name->tag);
	n = ask_registry(&x, e);
	if (n == 0 && x.reply.content_digest[0] &&
	    strcmp(x.reply.content_digest, digest_sha256(image->digest).text) != 0)
		return err_set(e, -EBADMSG, "%s says that it has another manifest now",
			       name->registry);
	return n;
}

int oci_push(struct oci_registry *r, const struct oci_layout *l,
	     const struct oci_image *image, struct err *e)
{
	const struct oci_manifest *m = &image->manifest;
	int n = 0;

	r->at = &r->places[0];
	for (size_t i = 0; i < m->n && n == 0; i++) {
		n = send_blob(r, l, &m->layers[i], e);
		if (n < 0)
			return err_wrap(e, "layer %zu of %zu", i + 1, m->n);
	}
	n = send_blob(r, l, &m->config, e);
	return n < 0 ? n : send_manifest(r, l, image, e);
}
