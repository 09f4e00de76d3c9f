/* A pull happens in a directory of its own in tmp/:
 *
 *   lock       held as long as this process lives (staging.h)
 *   download   the archive, when it came from the network
 *   image/     what becomes images/<digest>, by one rename at the end
 *
 * The digest is that of the archive's bytes as they were fetched, checked before any of
 * them is looked at. */
#include "rootfs/image/pull.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/archive/entry_attr.h"
#include "rootfs/image/pull_oci.h"
#include "rootfs/image/source_ubuntu.h"

enum { META = 1 << 20 };

static void pull_done(struct pull *p)
{
	pull_oci_done(p);
	scope_close(&p->image);
	fetch_done(&p->fetched);
	staging_remove(p->conf->store, &p->stage, p->conf->rm, p->conf->runtime);
}

static void note(const struct pull *p, const char *line)
{
	if (p->conf->note)
		p->conf->note(p->conf->ctx, line);
}

static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
	pull_tell(ctx, done, total);
}

static struct fetch_conf fetching(struct pull *p, enum pull_phase phase)
{
	p->phase = phase;
	return (struct fetch_conf){ on_progress, p, p->conf->abort_fd };
}

/* ---- getting the bytes -------------------------------------------------------------- */

bool pull_unreachable(int code)
{
	return code == -EHOSTUNREACH || code == -ECONNREFUSED || code == -ECONNRESET ||
	       code == -ENETUNREACH || code == -ETIMEDOUT;
}

/* How to have an image where nothing can be downloaded. */
static int offer_other(const struct pull *p, struct err *e)
{
	const char *install = bootstrap_maker() ? "" : "with mmdebstrap installed, ";

	if (p->built.suite[0])
		return err_hint(e,
				"%s'cubby pull %s' makes it from the package mirror of "
				"this machine",
				install, p->src.name);
	if (p->built.host[0])
		return err_hint(
			e,
			"%s'cubby pull %s' makes one from the package mirror of "
			"this machine, for '--image %s'",
			install, p->built.host, p->built.host);
	return err_hint(e, "'cubby pull FILE' takes a root filesystem as a tarball");
}

static int fetch_path(struct pull *p, const char *path, struct err *e)
{
	struct fetch_conf c = fetching(p, PULL_CHECK);
	int fd = p->conf->open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, e);

	return fd < 0 ? fd : fetch_file(&c, fd, path, &p->fetched, e);
}

/* An image of the host's own distribution is to be had without a registry. */
static int build(struct pull *p, struct err *e)
{
	const struct store *s = p->conf->store;
	char path[PATH_MAX + STAGING_NAME + 16], line[sizeof(e->msg)];
	struct err why = *e;
	int r;

	bootstrap_find(p->src.name, &p->built);
	if (!p->built.suite[0] || !bootstrap_maker()) {
		r = offer_other(p, e);
		p->built.suite[0] = '\0';
		return r;
	}
	snprintf(line, sizeof(line),
		 "%.200s; so '%.100s' is made of %s, from the package mirror of this "
		 "machine, which takes a minute",
		 why.msg, p->src.name, p->built.suite);
	note(p, line);
	snprintf(path, sizeof(path), "%s/tmp/%s/made.tar", s->path, p->stage.name);
	pull_oci_done(p);
	r = bootstrap_make(&p->built, path, p->conf->abort_fd, e);
	if (r < 0)
		return r == -ECANCELED ? r
				       : err_wrap(e, "cannot make '%s' of %s with %s",
						  p->src.name, p->built.suite,
						  bootstrap_maker());
	text_copy(p->url, sizeof(p->url), p->src.name);
	p->src.kind = SOURCE_FILE;
	return fetch_path(p, path, e);
}

