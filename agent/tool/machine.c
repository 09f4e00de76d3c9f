#include "agent/tool/machine.h"

#include <ctype.h>
#include <string.h>

#include "agent/tool/impl.h"
#include "agent/tool/program.h"
#include "base/sys/sys.h"

enum { LOOK_MS = 3000, SAID_MAX = 4096, WORD_MAX = 60 };

/* Three lines that may be empty, then the programs that are there. */
#define PROGRAMS                                                                   \
	"bash python3 pip3 uv node npm git curl wget gcc g++ make cmake go cargo " \
	"java "                                                                    \
	"perl ruby php jq rg file xxd zip unzip xz rsync ssh sqlite3 ffmpeg convert"
/* A repository in which git does not know who commits: each commit would fail once. */
#define NO_AUTHOR "no-author"
/* The first install would fail. */
#define NO_LISTS "no-package-lists"
static const char script[] =
	"name=; [ -r /etc/os-release ] && . /etc/os-release && name=$PRETTY_NAME\n"
	"first() { for p; do command -v \"$p\" >/dev/null && echo \"$p\" && return; "
	"done; echo; }\n"
	"echo \"$name\"; first apt-get apk dnf microdnf yum zypper pacman\n"
	"nproc 2>/dev/null || echo\n"
	"! command -v apt-get >/dev/null || ls /var/lib/apt/lists/*Packages* >/dev/null "
	"2>&1 || echo " NO_LISTS "\n"
	"for p in " PROGRAMS "; do command -v $p >/dev/null && echo $p; done\n"
	"[ -e .git ] && [ -z \"$GIT_AUTHOR_EMAIL\" ] &&\n"
	"! grep -qs '^[[:space:]]*email' /etc/gitconfig ~/.gitconfig .git/config &&\n"
	"echo " NO_AUTHOR "; :\n";

void machine_done(struct machine *m)
{
	buf_done(&m->system);
	buf_done(&m->programs);
}

/* A line of @said, when it has nothing but plain letters; "" otherwise. */
static const char *take_word(const char **said, char word[WORD_MAX])
{
	size_t len = strcspn(*said, "\n");
	bool plain = len < WORD_MAX;

	for (size_t i = 0; i < len && plain; i++)
		plain = isalnum((unsigned char)(*said)[i]) ||
			strchr(" .()/+_-", (*said)[i]);
	*word = '\0';
	if (plain) {
		memcpy(word, *said, len);
		word[len] = '\0';
	}
	*said += len + ((*said)[len] == '\n');
	return word;
}

static void add(struct buf *out, const char *word, const char *more)
{
	if (*word)
		buf_addf(out, "%s%s%s", out->len ? ", " : "", word, more);
}

static bool is_there(const char *said, const char *name, size_t len)
{
	for (const char *p = said; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (strcspn(p, "\n") == len && memcmp(p, name, len) == 0)
			return true;
	return false;
}

static void list(const char *said, bool there, const char *begin, struct buf *out)
{
	static const char all[] = PROGRAMS;
	bool any = false;

	for (const char *p = all; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");

		if (is_there(said, p, len) != there)
			continue;
		buf_addf(out, "%s %.*s", any ? "" : begin, (int)len, p);
		any = true;
	}
}

void machine_read(const char *said, const char *arch, struct machine *ret)
{
	char word[WORD_MAX];

	add(&ret->system, take_word(&said, word), "");
	(void)take_word(&said, word);
	add(&ret->system, word,
	    is_there(said, NO_LISTS, strlen(NO_LISTS)) ? " (first apt-get update)"
						       : "");
	add(&ret->system, arch, "");
	add(&ret->system, take_word(&said, word), " processors");
	list(said, true, "there are", &ret->programs);
	list(said, false, ret->programs.len ? "; there are not" : "there are not",
	     &ret->programs);
	if (is_there(said, NO_AUTHOR, strlen(NO_AUTHOR)))
		buf_adds(&ret->programs,
			 "; git knows no author: commit with -c user.name=… -c "
			 "user.email=…");
}

void machine_look(struct toolbox *t, struct machine *ret)
{
	static const char *const argv[] = { "sh", "-c", script, NULL };
	_cleanup_buf_ struct buf out = BUF_INIT(SAID_MAX);
	_cleanup_program_ struct program p = { .box = t->conf.box,
					       .user = t->conf.user,
					       .argv = argv,
					       .out = &out,
					       .total_ms = LOOK_MS };
	struct utsname u = { 0 };
	int status;

	if (program_start(&p, ERR_IGNORED) < 0 ||
	    program_end(&p, &status, ERR_IGNORED) < 0 || status)
		return;
	(void)sys_uname(&u); /* the kernel is the same, and a program less is run */
	machine_read(buf_cstr(&out), u.machine, ret);
}
