#include "base/tls.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "base/procfs.h"
#include "base/text.h"

/* clang-format off */
#define FUNCTIONS(X) \
	X(TLS_server_method) X(SSL_CTX_new) X(SSL_CTX_free) X(SSL_CTX_ctrl) \
	X(SSL_CTX_set_options) X(SSL_CTX_set_default_passwd_cb) \
	X(SSL_CTX_set_alpn_select_cb) X(SSL_select_next_proto) \
	X(SSL_get0_alpn_selected) \
	X(SSL_CTX_use_certificate_chain_file) X(SSL_CTX_use_PrivateKey_file) \
	X(SSL_CTX_check_private_key) X(SSL_new) X(SSL_free) X(SSL_set_fd) \
	X(SSL_set_accept_state) X(SSL_read) X(SSL_write) X(SSL_pending) \
	X(SSL_get_error) X(SSL_shutdown) X(ERR_clear_error) X(ERR_get_error) \
	X(ERR_reason_error_string)
/* clang-format on */

struct lib {
	FUNCTIONS(DL_MEMBER)
};

static const struct dl_symbol symbols[] = { FUNCTIONS(DL_ROW) };
static const struct dl_library library = { "libssl.so.3", "libssl3", symbols,
					   ARRAY_SIZE(symbols) };

struct tls {
	struct lib lib;
	SSL_CTX *ctx; /* owned */
	bool h2;      /* is offered */
};

struct tls_conn {
	const struct lib *lib; /* borrowed */
	SSL *ssl;	       /* owned */
	bool wants_room;       /* tls_recv() has to send first */
};

void tls_close(struct tls **tp)
{
	struct tls *t = take(tp, NULL);

	if (t && t->ctx)
		t->lib.SSL_CTX_free(t->ctx);
	free(t);
}

/* A key with a password: nobody is there to be asked. */
static int no_password(char *, int, int, void *)
{
	return -1;
}

/* Who wants another protocol alone hears of it now (RFC 7301), and is not misunderstood.
 * "http/1.0" is what clients that were told to speak it offer: they are answered in 1.1. */
