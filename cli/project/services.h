/* services - what .cubby/box.json lets run in the box: started in order, each when the one
 * before is ready, stopped in reverse order.
 * Needs:  an open box, the project's file in the configuration.
 * Owns:   /run/cubby-services, their names in the order in which they were started,
 *         /run/cubby-NAME.pid and /var/log/cubby/NAME.log in the box.
 * Never:  believes a number of the box on the host: signals are sent from inside. */
#ifndef CLI_PROJECT_SERVICES_H
#define CLI_PROJECT_SERVICES_H

#include "cli/show/app.h"
#include "cli/store/boxend.h"
#include "runtime/box/box.h"

struct services {
	const struct app *app; /* borrowed */
	struct box *box;       /* borrowed */
	int interrupt;	       /* borrowed: readable = ^C */
};

/** services_up() - start what does not run, and wait until it is ready
 *  Return: how many were started; -ETIME "service 'db' is not ready after 60 s", -EINTR. */
int services_up(const struct services *v, struct err *e);

/** services_down() - end them, the last first: TERM, and KILL after 10 s */
int services_down(const struct app *app, struct box *b, struct err *e);

/** services_first() - the same of whatever services the box has, whoever started them and
 *  whatever the project says by now, for as long as there is time: as boxend_first */
bool services_first(struct box *b, const struct boxend_grace *grace);

#endif
