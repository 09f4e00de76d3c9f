/* A mirror (CUBBY_MIRRORS, registries.h) is asked first for everything, and what it does not
 * have is asked of the registry, and so is the rest of what it did not give to the end: the
 * digests say whether it is the same. */
#include "rootfs/oci/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/oci/ask.h"
#include "rootfs/oci/certs.h"

void oci_registry_free(struct oci_registry **rp)
{
	struct oci_registry *r = take(rp, NULL);

	if (!r)
		return;
	http_free(&r->http);
	buf_done(&r->authorization);
	login_done(&r->login);
	buf_done(&r->warned);
	buf_done(&r->ca);
	free(r);
}

/* ---- the source --------------------------------------------------------------------- */

static const char accept_documents[] =
	"Accept: application/vnd.oci.image.index.v1+json, "
	"application/vnd.docker.distribution.manifest.list.v2+json, "
	"application/vnd.oci.image.manifest.v1+json, "
	"application/vnd.docker.distribution.manifest.v2+json";

static int get(struct ask *x, struct err *e)
{
	struct oci_registry *r = x->r;
	int n = -ENOENT;

	for (size_t i = 0; i < r->n; i++) {
		struct err last = ERR_NONE;

		if (x->tagged && r->places[i].by_digest)
			continue;
		if (r->at != &r->places[i])
			r->authorization.len = 0; /* a token is for one host */
		r->at = &r->places[i];
		n = ask_registry(x, &last);
		if (n < 0)
			*e = last;
		if (n == 0 || n == -ECANCELED || x->failed.code < 0 ||
		    (x->got && x->tagged))
			break;
	}
	return n;
}

/* "100;w=21600": so many in so many seconds. */
static bool read_limit(const char *field, uint64_t *n, uint64_t *seconds)
{
	char text[64];
	char *window;

	(void)text_copy(text, sizeof(text), field);
	window = strstr(text, ";w=");
	if (!window)
		return false;
	*window = '\0';
	return num_range(text, 0, UINT32_MAX, n) == 0 &&
	       num_range(window + 3, 1, UINT32_MAX, seconds) == 0;
}

/* Docker Hub says how much more it gives; a person hears of it when that is nearly over. */
static void tell_limit(const struct oci_registry *r, const struct http_reply *reply)
{
	uint64_t left, all, seconds;
	char line[OCI_HOST + 128];

	if (!r->conf.note || !ask_is_itself(r) ||
	    !read_limit(reply->limit_left, &left, &seconds) ||
	    !read_limit(reply->limit, &all, &seconds) || left > all / 10)
		return;
	snprintf(line, sizeof(line), "%s gives %llu more of %llu images in %s%s",
		 r->name.registry, (unsigned long long)left, (unsigned long long)all,
		 text_ms(seconds * 1000),
		 r->login.secret.len ? "" : "; with a login it may give more");
	r->conf.note(r->conf.ctx, line);
}

static int on_top(void *ctx, struct buf *doc, struct digest *digest,
		  struct oci_manifest *, struct err *e)
{
	struct oci_registry *r = ctx;
	const struct oci_name *name = &r->name;
	struct oci_put put = { ask_into_buf, doc };
	char path[OCI_REPO + OCI_TAG + 64];
	_cleanup_(ask_done) struct ask x = {
		.r = r,
		.path = path,
		.accept = accept_documents,
		.put = &put,
		.tagged = !name->digest.text[0],
	};
	int n;

	snprintf(path, sizeof(path), "manifests/%s",
		 name->digest.text[0] ? name->digest.text : name->tag);
	n = get(&x, e);
	if (n < 0)
		return n;
	tell_limit(r, &x.reply);
	text_copy(r->type, sizeof(r->type), x.reply.content_type);
	if (name->digest.text[0])
		*digest = name->digest;
	else if (x.reply.content_digest[0])
		(void)digest_parse(x.reply.content_digest, digest, ERR_IGNORED);
	return 0;
}

