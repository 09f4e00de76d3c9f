/* An image in layers. Each layer becomes a directory of its own, shared by its diff id,
 * and is proven twice before it counts: the bytes as they came, by the manifest, and what
 * they are without compression, by the configuration. Layers that cannot be told apart
 * from those below them (extract.h), and all where it is asked for, go into one directory
 * instead, in their order. */
#include "rootfs/image/pull_oci.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/archive/entry_attr.h"
#include "rootfs/image/crew.h"
#include "rootfs/image/diffs.h"

enum { NAME = 32, META = 64 << 10 };

void pull_oci_done(struct pull *p)
{
	oci_source_image_free(&p->oci);
	oci_registry_free(&p->registry);
	scope_close(&p->layout_dir);
}

/* ---- where it comes from -------------------------------------------------------------- */

static int on_read(void *ctx, uint64_t more)
{
	struct pull *p = ctx;

	p->done += more;
	if (p->total)
		pull_tell(p, p->done, p->total);
	return pull_interrupted(p) ? -ECANCELED : 0;
}

static int tick(void *ctx)
{
	return pull_interrupted(ctx) ? -ECANCELED : 0;
}

/* What an archive of an image holds becomes files by the same confined hands that its
 * layers will. */
static int open_archive(struct pull *p, struct err *e)
{
	struct pull_unpack u = { .kind = PULL_ARCHIVE, .tick = tick, .tick_ctx = p };
	_cleanup_close_ int in =
		p->conf->open(p->src.where, O_RDONLY | O_NOCTTY | O_NONBLOCK, e);
	_cleanup_close_ int dir = -1;
	_cleanup_json_ struct json *result = NULL;
	int r;

	if (in < 0)
		return in;
	dir = file_make_dir(p->stage.dirfd, "archive", 0700, e);
	if (dir < 0)
		return dir;
	u.in = in;
	u.dir = dir;
	p->phase = PULL_CHECK;
	r = p->conf->unpack(p->conf->runtime, &u, &result, e);
	return r < 0 ? r : file_open_dir(dir, "rootfs", e);
}

static int open_layout(struct pull *p, struct err *e)
{
	int r;

	p->layout_dir = p->src.kind == SOURCE_OCI
				? p->conf->open(p->src.where, O_RDONLY | O_DIRECTORY, e)
				: open_archive(p, e);
	if (p->layout_dir < 0)
		return p->layout_dir;
	if (source_text(&p->src, p->url, sizeof(p->url)) < 0)
		return err_set(e, -ENAMETOOLONG, "its path is too long to be kept");
	p->layout = (struct oci_layout){
		.dir = p->layout_dir,
		.ref = p->src.ref[0] ? p->src.ref : NULL,
		.archive = p->src.kind == SOURCE_DOCKER_ARCHIVE,
		.tick = on_read,
		.ctx = p,
	};
	r = oci_layout_check(&p->layout, e);
	p->blobs = oci_layout_source(&p->layout);
	return r;
}

static void on_note(void *ctx, const char *line)
{
	const struct pull *p = ctx;

	if (p->conf->note)
		p->conf->note(p->conf->ctx, line);
}

/* Where a file of this machine says that it is, which is kept, too. */
static void tell_place(struct pull *p)
{
	char asked[OCI_NAME], place[OCI_NAME], line[2 * OCI_NAME + 64];

	oci_name_text(&p->name, asked);
	oci_name_text(oci_registry_name(p->registry), place);
	if (!strcmp(asked, place))
		return;
	(void)text_copy(p->url, sizeof(p->url), place);
	snprintf(line, sizeof(line), "'%s' is '%s' here (%s)", asked, place,
		 oci_registry_said_by(p->registry));
	on_note(p, line);
}

static int open_registry(struct pull *p, struct err *e)
{
	struct oci_registry_conf conf = { .name = &p->name,
					  .abort_fd = p->conf->abort_fd,
					  .note = on_note,
					  .tick = on_read,
					  .ctx = p };
	int r = oci_name_parse(p->src.where, &p->name, e);

	if (r < 0)
		return r;
	r = oci_registry_new(&conf, &p->registry, e);
	if (r < 0)
		return r;
	tell_place(p);
	p->blobs = oci_registry_source(p->registry);
	return 0;
}

