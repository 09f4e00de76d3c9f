#include "rootfs/oci/doc.h"

#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/scope.h"
#include "base/text.h"

enum { SHOWN = 120, LISTED = 320 };

static const char *shown(char out[SHOWN], const char *text)
{
	return text_escaped(out, SHOWN, text ? text : "", strlen(text ? text : ""));
}

/* ---- descriptors -------------------------------------------------------------------- */

static int read_blob(const struct json *j, struct oci_blob *ret, struct err *e)
{
	struct oci_blob b = { .size = 0 };
	int64_t size;
	int r = digest_parse(json_get_str(j, "digest"), &b.digest, e);

	if (r < 0)
		return err_wrap(e, "manifest");
	if (json_int(json_get(j, "size"), &size) < 0 || size < 0)
		return err_set(e, -EINVAL, "manifest: '%.*s…' has no size",
			       DIGEST_SHORT, b.digest.text);
	b.size = (uint64_t)size;
	b.data = json_get_str(j, "data");
	*ret = b;
	return 0;
}

static bool type_is(const struct json *j, const char *const *prefixes)
{
	const char *type = json_get_str(j, "mediaType");

	for (; type && *prefixes; prefixes++)
		if (text_starts(type, *prefixes))
			return true;
	return false;
}

/* A document that is one thing to us and another to whom its type is told (CVE-2021-41190). */
int oci_doc_type(const struct json *doc, const char *told, struct err *e)
{
	const char *own = json_get_str(doc, "mediaType");
	size_t n = told ? strcspn(told, "; \t") : 0;
	char a[SHOWN], b[SHOWN];

	if (!n || !own || (strlen(own) == n && strncasecmp(own, told, n) == 0))
		return 0;
	return err_set(e, -EBADMSG,
		       "manifest: it was sent as '%s' and calls itself '%s'; it was "
		       "refused",
		       shown(a, told), shown(b, own));
}

int oci_doc_is_index(const struct json *doc, struct err *e)
{
	bool index = json_type(json_get(doc, "manifests")) == JSON_ARRAY;
	bool manifest = json_type(json_get(doc, "layers")) == JSON_ARRAY;

	if (json_get(doc, "fsLayers"))
		return err_set(
			e, -EINVAL,
			"manifest: schema 1, which nothing has made since 2017; the "
			"image is to be pushed again");
	if (index && manifest)
		return err_set(e, -EINVAL,
			       "manifest: is an index and an image at once");
	if (!index && !manifest)
		return err_set(e, -EINVAL,
			       "manifest: is neither an index nor an image");
	return index;
}

/* The name says little of how it is compressed; its first bytes decide about that. What
 * is known to be no tar archive is refused by its name. */
static int read_layers(const struct json *layers, struct oci_manifest *m, struct err *e)
{
	static const char *const types[] = { "application/vnd.oci.image.layer.",
					     "application/vnd.docker.image.rootfs.",
					     NULL };
	char s[SHOWN];

	json_each(it, layers)
	{
		const char *type = json_get_str(it, "mediaType");
		int r;

		if (m->n == OCI_MOST)
			return err_set(e, -E2BIG, "the image has more than %d layers",
				       OCI_MOST);
		if (!type_is(it, types) || strstr(type, "encrypted"))
			return err_set(e, -EINVAL,
				       "the image has a layer of an unknown kind, '%s'",
				       shown(s, type));
		r = read_blob(it, &m->layers[m->n], e);
		if (r < 0)
			return r;
		m->n++;
	}
	return 0;
}

int oci_doc_manifest(const struct json *doc, struct oci_manifest *ret, struct err *e)
{
	static const char *const types[] = {
		"application/vnd.oci.image.config.v1+json",
		"application/vnd.docker.container.image.v1+json", NULL
	};
	const struct json *config = json_get(doc, "config");
	_cleanup_free_ struct oci_manifest *m = calloc(1, sizeof(*m));
	char s[SHOWN];
	int r;

	if (!m)
		return err_sys(e, -ENOMEM, "cannot read a manifest");
	if (!type_is(config, types))
		return err_set(e, -EINVAL, "this is no image, but a '%s'",
			       shown(s, json_get_str(config, "mediaType")));
	r = read_blob(config, &m->config, e);
	if (r < 0)
		return r;
	r = read_layers(json_get(doc, "layers"), m, e);
	if (r < 0)
		return r;
	if (m->config.size > OCI_DOC)
		r = err_set(e, -E2BIG,
			    "the image's configuration is larger than %d bytes",
			    OCI_DOC);
	if (r < 0)
		return r;
	*ret = *m;
	return 0;
}

/* ---- index -------------------------------------------------------------------------- */

const char *oci_doc_arch(void)
{
#if defined(__x86_64__)
	return "amd64";
#elif defined(__i386__)
	return "386";
#elif defined(__aarch64__)
	return "arm64";
#elif defined(__arm__)
	return "arm";
#elif defined(__riscv) && __riscv_xlen == 64
	return "riscv64";
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
	return "ppc64le";
#elif defined(__s390x__)
	return "s390x";
#elif defined(__loongarch64)
	return "loong64";
#else
	return NULL;
#endif
}

