/* Of all files that podman would read, in its order: a later [[registry]] of the same
 * prefix stands for an earlier one, and so does an alias. What is "insecure" is asked over
 * https all the same, but for this machine; search lists mean nothing here, where a name
 * without a registry is Docker Hub's. */
#include "rootfs/oci/registries.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/json.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "base/toml.h"

#define ETC "/etc/containers/registries.conf"
#define OWN "/.config/containers/registries.conf"

enum { FILE_MAX = 1 << 20, FILES = 64, HTTPS = 443 };

/* ---- one text ----------------------------------------------------------------------- */

/* One place has one name: its host has no capitals, no final dot and not the port of https,
 * and Docker Hub's is "docker.io". */
static void name_place(char name[OCI_NAME])
{
	static const char *const hub[] = { "index.docker.io", "registry-1.docker.io" };
	const char *close = name[0] == '[' ? strchr(name, ']') : NULL;
	size_t end = close ? (size_t)(close + 1 - name) : strcspn(name, ":/"), n = end;
	char rest[OCI_NAME], *path = rest;
	unsigned long port = HTTPS;

	(void)text_copy(rest, sizeof(rest), name + end);
	if (rest[0] == ':' && strspn(rest + 1, "0123456789"))
		port = strtoul(rest + 1, &path, 10);
	for (size_t i = 0; i < end; i++)
		name[i] = (char)tolower((unsigned char)name[i]);
	while (n && name[n - 1] == '.')
		n--;
	name[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(hub); i++)
		if (!strcmp(name, hub[i]))
			n = (size_t)snprintf(name, OCI_NAME, "docker.io");
	if (port != HTTPS)
		n += (size_t)snprintf(name + n, OCI_NAME - n, ":%lu", port);
	(void)text_copy(name + n, OCI_NAME - n, path);
}

/* Bytes of @full that @prefix stands for, which may end in front of one of @ends. */
static size_t begins(const char *full, const char *prefix, const char *ends)
{
	size_t n = strlen(prefix);

	return n && !strncmp(full, prefix, n) && strchr(ends, full[n]) ? n : 0;
}

static void drop_port(const char *full, char ret[OCI_NAME])
{
	const char *close = full[0] == '[' ? strchr(full, ']') : NULL;
	size_t host = close ? (size_t)(close + 1 - full) : strcspn(full, ":/");
	size_t path = strcspn(full, "/");

	(void)text_copy(ret, OCI_NAME, full);
	if (host < path)
		memmove(ret + host, ret + path, strlen(ret + path) + 1);
}

/* Bytes of @full that the row stands for; 0 = it is of another. */
static size_t covers(const char *full, const struct registries_row *row)
{
	const char *prefix = row->prefix, *ends = strchr(prefix, '/') ? "/:@" : "/";
	char bare[OCI_NAME];
	size_t n = strlen(prefix);

	if (text_starts(prefix, "*.")) {
		size_t host = strcspn(full, "/:");
		bool below = host > n - 1 &&
			     !strncmp(full + host - (n - 1), prefix + 1, n - 1);

		/* for docker.io a host below it is asked */
		if (row->blocked && !strcmp(prefix + 2, "docker.io"))
			below |= text_starts(full, "docker.io/");
		return below ? host : 0;
	}
	n = begins(full, prefix, ends);
	if (n || !row->blocked)
		return n;
	/* a host with a port is another host, but not for who is to be kept off it */
	drop_port(full, bare);
	return begins(bare, prefix, ends);
}

static void judge(struct registries_search *s)
{
	struct registries_row *now = &s->now;
	size_t n;

	if (now->open && !now->prefix[0])
		memcpy(now->prefix, now->location, sizeof(now->prefix));
	name_place(now->prefix);
	n = now->open ? covers(s->full, now) : 0;
	if (n && (!s->covered || strlen(now->prefix) >= strlen(s->best.prefix))) {
		s->best = *now;
		s->covered = n;
	}
	now->open = false;
}

/* A place may be written with a '/' at its end. One with a scheme would never be met: as podman
 * does, the file is not believed. */
