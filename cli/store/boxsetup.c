#include "cli/store/boxsetup.h"

void boxsetup_done(struct boxsetup *s)
{
	box_close(&s->box);
	spec_done(&s->spec);
	boxdir_close(&s->dir);
}