int pull_oci_find(struct pull *p, struct err *e)
{
	struct oci_want want = { .ref = p->src.ref[0] ? p->src.ref : NULL };
	int r;

	p->oci = oci_source_image();
	if (!p->oci)
		return err_sys(e, -ENOMEM, "cannot read an image");
	r = (p->src.kind == SOURCE_REGISTRY ? open_registry(p, e) : open_layout(p, e))
		    ?: oci_source_resolve(&p->blobs, &want, p->oci, e);
	if (r < 0)
		return err_wrap(e, "'%s'", p->src.name);
	memcpy(p->fetched.digest, p->oci->digest, HASH_HEX);
	p->flat = p->conf->flat;
	if (p->oci->manifest.n > OCI_LAYERS && !p->flat)
		return err_set(e, -E2BIG,
			       "'%s': the image has more than %d layers; --flat puts "
			       "them into one",
			       p->src.name, OCI_LAYERS);
	return 0;
}

/* ---- one layer ------------------------------------------------------------------------ */

struct feeding {
	struct pull *p;
	const struct oci_blob *blob;
	int to;
};

static int to_pipe(void *ctx, const void *data, size_t len, struct err *e)
{
	struct feeding *f = ctx;

	return file_write_fd(f->to, data, len, e);
}

static int feed(void *ctx, int to, struct err *e)
{
	struct feeding *f = ctx;

	f->to = to;
	return oci_source_fetch(&f->p->blobs, f->blob, &(struct oci_put){ to_pipe, f },
				e);
}

static int write_layer_meta(int dir, const struct json *result, struct err *e)
{
	_cleanup_json_ struct json *meta = json_dup(result);

	(void)json_drop(meta, "dropped_names");
	return json_print_file(dir, "meta.json", meta, META, file_replace_soon, e);
}

static int unpack_layer(struct pull *p, size_t i, const char *name, struct json **ret,
			struct err *e)
{
	struct feeding f = { p, &p->oci->manifest.layers[i], -1 };
	struct pull_unpack u = { .kind = p->flat ? PULL_FLAT : PULL_LAYER,
				 .in = -1,
				 .feed = feed,
				 .feed_ctx = &f,
				 .like = &p->oci->config.diff_ids[i],
				 .tick = tick,
				 .tick_ctx = p };
	_cleanup_close_ int dir = file_make_dir(p->stage.dirfd, name, 0700, e);
	int r;

	if (dir < 0)
		return dir;
	u.dir = dir;
	r = p->conf->unpack(p->conf->runtime, &u, ret, e);
	if (r < 0)
		return r;
	if (!json_is(*ret, "diff_id", digest_kept(&p->oci->config.diff_ids[i])))
		return err_set(
			e, -EBADMSG,
			"uncompressed it is not what the image's configuration says; "
			"it was refused");
	return p->flat ? 0 : write_layer_meta(dir, *ret, e);
}

static void layer_name(const struct pull *p, size_t i, char ret[IMAGE_DIR])
{
	char hex[HASH_HEX];

	digest_name(&p->oci->config.diff_ids[i], hex);
	image_dir(hex, p->conf->map, ret);
}

/* ---- all of them ---------------------------------------------------------------------- */

static void add_count(struct json *sum, const struct json *one, const char *key)
{
	(void)json_set_int(sum, key,
			   json_get_int(sum, key, 0) + json_get_int(one, key, 0));
}

/* @now: it was unpacked just now, so what it lacks has not been said yet. */
static void add_result(struct json *sum, const struct json *one, bool now)
{
	struct json *dropped = json_get_mut(sum, "dropped");
	struct json *fresh = json_get_mut(sum, "dropped_now");
	const struct json *drops = json_get(one, "dropped");
	int64_t snippets = json_get_int(sum, "snippets", 0);

	if (!one)
		return;
	add_count(sum, one, "bytes");
	add_count(sum, one, "entries");
	for (unsigned d = 0; d < ENTRY_DROPS; d++)
		if (json_get(drops, entry_attr_drop_name(d))) {
			add_count(dropped, drops, entry_attr_drop_name(d));
			if (now)
				add_count(fresh, drops, entry_attr_drop_name(d));
		}
	(void)json_set_int(sum, "snippets",
			   snippets | json_get_int(one, "snippets", 0));
}

