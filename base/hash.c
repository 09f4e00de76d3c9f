#include "base/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/dl.h"
#include "base/sha256.h"

struct evp {
	__typeof__(&EVP_MD_CTX_new) new_ctx;
	__typeof__(&EVP_MD_CTX_free) free_ctx;
	__typeof__(&EVP_sha256) sha256;
	__typeof__(&EVP_sha512) sha512;
	__typeof__(&EVP_DigestInit_ex) begin;
	__typeof__(&EVP_DigestUpdate) update;
	__typeof__(&EVP_DigestFinal_ex) final;
};

static const struct dl_symbol symbols[] = {
	DL_SYMBOL(struct evp, new_ctx, "EVP_MD_CTX_new"),
	DL_SYMBOL(struct evp, free_ctx, "EVP_MD_CTX_free"),
	DL_SYMBOL(struct evp, sha256, "EVP_sha256"),
	DL_SYMBOL(struct evp, sha512, "EVP_sha512"),
	DL_SYMBOL(struct evp, begin, "EVP_DigestInit_ex"),
	DL_SYMBOL(struct evp, update, "EVP_DigestUpdate"),
	DL_SYMBOL(struct evp, final, "EVP_DigestFinal_ex"),
};

static const struct dl_library library = { "libcrypto.so.3", "libssl3", symbols,
					   ARRAY_SIZE(symbols) };

struct hash {
	struct evp evp;
	EVP_MD_CTX *ctx; /* owned */
};

static int begin(struct hash **ret, bool is_long, struct err *e)
{
	_cleanup_hash_ struct hash *h = calloc(1, sizeof(*h));
	int r;

	if (!h)
		return err_sys(e, -ENOMEM, "cannot start a digest");
	r = dl_load(&library, &h->evp, e);
	if (r < 0)
		return r;
	h->ctx = h->evp.new_ctx();
	if (!h->ctx)
		return err_sys(e, -ENOMEM, "cannot start a digest");
	if (!h->evp.begin(h->ctx, is_long ? h->evp.sha512() : h->evp.sha256(), NULL))
		return err_set(e, -ENOTSUP, "libcrypto refuses SHA-%d",
			       is_long ? 512 : 256);
	*ret = take(&h, NULL);
	return 0;
}

int hash_new(struct hash **ret, struct err *e)
{
	return begin(ret, false, e);
}

int hash_new_long(struct hash **ret, struct err *e)
{
	return begin(ret, true, e);
}

/* To the end: the library reads its configuration when a digest first begins. */
int hash_preload(struct err *e)
{
	_cleanup_hash_ struct hash *h = NULL;
	char digest[HASH_HEX];
	int r = hash_new(&h, e);

	return r < 0 ? r : hash_final(h, digest, e);
}

void hash_free(struct hash **hp)
{
	struct hash *h = take(hp, NULL);

	if (h && h->ctx)
		h->evp.free_ctx(h->ctx);
	free(h);
}

int hash_update(struct hash *h, const void *data, size_t len, struct err *e)
{
	if (!h->evp.update(h->ctx, data, len))
		return err_set(e, -EIO, "libcrypto failed to hash");
	return 0;
}

static void to_hex(const uint8_t *digest, size_t n, char *ret)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		ret[2 * i] = digits[digest[i] >> 4];
		ret[2 * i + 1] = digits[digest[i] & 15];
	}
	ret[2 * n] = '\0';
}

int hash_final_long(struct hash *h, char ret[HASH_LONG_HEX], struct err *e)
{
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (!h->evp.final(h->ctx, digest, &n))
		return err_set(e, -EIO, "libcrypto failed to hash");
	to_hex(digest, n, ret);
	return 0;
}

int hash_final(struct hash *h, char ret[HASH_HEX], struct err *e)
{
	char hex[HASH_LONG_HEX];
	int r = hash_final_long(h, hex, e);

	if (r == 0)
		memcpy(ret, hex, HASH_HEX);
	return r;
}

void hash_text(const void *data, size_t len, char ret[HASH_HEX])
{
	uint8_t digest[SHA256_SIZE];

	sha256_digest(data, len, digest);
	to_hex(digest, SHA256_SIZE, ret);
}

bool hash_valid(const char *hex)
{
	return strspn(hex, "0123456789abcdef") == HASH_HEX - 1 &&
	       hex[HASH_HEX - 1] == '\0';
}