static int find_ubuntu(struct pull *p, struct source_ubuntu *ret, struct err *e)
{
	_cleanup_buf_ struct buf sums = BUF_INIT(SOURCE_UBUNTU_SUMS);
	struct fetch_conf c = fetching(p, PULL_DOWNLOAD);
	const char *arch = source_ubuntu_arch();
	int r;

	if (!arch)
		return err_set(e, -ENOENT, "Ubuntu has no images for this machine");
	snprintf(p->url, sizeof(p->url), "%.900s/%.16s/release/SHA256SUMS",
		 source_ubuntu_base(), p->src.where);
	r = fetch_text(&c, p->url, &sums, e);
	if (r < 0)
		return r;
	return source_ubuntu_pick(buf_cstr(&sums), sums.len, p->src.where, arch, ret,
				  e);
}

static int get_ubuntu(struct pull *p, struct err *e)
{
	struct fetch_conf c = fetching(p, PULL_DOWNLOAD);
	struct source_ubuntu want;
	int r;

	r = find_ubuntu(p, &want, e);
	if (r < 0)
		return r;
	snprintf(p->url, sizeof(p->url), "%.900s/%.16s/release/%s",
		 source_ubuntu_base(), p->src.where, want.file);
	r = fetch_url(&c, p->url, p->stage.dirfd, "download", &p->fetched, e);
	if (r < 0)
		return r;
	if (strcmp(p->fetched.digest, want.digest) != 0)
		return err_set(
			e, -EBADMSG,
			"'%s': SHA-256 is %.16s… and not %.16s… as promised; the "
			"download was refused",
			want.file, p->fetched.digest, want.digest);
	return 0;
}

static int get_url(struct pull *p, struct err *e)
{
	struct fetch_conf c = fetching(p, PULL_DOWNLOAD);

	if (text_starts(p->src.where, "http://"))
		note(p, "the download is not verified: http, and no checksum");
	return fetch_url(&c, p->src.where, p->stage.dirfd, "download", &p->fetched, e);
}

static int get_file(struct pull *p, struct err *e)
{
	return fetch_path(p, p->src.where, e);
}

/* The files of a directory have no digest: the image is named by when it was taken. */
static int get_dir(struct pull *p, struct err *e)
{
	struct timespec now = sys_wall();
	char text[PATH_MAX + 64];
	int n;

	p->fetched.fd = p->conf->open(p->src.where, O_RDONLY | O_DIRECTORY, e);
	if (p->fetched.fd < 0)
		return p->fetched.fd;
	n = snprintf(text, sizeof(text), "%s %lld.%09ld", p->src.where,
		     (long long)now.tv_sec, now.tv_nsec);
	hash_text(text, (size_t)n, p->fetched.digest);
	return 0;
}

static int get(struct pull *p, struct err *e)
{
	int r;

	switch (p->src.kind) {
	case SOURCE_UBUNTU:
		r = get_ubuntu(p, e);
		return pull_unreachable(r) ? build(p, e) : r;
	case SOURCE_URL:
		return get_url(p, e);
	case SOURCE_FILE:
		return get_file(p, e);
	case SOURCE_DIR:
		return get_dir(p, e);
	case SOURCE_REGISTRY:
		r = pull_oci_find(p, e);
		return pull_unreachable(r) && !p->name.loopback ? build(p, e) : r;
	case SOURCE_OCI:
	case SOURCE_OCI_ARCHIVE:
	case SOURCE_DOCKER_ARCHIVE:
		return pull_oci_find(p, e);
	}
	return err_set(e, -EINVAL, "unknown kind of image");
}

/* ---- making files of them ------------------------------------------------------------ */

static int tick(void *ctx)
{
	struct pull *p = ctx;

	/* The helper reads the same open file: its offset is how far it is. */
	if (p->src.kind != SOURCE_DIR)
		on_progress(p, (uint64_t)MAX(sys_lseek(p->fetched.fd, 0, SEEK_CUR), 0),
			    p->fetched.size);
	return pull_interrupted(p) ? -ECANCELED : 0;
}

