/* message - what the box says to an agent of ssh keys, read: the protocol of
 * draft-ietf-sshm-ssh-agent, of which three requests have a meaning here.
 * Needs:  nothing; it is pure.
 * Owns:   nothing: what it finds lies in the bytes that it was given.
 * Never:  believes a length; takes a message that has more than its parts. */
#ifndef RUNTIME_SIGNER_MESSAGE_H
#define RUNTIME_SIGNER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum {
	SIGNER_MESSAGE_MAX = 64 << 10, /* of the box: bytes behind the length */
	SIGNER_ANSWER_MAX = 256 << 10, /* of the agent */
	SIGNER_SESSION_MAX = 64,       /* a session's id: a hash */
	SIGNER_USER_MAX = 64
};

struct signer_bytes {
	const unsigned char *data; /* borrowed */
	size_t len;
};
bool signer_message_same(struct signer_bytes a, struct signer_bytes b);

enum signer_kind {
	SIGNER_LIST, /* which keys are there? */
	SIGNER_BIND, /* this connection is for a session with the host of a key */
	SIGNER_SIGN, /* sign that */
	SIGNER_OTHER /* add a key, remove it, lock, …: nothing of a box's */
};

struct signer_message {
	enum signer_kind kind;
	struct signer_bytes key;     /* SIGN: that signs; BIND: of the host */
	struct signer_bytes session; /* BIND; SIGN of a login */
	bool forwarding;	     /* BIND: for others behind that host */
	bool login;		     /* SIGN: what is signed is a login, by @key */
	struct signer_bytes user;    /* login: at the host */
	struct signer_bytes host; /* login: the host's key, where it is named; len 0 */
};

/**
 * signer_message_read() - one message without its length
 * Return: 0, or -EBADMSG: it is none. What is no login (RFC 4252, 7) is one to be signed all
 *         the same: @ret->login is false.
 */
int signer_message_read(const void *data, size_t len, struct signer_message *ret);

/** signer_message_list() - an agent's list of keys without the comments, which are its
 *  person's words; appended to @out. 0, -EBADMSG or what buf_add() returns. */
int signer_message_list(const void *data, size_t len, struct buf *out);

#endif