/* How well a variant fits, 0 = not at all. Newer ones need a newer processor. */
static int variant_score(const char *arch, const char *variant)
{
	static const struct {
		const char *arch, *variant;
		int score;
	} known[] = { { "amd64", "v1", 4 },
		      { "arm64", "v8", 4 },
		      { "arm", "v7", 4 },
		      { "arm", "v6", 3 },
		      { "arm", "v5", 2 } };

	if (!variant || !*variant)
		return 4;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].arch, arch) && !strcmp(known[i].variant, variant))
			return known[i].score;
	return 0;
}

/* 0 = not for this machine; one that does not say is looked at by its configuration. */
static int platform_score(const struct json *entry, const char *arch)
{
	const struct json *p = json_get(entry, "platform");
	const char *os = json_get_str(p, "os"), *a = json_get_str(p, "architecture");

	if (json_get_str(json_get(entry, "annotations"), "vnd.docker.reference.type"))
		return 0;
	if (json_type(p) != JSON_OBJECT)
		return 1;
	if (!os || !a || strcmp(os, "linux") != 0 || strcmp(a, arch) != 0)
		return 0;
	return variant_score(arch, json_get_str(p, "variant"));
}

static const char *ref_name(const struct json *entry)
{
	return json_get_str(json_get(entry, "annotations"),
			    "org.opencontainers.image.ref.name");
}

static bool is_named(const struct json *entry, const char *ref)
{
	const char *name = ref_name(entry);
	const char *full = json_get_str(json_get(entry, "annotations"),
					"io.containerd.image.name");

	return !ref || (name && !strcmp(name, ref)) || (full && !strcmp(full, ref));
}

static bool is_document(const struct json *entry)
{
	static const char *const types[] = {
		"application/vnd.oci.image.index.v1+json",
		"application/vnd.oci.image.manifest.v1+json",
		"application/vnd.docker.distribution.manifest.v2+json",
		"application/vnd.docker.distribution.manifest.list.v2+json", NULL
	};

	return type_is(entry, types);
}

static void list_add(struct buf *list, const char *text)
{
	char s[SHOWN];

	if (list->len < LISTED - SHOWN - 2) /* a few tell enough */
		(void)buf_addf(list, "%s%s", list->len ? ", " : "", shown(s, text));
}

static void list_platform(struct buf *list, const struct json *entry)
{
	const struct json *p = json_get(entry, "platform");
	const char *os = json_get_str(p, "os"), *arch = json_get_str(p, "architecture");
	const char *variant = json_get_str(p, "variant");
	char text[SHOWN];

	if (!os || !arch || !strcmp(arch, "unknown"))
		return;
	snprintf(text, sizeof(text), "%.40s/%.40s%s%.20s", os, arch,
		 variant && *variant ? "/" : "", variant ? variant : "");
	list_add(list, text);
}

static int none_fits(const struct buf *there, const struct buf *names,
		     const struct oci_want *want, const char *arch, struct err *e)
{
	char s[SHOWN];

	if (there->len)
		return err_set(e, -ENOENT,
			       "the image is there for %s, and not for linux/%s",
			       buf_cstr(there), arch);
	if (want->ref)
		return err_set(e, -ENOENT, "there is no image '%s' in it%s%s",
			       shown(s, want->ref), names->len ? "; there is " : "",
			       buf_cstr(names));
	return err_set(e, -ENOENT, "there is no image in it");
}

int oci_doc_pick(const struct json *doc, const struct oci_want *want,
		 struct oci_blob *ret, struct err *e)
{
	_cleanup_buf_ struct buf there = BUF_INIT(LISTED), names = BUF_INIT(LISTED);
	const char *arch = want->arch ? want->arch : oci_doc_arch();
	const struct json *best = NULL;
	const char *last = NULL;
	int best_score = 0;

	if (!arch)
		return err_set(e, -ENOENT, "no image is for this kind of machine");
	json_each(it, json_get(doc, "manifests"))
	{
		const char *name = ref_name(it);
		int score;

		if (name)
			list_add(&names, name);
		if (!is_document(it) || !is_named(it, want->ref))
			continue;
		score = platform_score(it, arch);
		if (!score)
			list_platform(&there, it);
		else if (!want->ref && name && last && strcmp(name, last) != 0)
			return err_set(
				e, -ENOTUNIQ,
				"there are several images in it; add ':NAME' to say "
				"which one");
		if (score > best_score) {
			best_score = score;
			best = it;
		}
		last = score && name ? name : last;
	}
	return best ? read_blob(best, ret, e)
		    : none_fits(&there, &names, want, arch, e);
}

/* ---- configuration ------------------------------------------------------------------ */

void oci_doc_config_done(struct oci_config *c)
{
	json_free(&c->run);
}

static struct json *strings_of(const struct json *from)
{
	struct json *a = json_array();

	json_each(it, from)
	{
		if (json_str(it))
			(void)json_add(a, json_string(json_str(it)));
	}
	return a;
}

static struct json *labels_of(const struct json *from)
{
	struct json *o = json_object();

