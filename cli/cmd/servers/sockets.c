#include "cli/cmd/servers/sockets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/json.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "cli/show/app.h"
#include "cli/show/render.h"
#include "cli/store/hostpath.h"

enum { FIRST = 3, SHOWN = 160 };

int sockets_ask(struct sockets_asked *a, const char *text, struct err *e)
{
	int r = a->n == SOCKETS_MAX
			? err_set(e, -E2BIG, "more than %d addresses", SOCKETS_MAX)
			: listen_parse(text, &a->at[a->n], e);

	a->n += r == 0;
	return r;
}

void sockets_close(struct sockets *s)
{
	for (unsigned i = 0; i < s->n_at; i++) {
		if (i < s->n && s->at[i].a.any.sa_family == AF_UNIX)
			listen_remove(&s->at[i]);
		scope_close(&s->at[i].dir);
	}
	scope_close_set(s->fds, s->n);
	s->n = s->n_at = 0;
}

/* A connection that was accepted before (Accept=yes) is none that others come by. */
static int take_passed(int fd, struct err *e)
{
	socklen_t len = sizeof(int);
	int listens = 0;

	if (sys_getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) < 0 ||
	    !listens)
		return err_set(e, -EINVAL,
			       "descriptor %d from the service manager is no socket "
			       "that listens",
			       fd);
	(void)sys_setfd(fd, FD_CLOEXEC);
	(void)sys_setfl(fd, O_RDWR | O_NONBLOCK);
	return 0;
}

/* From the service manager: descriptors 3 and up. Source: sd_listen_fds(3). */
static int take_all_passed(struct sockets *s, struct err *e)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	uint64_t n = 0, who = 0;
	int r = 0;

	if (!pid || !count || num_u64(pid, &who) < 0 || who != (uint64_t)sys_getpid() ||
	    num_u64(count, &n) < 0)
		return 0;
	if (n > SOCKETS_MAX)
		return err_set(e, -E2BIG,
			       "the service manager passes more than %d sockets",
			       SOCKETS_MAX);
	for (; r == 0 && s->n < n; s->n += r == 0) {
		s->fds[s->n] = FIRST + (int)s->n;
		r = take_passed(s->fds[s->n], e);
	}
	return r;
}

static int open_one(struct sockets *s, const struct listen_address *asked,
		    struct err *e)
{
	struct listen_address *at = &s->at[s->n_at++];
	const char *name;
	int r = 0;

	*at = *asked;
	at->dir = -1;
	if (at->a.any.sa_family == AF_UNIX)
		r = at->dir = hostpath_parent(at->a.path.sun_path, &name, e);
	if (r >= 0)
		r = listen_open(at, e);
	if (r < 0)
		return r;
	s->fds[s->n++] = r;
	return 0;
}

int sockets_open(const struct sockets_asked *a, struct sockets *ret, struct err *e)
{
	_cleanup_sockets_ struct sockets s = { .n = 0 };
	int r = take_all_passed(&s, e);
	unsigned asked = s.n ? 0 : a->n;

	for (unsigned i = 0; r == 0 && i < asked; i++)
		r = open_one(&s, &a->at[i], e);
	if (r < 0)
		return r;
	*ret = take(&s, (struct sockets){ .n = 0 });
	return 0;
}

static void tell_json(const struct app *app, struct json *urls, const char *key)
{
	_cleanup_json_ struct json *j = json_object();

	json_set_str(j, "url", json_str(json_first(urls)));
	json_set(j, "urls", urls);
	if (key)
		json_set_str(j, "key", key);
	(void)render_json(app, j);
}

void sockets_tell(const struct app *app, const struct sockets *s, bool tls,
		  const char *key)
{
	struct json *urls = json_array();
	char url[SHOWN] = "the sockets of the service manager";

	for (unsigned i = 0; i < MAX(s->n_at, 1U); i++) {
		if (s->n_at)
			listen_text(&s->at[i], tls, url, sizeof(url));
		json_add(urls, json_string(url));
		if (!app->json)
			fprintf(app->out, "listening on %s\n", url);
	}
	if (app->json)
		tell_json(app, take(&urls, NULL), key);
	else if (key)
		fprintf(app->out, "key: %s\n", key);
	json_free(&urls);
	fflush(app->out);
}
