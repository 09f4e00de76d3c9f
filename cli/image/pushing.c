#include "cli/image/pushing.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/procfs.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/show/progress.h"
#include "cli/show/render.h"
#include "cli/store/hostpath.h"
#include "cli/store/place.h"
#include "rootfs/archive/pack.h"
#include "rootfs/oci/push.h"
#include "rootfs/store/staging.h"
#include "runtime/worker/worker.h"

/* ---- a layout that nobody keeps --------------------------------------------------------- */

struct staged {
	const struct store *store; /* borrowed */
	struct staging staging;	   /* owned */
	int dir;		   /* owned: the layout */
	struct progress_bar bar;   /* until all of it is where it belongs */
};
#define STAGED_NONE ((struct staged){ NULL, STAGING_NONE, -1, { .app = NULL } })

static void staged_done(struct staged *s)
{
	struct idmap none = { .kind = IDMAP_SINGLE };

	progress_done(&s->bar);
	scope_close(&s->dir);
	staging_remove(s->store, &s->staging, worker_rmtree, &none);
}

static int stage(const struct app *app, const char *ref,
		 const struct layoutout_want *want, struct staged *ret,
		 struct image *image, struct err *e)
{
	struct layoutout_want all = *want;
	struct idmap none = { .kind = IDMAP_SINGLE };
	int r = place_store(app, e) ?: image_find(app->store, ref, NULL, image, e);

	if (r < 0)
		return r;
	ret->store = app->store;
	/* of those that were killed; what cannot be removed waits for the next */
	(void)staging_clean(app->store, worker_rmtree, &none, ERR_IGNORED);
	r = staging_new(app->store, "save", &ret->staging, e);
	if (r < 0)
		return r;
	r = sys_mkdirat(ret->staging.dirfd, "layout", 0755);
	if (r < 0)
		return err_sys(e, r, "cannot make a directory in the store");
	ret->dir = file_open_dir(ret->staging.dirfd, "layout", e);
	if (ret->dir < 0)
		return ret->dir;
	progress_start_live(&ret->bar, app, "packing", ref);
	all.bar = &ret->bar;
	return layoutout_whole(app->store, image, &all, ret->dir, e);
}

/* ---- archives --------------------------------------------------------------------------- */

/* A file without a name, so that nobody finds half of it whatever ends us; where the
 * filesystem has no such, one with a name that says so. */
struct draft {
	int dir, fd;	/* owned */
	char other[32]; /* its name meanwhile; "" = none */
};

static void draft_done(struct draft *d)
{
	if (d->other[0])
		(void)sys_unlinkat(d->dir, d->other, 0);
	scope_close(&d->fd);
	scope_close(&d->dir);
}

static int draft_open(struct draft *d)
{
	uint64_t nonce;

	d->fd = sys_openat(d->dir, ".", O_TMPFILE | O_WRONLY, 0666);
	if (d->fd >= 0)
		return 0;
	if (sys_getrandom(&nonce, sizeof(nonce)) != (ssize_t)sizeof(nonce))
		return -EIO;
	snprintf(d->other, sizeof(d->other), ".tmp-%016llx", (unsigned long long)nonce);
	d->fd = sys_openat(d->dir, d->other, O_WRONLY | O_CREAT | O_EXCL, 0666);
	if (d->fd < 0)
		d->other[0] = '\0';
	return MIN(d->fd, 0);
}

/* -EEXIST: there is one of that name by now; on filesystems with neither such a rename nor
 * links one of this very moment is replaced. What has the name is on the disk. */