	json_each(it, from)
	{
		if (json_str(it))
			(void)json_set_str(o, json_key(it), json_str(it));
	}
	return o;
}

static struct json *run_of(const struct json *config)
{
	static const struct {
		const char *from, *to;
		enum json_type type;
	} fields[] = {
		{ "Env", "env", JSON_ARRAY },
		{ "Entrypoint", "entrypoint", JSON_ARRAY },
		{ "Cmd", "cmd", JSON_ARRAY },
		{ "User", "user", JSON_STRING },
		{ "WorkingDir", "workdir", JSON_STRING },
		{ "StopSignal", "stopsignal", JSON_STRING },
		{ "Labels", "labels", JSON_OBJECT },
	};
	struct json *run = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct json *v = json_get(config, fields[i].from);

		if (json_type(v) != fields[i].type || (json_str(v) && !*json_str(v)))
			continue;
		(void)json_set(run, fields[i].to,
			       fields[i].type == JSON_ARRAY ? strings_of(v)
			       : fields[i].type == JSON_OBJECT
				       ? labels_of(v)
				       : json_string(json_str(v)));
	}
	return run;
}

static int check_platform(const struct json *doc, const char *arch, struct err *e)
{
	const char *os = json_get_str(doc, "os"),
		   *a = json_get_str(doc, "architecture");
	char s[SHOWN], t[SHOWN];

	if (os && a && !strcmp(os, "linux") && !strcmp(a, arch))
		return 0;
	return err_set(e, -ENOEXEC, "the image is for %s/%s, and not for linux/%s",
		       shown(s, os), shown(t, a), arch);
}

int oci_doc_config(const struct json *doc, const char *arch, struct oci_config *ret,
		   struct err *e)
{
	_cleanup_free_ struct oci_config *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return err_sys(e, -ENOMEM, "cannot read an image's configuration");
	r = check_platform(doc, arch, e);
	if (r < 0)
		return r;
	json_each(it, json_get(json_get(doc, "rootfs"), "diff_ids"))
	{
		if (c->n == OCI_MOST)
			return err_set(e, -E2BIG, "the image has more than %d layers",
				       OCI_MOST);
		r = digest_parse(json_str(it), &c->diff_ids[c->n], e);
		if (r < 0)
			return err_wrap(e, "configuration");
		c->n++;
	}
	(void)text_copy(c->arch, sizeof(c->arch), arch);
	c->run = run_of(json_get(doc, "config"));
	if (json_failed(c->run)) {
		json_free(&c->run);
		return err_sys(e, -ENOMEM, "cannot read an image's configuration");
	}
	*ret = *c;
	return 0;
}

/* ---- docker-archive ----------------------------------------------------------------- */

static int read_path(const char *path, struct oci_blob *ret, struct err *e)
{
	*ret = (struct oci_blob){ .size = UINT64_MAX };
	if (!path || !*path || text_copy(ret->path, sizeof(ret->path), path) < 0)
		return err_set(e, -EINVAL, "manifest.json: no path of a file");
	return 0;
}

static bool has_tag(const struct json *image, const char *ref)
{
	json_each(it, json_get(image, "RepoTags"))
	{
		if (json_str(it) && !strcmp(json_str(it), ref))
			return true;
	}
	return false;
}

static int find_image(const struct json *doc, const char *ref, const struct json **ret,
		      struct err *e)
{
	_cleanup_buf_ struct buf names = BUF_INIT(LISTED);
	const struct json *found = NULL;
	char s[SHOWN];

	json_each(it, doc)
	{
		const char *tag = json_str(json_first(json_get(it, "RepoTags")));

		if (tag)
			list_add(&names, tag);
		if (!found && (!ref || has_tag(it, ref)))
			found = it;
	}
	if (found && !ref && json_len(doc) > 1)
		return err_set(e, -ENOTUNIQ,
			       "there are several images in it; add ':NAME' "
			       "to say which one: %s",
			       buf_cstr(&names));
	if (!found)
		return err_set(e, -ENOENT, "there is no image '%s' in it%s%s",
			       shown(s, ref), names.len ? "; there is " : "",
			       buf_cstr(&names));
	*ret = found;
	return 0;
}

int oci_doc_archive(const struct json *doc, const char *ref, struct oci_manifest *ret,
		    struct err *e)
{
	_cleanup_free_ struct oci_manifest *m = calloc(1, sizeof(*m));
	const struct json *image;
	int r;

	if (!m)
		return err_sys(e, -ENOMEM, "cannot read a manifest");
	r = find_image(doc, ref, &image, e);
	if (r < 0)
		return r;
	r = read_path(json_get_str(image, "Config"), &m->config, e);
	if (r < 0)
		return r;
	json_each(it, json_get(image, "Layers"))
	{
		if (m->n == OCI_MOST)
			return err_set(e, -E2BIG, "the image has more than %d layers",
				       OCI_MOST);
		r = read_path(json_str(it), &m->layers[m->n], e);
		if (r < 0)
			return r;
		m->n++;
	}
	*ret = *m;
	return 0;
}
