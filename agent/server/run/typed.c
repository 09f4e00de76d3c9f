#include "agent/server/run/typed.h"

#include <stdlib.h>

static int hex_digits(const char *s, int n, unsigned *ret)
{
	char text[5] = "", *end;

	for (int i = 0; i < n && s[i]; i++)
		text[i] = s[i];
	*ret = (unsigned)strtoul(text, &end, 16);
	return end == text + n && text[0] != '+' && text[0] != '-' && text[0] != ' ';
}

void typed_unescape(const char *text, struct buf *out)
{
	static const char letters[] = "n\nr\rt\tb\be\033a\a0\0\\\\";

	for (; *text; text++) {
		const char *l = letters;
		unsigned c;

		if (*text != '\\' || !text[1]) {
			buf_addc(out, *text);
			continue;
		}
		if (text[1] == 'x' && hex_digits(text + 2, 2, &c)) {
			buf_addc(out, (char)c);
			text += 3;
			continue;
		}
		if (text[1] == 'u' && hex_digits(text + 2, 4, &c) && c < 128) {
			buf_addc(out, (char)c);
			text += 5;
			continue;
		}
		while (l < letters + sizeof(letters) - 1 && *l != text[1])
			l += 2;
		if (l >= letters + sizeof(letters) - 1) {
			buf_addc(out, *text);
			continue;
		}
		buf_addc(out, l[1]);
		text++;
	}
}