static int take_string(char to[OCI_NAME], const struct toml_item *i, struct err *e)
{
	size_t n;

	if (i->kind != TOML_STRING)
		return err_set(e, -EINVAL, "'%s' is no string", i->key);
	if (text_copy(to, OCI_NAME, i->text) < 0)
		return err_set(e, -EINVAL, "'%s' is too long", i->key);
	if (strstr(to, "://"))
		return err_set(e, -EINVAL,
			       "'%s' begins with a scheme; write the host alone",
			       i->key);
	for (n = strlen(to); n && to[n - 1] == '/'; n--)
		to[n - 1] = '\0';
	return 0;
}

static int take_bool(bool *to, const struct toml_item *i, struct err *e)
{
	if (i->kind != TOML_BOOL)
		return err_set(e, -EINVAL, "'%s' is neither true nor false", i->key);
	*to = !strcmp(i->text, "true");
	return 0;
}

static int on_registry(struct registries_row *row, const struct toml_item *i,
		       struct err *e)
{
	if (!strcmp(i->key, "prefix"))
		return take_string(row->prefix, i, e);
	if (!strcmp(i->key, "location"))
		return take_string(row->location, i, e);
	if (!strcmp(i->key, "blocked"))
		return take_bool(&row->blocked, i, e);
	if (!strcmp(i->key, "mirror-by-digest-only"))
		return take_bool(&row->by_digest, i, e);
	return 0;
}

static int on_mirror(struct registries_row *row, const struct toml_item *i,
		     struct err *e)
{
	static const char *const of[] = { "all", "digest-only", "tag-only" };
	struct registries_mirror *m = &row->mirrors[row->n - 1];
	char text[OCI_NAME];

	if (!strcmp(i->key, "location"))
		return take_string(m->location, i, e);
	if (strcmp(i->key, "pull-from-mirror") != 0)
		return 0;
	if (take_string(text, i, e) < 0)
		return e->code;
	for (size_t k = 0; k < ARRAY_SIZE(of); k++)
		if (!strcmp(text, of[k])) {
			m->of = (unsigned)k;
			return 0;
		}
	return text[0] ? err_set(e, -EINVAL,
				 "pull-from-mirror is all, digest-only or tag-only")
		       : 0;
}

static int on_item(void *ctx, const struct toml_item *i, struct err *e)
{
	struct registries_search *s = ctx;
	struct registries_row *now = &s->now;
	bool mirror = !strcmp(i->table, "registry.mirror");

	if (i->kind == TOML_TABLE && mirror) {
		if (!now->open || now->n == REGISTRIES_MIRRORS)
			return err_set(e, -EINVAL,
				       now->open ? "more than %d mirrors"
						 : "a mirror of no [[registry]]",
				       REGISTRIES_MIRRORS);
		now->mirrors[now->n++] = (struct registries_mirror){ .of = MIRROR_ALL };
		return 0;
	}
	if (i->kind == TOML_TABLE && text_starts(i->table, "registry."))
		return 0; /* in the row, which goes on behind it */
	if (i->kind == TOML_TABLE) {
		judge(s);
		*now = (struct registries_row){ .open = !strcmp(i->table, "registry") };
		return 0;
	}
	if (mirror && now->open && now->n)
		return on_mirror(now, i, e);
	if (now->open && !strcmp(i->table, "registry"))
		return on_registry(now, i, e);
	if (!strcmp(i->table, "aliases") && !strcmp(i->key, s->shorter))
		return take_string(s->alias, i, e);
	/* of the format before this one */
	if (!strcmp(i->table, "registries.block") && !strcmp(i->key, "registries")) {
		*now = (struct registries_row){ .open = true, .blocked = true };
		if (take_string(now->prefix, i, e) < 0)
			return e->code;
		judge(s);
	}
	return 0;
}

void registries_begin(const struct oci_name *name, struct registries_search *s)
{
	const char *repo = name->repo;

	*s = (struct registries_search){ .covered = 0 };
	if (text_starts(repo, "library/"))
		repo += strlen("library/");
	(void)text_copy(s->shorter, sizeof(s->shorter), repo);
	snprintf(s->full, sizeof(s->full), "%s/%s%s%s%s%s", name->registry, name->repo,
		 name->tag[0] ? ":" : "", name->tag, name->digest.text[0] ? "@" : "",
		 name->digest.text);
	name_place(s->full);
}

int registries_read(struct registries_search *s, const char *text, size_t len,
		    struct err *e)
{
	int r = toml_read(text, len, on_item, s, e);

