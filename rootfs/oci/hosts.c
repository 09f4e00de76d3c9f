#include "rootfs/oci/hosts.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"
#include "rootfs/oci/name.h"

enum { FILE_MAX = 1 << 20 };

static const char table_of_hosts[] = "host.";

struct reading {
	struct hosts *hosts;
	struct hosts_place *now; /* whose table it is; NULL = one that is passed over */
};

/* A URL that nothing of a request can be hidden in; http for this machine alone. */
static bool take_url(char to[HOSTS_URL], const char *url)
{
	static const char known[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789.-_~:/[]";
	const char *host = strstr(url, "://");
	char name[HOSTS_URL];
	size_t n = strlen(url);

	if (!host || n >= HOSTS_URL || url[strspn(url, known)])
		return false;
	host += 3;
	(void)text_copy(name, sizeof(name), host);
	name[strcspn(name, "/")] = '\0';
	if (!name[0] || !(text_starts(url, "https://") ||
			  (text_starts(url, "http://") && oci_name_is_loopback(name))))
		return false;
	(void)text_copy(to, HOSTS_URL, url);
	while (n && to[n - 1] == '/')
		to[--n] = '\0';
	return true;
}

/* "server" may be a host alone. */
static void take_server(struct hosts *h, const char *text)
{
	char url[HOSTS_URL];

	snprintf(url, sizeof(url), "%s%s", strstr(text, "://") ? "" : "https://", text);
	(void)take_url(h->server.url, url);
}

static int begin_table(struct reading *r, const struct toml_item *i, struct err *e)
{
	struct hosts *h = r->hosts;
	const char *url = i->table + strlen(table_of_hosts);

	r->now = NULL;
	if (!text_starts(i->table, table_of_hosts) || text_ends(i->table, ".header"))
		return 0;
	if (h->n == HOSTS_MOST)
		return err_set(e, -E2BIG, "more than %d hosts", (int)HOSTS_MOST);
	h->places[h->n] = (struct hosts_place){ .pull = true, .resolve = true };
	if (take_url(h->places[h->n].url, url))
		r->now = &h->places[h->n++];
	return 0;
}

static int take_capability(struct hosts_place *p, const char *text)
{
	if (!p->told)
		p->pull = p->resolve = false;
	p->told = true;
	p->pull |= !strcmp(text, "pull");
	p->resolve |= !strcmp(text, "resolve");
	return 0;
}

static int on_item(void *ctx, const struct toml_item *i, struct err *e)
{
	struct reading *r = ctx;
	bool is_text = i->kind == TOML_STRING;
	bool on_top = !i->table[0];
	struct hosts_place *p = on_top ? &r->hosts->server : r->now;

	if (i->kind == TOML_TABLE)
		return begin_table(r, i, e);
	if (on_top && !strcmp(i->key, "server") && is_text)
		take_server(r->hosts, i->text);
	if (!p || (!on_top && text_ends(i->table, ".header")))
		return 0;
	if (!strcmp(i->key, "capabilities") && is_text && !on_top)
		return take_capability(p, i->text);
	if (!strcmp(i->key, "ca") && is_text && !p->ca[0] &&
	    text_copy(p->ca, sizeof(p->ca), i->text) < 0)
		return err_set(e, -EINVAL, "'ca' is too long");
	if (!strcmp(i->key, "override_path") && i->kind == TOML_BOOL)
		p->whole = !strcmp(i->text, "true");
	return 0;
}

int hosts_read(const char *text, size_t len, struct hosts *ret, struct err *e)
{
	struct reading r = { .hosts = ret };
	size_t n = 0;
	int k;

	*ret = (struct hosts){ .n = 0 };
	k = toml_read(text, len, on_item, &r, e);
	for (size_t i = 0; i < ret->n; i++) /* who gives nothing out is not asked */
		if (ret->places[i].pull)
			ret->places[n++] = ret->places[i];
	ret->n = n;
	return k;
}

/* ---- where the files are ------------------------------------------------------------------ */

/* A file of certificates is named from where the text lies. */
static void whole_path(struct hosts_place *p, const char *dir)
{
	char path[HOSTS_PATH];

	if (p->ca[0] && p->ca[0] != '/' &&
	    snprintf(path, sizeof(path), "%s/%s", dir, p->ca) < (int)sizeof(path))
		memcpy(p->ca, path, sizeof(path));
}

/* 1 = it was read, 0 = there is none */
static int read_file(const char *dir, struct hosts *ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT((size_t)FILE_MAX);
	struct err why = ERR_NONE;
	char path[PATH_MAX];
	int r;

	snprintf(path, sizeof(path), "%.3900s/hosts.toml", dir);
	r = file_read(AT_FDCWD, path, &text, &why);
	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r < 0)
		*e = why;
	else
		r = hosts_read(buf_cstr(&text), text.len, ret, e);
	if (r < 0)
		return err_wrap(e, "'%s'", path);
	for (size_t i = 0; i < ret->n; i++)
		whole_path(&ret->places[i], dir);
	whole_path(&ret->server, dir);
	return 1;
}

/* containerd writes "host:port" as "host_port_", too. */
static void other_name(const char *registry, char ret[OCI_HOST + 2])
{
	char *colon;

	snprintf(ret, OCI_HOST + 2, "%s", registry);
	colon = strrchr(ret, ':');
	if (!colon || strchr(colon, ']'))
		return;
	*colon = '_';
	snprintf(ret + strlen(ret), OCI_HOST + 2 - strlen(ret), "_");
}

int hosts_find(const char *registry, struct hosts *ret, struct err *e)
{
	const char *home = getenv("HOME");
	char tops[2][PATH_MAX] = { "", "/etc/containerd/certs.d" };
	char port[OCI_HOST + 2];
	const char *const names[] = { port, registry, "_default" };
	int r = 0;

	*ret = (struct hosts){ .n = 0 };
	other_name(registry, port);
	if (home && home[0] == '/')
		snprintf(tops[0], PATH_MAX, "%.3000s/.config/containerd/certs.d", home);
	for (size_t t = 0; t < ARRAY_SIZE(tops); t++)
		for (size_t i = 0; i < ARRAY_SIZE(names) && r == 0; i++) {
			char dir[PATH_MAX];

			if (tops[t][0] && names[i][0] != '.' &&
			    snprintf(dir, sizeof(dir), "%.3200s/%.200s", tops[t],
				     names[i]) > 0)
				r = read_file(dir, ret, e);
		}
	return MIN(r, 0);
}