static uint64_t bytes_to_read(const struct pull *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->oci->manifest.n; i++)
		if (p->oci->manifest.layers[i].size != UINT64_MAX)
			sum += p->oci->manifest.layers[i].size;
	return sum;
}

/* Each goes into what those below it made. */
static int take_flat(struct pull *p, struct json *sum, struct err *e)
{
	const struct oci_manifest *m = &p->oci->manifest;

	for (size_t i = 0; i < m->n; i++) {
		_cleanup_json_ struct json *one = NULL;
		int r = unpack_layer(p, i, "image", &one, e);

		if (r < 0)
			return err_wrap(e, "layer %zu of %zu", i + 1, m->n);
		add_result(sum, one, true);
	}
	return 0;
}

struct taking {
	struct pull *p;
	struct json *sum;
};

/* The same layer may stand twice in one image, and it may be there: its result is that of
 * the pull that brought it. */
static bool is_wanted(void *ctx, size_t i)
{
	struct taking *t = ctx;
	struct pull *p = t->p;
	_cleanup_json_ struct json *one = NULL;
	char name[IMAGE_DIR];

	for (size_t k = 0; k < i; k++)
		if (p->made[k] && !strcmp(p->oci->config.diff_ids[k].text,
					  p->oci->config.diff_ids[i].text))
			return false;
	layer_name(p, i, name);
	if (diffs_meta(p->conf->store, name, &one, ERR_IGNORED) == 0) {
		add_result(t->sum, one, false);
		return false;
	}
	p->made[i] = true;
	return true;
}

static void hand_note(void *ctx, const char *line)
{
	crew_hand_note(ctx, line);
}

static void hand_progress(void *ctx, const struct pull_progress *now)
{
	crew_hand_done(ctx, now->done);
}

static int bring(void *ctx, size_t i, struct crew_hand *h, int abort, struct json **ret,
		 struct err *e)
{
	struct taking *t = ctx;
	struct pull *p = t->p;
	struct pull_conf conf = *p->conf;
	char stage[NAME];
	int r;

	conf.abort_fd = abort;
	conf.progress = hand_progress;
	conf.note = hand_note;
	conf.ctx = h;
	p->conf = &conf;
	p->done = 0;
	snprintf(stage, sizeof(stage), "layer-%zu", i);
	r = (p->registry ? oci_registry_anew(p->registry, abort, e) : 0)
		    ?: unpack_layer(p, i, stage, ret, e);
	p->conf = NULL; /* this process ends now */
	return r;
}

static int on_brought(void *ctx, size_t, const struct json *result, struct err *)
{
	struct taking *t = ctx;

	add_result(t->sum, result, true);
	return 0;
}

static void taking_note(void *ctx, const char *line)
{
	struct taking *t = ctx;

	on_note(t->p, line);
}

static void taking_tell(void *ctx, uint64_t done)
{
	struct taking *t = ctx;

	if (t->p->total)
		pull_tell(t->p, MIN(done, t->p->total), t->p->total);
}

static int take_layers(struct pull *p, struct json *sum, struct err *e)
{
	struct taking t = { p, sum };

	p->done = 0;
	p->total = bytes_to_read(p);
	if (p->flat)
		return take_flat(p, sum, e);
	return crew_run(&(struct crew_conf){ .n = p->oci->manifest.n,
					     .abort_fd = p->conf->abort_fd,
					     .wanted = is_wanted,
					     .bring = bring,
					     .brought = on_brought,
					     .note = taking_note,
					     .tell = taking_tell,
					     .ctx = &t },
			e);
}

/* Layers that are there or were made are left where they are: they may serve another. */
static int flatten(struct pull *p, struct json *sum, const struct err *why,
		   struct err *e)
{
	char line[sizeof(why->msg) + 64];

