/* A Dockerfile and a devcontainer.json are whatever a project holds: what comes of them is
 * a box.json that is read, or refused with a reason. */
#include <assert.h>
#include <stdint.h>

#include "cli/opt/config_project.h"
#include "cli/project/boxguess.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf text = BUF_INIT(4 << 20), widens = BUF_INIT(4 << 20);
	_cleanup_boxguess_ struct boxguess g;
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;
	int r;

	config_init(&c);
	if (boxguess_init(&g) < 0 || !size)
		return 0;
	r = data[0] == 'D'
		    ? boxguess_dockerfile((const char *)data + 1, size - 1, &g, &e)
		    : boxguess_devcontainer((const char *)data + 1, size - 1, &g, &e);
	assert(r == 0 || (r < 0 && e.code == r && *e.msg));
	if (r == 0 && json_print(g.box, true, &text) == 0) {
		r = config_project_load(&c, text.data, text.len, false, &widens, &e);
		assert(r == 0 || *e.msg);
	}
	return 0;
}
