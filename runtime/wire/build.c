#include "runtime/wire/build.h"

#include <stdio.h>
#include <string.h>

#include "runtime/wire/wire.h"

void build_id(char *ret, size_t size)
{
	memset(ret, 0, size);
	/* The sizes stand for the layout: a changed message without a changed version
	 * happens while cubby itself is being worked on. */
	snprintf(ret, size, "cubby " CUBBY_VERSION " wire %zu.%zu.%d",
		 sizeof(struct wire_spawn), sizeof(struct wire_setup), WIRE_TYPES);
}
