/* embed - a file of the tree as data of the program: text stays a text file, which no
 * formatter tears and its own tools read.
 * Needs:  the file at build time, from the top of the tree; a row in the Makefile, for the
 *         compiler does not see what the assembler takes in.
 * Owns:   nothing.
 * Never:  changes a byte. */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

/** EMBED() - @path's bytes are @name[] up to @name_end; a NUL follows */
/* clang-format off */
#define EMBED(name, path)                            \
	__asm__(".section .rodata\n"                 \
		".balign 8\n"                        \
		".global " #name ", " #name "_end\n" \
		#name ":\n"                          \
		".incbin \"" path "\"\n"             \
		#name "_end:\n"                      \
		".byte 0\n"                          \
		".previous\n");                      \
	extern const char name[], name##_end[]
/* clang-format on */

#endif