static int choose_protocol(SSL *, const unsigned char **ret, unsigned char *ret_len,
			   const unsigned char *offered, unsigned len, void *ctx)
{
	static const unsigned char spoken[] = "\x02h2\x08http/1.1\x08http/1.0";
	const struct tls *t = ctx;
	unsigned first = t->h2 ? 0 : 3;
	unsigned char *chosen;

	if (t->lib.SSL_select_next_proto(&chosen, ret_len, spoken + first,
					 sizeof(spoken) - 1 - first, offered,
					 len) != OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*ret = chosen;
	return SSL_TLSEXT_ERR_OK;
}

static int bad_file(const struct tls *t, const char *what, const struct tls_file *f,
		    struct err *e)
{
	const char *why = t->lib.ERR_reason_error_string(t->lib.ERR_get_error());

	return err_set(e, -EINVAL, "cannot use '%s' as %s: %s", text_shown(f->name),
		       what, why ? why : "it is not in PEM");
}

static int set_up(struct tls *t, const struct tls_file *cert,
		  const struct tls_file *key, struct err *e)
{
	const struct lib *l = &t->lib;
	const long modes = SSL_MODE_ENABLE_PARTIAL_WRITE |
			   SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
			   SSL_MODE_RELEASE_BUFFERS;

	l->ERR_clear_error();
	t->ctx = l->SSL_CTX_new(l->TLS_server_method());
	if (!t->ctx)
		return err_sys(e, -ENOMEM, "cannot set TLS up");
	l->SSL_CTX_ctrl(t->ctx, SSL_CTRL_MODE, modes, NULL);
	/* One call, one record: who only ever changes keys is not read for ever. */
	l->SSL_CTX_ctrl(t->ctx, SSL_CTRL_CLEAR_MODE, SSL_MODE_AUTO_RETRY, NULL);
	l->SSL_CTX_ctrl(t->ctx, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL);
	l->SSL_CTX_ctrl(t->ctx, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
	l->SSL_CTX_set_options(t->ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
					       SSL_OP_CIPHER_SERVER_PREFERENCE);
	l->SSL_CTX_set_default_passwd_cb(t->ctx, no_password);
	l->SSL_CTX_set_alpn_select_cb(t->ctx, choose_protocol, t);
	if (l->SSL_CTX_use_certificate_chain_file(t->ctx, procfs_fd(cert->fd)) != 1)
		return bad_file(t, "a certificate", cert, e);
	if (l->SSL_CTX_use_PrivateKey_file(t->ctx, procfs_fd(key->fd),
					   SSL_FILETYPE_PEM) != 1 ||
	    l->SSL_CTX_check_private_key(t->ctx) != 1)
		return bad_file(t, "its key", key, e);
	return 0;
}

int tls_open(const struct tls_file *cert, const struct tls_file *key, struct tls **ret,
	     struct err *e)
{
	_cleanup_(tls_close) struct tls *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return err_sys(e, -ENOMEM, "cannot set TLS up");
	r = dl_load(&library, &t->lib, e) ?: set_up(t, cert, key, e);
	if (r < 0)
		return r;
	*ret = take(&t, NULL);
	return 0;
}

void tls_offer_h2(struct tls *t)
{
	t->h2 = true;
}

bool tls_chose_h2(const struct tls_conn *c)
{
	const unsigned char *name = NULL;
	unsigned len = 0;

	c->lib->SSL_get0_alpn_selected(c->ssl, &name, &len);
	return len == 2 && memcmp(name, "h2", 2) == 0;
}

void tls_conn_free(struct tls_conn **cp)
{
	struct tls_conn *c = take(cp, NULL);

	if (c && c->ssl)
		c->lib->SSL_free(c->ssl);
	free(c);
}

struct tls_conn *tls_conn_new(struct tls *t, int fd)
{
	_cleanup_(tls_conn_free) struct tls_conn *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->lib = &t->lib;
	c->ssl = t->lib.SSL_new(t->ctx);
	if (!c->ssl || t->lib.SSL_set_fd(c->ssl, fd) != 1)
		return NULL;
	t->lib.SSL_set_accept_state(c->ssl);
	return take(&c, NULL);
}

/* What a call of the library that did not succeed means. */
static ssize_t meaning(struct tls_conn *c, int result, int *wants)
{
	*wants = c->lib->SSL_get_error(c->ssl, result);
	if (*wants == SSL_ERROR_WANT_READ || *wants == SSL_ERROR_WANT_WRITE)
		return -EAGAIN;
	return *wants == SSL_ERROR_ZERO_RETURN ? 0 : -EPROTO;
}

ssize_t tls_recv(struct tls_conn *c, void *data, size_t len)
{
	int wants = 0, n;
	ssize_t r;

	c->lib->ERR_clear_error(); /* the queue is the thread's, not the connection's */
	n = c->lib->SSL_read(c->ssl, data, (int)MIN(len, (size_t)INT_MAX));
	r = n > 0 ? n : meaning(c, n, &wants);
	c->wants_room = wants == SSL_ERROR_WANT_WRITE;
	return r;
}

ssize_t tls_send(struct tls_conn *c, const void *data, size_t len)
{
	int wants, n;
	ssize_t r;

	c->lib->ERR_clear_error();
	n = c->lib->SSL_write(c->ssl, data, (int)MIN(len, (size_t)INT_MAX));
	if (n > 0)
		return n;
	r = meaning(c, n, &wants);
	return r ? r : -EPIPE;
}

bool tls_stirs(const struct tls_conn *c)
{
	return c->wants_room || c->lib->SSL_pending(c->ssl) > 0;
}

void tls_end(struct tls_conn *c)
{
	c->lib->ERR_clear_error();
	(void)c->lib->SSL_shutdown(c->ssl);
}