	judge(s);
	return r;
}

/* ---- what it comes to --------------------------------------------------------------- */

static int rewrite(const struct registries_search *s, const char *location,
		   struct oci_name *ret, struct err *e)
{
	char text[OCI_NAME], host[OCI_NAME];
	bool is;

	(void)text_copy(host, sizeof(host), location);
	host[strcspn(host, "/")] = '\0';
	is = strpbrk(host, ".:") || !strcmp(host, "localhost");
	if (!is || snprintf(text, sizeof(text), "%s%s", location,
			    s->full + s->covered) >= (int)sizeof(text))
		return err_set(e, -EINVAL, "location '%.200s' names no registry",
			       location);
	return oci_name_parse(text, ret, e) < 0 ? err_wrap(e, "location") : 0;
}

int registries_end(const struct registries_search *s, const struct oci_name *name,
		   struct registries *ret, struct err *e)
{
	const struct registries_row *row = &s->best;
	int r = 0;

	ret->name = *name;
	ret->n = 0;
	if (!s->covered)
		return 0;
	if (row->blocked)
		return err_set(e, -EPERM, "'%s' is blocked here (registries.conf)",
			       s->full);
	for (size_t i = 0; i < row->n && r == 0; i++) {
		unsigned of = row->by_digest ? MIRROR_DIGEST : row->mirrors[i].of;

		if (row->mirrors[i].location[0] &&
		    of != (name->digest.text[0] ? MIRROR_TAG : MIRROR_DIGEST))
			r = rewrite(s, row->mirrors[i].location,
				    &ret->mirrors[ret->n++], e);
	}
	return r == 0 && row->location[0] ? rewrite(s, row->location, &ret->name, e)
					  : r;
}

int registries_docker(const char *text, size_t len, struct registries *ret,
		      struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	int r = json_parse(text, len, &j, e);

	json_each(it, json_get(j, "registry-mirrors"))
	{
		const char *url = json_str(it), *host = url ? strstr(url, "://") : NULL;
		struct oci_name n = ret->name;
		char whole[OCI_NAME];
		size_t end;

		if (!host || ret->n == REGISTRIES_MIRRORS)
			continue;
		host += 3;
		end = strcspn(host, "/");
		snprintf(whole, sizeof(whole), "%.*s/%s%s%s%s%s",
			 (int)MIN(end, OCI_HOST), host, n.repo, n.tag[0] ? ":" : "",
			 n.tag, n.digest.text[0] ? "@" : "", n.digest.text);
		/* docker takes no path there */
		if (host[end] && host[end + 1])
			continue;
		if (oci_name_parse(whole, &n, ERR_IGNORED) == 0 &&
		    strcmp(n.registry, "docker.io") != 0 &&
		    (text_starts(url, "https://") || n.loopback))
			ret->mirrors[ret->n++] = n;
	}
	return MIN(r, 0);
}

/* ---- where the files are ------------------------------------------------------------ */

/* 1 = it was read, 0 = there is none */
static int read_file(struct registries_search *s, const char *path, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT((size_t)FILE_MAX);
	struct err why = ERR_NONE;
	int r = file_read(AT_FDCWD, path, &text, &why);

	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r < 0)
		*e = why;
	else
		r = registries_read(s, buf_cstr(&text), text.len, e);
	return r < 0 ? err_wrap(e, "'%s'", path) : 1;
}

