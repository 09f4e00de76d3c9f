/* Theory of operation
 *
 * One loop: listeners, connections, boxes, terminals. Once a second, while there is
 * anything to look after, deadlines are looked at. */
#include "agent/server/server.h"

#include <signal.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/server/about/about.h"
#include "agent/server/conf/conf.h"
#include "agent/server/exchange/accept.h"
#include "agent/server/exchange/login.h"
#include "agent/server/exchange/state.h"
#include "agent/server/files/files.h"
#include "agent/server/jupyter/jupyter.h"
#include "agent/server/mcp/mcp.h"
#include "agent/server/page/page.h"
#include "agent/server/run/run.h"
#include "agent/server/tenant/tenant.h"
#include "agent/server/v1/command.h"
#include "agent/server/v1/rest.h"
#include "base/loop.h"
#include "base/sys/sys.h"

enum { TICK_MS = 1000 };

static int on_tick(void *ctx, uint32_t, struct err *)
{
	struct server *s = ctx;
	uint64_t now = sys_now_ms();

	accept_tick(s, now);
	tenants_tick(s->tenants, now);
	loop_rearm(s->loop, s->tick, TICK_MS);
	return 0;
}

/* ---- the end -------------------------------------------------------------------- */

static int on_stop(void *ctx, uint32_t, struct err *)
{
	struct server *s = ctx;

	s->stopping = true;
	return 0;
}

/* ---- setting up ----------------------------------------------------------------- */

static void add_tables(struct server *s)
{
	/* clang-format off */
	static const struct route_table *const own[] = {
		&about_routes,
		&e2b_routes,
		&execute_routes,
		&files_routes,
		&upload_routes,
		&jupyter_routes,
		&login_routes,
		&mcp_web_routes,
		&notebook_routes,
		&ports_routes,
		&proxy_routes,
		&rest_routes,
		&page_routes,
		&terminal_routes,
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		s->tables[s->n_tables++] = *own[i];
	if (s->conf->info)
		s->tables[s->n_tables++] = about_info_routes;
	for (size_t i = 0; i < s->conf->n_more && s->n_tables < ARRAY_SIZE(s->tables);
	     i++)
		s->tables[s->n_tables++] = s->conf->more[i];
}

static int set_up(struct server *s, struct loop_source **stop, struct err *e)
{
	const struct server_conf *c = s->conf;
	int r = loop_new(&s->loop, e);

	if (r < 0)
		return r;
	r = tenants_new(c, s->loop, &s->tenants, e);
	if (r < 0)
		return r;
	r = accept_begin(s, e);
	if (r < 0)
		return r;
	r = loop_add(s->loop, c->stop_fd, EPOLLIN, on_stop, s, stop)
		    ?: loop_timer(s->loop, TICK_MS, on_tick, s, &s->tick);
	return r < 0 ? err_sys(e, r, "cannot set the server up") : 0;
}

static void tear_down(struct server *s)
{
	accept_close_all(s);
	commands_free(s);
	tenants_free(&s->tenants);
	loop_free(&s->loop);
}

int server_run(const struct server_conf *conf, struct err *e)
{
	_cleanup_(tear_down) struct server s = { .conf = conf,
						 .began_ms = sys_now_ms() };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct loop_source *stop = NULL;
	int r;

	(void)sys_sigaction(SIGPIPE, &ignore, NULL); /* programs stop reading */
	add_tables(&s);
	r = set_up(&s, &stop, e);
	while (r >= 0 && !s.stopping) {
		r = loop_step(s.loop, -1, e);
		accept_tidy(&s);
	}
	loop_remove(s.loop, &stop); /* it stays readable */
	if (r >= 0)
		r = accept_end(&s, e);
	return r;
}
