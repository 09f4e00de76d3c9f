/* Messages from the user bus. */
#include <stdlib.h>

#include "runtime/cgroup/dbus_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dbus_wire_msg m;
	const char *text;
	uint32_t number;

	if (dbus_wire_parse(data, size, &m) < 0)
		return 0;
	if (dbus_wire_get_u32(&m.body, &number) == 0)
		while (dbus_wire_get_str(&m.body, &text) == 0)
			if (text < (const char *)data ||
			    text >= (const char *)data + size)
				abort();
	return 0;
}