struct names {
	char at[FILES][NAME_MAX + 1];
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* What says 'blocked' may be in any of them: all are read, or none is believed. */
static int list_dir(int dir, const char *path, struct names *names, struct err *e)
{
	struct dirscan scan;
	int r;

	dirscan_start(&scan, dir);
	while (dirscan_next(&scan)) {
		if (!text_ends(scan.name, ".conf") || scan.type == DT_DIR)
			continue;
		if (names->n == FILES)
			return err_set(e, -E2BIG, "'%s' has more than %d files", path,
				       FILES);
		(void)text_copy(names->at[names->n++], NAME_MAX + 1, scan.name);
	}
	r = dirscan_failed(&scan, e);
	if (r < 0)
		return err_wrap(e, "'%s'", path);
	qsort(names->at, names->n, sizeof(names->at[0]), by_name);
	return 0;
}

static int read_dir(struct registries_search *s, const char *path, struct err *e)
{
	_cleanup_free_ struct names *names = calloc(1, sizeof(*names));
	_cleanup_close_ int dir = sys_open(path, O_RDONLY | O_DIRECTORY);
	int r;

	if (!names)
		return err_sys(e, -ENOMEM, "cannot read '%s'", path);
	if (dir == -ENOENT || dir == -ENOTDIR)
		return 0;
	if (dir < 0)
		return err_sys(e, dir, "cannot read '%s'", path);
	r = list_dir(dir, path, names, e);
	for (size_t i = 0; i < names->n && r >= 0; i++) {
		char file[PATH_MAX];

		if (snprintf(file, sizeof(file), "%s/%s", path, names->at[i]) >=
		    (int)sizeof(file))
			return err_sys(e, -ENAMETOOLONG, "cannot read '%s'", path);
		r = read_file(s, file, e);
	}
	return MIN(r, 0);
}

static int read_all(struct registries_search *s, struct err *e)
{
	const char *told = getenv("CONTAINERS_REGISTRIES_CONF");
	const char *home = getenv("HOME");
	char own[PATH_MAX], dir[PATH_MAX];
	bool alone = false; /* a person's own stands for all that is the machine's */
	int r = 0;

	snprintf(own, sizeof(own), "%.3900s%s", home ? home : "", OWN);
	snprintf(dir, sizeof(dir), "%.3900s%s.d", home ? home : "", OWN);
	if (told && told[0]) {
		r = read_file(s, told, e);
	} else {
		r = home && home[0] == '/' ? read_file(s, own, e) : 0;
		alone = r > 0;
		if (r == 0)
			r = read_file(s, ETC, e);
	}
	if (r >= 0 && !alone)
		r = read_dir(s, ETC ".d", e);
	if (r >= 0 && home && home[0] == '/')
		r = read_dir(s, dir, e);
	return MIN(r, 0);
}

/* The rootless daemon's before the machine's; what cannot be read is not ours to mend. */
static int read_docker(struct registries *ret, struct err *e)
{
	const char *home = getenv("HOME");
	char paths[2][PATH_MAX] = { "", "/etc/docker/daemon.json" };

	if (home && home[0] == '/')
		snprintf(paths[0], PATH_MAX, "%.3900s/.config/docker/daemon.json",
			 home);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_cleanup_buf_ struct buf text = BUF_INIT((size_t)FILE_MAX);

		if (!paths[i][0] ||
		    file_read(AT_FDCWD, paths[i], &text, ERR_IGNORED) < 0)
			continue;
		if (registries_docker(buf_cstr(&text), text.len, ret, e) < 0)
			return err_wrap(e, "'%s'", paths[i]);
		break;
	}
	return 0;
}

/* ---- the whole ---------------------------------------------------------------------- */

int registries_alias(struct oci_name *name, struct err *e)
{
	_cleanup_free_ struct registries_search *s = malloc(sizeof(*s));
	char text[OCI_NAME];
	int r;

	if (!s)
		return err_sys(e, -ENOMEM, "cannot look for a name");
	registries_begin(name, s);
	r = read_all(s, e);
	if (r < 0 || !s->alias[0])
		return r;
	if (snprintf(text, sizeof(text), "%s%s%s%s%s", s->alias,
		     name->tag[0] ? ":" : "", name->tag,
		     name->digest.text[0] ? "@" : "",
		     name->digest.text) >= (int)sizeof(text))
		return err_set(e, -EINVAL, "the name that '%s' stands for is too long",
			       s->shorter);
	r = oci_name_parse(text, name, e);
	return r < 0 ? err_wrap(e, "what '%s' stands for (registries.conf)", s->shorter)
		     : 1;
}

int registries_find(const struct oci_name *name, struct registries *ret, struct err *e)
{
	_cleanup_free_ struct registries_search *s = malloc(sizeof(*s));
	int r;

	if (!s)
		return err_sys(e, -ENOMEM, "cannot look for a registry");
	registries_begin(name, s);
	r = read_all(s, e);
	if (r < 0)
		return r;
	r = registries_end(s, name, ret, e);
	if (r < 0)
		return r == -EPERM ? r : err_wrap(e, "registries.conf");
	return strcmp(ret->name.registry, "docker.io") ? 0 : read_docker(ret, e);
}
