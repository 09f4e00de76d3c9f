#include "agent/terminal/keys.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

enum { NAME_MAX_LEN = 31 };

static const struct key {
	const char *name, *bytes;
	const char *application; /* with DECCKM; NULL = the same */
} table[] = {
	/* clang-format off */
	{ "enter",     "\r",       NULL },	{ "return",    "\r",       NULL },
	{ "tab",       "\t",       NULL },	{ "s-tab",     "\033[Z",   NULL },
	{ "esc",       "\033",     NULL },	{ "escape",    "\033",     NULL },
	{ "bs",        "\177",     NULL },	{ "backspace", "\177",     NULL },
	{ "del",       "\033[3~",  NULL },	{ "delete",    "\033[3~",  NULL },
	{ "ins",       "\033[2~",  NULL },	{ "insert",    "\033[2~",  NULL },
	{ "up",        "\033[A",   "\033OA" },	{ "down",      "\033[B",   "\033OB" },
	{ "right",     "\033[C",   "\033OC" },	{ "left",      "\033[D",   "\033OD" },
	{ "home",      "\033[H",   "\033OH" },	{ "end",       "\033[F",   "\033OF" },
	{ "pgup",      "\033[5~",  NULL },	{ "pageup",    "\033[5~",  NULL },
	{ "pgdn",      "\033[6~",  NULL },	{ "pagedown",  "\033[6~",  NULL },
	{ "space",     " ",        NULL },
	{ "f1",        "\033OP",   NULL },	{ "f2",        "\033OQ",   NULL },
	{ "f3",        "\033OR",   NULL },	{ "f4",        "\033OS",   NULL },
	{ "f5",        "\033[15~", NULL },	{ "f6",        "\033[17~", NULL },
	{ "f7",        "\033[18~", NULL },	{ "f8",        "\033[19~", NULL },
	{ "f9",        "\033[20~", NULL },	{ "f10",       "\033[21~", NULL },
	{ "f11",       "\033[23~", NULL },	{ "f12",       "\033[24~", NULL },
	/* clang-format on */
};

/* Behind "C-", "CTRL-" or "CTRL+"; NULL when @name is none of them. */
static const char *after_ctrl(const char *name)
{
	if (strncasecmp(name, "ctrl-", 5) == 0 || strncasecmp(name, "ctrl+", 5) == 0)
		return name + 5;
	return strncasecmp(name, "c-", 2) == 0 ? name + 2 : NULL;
}

/* @c is the key held with Ctrl: letters, and the five others of a terminal. */
static int control_byte(char c)
{
	const char *sign = c ? strchr("@[\\]^_", c) : NULL;

	if (isalpha((unsigned char)c))
		return toupper((unsigned char)c) & 0x1f;
	if (sign)
		return *sign & 0x1f;
	return c == '?' ? 0x7f : -1;
}

static int put_key(const char *name, bool application, struct buf *out)
{
	const char *ctrl = after_ctrl(name);

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct key *k = &table[i];

		if (strcasecmp(name, k->name) == 0)
			return buf_adds(out, application && k->application
						     ? k->application
						     : k->bytes);
	}
	if (ctrl && ctrl[0] && !ctrl[1]) {
		int byte = control_byte(ctrl[0]);

		return byte < 0 ? -EINVAL : buf_addc(out, (char)byte);
	}
	if (strncasecmp(name, "m-", 2) == 0 && isgraph((unsigned char)name[2]) &&
	    !name[3])
		return buf_add(out, (char[]){ '\033', name[2] }, 2);
	/* a character is its own name */
	return isgraph((unsigned char)name[0]) && !name[1] ? buf_addc(out, name[0])
							   : -EINVAL;
}

static int unknown(const char *name, size_t len, struct err *e)
{
	char shown[64];

	return err_set(
		e, -EINVAL,
		"unknown key '%s'; keys are C-a to C-z, C-\\, M-x, Enter, Tab, S-Tab, "
		"Esc, BS, Del, Ins, Up, Down, Left, Right, Home, End, PgUp, PgDn, F1 "
		"to F12",
		text_escaped(shown, sizeof(shown), name, len));
}

int keys_add(const char *names, bool application, struct buf *out, struct err *e)
{
	const size_t before = out->len;
	int n = 0;

	for (const char *p = names; *(p += strspn(p, " \t\n,")); n++) {
		char name[NAME_MAX_LEN + 1] = "";
		size_t len = strcspn(p, " \t\n,");
		int r = -EINVAL;

		if (len <= NAME_MAX_LEN) {
			memcpy(name, p, len);
			r = put_key(name, application, out);
		}
		if (r < 0) {
			buf_truncate(out, before);
			return r == -EINVAL ? unknown(p, len, e)
					    : err_sys(e, r, "cannot take these keys");
		}
		p += len;
	}
	if (!n)
		return err_set(e, -EINVAL, "no key is named");
	return 0;
}
