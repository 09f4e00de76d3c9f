#include "cli/box/snap.h"

#include "cli/box/end.h"
#include "cli/opt/cmd.h"

int snap_open(const struct app *app, struct boxsetup *s, struct err *e)
{
	int r = boxsetup_find(app, s, e);

	if (r == 0)
		r = boxend_idle(&s->store, s->spec.key, e);
	return r < 0 ? r : boxdir_lock(&s->dir, true, e);
}

int snap_name(struct app *app, void *args, const char *word, struct err *e)
{
	(void)app, (void)args;
	if (spec_name_valid(word))
		return 0;
	return err_set(e, -EINVAL,
		       "bad name '%s'; letters, digits, '.', '_' and '-' make one, 32 "
		       "at most",
		       word);
}
