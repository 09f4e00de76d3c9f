#include "agent/server/http/cookie.h"

#include <stdio.h>
#include <string.h>

void cookie_value(const char *field, const char *name, char ret[COOKIE_VALUE])
{
	size_t len = strlen(name);

	ret[0] = '\0';
	for (const char *at = field; at && *at; at += strspn(at, "; ")) {
		size_t n = strcspn(at, ";");

		if (n > len && at[len] == '=' && strncmp(at, name, len) == 0) {
			size_t value = n - len - 1;

			if (value < COOKIE_VALUE)
				snprintf(ret, COOKIE_VALUE, "%.*s", (int)value,
					 at + len + 1);
			return;
		}
		at += n;
	}
}
