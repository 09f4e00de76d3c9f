#include "rootfs/oci/source.h"

#include <string.h>

#include "base/base64.h"
#include "base/scope.h"

enum { NESTED = 3 }; /* indexes in indexes */

struct proof {
	const struct oci_blob *blob; /* borrowed */
	const struct oci_put *put;   /* borrowed */
	struct hash *hash;	     /* owned */
	uint64_t done;
};

static void proof_done(struct proof *p)
{
	hash_free(&p->hash);
}

static int too_large(const struct oci_blob *b, struct err *e)
{
	return err_set(e, -EBADMSG,
		       "'%.*s…' is larger than the %llu bytes that were "
		       "announced; it was refused",
		       DIGEST_SHORT, b->digest.text, (unsigned long long)b->size);
}

static int on_bytes(void *ctx, const void *data, size_t len, struct err *e)
{
	struct proof *p = ctx;
	int r;

	if (len > p->blob->size - p->done)
		return too_large(p->blob, e);
	p->done += len;
	r = p->hash ? hash_update(p->hash, data, len, e) : 0;
	return r < 0 ? r : p->put->fn(p->put->ctx, data, len, e);
}

static int check(struct proof *p, struct err *e)
{
	const struct oci_blob *b = p->blob;
	struct digest digest;
	int r;

	if (b->size != UINT64_MAX && p->done != b->size)
		return err_set(e, -EBADMSG, "'%.*s…' ended after %llu of %llu bytes",
			       DIGEST_SHORT, b->digest.text,
			       (unsigned long long)p->done,
			       (unsigned long long)b->size);
	if (!p->hash)
		return 0;
	r = digest_end(p->hash, &digest, e);
	if (r == 0 && strcmp(digest.text, b->digest.text) != 0)
		return err_set(e, -EBADMSG,
			       "'%.*s…' is not what was announced: "
			       "it is '%.*s…'; it was refused",
			       DIGEST_SHORT, b->digest.text, DIGEST_SHORT, digest.text);
	return r;
}

/* What stands in the document itself is proven as what is fetched. */
static int decode(const struct oci_blob *b, const struct oci_put *put, struct err *e)
{
	_cleanup_buf_ struct buf bytes = BUF_INIT(OCI_DOC);

	if (base64_get(&bytes, b->data, strlen(b->data)) < 0)
		return err_set(e, -EBADMSG, "the data of '%.*s…' is no base64",
			       DIGEST_SHORT, b->digest.text);
	return bytes.len ? put->fn(put->ctx, bytes.data, bytes.len, e) : 0;
}

static int get_blob(const struct oci_source *s, const struct oci_blob *b, bool document,
		    const struct oci_put *put, struct err *e)
{
	_cleanup_(proof_done) struct proof p = { .blob = b, .put = put };
	struct oci_put own = { on_bytes, &p };
	int r = b->digest.text[0] ? digest_begin(&b->digest, &p.hash, e) : 0;

	if (r < 0)
		return r;
	r = b->data ? decode(b, &own, e) : s->blob(s->ctx, b, document, &own, e);
	return r < 0 ? r : check(&p, e);
}

int oci_source_fetch(const struct oci_source *s, const struct oci_blob *b,
		     const struct oci_put *put, struct err *e)
{
	return get_blob(s, b, false, put, e);
}

/* ---- documents ---------------------------------------------------------------------- */

static int on_text(void *ctx, const void *data, size_t len, struct err *e)
{
	return buf_add(ctx, data, len) < 0
		       ? err_set(e, -E2BIG, "a document is larger than %d bytes",
				 OCI_DOC)
		       : 0;
}

static int get_text(const struct oci_source *s, const struct oci_blob *b, bool document,
		    struct buf *text, struct err *e)
{
	if (b->size != UINT64_MAX && b->size > OCI_DOC)
		return err_set(e, -E2BIG, "a document is larger than %d bytes",
			       OCI_DOC);
	return get_blob(s, b, document, &(struct oci_put){ on_text, text }, e);
}

