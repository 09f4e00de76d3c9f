/* tls - the server's side of TLS 1.2 and 1.3, by libssl, which is loaded when it is asked for.
 * Needs:  files with a certificate and its key; non-blocking sockets; SIGPIPE ignored.
 * Owns:   the certificate, and what libssl keeps of a connection; never the socket.
 * Never:  asks for a password; negotiates anew on a connection; logs. */
#ifndef BASE_TLS_H
#define BASE_TLS_H

#include <sys/types.h>

#include "base/err.h"

struct tls;
struct tls_conn;

struct tls_file {
	int fd;		  /* borrowed */
	const char *name; /* for messages */
};

/**
 * tls_open() - read a certificate, with those above it, and its key: PEM
 *
 * Return: 0, or -EINVAL (a file is none, or the two do not belong together), -ENOPKG and
 *         its like (dl.h), -ENOMEM.
 */
int tls_open(const struct tls_file *cert, const struct tls_file *key, struct tls **ret,
	     struct err *e);
void tls_close(struct tls **tp);
/** tls_offer_h2() - HTTP/2 is spoken, too; a client that can prefers it */
void tls_offer_h2(struct tls *t);

/** tls_conn_new() - for a socket that was accepted; borrowed; NULL = out of memory */
struct tls_conn *tls_conn_new(struct tls *t, int fd);
void tls_conn_free(struct tls_conn **cp);

/* As recv() and send() of a non-blocking socket; they do the handshake, too. Any failure of
 * the protocol is -EPROTO. What tls_send() refused with -EAGAIN has to come again. */
ssize_t tls_recv(struct tls_conn *c, void *data, size_t len);
ssize_t tls_send(struct tls_conn *c, const void *data, size_t len);

/** tls_stirs() - tls_recv() is to be tried when the socket has room, though nothing comes:
 *  bytes are held, or it has to say something first */
bool tls_stirs(const struct tls_conn *c);

/** tls_chose_h2() - after the handshake: HTTP/2 was agreed on */
bool tls_chose_h2(const struct tls_conn *c);

/** tls_end() - tell the other side that no more is sent, if that can be done at once */
void tls_end(struct tls_conn *c);

#endif
