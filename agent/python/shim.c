#include "agent/python/shim.h"

#include "base/file.h"
#include "base/sys/sys.h"

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
	_cleanup_close_ int fd = sys_memfd("cubby-python", MFD_ALLOW_SEALING);
	int r;

	if (fd < 0)
		return err_sys(e, fd, "cannot create a memfd");
	r = file_write_fd(fd, shim_text, (size_t)(shim_end - shim_text), e);
	if (r < 0)
		return r;
	r = sys_add_seals(fd, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	return r < 0 ? err_sys(e, r, "cannot seal a memfd") : take(&fd, -1);
}
