/* Settings of podman: each thing that is said has a table, and a text that has an end. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int note(void *ctx, const struct toml_item *i, struct err *)
{
	size_t *most = ctx;

	assert(strlen(i->table) < TOML_PATH && (*most)--);
	assert((i->kind == TOML_TABLE) == !i->key && !i->key == !i->text);
	if (i->key)
		assert(strlen(i->key) < TOML_PATH && strlen(i->text) < TOML_TEXT);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_NONE;
	size_t most = size; /* each has a character of its own */

	if (toml_read((const char *)data, size, note, &most, &e) < 0)
		assert(!strncmp(e.msg, "line ", 5));
	return 0;
}
