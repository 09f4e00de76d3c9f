#include "agent/task/claims.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/def.h"

/* How a sentence begins, in lower case; a blank or its end has to follow. */
static const char *const next_words[] = {
	"i'll",		 "i will",	  "let me",	"let's",	"i'm going to",
	"i am going to", "now i'll",	  "now i will", "now let me",	"first, i'll",
	"first, i will", "first, let me", "first i'll", "first let me", "next, i'll",
	"next, i will",	 "next i'll",	  "then i'll",	"i need to",	"now i need to",
	"i'm about to",	 "i am about to", "i shall",
};

/* The same beginnings of a sentence that announces nothing. */
static const char *const no_next_words[] = {
	"let me know",	 "i'll be happy",   "i will be happy", "i'll be glad",
	"i will not",	 "i'll leave",	    "i will leave",    "let's hope",
	"i'll stop",	 "i will stop",	    "i'll need you",   "i need to know",
	"i'll wait for", "i will wait for",
};

static const char *const failure_words[] = {
	"i could not",
	"i couldn't",
	"i cannot",
	"i can't",
	"i was unable",
	"i am unable",
	"i'm unable",
	"i was not able",
	"i wasn't able",
	"i am not able",
	"i'm not able",
	"i failed",
	"i have failed",
	"i did not manage",
	"i give up",
	"unfortunately",
	"sorry",
	"i'm sorry",
	"i am sorry",
	"unable to",
	"failed to",
	"the task failed",
	"the task cannot",
	"the task can't",
	"the task could not",
	"it is not possible",
	"it was not possible",
	"it's not possible",
	"this is not possible",
	"this cannot be",
};

static const char *const task_words[] = {
	"add",	  "apply",    "build",	   "bump",	"change",    "clean",
	"clone",  "commit",   "compile",   "configure", "convert",   "copy",
	"create", "delete",   "deploy",	   "download",	"edit",	     "extract",
	"fetch",  "fix",      "format",	   "generate",	"implement", "install",
	"make",	  "merge",    "migrate",   "move",	"patch",     "port",
	"put",	  "refactor", "remove",	   "rename",	"repair",    "replace",
	"resize", "rewrite",  "run",	   "set",	"sort",	     "split",
	"start",  "test",     "translate", "uninstall", "update",    "upgrade",
	"write",
};

/* Lower case, with the apostrophe of typographers as everybody else's. */
static size_t plain(const char *s, size_t len, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < size; i++) {
		if (len - i >= 3 && memcmp(s + i, "\xe2\x80\x99", 3) == 0) {
			out[n++] = '\'';
			i += 2;
		} else {
			out[n++] = (char)tolower((unsigned char)s[i]);
		}
	}
	out[n] = '\0';
	return n;
}

enum { BEGINNING = 40 };

static bool begins(const char *s, size_t len, const char *const *words, size_t n)
{
	char start[BEGINNING] = "";

	plain(s, len, start, sizeof(start));
	for (size_t i = 0; i < n; i++) {
		size_t l = strlen(words[i]);

		if (strncmp(start, words[i], l) == 0 &&
		    !isalnum((unsigned char)start[l]) && start[l] != '\'')
			return true;
	}
	return false;
}

#define BEGINS(s, len, words) begins(s, len, words, ARRAY_SIZE(words))

static const char blanks[] = " \t\r\n*_>#-";

/* Without the blanks and marks around it. */
static size_t trim(const char **s, size_t len)
{
	while (len && strchr(blanks, **s)) {
		++*s;
		len--;
	}
	while (len && strchr(" \t\r\n*_`", (*s)[len - 1]))
		len--;
	return len;
}

static bool ends_sentence(const char *s, size_t i)
{
	return s[i] == '\n' || (strchr(".!?:", s[i]) && strchr(" \t\r\n", s[i + 1]));
}

/* Where the last sentence of @s begins. */
static size_t last_sentence(const char *s, size_t len)
{
	for (size_t i = len - 1; i > 0; i--)
		if (ends_sentence(s, i - 1))
			return i;
	return 0;
}

bool claims_work(const char *text)
{
	size_t len = trim(&text, strlen(text)), at;

	if (!len)
		return false;
	if (text[len - 1] == ':')
		return true;
	at = last_sentence(text, len);
	text += at;
	len = trim(&text, len - at);
	return len && text[len - 1] != '?' && BEGINS(text, len, next_words) &&
	       !BEGINS(text, len, no_next_words);
}

bool claims_failure(const char *text)
{
	size_t len = trim(&text, strlen(text)), at;

	if (!len)
		return false;
	if (BEGINS(text, len, failure_words))
		return true;
	at = last_sentence(text, len);
	text += at;
	len = trim(&text, len - at);
	return BEGINS(text, len, failure_words);
}

bool claims_task(const char *task)
{
	size_t len = trim(&task, strlen(task));

	if (len > 7 && strncasecmp(task, "please ", 7) == 0) {
		task += 7;
		len -= 7;
	}
	return len && task[len - 1] != '?' && BEGINS(task, len, task_words);
}
