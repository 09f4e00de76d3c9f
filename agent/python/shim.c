#include "agent/python/shim.h"

#include "base/embed.h"
#include "base/file.h"

EMBED(shim_text, "agent/python/shim.py");

int shim_open(struct err *e)
{
	return file_sealed("cubby-python", shim_text,
			   (size_t)(shim_text_end - shim_text), e);
}