static int on_blob(void *ctx, const struct oci_blob *b, bool document,
		   const struct oci_put *put, struct err *e)
{
	struct oci_registry *r = ctx;
	char path[OCI_REPO + 128];
	_cleanup_(ask_done) struct ask x = {
		.r = r,
		.path = path,
		.put = put,
		.accept = document ? accept_documents : NULL,
		.layer = !document,
	};
	int n;

	snprintf(path, sizeof(path), "%s/%s", document ? "manifests" : "blobs",
		 b->digest.text);
	n = get(&x, e);
	if (document)
		text_copy(r->type, sizeof(r->type), x.reply.content_type);
	return n;
}

struct oci_source oci_registry_source(struct oci_registry *r)
{
	return (struct oci_source){ on_top, on_blob, r->type, r };
}

/* ---- whom to ask -------------------------------------------------------------------- */

/* CUBBY_MIRRORS=REGISTRY=URL[,REGISTRY=URL…]; http for this machine alone. Without a URL
 * the registry itself is not asked. Return: 1 = it says something of this one. */
static int add_told(struct oci_registry *r, const char *text, struct err *e)
{
	const char *registry = r->name.registry;
	size_t len = strlen(registry), n;
	char host[ASK_BASE];

	for (; *text; text += n + (text[n] == ',')) {
		struct ask_place *p = &r->places[r->n];

		n = strcspn(text, ",");
		if (strncmp(text, registry, len) != 0 || text[len] != '=')
			continue;
		if (n == len + 1) {
			r->closed = true;
			continue;
		}
		if (r->n + 1 == ASK_PLACES || n - len - 1 >= ASK_BASE)
			return err_set(e, -EINVAL,
				       "CUBBY_MIRRORS: too many or too long");
		snprintf(p->base, ASK_BASE, "%.*s", (int)(n - len - 1), text + len + 1);
		memcpy(p->repo, r->name.repo, sizeof(p->repo));
		ask_host(p->base, host);
		if (!text_starts(p->base, "https://") &&
		    !(text_starts(p->base, "http://") && oci_name_is_loopback(host)))
			return err_set(e, -EINVAL,
				       "CUBBY_MIRRORS: '%s' is no https:// URL",
				       p->base);
		r->n++;
	}
	return r->n || r->closed;
}

/* On this machine https is tried first, and http when nobody speaks that. */
static int add_place(struct oci_registry *r, const struct oci_name *name, struct err *e)
{
	struct ask_place *p = &r->places[r->n++];
	char url[ASK_URL];
	struct http_request req = { .url = url,
				    .connect_ms = ASK_CONNECT_MS,
				    .first_byte_ms = ASK_STALL_MS,
				    .abort_fd = r->conf.abort_fd };
	struct http_reply reply;
	int n;

	memcpy(p->repo, name->repo, sizeof(p->repo));
	snprintf(p->base, ASK_BASE, "https://%s", name->host);
	if (!name->loopback)
		return 0;
	snprintf(url, sizeof(url), "%s/v2/", p->base);
	r->at = p;
	n = ask_http(r, &req, &reply, e);
	if (n == -ECANCELED || n == -ECONNREFUSED || n == -EKEYREJECTED)
		return n;
	if (n < 0)
		snprintf(p->base, ASK_BASE, "http://%s", name->host);
	return 0;
}

static void put_host(struct ask_place *p, const struct oci_registry *r,
		     const struct hosts_place *h)
{
	*p = (struct ask_place){ .whole = h->whole, .by_digest = !h->resolve };
	(void)text_copy(p->base, ASK_BASE, h->url);
	(void)text_copy(p->repo, sizeof(p->repo), r->name.repo);
	(void)text_copy(p->ca, sizeof(p->ca), h->ca);
}

/* A registry that is elsewhere has the login that is kept for there. Docker Hub is where it
 * always is, whatever it is called. */
static void move_to(struct oci_registry *r, const struct hosts_place *server,
		    struct ask_place *ret)
{
	char host[ASK_BASE];