struct oci_image *oci_source_image(void)
{
	struct oci_image *i = calloc(1, sizeof(*i));

	if (i)
		i->text = BUF_INIT(OCI_DOC);
	return i;
}

void oci_source_image_free(struct oci_image **ip)
{
	struct oci_image *i = take(ip, NULL);

	if (!i)
		return;
	oci_doc_config_done(&i->config);
	json_free(&i->doc);
	buf_done(&i->text);
	free(i);
}

static int parse(const struct buf *text, struct json **ret, struct err *e)
{
	int r = json_parse(buf_cstr(text), text->len, ret, e);

	return r < 0 ? err_wrap(e, "manifest") : 0;
}

/* From the document at hand, through the indexes that it may be, to a manifest. */
static int descend(const struct oci_source *s, const struct oci_want *want,
		   struct buf *text, struct oci_image *ret, struct err *e)
{
	struct oci_want below = *want;
	const char *type = s->type;

	for (int depth = 0; depth <= NESTED; depth++) {
		_cleanup_json_ struct json *doc = NULL;
		struct oci_blob next;
		int r = parse(text, &doc, e) ?: oci_doc_type(doc, type, e)
					       ?: oci_doc_is_index(doc, e);

		if (r == 0) {
			json_free(&ret->doc); /* of a question before */
			ret->doc = take(&doc, NULL);
			return oci_doc_manifest(ret->doc, &ret->manifest, e);
		}
		if (r > 0)
			r = oci_doc_pick(doc, &below, &next, e);
		if (r < 0)
			return r;
		below.ref = NULL; /* names are those of the uppermost */
		type = next.data ? NULL : s->type; /* nobody sends it */
		buf_consume(text, text->len);
		r = get_text(s, &next, true, text, e);
		if (r < 0)
			return r;
		hash_text(text->data, text->len, ret->digest);
	}
	return err_set(e, -ELOOP, "the image's index has more than %d levels", NESTED);
}

static int read_config(const struct oci_source *s, const struct oci_want *want,
		       struct oci_image *ret, struct err *e)
{
	const char *arch = want->arch ? want->arch : oci_doc_arch();
	_cleanup_json_ struct json *doc = NULL;
	int r = get_text(s, &ret->manifest.config, false, &ret->text, e);

	if (r < 0)
		return r;
	r = parse(&ret->text, &doc, e);
	if (r < 0)
		return r;
	r = oci_doc_config(doc, arch ? arch : "", &ret->config, e);
	if (r < 0)
		return r;
	if (ret->config.n != ret->manifest.n)
		return err_set(e, -EINVAL,
			       "the image has %zu layers, and its configuration "
			       "names %zu",
			       ret->manifest.n, ret->config.n);
	return 0;
}

int oci_source_resolve(const struct oci_source *s, const struct oci_want *want,
		       struct oci_image *ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(OCI_DOC);
	struct digest promised = { "" }, got;
	int r = s->top(s->ctx, &text, &promised, &ret->manifest, e);

	if (r < 0)
		return r;
	if (r == 1) { /* an archive */
		r = read_config(s, want, ret, e);
		if (r == 0)
			hash_text(ret->text.data, ret->text.len, ret->digest);
		return r;
	}
	hash_text(text.data, text.len, ret->digest);
	if (promised.text[0])
		r = digest_of(&promised, text.data, text.len, &got, e);
	if (r < 0)
		return r;
	if (promised.text[0] && strcmp(promised.text, got.text) != 0)
		return err_set(e, -EBADMSG,
			       "the manifest is not the one that was announced: "
			       "it is '%.*s…', not '%.*s…'",
			       DIGEST_SHORT, got.text, DIGEST_SHORT, promised.text);
	return descend(s, want, &text, ret, e) ?: read_config(s, want, ret, e);
}
