#include "runtime/box/asked.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void asked_done(struct asked *a)
{
	for (size_t i = 0; i < a->n; i++)
		scope_close_set(a->list[i].proc.fds, 3);
	free(a->list);
	*a = (struct asked){ 0 };
}

int asked_question(const char *what, const struct json *args, struct buf *out)
{
	_cleanup_json_ struct json *j = json_object();

	json_set_str(j, "what", what);
	if (args)
		json_set(j, "args", json_dup(args));
	return json_print(j, false, out);
}

int asked_reserve(struct asked *a, struct err *e)
{
	return grow_room(a->list, a->n)
		       ? 0
		       : err_sys(e, -ENOMEM, "cannot ask for a program");
}

void asked_add(struct asked *a, uint32_t id, enum box_io io)
{
	a->list[a->n++] =
		(struct asked_one){ .id = id, .io = io, .proc = BOX_PROC_NONE };
}

struct asked_one *asked_find(const struct asked *a, uint32_t id)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->list[i].id == id && !a->list[i].came)
			return &a->list[i];
	return NULL;
}

bool asked_came(const struct asked *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->list[i].came)
			return true;
	return false;
}

bool asked_take(struct asked *a, uint32_t *id, struct box_proc *ret, struct err *why)
{
	for (size_t i = 0; i < a->n; i++) {
		struct asked_one *one = &a->list[i];

		if (!one->came)
			continue;
		*id = one->id;
		*why = one->why;
		*ret = one->proc;
		memmove(one, one + 1, (--a->n - i) * sizeof(*one));
		return true;
	}
	return false;
}