static int unpack(struct pull *p, struct json **ret, struct err *e)
{
	struct pull_unpack u = { .kind = p->src.kind == SOURCE_DIR ? PULL_COPY
								   : PULL_ARCHIVE,
				 .in = p->fetched.fd,
				 .tick = tick,
				 .tick_ctx = p };
	int r;

	p->phase = PULL_UNPACK;
	r = sys_mkdirat(p->stage.dirfd, "image", 0700);
	if (r < 0)
		return err_sys(e, r, "cannot make a directory in the store");
	p->image = file_open_dir(p->stage.dirfd, "image", e);
	if (p->image < 0)
		return p->image;
	u.dir = p->image;
	r = p->conf->unpack(p->conf->runtime, &u, ret, e);
	if (r == 0)
		return 0;
	/* what is wrong is the file, also where the image has another name */
	return err_wrap(e, "'%s'",
			p->src.kind == SOURCE_FILE ? text_shown(p->src.where)
						   : p->src.name);
}

static const char *came_from(const struct pull *p)
{
	if (p->conf->source)
		return p->conf->source;
	return p->url[0] ? p->url : p->src.where;
}

static int fill_layer(const struct pull *p, struct json *meta)
{
	struct json *layers = json_array(), *layer = json_object();

	(void)json_set_str(layer, "digest", p->fetched.digest);
	(void)json_set_int(layer, "size", (int64_t)p->fetched.size);
	(void)json_set_str(layer, "source", came_from(p));
	(void)json_add(layers, layer);
	return json_set(meta, "layers", layers);
}

static int fill_meta(const struct pull *p, const struct json *result, struct json *meta)
{
	const char *arch = source_ubuntu_arch();
	const struct json *dropped = json_get(result, "dropped");
	struct json *names = json_object();

	(void)json_set_int(names, p->src.name,
			   image_stamp(p->conf->store, p->src.name));
	(void)json_set(meta, "names", names);
	(void)json_set_str(meta, "source", came_from(p));
	(void)json_set_str(meta, "digest", p->fetched.digest);
	(void)json_set_str(meta, "map", p->conf->map);
	(void)json_set(meta, "idmap", json_dup(p->conf->idmap));
	(void)json_set_str(meta, "arch", arch ? arch : "");
	(void)json_set_int(meta, "created", sys_wall().tv_sec);
	(void)json_set_int(meta, "size", json_get_int(result, "bytes", 0));
	(void)json_set_int(meta, "entries", json_get_int(result, "entries", 0));
	if (p->built.suite[0])
		(void)json_set_str(meta, "built", p->built.suite);
	if (dropped)
		(void)json_set(meta, "dropped", json_dup(dropped));
	return pull_is_layered(p) ? pull_oci_describe(p, meta) : fill_layer(p, meta);
}

static int write_meta(struct pull *p, const struct json *result, struct err *e)
{
	_cleanup_json_ struct json *meta = json_object();
	int r = fill_meta(p, result, meta);

	if (r < 0)
		return err_sys(e, r, "cannot describe the image");
	return json_print_file(p->image, "meta.json", meta, META, file_replace_soon, e);
}

/* To disk, then to its name: what has a name is whole, also after a power failure. */
static int publish(struct pull *p, const char *dir, struct err *e)
{
	const struct store *s = p->conf->store;
	_cleanup_close_ int lock = -1;
	int r;

	r = sys_fchown(p->image, sys_geteuid(), sys_getegid()) ?: sys_syncfs(p->image);
	if (r < 0)
		return err_sys(e, r, "cannot store image '%s'", p->src.name);
	if (pull_is_layered(p)) {
		lock = image_lock(s, e); /* no sweep between the layers and the image */
		r = lock < 0 ? lock : pull_oci_publish(p, e);
		if (r < 0)
			return r;
	}
	r = sys_renameat(p->stage.dirfd, "image", s->images, dir);
	scope_close(&lock);
	if (r == -EEXIST || r == -ENOTEMPTY) /* another pull of the same was faster */
		return image_name(s, dir, p->src.name, e);
	if (r == 0)
		r = sys_fsync(s->images);
	return r < 0 ? err_sys(e, r, "cannot store image '%s'", p->src.name) : 0;
}

