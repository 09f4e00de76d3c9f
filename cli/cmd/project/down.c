#include "base/sys/sys.h"
#include "cli/box/acting.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/project/services.h"
#include "cli/show/render.h"
#include "cli/store/boxend.h"

enum { DOWN_MS = 10000 };

static int tell(const struct app *app, bool ran, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();

	json_set_bool(j, "running", ran);
	return app->json && render_json(app, j) < 0
		       ? err_sys(e, -ENOMEM, "cannot tell it")
		       : 0;
}

static int work(struct app *app, void *, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	struct boxend_grace grace = { .until_ms = sys_now_ms() + DOWN_MS,
				      .interrupt = -1 };
	int r = boxsetup_running(&s, e);

	if (r == -ENOENT && s.dir.dirfd >= 0) {
		render_note(app, "the box is not running");
		*e = ERR_NONE;
		return tell(app, false, e);
	}
	if (r == 0)
		r = services_down(app, s.box, e);
	box_close(&s.box);
	if (r < 0)
		return r;
	r = boxend_within(s.app->store, s.spec.key, &grace, e);
	if (r < 0)
		return r;
	render_note(app, "the box of '%s' is stopped", s.spec.project);
	acting_rest(app, s.spec.key, s.spec.project);
	return tell(app, true, e);
}

const struct cmd cmd_down = {
	.name = "down",
	.group = CMD_PROJECT,
	.summary = "end the services and the box",
	.doc = "End the services of .cubby/box.json, the last one first, then the box "
	       "of this directory. What is on its disk stays.",
	.config = true,
	.work = work,
};