	ask_host(server->url, host);
	if (!host[0] || strlen(host) >= OCI_HOST || !strcmp(host, r->name.registry) ||
	    !strcmp(host, r->name.host) || text_ends(host, "docker.io"))
		return;
	put_host(ret, r, server);
	ret->by_digest = false;
	(void)text_copy(r->name.registry, OCI_HOST, host);
	(void)text_copy(r->name.host, OCI_HOST, host);
	r->name.loopback = oci_name_is_loopback(host);
	r->moved = true;
}

/* containerd's, behind podman's. @server: where the registry itself is, if not where it always
 * is. */
static int add_hosts(struct oci_registry *r, struct ask_place *server, struct err *e)
{
	_cleanup_free_ struct hosts *h = calloc(1, sizeof(*h));
	int n = h ? hosts_find(r->name.registry, h, e)
		  : err_sys(e, -ENOMEM, "cannot look for a registry");

	for (size_t i = 0; n == 0 && i < h->n && r->n + 1 < ASK_PLACES; i++) {
		struct ask_place *p = &r->places[r->n++];

		put_host(p, r, &h->places[i]);
		(void)text_copy(p->ns, sizeof(p->ns), r->name.registry);
	}
	if (n == 0)
		move_to(r, &h->server, server);
	return n;
}

/* What CUBBY_MIRRORS says of a registry stands for what files say of it; but blocked is
 * blocked. Nothing is pushed elsewhere. */
static int add_places(struct oci_registry *r, struct err *e)
{
	const char *told = getenv("CUBBY_MIRRORS");
	struct registries files;
	struct ask_place server = { .base = "" };
	struct err ignored = ERR_NONE;
	int n = told ? add_told(r, told, e) : 0, known = n;

	if (n >= 0)
		n = registries_find(&r->name, &files, e);
	if (n < 0)
		return n;
	if (r->conf.push)
		r->n = 0;
	if (r->closed && !r->n)
		return err_set(e, -EHOSTUNREACH,
			       "'%s' is not to be asked (CUBBY_MIRRORS)",
			       r->name.registry);
	for (size_t i = 0; i < files.n && !known && !r->conf.push; i++)
		if (add_place(r, &files.mirrors[i], &ignored) == -ECANCELED) {
			*e = ignored;
			return e->code;
		}
	if (!known && !r->conf.push)
		r->name = files.name;
	if (r->closed)
		return 0;
	n = known || r->conf.push ? 0 : add_hosts(r, &server, e);
	if (n < 0)
		return n;
	if (!server.base[0])
		return add_place(r, &r->name, e);
	r->places[r->n++] = server;
	return 0;
}

const char *oci_registry_said_by(const struct oci_registry *r)
{
	return r->moved ? "hosts.toml" : "registries.conf";
}

const struct oci_name *oci_registry_name(const struct oci_registry *r)
{
	return &r->name;
}

int oci_registry_new(const struct oci_registry_conf *conf, struct oci_registry **ret,
		     struct err *e)
{
	_cleanup_(oci_registry_free) struct oci_registry *r = calloc(1, sizeof(*r));
	int n;

	if (!r)
		return err_sys(e, -ENOMEM, "cannot ask a registry");
	r->conf = *conf;
	r->name = *conf->name;
	r->authorization = BUF_INIT((size_t)ASK_TOKEN);
	r->login = LOGIN_NONE;
	r->warned = BUF_INIT((size_t)ASK_WARNED);
	r->ca = BUF_INIT((size_t)CERTS_MAX);
	n = http_new(&r->http, e);
	if (n == 0 && r->name.bare && !conf->push)
		n = registries_alias(&r->name, e);
	if (n >= 0)
		n = add_places(r, e);
	if (n < 0)
		return n;
	*ret = take(&r, NULL);
	return 0;
}

/* What is open belongs to the parent, too: closing it here would say so to the registry. */
int oci_registry_anew(struct oci_registry *r, int abort_fd, struct err *e)
{
	r->conf.abort_fd = abort_fd;
	r->http = NULL;
	return http_new(&r->http, e);
}
