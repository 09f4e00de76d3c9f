#include "rootfs/oci/name.h"

#include <string.h>

#include "base/text.h"

static const char lower[] = "abcdefghijklmnopqrstuvwxyz0123456789";
static const char tag_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"0123456789_.-";
static const char host_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789.-:[]";

static int bad_name(const char *text, const char *why, struct err *e)
{
	return err_set(e, -EINVAL, "'%s' is no name of an image: %s", text_shown(text),
		       why);
}

/* A component: words of lower-case letters and digits, joined by one of . _ __ and any
 * number of - (distribution-spec, "Pulling manifests"). */
static size_t component(const char *p)
{
	size_t n = strspn(p, lower), joint;

	while (n) {
		if (p[n] == '-')
			joint = strspn(p + n, "-");
		else if (p[n] == '_')
			joint = p[n + 1] == '_' ? 2 : 1;
		else
			joint = p[n] == '.';
		if (!joint)
			return n;
		if (!strspn(p + n + joint, lower))
			return 0;
		n += joint + strspn(p + n + joint, lower);
	}
	return 0;
}

static bool repo_valid(const char *repo)
{
	for (;;) {
		size_t n = component(repo);

		if (!n || (repo[n] && repo[n] != '/'))
			return false;
		if (!repo[n])
			return true;
		repo += n + 1;
	}
}

bool oci_name_is_loopback(const char *host)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };
	size_t len = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (len == strlen(names[i]) && !strncmp(host, names[i], len))
			return true;
	return len > 10 && !strncmp(host + len - 10, ".localhost", 10);
}

/* "host", "host:port", "[v6]:port": what a URL may have in this place, and no more. */
static bool host_valid(const char *h)
{
	const char *port = strrchr(h, ':');

	if (h[0] == '[') {
		size_t n = strspn(h + 1, "0123456789abcdefABCDEF:.");

		if (h[n + 1] != ']')
			return false;
		port = h + n + 2;
		if (!*port)
			return true;
	} else if (strspn(h, host_chars) != strlen(h) || strpbrk(h, "[]") ||
		   h[0] == '.' || h[0] == '-' || strchr(h, ':') != port)
		return false;
	if (!port)
		return *h;
	return port > h && *port == ':' && port[1] && strlen(port + 1) <= 5 &&
	       strspn(port + 1, "0123456789") == strlen(port + 1);
}

/* Takes the registry off, if the first part is one. */
static int take_registry(char **rest, struct oci_name *n, const char *text,
			 struct err *e)
{
	char *slash = strchr(*rest, '/');
	bool is;

	if (slash)
		*slash = '\0';
	is = slash && (strpbrk(*rest, ".:[") || !strcmp(*rest, "localhost"));
	if (is && (!host_valid(*rest) ||
		   text_copy(n->registry, sizeof(n->registry), *rest) < 0))
		return bad_name(text, "its registry is no host", e);
	if (slash && !is)
		*slash = '/';
	n->bare = !is;
	if (is)
		*rest = slash + 1;
	else
		memcpy(n->registry, "docker.io", sizeof("docker.io"));
	return 0;
}

static int take_tag(char *rest, struct oci_name *n, const char *text, struct err *e)
{
	char *at = strchr(rest, '@'), *colon;

	if (at) {
		*at = '\0';
		if (digest_parse(at + 1, &n->digest, e) < 0)
			return bad_name(text,
					"behind the '@' there is no sha256 or sha512 "
					"digest",
					e);
	}
	colon = strrchr(rest, ':');
	if (colon && strchr(colon, '/'))
		colon = NULL;
	if (colon) {
		*colon = '\0';
		if (!colon[1] || colon[1] == '.' || colon[1] == '-' ||
		    strlen(colon + 1) > 128 ||
		    strspn(colon + 1, tag_chars) != strlen(colon + 1))
			return bad_name(text, "its tag is none", e);
		return text_copy(n->tag, sizeof(n->tag), colon + 1);
	}
	if (!at)
		memcpy(n->tag, "latest", sizeof("latest"));
	return 0;
}

int oci_name_parse(const char *text, struct oci_name *ret, struct err *e)
{
	struct oci_name n = { .loopback = false };
	char copy[OCI_NAME], *rest = copy;
	bool hub;
	int r;

	if (text_copy(copy, sizeof(copy), text) < 0)
		return bad_name(text, "it is too long", e);
	r = take_registry(&rest, &n, text, e);
	if (r < 0)
		return r;
	r = take_tag(rest, &n, text, e);
	if (r < 0)
		return r;
	hub = !strcmp(n.registry, "docker.io") ||
	      !strcmp(n.registry, "index.docker.io");
	if (hub)
		memcpy(n.registry, "docker.io", sizeof("docker.io"));
	(void)text_copy(n.host, sizeof(n.host),
			hub ? "registry-1.docker.io" : n.registry);
	if (!repo_valid(rest) || strlen(rest) > 200)
		return bad_name(text,
				"it has other characters than lower-case letters, "
				"digits and single '.', '_', '-' and '/' between them",
				e);
	snprintf(n.repo, sizeof(n.repo), "%s%s",
		 hub && !strchr(rest, '/') ? "library/" : "", rest);
	n.loopback = oci_name_is_loopback(n.host);
	*ret = n;
	return 0;
}

void oci_name_text(const struct oci_name *n, char ret[OCI_NAME])
{
	bool hub = !strcmp(n->registry, "docker.io");
	const char *repo = n->repo;

	if (hub && text_starts(repo, "library/"))
		repo += strlen("library/");
	snprintf(ret, OCI_NAME, "%s%s%s%s%s%s%s", hub ? "" : n->registry,
		 hub ? "" : "/", repo, n->tag[0] ? ":" : "", n->tag,
		 n->digest.text[0] ? "@" : "", n->digest.text);
}
