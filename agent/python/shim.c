#include "agent/python/shim.h"

#include "base/file.h"

/* The assembler takes the file in as it is (agent/session/shell_text.c). */
__asm__(".section .rodata\n"
	".global shim_text\n"
	".global shim_end\n"
	"shim_text:\n"
	".incbin \"agent/python/shim.py\"\n"
	"shim_end:\n"
	".byte 0\n"
	".previous\n");

int shim_open(struct err *e)
{
	return file_sealed("cubby-python", shim_text, (size_t)(shim_end - shim_text),
			   e);
}
