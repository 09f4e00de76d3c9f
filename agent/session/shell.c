#include "agent/session/shell.h"

#include <string.h>

#include "base/embed.h"

/* A shell's text stays a shell's file, which shellcheck reads and no C string quotes. */
EMBED(shell_text_bash, "agent/session/bash.sh");
EMBED(shell_text_zsh, "agent/session/zsh.sh");
EMBED(shell_text_sh, "agent/session/sh.sh");

static const char *const bash_args[] = { "--noediting", "--rcfile", "/proc/self/fd/4",
					 "-i", NULL };

/* Typed at the prompt instead of called by name: in a function, "declare" would make
 * local variables, and they would be gone with the loop. $? is right in both branches:
 * after a condition that was met it is 0, one that was not passes it on, and neither
 * set -e nor an ERR trap looks at it. */
static const char bash_loop[] =
	"while { __cubby_s=$? __cubby_o=$-; case $- in *T*) \\builtin set +T;; esac; "
	"__cubby_next; } >/dev/null 2>&1; do case $__cubby_s in 0) \\builtin eval "
	"\"$__cubby_t\" 250<&-;; *) if __cubby_q; then :; else \\builtin eval "
	"\"$__cubby_t\" 250<&-; fi;; esac; done\n";

static const char bash_rc[] =
	"for __cubby_d in /etc/bash.bashrc ~/.bashrc; do [ -r \"$__cubby_d\" ] && "
	". \"$__cubby_d\" </dev/null 250<&-; done\n";

static const char *const zsh_args[] = { "-f", "-i", "+Z", NULL };

static const char zsh_loop[] =
	"while { __cubby_next $? && \\builtin set +xv; } >/dev/null 2>&1; do if "
	"__cubby_q; then \\builtin eval \"$__cubby_t\" 9<&-; else \\builtin eval "
	"\"$__cubby_t\" 9<&-; fi; done\n";

static const char zsh_rc[] =
	"for __cubby_d in /etc/zsh/zshenv ~/.zshenv /etc/zsh/zshrc ~/.zshrc; do "
	"[ -r \"$__cubby_d\" ] && . \"$__cubby_d\" </dev/null 9<&-; done\n";

static const char *const sh_args[] = { "-i", NULL };
static const char *const sh_env[] = { "ENV=/proc/self/fd/4", NULL };

static const char sh_loop[] =
	"while { __cubby_next \"$?\" \"$-\"; } 2>/dev/null; do if __cubby_q; then "
	"\\eval \"$__cubby_t\" 9<&-; else \\eval \"$__cubby_t\" 9<&-; fi; done\n";

static const struct shell table[] = {
	{ .name = "bash",
	  .args = bash_args,
	  .text = shell_text_bash,
	  .rc = bash_rc,
	  .loop = bash_loop },
	{ .name = "zsh",
	  .args = zsh_args,
	  .text = shell_text_zsh,
	  .rc = zsh_rc,
	  .first = ". /proc/self/fd/4\n",
	  .loop = zsh_loop,
	  .keeps_modes = true },
	{ .name = "dash",
	  .args = sh_args,
	  .env = sh_env,
	  .text = shell_text_sh,
	  .rc = "",
	  .loop = sh_loop,
	  .escaped = true },
	{ .name = "sh",
	  .args = sh_args,
	  .env = sh_env,
	  .text = shell_text_sh,
	  .rc = "",
	  .loop = sh_loop,
	  .escaped = true },
};

/* "bash" fits "bash", "rbash5" does not; "bash-5.2" and "bash5" do. */
static bool fits(const char *program, const char *name)
{
	size_t len = strlen(name);

	return strncmp(program, name, len) == 0 &&
	       strspn(program + len, "-.0123456789") == strlen(program + len);
}

const struct shell *shell_find(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *program = slash ? slash + 1 : path;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (fits(program, table[i].name))
			return &table[i];
	return NULL;
}

/* Copies a line of the text; the two words in capitals are replaced. */
static int add_line(const struct shell *sh, const char *line, size_t len,
		    const char *nonce, bool rc, struct buf *out)
{
	const char *at = memmem(line, len, "NONCE", 5);
	int r;

	if (len == 3 && memcmp(line, "RC\n", 3) == 0)
		return rc ? buf_adds(out, sh->rc) : 0;
	if (len && line[0] == '#')
		return 0;
	if (!at)
		return buf_add(out, line, len);
	r = buf_add(out, line, (size_t)(at - line));
	if (r < 0)
		return r;
	r = buf_adds(out, nonce);
	return r < 0 ? r : buf_add(out, at + 5, len - (size_t)(at + 5 - line));
}

int shell_integration(const struct shell *sh, const char *nonce, bool rc,
		      struct buf *out)
{
	for (const char *p = sh->text; *p;) {
		const char *nl = strchr(p, '\n');
		size_t len = nl ? (size_t)(nl + 1 - p) : strlen(p);
		int r = add_line(sh, p, len, nonce, rc, out);

		if (r < 0)
			return r;
		p += len;
	}
	return 0;
}

/* For printf %b: backslashes and newlines as octal escapes, one line. */
static int encode_line(const char *text, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		size_t run = 0;

		while (i + run < len && text[i + run] != '\\' && text[i + run] != '\n')
			run++;
		buf_add(out, text + i, run);
		i += run;
		if (i < len)
			buf_adds(out, text[i] == '\n' ? "\\0012" : "\\0134");
	}
	buf_addc(out, '\n');
	return buf_failed(out);
}

int shell_encode(const struct shell *sh, const char *text, size_t len, struct buf *out)
{
	int r;

	if (sh->escaped)
		return encode_line(text, len, out);
	r = buf_add(out, text, len);
	return r < 0 ? r : buf_addc(out, '\0');
}
