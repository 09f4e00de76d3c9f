#include "cli/task/recall.h"

#include <errno.h>
#include <string.h>

#include "agent/turn/transcript.h"
#include "cli/opt/config_task.h"

/* What a transcript says of the task that goes on. */
struct recalled {
	struct json *settings; /* owned; NULL = of an older version */
	struct buf model;      /* owned; then of the model alone */
};

static int recall_record(void *ctx, const struct json *j, struct err *e)
{
	const char *type = json_get_str(j, "type");
	const char *provider = json_get_str(j, "provider");
	struct recalled *ret = ctx;
	int r = 0;

	if (type && strcmp(type, "task") == 0) {
		json_free(&ret->settings);
		ret->settings = json_dup(json_get(j, "settings"));
	} else if (type && strcmp(type, "model") == 0 && provider &&
		   strcmp(provider, "replay") != 0) {
		buf_truncate(&ret->model, 0);
		r = buf_addf(&ret->model, "%s:%s", provider,
			     json_get_str(j, "model") ?: "");
	}
	return r < 0 ? err_sys(e, r, "cannot read the transcript") : 0;
}

static int take_recalled(struct config *c, struct recalled *was, struct err *e)
{
	_cleanup_json_ struct json *options = json_object();
	const char *own = json_get_str(was->settings, config_rows[CONFIG_MODEL].name);

	if (was->model.len && !own)
		json_set_str(options, config_rows[CONFIG_MODEL].name, was->model.data);
	json_each(it, was->settings)
	{
		json_set(options, json_key(it), json_dup(it));
	}
	return json_failed(options) < 0
		       ? err_sys(e, -ENOMEM, "cannot read the transcript")
		       : config_task_load(c, options, e);
}

int recall_options(struct config *c, int fd, struct err *e)
{
	struct recalled was = { .model = BUF_INIT(4096) };
	int r = transcript_read(fd, recall_record, &was, e);

	if (r >= 0)
		r = take_recalled(c, &was, e);
	json_free(&was.settings);
	buf_done(&was.model);
	return r;
}