	snprintf(line, sizeof(line), "all layers go into one directory: %s", why->msg);
	if (p->conf->note)
		p->conf->note(p->conf->ctx, line);
	p->flat = true;
	return take_layers(p, sum, e);
}

static struct json *new_sum(void)
{
	struct json *sum = json_object();

	(void)json_set(sum, "dropped", json_object());
	(void)json_set(sum, "dropped_now", json_object());
	return sum;
}

/* Its own files go on top. */
static int dress(struct pull *p, const struct json *sum, struct err *e)
{
	struct pull_unpack u = { .kind = PULL_DRESS,
				 .in = -1,
				 .snippets = (unsigned)json_get_int(sum, "snippets", 0),
				 .tick = tick,
				 .tick_ctx = p };
	_cleanup_json_ struct json *none = NULL;

	p->image = file_make_dir(p->stage.dirfd, "image", 0700, e);
	if (p->image < 0)
		return p->image;
	u.dir = p->image;
	return p->conf->unpack(p->conf->runtime, &u, &none, e);
}

static int write_list(const struct pull *p, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT((size_t)OCI_LAYERS * IMAGE_DIR);
	char name[IMAGE_DIR];

	for (size_t i = p->oci->manifest.n; i-- > 0;) {
		layer_name(p, i, name);
		(void)buf_addf(&text, "%s\n", name);
	}
	return file_replace_soon(p->image, "layers",
				 &(struct file_data){ buf_cstr(&text), text.len, 0600 },
				 e);
}

/* Apart from the rest, which no start needs. */
static int write_run(const struct pull *p, struct err *e)
{
	return json_print_file(p->image, "run.json", p->oci->config.run,
			       (size_t)OCI_DOC + META, file_replace_soon, e);
}

int pull_oci_unpack(struct pull *p, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *sum = new_sum();
	struct err why;
	int r;

	p->phase = p->registry ? PULL_DOWNLOAD : PULL_UNPACK;
	r = take_layers(p, sum, e);
	if (r == -EXDEV && !p->flat) {
		json_free(&sum);
		sum = new_sum();
		why = *e;
		r = flatten(p, sum, &why, e);
	}
	if (r == 0)
		r = dress(p, sum, e) ?: (p->flat ? 0 : write_list(p, e)) ?:
			(json_len(p->oci->config.run) ? write_run(p, e) : 0);
	if (r < 0)
		return err_wrap(e, "'%s'", p->src.name);
	if (json_failed(sum))
		return err_sys(e, -ENOMEM, "cannot describe the image");
	*ret = take(&sum, NULL);
	return 0;
}

/* ---- what becomes of it --------------------------------------------------------------- */

int pull_oci_describe(const struct pull *p, struct json *meta)
{
	const struct oci_image *i = p->oci;
	struct json *layers = json_array();
	int r;

	for (size_t k = 0; k < i->manifest.n; k++) {
		const struct oci_blob *b = &i->manifest.layers[k];
		struct json *layer = json_object();

		(void)json_set_str(layer, "diff_id",
				   digest_kept(&i->config.diff_ids[k]));
		if (b->digest.text[0]) {
			(void)json_set_str(layer, "digest", digest_kept(&b->digest));
			(void)json_set_int(layer, "size", (int64_t)b->size);
		}
		(void)json_add(layers, layer);
	}
	r = json_set(meta, "layers", layers);
	return r < 0 ? r : json_set_bool(meta, "flat", p->flat);
}

int pull_oci_publish(struct pull *p, struct err *e)
{
	const struct store *s = p->conf->store;
	char name[IMAGE_DIR], stage[NAME];
	int r = 0;

	for (size_t i = 0; i < p->oci->manifest.n && r == 0 && !p->flat; i++) {
		layer_name(p, i, name);
		snprintf(stage, sizeof(stage), "layer-%zu", i);
		r = p->made[i] ? diffs_publish(s, p->stage.dirfd, stage, name, e)
			       : diffs_there(s, name, e);
	}
	return r == 0 && !p->flat ? diffs_settle(s, e) : r;
}
