/* signing - --ssh-agent: the programs of a command may log in at the hosts that it names,
 * with the keys of the person's agent (signer.h).
 * Needs:  SSH_AUTH_SOCK; ssh-keygen, which reads known_hosts; an open box.
 * Owns:   the signer, the directory of its socket in the box.
 * Never:  says yes for the person, but with --yes. */
#ifndef CLI_RUN_SIGNING_H
#define CLI_RUN_SIGNING_H

#include "cli/box/env.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/run/attach.h"
#include "runtime/box/box.h"
#include "runtime/signer/client.h"

/* The options of a command that has it: .tables = { …, SIGNING(struct args, signing) } */
struct signing_args {
	struct words hosts;
};
extern const struct cmd_option signing_options[];
#define SIGNING(type, member)                                            \
	{                                                                \
		.options = signing_options, .at = offsetof(type, member) \
	}

enum { SIGNING_ANSWERS = 16 };

struct signing {
	const struct app *app;	     /* borrowed */
	struct box *box;	     /* borrowed */
	struct signer_client signer; /* owned */
	struct json *hosts;	     /* owned: their keys */
	struct json *answers;	     /* owned: the question, and whether it was yes */
	bool yes;		     /* --yes; the caller fills it */
	char dir[48];		     /* in the box; "" = there is none */
	const char *user;	     /* borrowed: of the box, whose the directory is */
	unsigned notes;		     /* said so far */
};
#define SIGNING_NONE ((struct signing){ .signer = SIGNER_CLIENT_NONE })
void signing_done(struct signing *s);
#define _cleanup_signing_ _cleanup_(signing_done)

/** signing_begin() - before the box is there: find the agent and the hosts' keys, say in
 *  @env where the socket will be. Nothing where @a names no host. */
int signing_begin(const struct app *app, const struct signing_args *a, struct env *env,
		  struct signing *ret, struct err *e);
/** signing_start() - in the open box, whose user is @user (borrowed) */
int signing_start(struct signing *s, struct box *b, const char *user, struct err *e);
/** signing_serve() - @how: so that it is served while a command runs */
void signing_serve(struct signing *s, struct attach_how *how);

#endif
