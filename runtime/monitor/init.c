#include <sys/epoll.h>

#include "runtime/monitor/impl.h"

int monitor_init_send(struct monitor *m, const struct outbox_message *o)
{
	int r;

	monitor_quiet_send(m, o->head.type);
	r = outbox_put(&m->to_init, o);
	m->unheard = o->head.type == WIRE_SPAWN ? o->head.id : 0;
	if (r > 0 && m->on_init)
		loop_modify(m->loop, m->on_init, EPOLLIN | EPOLLOUT);
	return MIN(r, 0);
}
