#include "agent/server/run/ttyenv.h"

#include <errno.h>
#include <string.h>

enum { TEXT_MAX = 256 << 10 };

void ttyenv_done(struct ttyenv *env)
{
	while (env->n_text)
		buf_done(&env->text[--env->n_text]);
}

int ttyenv_make(const char *const *all, const struct json *more, struct ttyenv *ret,
		struct err *e)
{
	size_t n = 0;

	ret->n_text = 0;
	for (; all && *all && n < TTYENV_MAX - 2; all++)
		ret->list[n++] = *all;
	ret->list[n++] = "TERM=xterm-256color";
	json_each(it, more)
	{
		struct buf *b = &ret->text[ret->n_text];

		if (!json_str(it) || n == TTYENV_MAX - 1 || strchr(json_key(it), '='))
			return err_set(e, -EINVAL, "env: names and texts are needed");
		buf_init(b, TEXT_MAX);
		ret->n_text++;
		if (buf_addf(b, "%s=%s", json_key(it), json_str(it)) < 0)
			return err_set(e, -EINVAL, "env: '%.60s' is too long",
				       json_key(it));
		ret->list[n++] = buf_cstr(b);
	}
	ret->list[n] = NULL;
	return 0;
}
