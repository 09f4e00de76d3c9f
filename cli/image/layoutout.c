#include "cli/image/layoutout.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/oci/doc.h"
#include "rootfs/oci/name.h"
#include "runtime/worker/feed.h"

enum { CHUNK = 256 << 10, PATH = 160, DOC = 5 << 20, LIST = 16 << 10 };

#define TYPE "application/vnd.oci.image."

void layoutout_done(struct layoutout *l)
{
	json_free(&l->layers);
	json_free(&l->diffs);
	scope_close(&l->blobs);
}

/* The layout may lie in a project: each by one name, so that nobody puts a link on the way. */
int layoutout_begin(struct layoutout *l, struct err *e)
{
	_cleanup_close_ int blobs = file_make_dir(l->dir, "blobs", 0755, e);

	l->layers = json_array();
	l->diffs = json_array();
	l->blobs = blobs < 0 ? blobs : file_make_dir(blobs, "sha256", 0755, e);
	return MIN(l->blobs, 0);
}

/* ---- blobs -------------------------------------------------------------------------- */

static struct json *descriptor(const char *type, const char *digest, uint64_t size)
{
	struct json *d = json_object();
	char text[HASH_HEX + 8];

	snprintf(text, sizeof(text), "sha256:%s", digest);
	(void)json_set_str(d, "mediaType", type);
	(void)json_set_str(d, "digest", text);
	(void)json_set_int(d, "size", (int64_t)size);
	return d;
}

static void add_layer(struct layoutout *l, const char *diff, const char *digest,
		      uint64_t size)
{
	char text[HASH_HEX + 8];

	snprintf(text, sizeof(text), "sha256:%s", diff);
	(void)json_add(l->diffs, json_string(text));
	(void)json_add(l->layers, descriptor(TYPE "layer.v1.tar", digest, size));
}

static bool is_aborted(const struct layoutout *l)
{
	struct pollfd p = { .fd = l->abort_fd, .events = POLLIN };

	return sys_poll(&p, 1, 0) > 0;
}

struct packing {
	struct layoutout *l; /* borrowed */
	int out;	     /* borrowed: what is packed so far */
};

static int on_tick(void *ctx)
{
	const struct packing *p = ctx;
	struct stat st = { .st_size = 0 };

	(void)sys_fstat(p->out, &st);
	progress_update(p->l->bar, p->l->packed + (uint64_t)st.st_size, 0);
	return is_aborted(p->l) ? -ECANCELED : 0;
}

static int hash_file(const struct layoutout *l, int fd, char ret[HASH_HEX],
		     uint64_t *size, struct err *e)
{
	_cleanup_hash_ struct hash *hash = NULL;
	_cleanup_free_ char *chunk = malloc(CHUNK);
	ssize_t n = 1;
	int r = chunk ? hash_new(&hash, e) : err_sys(e, -ENOMEM, "cannot hash a layer");

	*size = 0;
	while (r == 0 && n > 0) {
		n = sys_pread(fd, chunk, CHUNK, (off_t)*size);
		if (n < 0)
			return err_sys(e, (int)n, "cannot hash a layer");
		*size += (uint64_t)n;
		r = hash_update(hash, chunk, (size_t)n, e);
		if (r == 0 && is_aborted(l))
			r = err_set(e, -ECANCELED, "interrupted");
	}
	return r < 0 ? r : hash_final(hash, ret, e);
}

int layoutout_tree(struct layoutout *l, int tree, const char *skip, struct err *e)
{
	_cleanup_close_ int out =
		sys_openat(l->blobs, "new", O_RDWR | O_CREAT | O_EXCL, 0644);
	char digest[HASH_HEX];
	struct packing packing = { l, out };
	struct feed_tree from = { tree, skip, out, on_tick, &packing };
	uint64_t size = 0;
	int r;

	if (out < 0)
		return err_sys(e, out, "cannot make a layer");
	r = feed_pack(l->map, &from, e);
	if (r < 0)
		return r;
	r = hash_file(l, out, digest, &size, e);
	if (r < 0)
		return r;
	l->packed += size;
	r = sys_renameat(l->blobs, "new", l->blobs, digest);
	if (r < 0)
		return err_sys(e, r, "cannot keep a layer");
	add_layer(l, digest, digest, size);
	return 0;
}