static void note_names(const struct pull *p, const struct json *result)
{
	const char *at = json_get_str(result, "dropped_names");

	while (at && *at) {
		size_t n = strcspn(at, "\n");
		char line[512]; /* of a name 200 bytes are shown */

		snprintf(line, sizeof(line), "%.*s", (int)n, at);
		note(p, line);
		at += n + (at[n] == '\n');
	}
}

/* What the disk or the map cannot hold never fails a pull, but is said. */
static void note_dropped(const struct pull *p, const struct json *result)
{
	const struct json *now = json_get(result, "dropped_now");
	const struct json *from = now ? now : json_get(result, "dropped");
	_cleanup_buf_ struct buf line = BUF_INIT(1024);
	uint64_t dropped[ENTRY_DROPS];

	for (unsigned d = 0; d < ENTRY_DROPS; d++)
		dropped[d] = (uint64_t)MAX(
			json_get_int(from, entry_attr_drop_name(d), 0), 0);
	if (p->conf->names)
		note_names(p, result);
	if (entry_attr_drop_summary(dropped, &line) == 0 && line.len)
		note(p, buf_cstr(&line));
}

/* Zeros are a tar archive of nothing, whatever their name, and an image in layers has its
 * files in other archives: neither is a root filesystem. */
static int check_content(const struct pull *p, const struct json *result, struct err *e)
{
	int64_t entries = json_get_int(result, "entries", INT64_MAX);
	bool dir = p->src.kind == SOURCE_DIR;

	if (entries <= 1 && !(entries && json_get_int(result, "bytes", 0)))
		return err_set(e, -EINVAL,
			       "'%s': there is nothing in it: no root filesystem",
			       p->src.name);
	if (pull_is_layered(p) || file_is_there(p->image, "rootfs/bin") ||
	    file_is_there(p->image, "rootfs/usr"))
		return 0;
	if (file_is_there(p->image, "rootfs/oci-layout"))
		return err_set(e, -EINVAL,
			       "'%s' is an image in layers; cubby pull %s:%s",
			       p->src.name, dir ? "oci" : "oci-archive", p->src.where);
	if (!dir && file_is_there(p->image, "rootfs/manifest.json"))
		return err_set(e, -EINVAL,
			       "'%s' is an image in layers; cubby pull "
			       "docker-archive:%s",
			       p->src.name, p->src.where);
	return 0;
}

static int make(struct pull *p, const char *dir, struct err *e)
{
	_cleanup_json_ struct json *result = NULL;
	int r;

	r = pull_is_layered(p) ? pull_oci_unpack(p, &result, e) : unpack(p, &result, e);
	if (r < 0)
		return r;
	r = check_content(p, result, e);
	if (r < 0)
		return r;
	r = write_meta(p, result, e);
	if (r < 0)
		return r;
	r = publish(p, dir, e);
	if (r < 0)
		return r;
	note_dropped(p, result);
	return 0;
}

int pull_image(const struct pull_conf *c, const char *ref, struct image *ret,
	       struct err *e)
{
	_cleanup_(pull_done) struct pull p = { .conf = c,
					       .stage = STAGING_NONE,
					       .fetched = FETCH_NONE,
					       .image = -1,
					       .layout_dir = -1 };
	char dir[IMAGE_DIR];
	int r;

	r = source_parse(ref, &p.src, e);
	if (r < 0)
		return r;
	r = staging_new(c->store, "pull", &p.stage, e);
	if (r < 0)
		return r;
	r = get(&p, e);
	if (r < 0)
		return r;
	if (c->digest && strcmp(p.fetched.digest, c->digest) != 0)
		return err_set(e, -ESTALE, "'%s' is no longer what it was", ref);
	if (c->name && text_copy(p.src.name, sizeof(p.src.name), c->name) < 0)
		return err_set(e, -ENAMETOOLONG, "the name '%.64s' is too long",
			       c->name);
	image_dir(p.fetched.digest, c->map, dir);
	if (sys_faccessat(c->store->images, dir, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		r = image_name(c->store, dir, p.src.name, e);
	else
		r = make(&p, dir, e);
	return r < 0 ? r : image_load(c->store, dir, ret, e);
}
