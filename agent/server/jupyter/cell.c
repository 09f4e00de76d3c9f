#include "agent/server/jupyter/cell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/server/jupyter/kernel.h"
#include "base/scope.h"

enum { FIELDS_MAX = 32, VARIABLE = 128 /* what one takes besides its text */ };

void cell_free(struct cell *c)
{
	if (c->watch)
		c->watch->said(c->watch->ctx, NULL, NULL);
	*c->left += c->taken;
	json_free(&c->header);
	json_free(&c->found);
	json_free(&c->env);
	free(c->code);
	free(c);
}

bool cell_drop(struct cell **first, const struct kernel_watch *w)
{
	struct cell *c;

	while (*first && (*first)->watch != w)
		first = &(*first)->next;
	c = *first;
	if (!c)
		return false;
	*first = c->next;
	c->watch = NULL;
	cell_free(c);
	return true;
}

struct cell *cell_new(const struct json *header, const char *code,
		      const struct json *env, size_t *left, struct err *e)
{
	size_t len = strlen(code);
	struct cell *c;

	json_each(it, env) len +=
		strlen(json_key(it)) + strlen(json_str(it)) + VARIABLE;
	if (len > *left) {
		err_set(e, -EAGAIN, "too many cells wait");
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (!c) {
		err_sys(e, -ENOMEM, "cannot run a cell");
		return NULL;
	}
	*c = (struct cell){ .header = json_dup(header),
			    .code = strdup(code),
			    .env = env ? json_dup(env) : NULL,
			    .left = left,
			    .taken = len };
	*left -= len;
	if (c->code && c->header && json_failed(c->header) == 0)
		return c;
	cell_free(c);
	err_sys(e, -ENOMEM, "cannot run a cell");
	return NULL;
}

bool cell_fits(const struct json *header)
{
	json_each(it, header)
	{
		if (json_type(it) == JSON_OBJECT || json_type(it) == JSON_ARRAY)
			return false;
	}
	return json_len(header) <= FIELDS_MAX;
}
