#include "agent/session/shell_text.h"

/* The assembler takes the files in as they are: a shell's text stays a shell's file,
 * which shellcheck reads and no C string quotes. */
#define TEXT(name)                                        \
	__asm__(".section .rodata\n"                      \
		".global shell_text_" name "\n"           \
		"shell_text_" name ":\n"                  \
		".incbin \"agent/session/" name ".sh\"\n" \
		".byte 0\n"                               \
		".previous\n")

TEXT("bash");
TEXT("zsh");
TEXT("sh");
