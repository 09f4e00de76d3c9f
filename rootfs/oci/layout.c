#include "rootfs/oci/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/inroot.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { CHUNK = 256 << 10, ARCHIVE_DOC = 1 << 20 };

static int open_file(const struct oci_layout *l, const char *path, struct err *e)
{
	_cleanup_close_ int fd =
		inroot_open(l->dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st = { 0 };
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	if (r < 0)
		return err_sys(e, r, "'%s'", text_shown(path));
	if (!S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "'%s' is no regular file", text_shown(path));
	return take(&fd, -1);
}

static int read_all(const struct oci_layout *l, const char *path,
		    const struct oci_put *put, struct err *e)
{
	_cleanup_close_ int fd = open_file(l, path, e);
	_cleanup_free_ char *chunk = malloc(CHUNK);
	ssize_t n = 1;
	int r = fd < 0 ? fd : 0;

	if (!chunk)
		return err_sys(e, -ENOMEM, "cannot read the image");
	while (r == 0 && n > 0) {
		n = sys_read(fd, chunk, CHUNK);
		if (n < 0)
			return err_sys(e, (int)n, "cannot read the image");
		r = n ? put->fn(put->ctx, chunk, (size_t)n, e) : 0;
		if (r == 0 && l->tick && l->tick(l->ctx, (uint64_t)n) < 0)
			return err_set(e, -ECANCELED, "interrupted");
	}
	return r;
}

static int on_blob(void *ctx, const struct oci_blob *b, bool, const struct oci_put *put,
		   struct err *e)
{
	char path[OCI_PATH], name[DIGEST_TEXT];

	if (b->path[0])
		return read_all(ctx, b->path, put, e);
	digest_path(&b->digest, name);
	snprintf(path, sizeof(path), "blobs/%s", name);
	return read_all(ctx, path, put, e);
}

static int on_text(void *ctx, const void *data, size_t len, struct err *e)
{
	return buf_add(ctx, data, len) < 0
		       ? err_set(e, -E2BIG, "the list of images is too large")
		       : 0;
}

static int on_top(void *ctx, struct buf *doc, struct digest *, struct oci_manifest *ret,
		  struct err *e)
{
	const struct oci_layout *l = ctx;
	_cleanup_json_ struct json *j = NULL;
	int r;

	if (l->archive)
		doc->max = ARCHIVE_DOC;
	r = read_all(l, l->archive ? "manifest.json" : "index.json",
		     &(struct oci_put){ on_text, doc }, e);
	if (r < 0 || !l->archive)
		return r;
	r = json_parse(buf_cstr(doc), doc->len, &j, e);
	if (r < 0)
		return err_wrap(e, "manifest.json");
	r = oci_doc_archive(j, l->ref, ret, e);
	return r < 0 ? r : 1;
}

struct oci_source oci_layout_source(struct oci_layout *l)
{
	return (struct oci_source){ .top = on_top, .blob = on_blob, .ctx = l };
}

int oci_layout_check(const struct oci_layout *l, struct err *e)
{
	const char *name = l->archive ? "manifest.json" : "index.json";
	_cleanup_close_ int fd = inroot_open(l->dir, name, O_PATH);

	if (fd >= 0)
		return 0;
	return l->archive ? err_set(e, -EINVAL,
				    "no archive of 'docker save': it has no "
				    "manifest.json")
			  : err_set(e, -EINVAL, "no OCI layout: it has no index.json");
}