/* ---- images ------------------------------------------------------------------------- */

static int pack_path(struct layoutout *l, int dirfd, const char *path, struct err *e)
{
	_cleanup_close_ int tree =
		sys_openat(dirfd, path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);

	if (tree < 0)
		return err_sys(e, tree, "cannot open '%s' of the store", path);
	return layoutout_tree(l, tree, NULL, e);
}

/* What it was called where it came from, if that is kept; nobody will ask for it. */
static void add_known(struct layoutout *l, const struct json *meta, const char *diff)
{
	json_each(it, json_get(meta, "layers"))
	{
		const char *id = json_get_str(it, "diff_id");
		const char *digest = json_get_str(it, "digest");

		if (id && digest && !strcmp(id, diff) && hash_valid(digest)) {
			add_layer(l, diff, digest,
				  (uint64_t)json_get_int(it, "size", 0));
			return;
		}
	}
	add_layer(l, diff, diff, 0);
}

int layoutout_image(struct layoutout *l, const char *dir, const struct json *known,
		    struct err *e)
{
	_cleanup_buf_ struct buf list = BUF_INIT((size_t)LIST);
	char path[PATH], diff[HASH_HEX];
	int r;

	snprintf(path, sizeof(path), "%s/layers", dir);
	r = file_read(l->store->images, path, &list, e);
	if (r == -ENOENT) {
		snprintf(path, sizeof(path), "%s/rootfs", dir);
		return pack_path(l, l->store->images, path, e);
	}
	while (r == 0 && list.len) { /* the last line is the lowest */
		const char *text = buf_cstr(&list), *last;

		list.len -= text[list.len - 1] == '\n';
		list.data[list.len] = '\0';
		last = strrchr(list.data, '\n');
		last = last ? last + 1 : list.data;
		snprintf(path, sizeof(path), "diffs/%.80s/rootfs", last);
		snprintf(diff, sizeof(diff), "%.64s", last);
		if (known)
			add_known(l, known, diff);
		else
			r = pack_path(l, l->store->dirfd, path, e);
		list.len = (size_t)(last - list.data);
	}
	return r;
}

/* ---- documents ---------------------------------------------------------------------- */

static int put(struct layoutout *l, const char *name, const struct json *j,
	       char digest[HASH_HEX], uint64_t *size, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT((size_t)DOC);
	int r = json_print(j, false, &text);

	if (r < 0)
		return err_sys(e, r, "cannot describe the image");
	hash_text(text.data, text.len, digest);
	*size = text.len;
	return file_replace(name ? l->dir : l->blobs, name ? name : digest,
			    &(struct file_data){ text.data, text.len, 0644 }, e);
}

/* As image-spec calls what image_run() has. */
static struct json *config_of(const struct json *run)
{
	static const struct {
		const char *from, *to;
	} names[] = { { "env", "Env" },
		      { "entrypoint", "Entrypoint" },
		      { "cmd", "Cmd" },
		      { "user", "User" },
		      { "workdir", "WorkingDir" },
		      { "stopsignal", "StopSignal" },
		      { "labels", "Labels" } };
	struct json *config = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (json_get(run, names[i].from))
			(void)json_set(config, names[i].to,
				       json_dup(json_get(run, names[i].from)));
	return config;
}

static struct json *image_of(const struct layoutout *l, const struct json *run)
{
	struct json *image = json_object(), *rootfs = json_object();

	(void)json_set_str(image, "architecture", oci_doc_arch() ? oci_doc_arch() : "");
	(void)json_set_str(image, "os", "linux");
	(void)json_set(image, "config", config_of(run));
	(void)json_set_str(rootfs, "type", "layers");
	(void)json_set(rootfs, "diff_ids", json_dup(l->diffs));
	(void)json_set(image, "rootfs", rootfs);
	return image;
}

