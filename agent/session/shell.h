/* shell - what makes a shell drivable: integration text, typed line, arguments.
 * Needs:  bash 4.4, zsh 5.8, dash or another POSIX sh in the box.
 * Owns:   nothing.
 * Never:  talks to a shell; that is session.c. */
#ifndef AGENT_SESSION_SHELL_H
#define AGENT_SESSION_SHELL_H

#include "base/buf.h"

enum {
	SHELL_FD_CHANNEL = 3, /* in the shell as it starts: texts to run */
	SHELL_FD_TEXT = 4,    /* the integration text */
	SHELL_INTEGRATION_MAX = 32 << 10
};

struct shell {
	const char *name;
	const char *const *args; /* behind argv[0]; NULL-ended */
	const char *const *env;	 /* NULL-ended; may be NULL */
	const char *text;	 /* NONCE stands for the nonce, a line RC for rc */
	const char *rc;		 /* reads the rc files of system and user */
	const char
		*first; /* typed at once, to read the integration; NULL = not needed */
	const char *loop; /* typed at the prompt: the command loop */
	bool keeps_modes; /* it puts back terminal modes that it saw: leave echo on */
	bool escaped;	  /* a text goes as one line for printf %b */
};

/** shell_find() - by the name of its program, "bash" or "/opt/bin/zsh-5.9"; NULL */
const struct shell *shell_find(const char *path);

/** shell_integration() - append the text for one shell; @rc: with its rc files */
int shell_integration(const struct shell *sh, const char *nonce, bool rc,
		      struct buf *out);

/** shell_encode() - append a command as this shell reads it from its channel */
int shell_encode(const struct shell *sh, const char *text, size_t len, struct buf *out);

#endif