static int draft_name(struct draft *d, const char *name)
{
	int r = sys_fdatasync(d->fd);

	if (r < 0)
		return r;
	if (!d->other[0])
		return sys_linkat(AT_FDCWD, procfs_fd(d->fd), d->dir, name,
				  AT_SYMLINK_FOLLOW);
	r = sys_renameat2(d->dir, d->other, d->dir, name, RENAME_NOREPLACE);
	if (r == -EINVAL)
		r = sys_linkat(d->dir, d->other, d->dir, name, 0);
	if (r == -EPERM || r == -EOPNOTSUPP)
		r = sys_faccessat(d->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
			    ? -EEXIST
			    : sys_renameat(d->dir, d->other, d->dir, name);
	return r;
}

static int cannot_make(const char *path, int code, struct err *e)
{
	err_sys(e, code, "cannot make '%s'", path);
	return code == -EEXIST ? err_hint(e, "remove it, or name a new file") : code;
}

static void on_written(void *ctx, uint64_t more)
{
	struct progress_bar *bar = ctx;

	progress_update(bar, bar->done + more, 0);
}

static int write_archive(const struct app *app, const char *name, struct staged *s,
			 int fd, struct err *e)
{
	const struct pack_conf conf = {
		.root = s->dir, .out = fd, .tick = on_written, .ctx = &s->bar
	};

	progress_done(&s->bar);
	progress_start_live(&s->bar, app, "writing", name);
	return pack_run(&conf, e);
}

int pushing_archive(const struct app *app, const char *ref,
		    const struct layoutout_want *want, const char *path, struct err *e)
{
	_cleanup_(staged_done) struct staged s = STAGED_NONE;
	_cleanup_(draft_done) struct draft d = { .dir = -1, .fd = -1 };
	const char *name;
	struct image image;
	int r;

	d.dir = hostpath_parent(path, &name, e);
	if (d.dir < 0)
		return d.dir;
	if (!*name)
		return cannot_make(path, -EISDIR, e);
	if (sys_faccessat(d.dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return cannot_make(path, -EEXIST, e);
	r = draft_open(&d);
	if (r < 0)
		return cannot_make(path, r, e);
	r = stage(app, ref, want, &s, &image, e)
		    ?: write_archive(app, name, &s, d.fd, e);
	if (r < 0)
		return r;
	r = draft_name(&d, name);
	return r < 0 ? cannot_make(path, r, e) : 0;
}

/* ---- a registry ------------------------------------------------------------------------- */

struct pushing {
	const struct app *app; /* borrowed */
	struct progress_bar bar;
	uint64_t done, total;
	int abort_fd; /* borrowed; readable = ^C */
};

static int on_sent(void *ctx, uint64_t more)
{
	struct pushing *p = ctx;

	p->done += more;
	progress_update(&p->bar, MIN(p->done, p->total), p->total);
	return 0;
}

static void on_note(void *ctx, const char *line)
{
	const struct pushing *p = ctx;

	render_note(p->app, "%s", line);
}

static int send_layout(struct pushing *p, const struct oci_name *name, int dir,
		       char digest[HASH_HEX], struct err *e)
{
	struct oci_layout l = { .dir = dir };
	struct oci_source source = oci_layout_source(&l);
	struct oci_want want = { .ref = NULL };
	_cleanup_oci_image_ struct oci_image *image = oci_source_image();
	_cleanup_(oci_registry_free) struct oci_registry *registry = NULL;
	struct oci_registry_conf conf = { .name = name,
					  .push = true,
					  .abort_fd = p->abort_fd,
					  .note = on_note,
					  .tick = on_sent,
					  .ctx = p };
	int r = image ? oci_source_resolve(&source, &want, image, e)
		      : err_sys(e, -ENOMEM, "cannot read an image");

	if (r < 0)
		return r;
	p->total = image->manifest.config.size;
	for (size_t i = 0; i < image->manifest.n; i++)
		p->total += image->manifest.layers[i].size;
	r = oci_registry_new(&conf, &registry, e) ?: oci_push(registry, &l, image, e);
	memcpy(digest, image->digest, HASH_HEX);
	return r;
}

static int name_it(const char *text, struct oci_name *ret, char full[OCI_NAME],
		   struct err *e)
{
	int r = oci_name_parse(text_starts(text, "docker://") ? text + 9 : text, ret,
			       e);

	if (r < 0)
		return r;
	if (ret->digest.text[0])
		return err_set(e, -EINVAL,
			       "an image is pushed by a tag; its digest is what "
			       "it has");
	oci_name_text(ret, full);
	return 0;
}

int pushing_registry(const struct app *app, const char *ref, const char *to,
		     char name[OCI_NAME], char digest[HASH_HEX], struct err *e)
{
	_cleanup_signals_ struct signals_held held = SIGNALS_HELD_NONE;
	_cleanup_(staged_done) struct staged s = STAGED_NONE;
	struct layoutout_want want = { .name = NULL };
	struct pushing p = { .app = app };
	struct oci_name n;
	struct image image;
	char what[PATH_MAX];
	int r = to ? name_it(to, &n, name, e) : 0;

	if (r < 0)
		return r;
	r = signals_hold(&held, e);
	if (r < 0)
		return r;
	p.abort_fd = want.abort_fd = held.fd;
	r = stage(app, ref, &want, &s, &image, e);
	if (r < 0)
		return r;
	if (!to)
		r = name_it(image.name, &n, name, e);
	if (r < 0)
		return r;
	progress_done(&s.bar);
	snprintf(what, sizeof(what), "pushing %s", name);
	progress_start(&p.bar, app, what);
	r = send_layout(&p, &n, s.dir, digest, e);
	progress_end(&p.bar, r == 0);
	return r < 0 ? err_wrap(e, "'%s'", name) : 0;
}