static struct json *manifest_of(const struct layoutout *l, const char *digest,
				uint64_t size)
{
	struct json *m = json_object();

	(void)json_set_int(m, "schemaVersion", 2);
	(void)json_set_str(m, "mediaType", TYPE "manifest.v1+json");
	(void)json_set(m, "config", descriptor(TYPE "config.v1+json", digest, size));
	(void)json_set(m, "layers", json_dup(l->layers));
	return m;
}

static struct json *index_of(const char *digest, uint64_t size, const char *name)
{
	struct json *entry = descriptor(TYPE "manifest.v1+json", digest, size);
	struct json *index = json_object(), *all = json_array(), *notes = json_object();

	(void)json_set_str(notes, "org.opencontainers.image.ref.name", name);
	(void)json_set(entry, "annotations", notes);
	(void)json_add(all, entry);
	(void)json_set_int(index, "schemaVersion", 2);
	(void)json_set(index, "manifests", all);
	return index;
}

/* What 'docker load' reads of an archive: the blobs are those of the layout. A name that
 * is none to docker stays away. */
static int put_docker(struct layoutout *l, const char *config, const char *name,
		      struct err *e)
{
	_cleanup_json_ struct json *list = json_array();
	struct json *m = json_object(), *tags = json_array(), *layers = json_array();
	char path[PATH], digest[HASH_HEX], full[OCI_NAME];
	struct oci_name n;
	uint64_t size;

	snprintf(path, sizeof(path), "blobs/sha256/%s", config);
	(void)json_set_str(m, "Config", path);
	if (oci_name_parse(name, &n, ERR_IGNORED) == 0 && !n.digest.text[0]) {
		oci_name_text(&n, full);
		(void)json_add(tags, json_string(full));
	}
	(void)json_set(m, "RepoTags", tags);
	json_each(it, l->layers)
	{
		snprintf(path, sizeof(path), "blobs/sha256/%s",
			 json_get_str(it, "digest") + strlen("sha256:"));
		(void)json_add(layers, json_string(path));
	}
	(void)json_set(m, "Layers", layers);
	(void)json_add(list, m);
	return put(l, "manifest.json", list, digest, &size, e);
}

int layoutout_end(struct layoutout *l, const struct json *run, const char *name,
		  struct err *e)
{
	_cleanup_json_ struct json *image = image_of(l, run);
	_cleanup_json_ struct json *version = json_object();
	_cleanup_json_ struct json *manifest = NULL;
	_cleanup_json_ struct json *index = NULL;
	char digest[HASH_HEX];
	uint64_t size;
	int r = put(l, NULL, image, digest, &size, e);

	if (r == 0 && l->docker)
		r = put_docker(l, digest, name, e);
	if (r < 0)
		return r;
	manifest = manifest_of(l, digest, size);
	r = put(l, NULL, manifest, digest, &size, e);
	if (r < 0)
		return r;
	index = index_of(digest, size, name);
	(void)json_set_str(version, "imageLayoutVersion", "1.0.0");
	r = put(l, "oci-layout", version, digest, &size, e);
	return r < 0 ? r : put(l, "index.json", index, digest, &size, e);
}

int layoutout_whole(const struct store *st, const struct image *image,
		    const struct layoutout_want *want, int dir, struct err *e)
{
	_cleanup_layoutout_ struct layoutout l = { .store = st,
						   .dir = dir,
						   .blobs = -1,
						   .docker = want->docker,
						   .abort_fd = want->abort_fd,
						   .bar = want->bar };
	_cleanup_json_ struct json *meta = NULL, *run = NULL;
	struct idmap map;
	int r = image_meta(st, image->dir, &meta, e);

	if (r < 0)
		return r;
	r = idmap_from_json(json_get(meta, "idmap"), &map, e);
	if (r < 0)
		return r;
	r = image_run(st, image->dir, &run, e);
	if (r < 0)
		return r;
	l.map = &map;
	r = layoutout_begin(&l, e);
	if (r < 0)
		return r;
	r = layoutout_image(&l, image->dir, NULL, e);
	if (r < 0)
		return r;
	return layoutout_end(&l, run, want->name ? want->name : image->name, e);
}
