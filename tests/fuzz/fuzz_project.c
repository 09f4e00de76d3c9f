/* .cubby/box.json is whatever a box wrote: it is read or refused, and without the person's
 * agreement nothing gets wider than it was. */
#include <assert.h>
#include <stdint.h>

#include "cli/opt/config_project.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf widens = BUF_INIT(4 * CONFIG_PROJECT_MAX);
	_cleanup_config_ struct config before, c;
	struct err e = ERR_NONE;
	int r;

	config_init(&before);
	config_init(&c);
	r = config_project_load(&c, (const char *)data, size, false, &widens, &e);
	assert(r == 0 || (r < 0 && e.code == r && *e.msg));
	assert(config_num(&c, CONFIG_NET) == config_num(&before, CONFIG_NET) ||
	       config_num(&c, CONFIG_NET) == 1 /* none */);
	assert(config_num(&c, CONFIG_MEMORY) <= config_num(&before, CONFIG_MEMORY));
	assert(config_num(&c, CONFIG_PIDS) <= config_num(&before, CONFIG_PIDS));
	assert(!config_list(&c, CONFIG_ALLOW)[0] &&
	       !config_list(&c, CONFIG_PUBLISH)[0]);
	return 0;
}
