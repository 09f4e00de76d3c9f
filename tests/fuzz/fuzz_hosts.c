/* A hosts.toml of any bytes: what comes of it is asked by https, or is this machine, and has
 * nothing in it that means something else in a URL. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rootfs/oci/hosts.h"
#include "rootfs/oci/name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *url)
{
	char host[HOSTS_URL];

	assert(!strpbrk(url, "?#@ \"\\\r\n\t"));
	if (text_starts(url, "https://"))
		return;
	assert(text_starts(url, "http://"));
	(void)text_copy(host, sizeof(host), url + strlen("http://"));
	host[strcspn(host, "/")] = '\0';
	assert(oci_name_is_loopback(host));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hosts *h = malloc(sizeof(*h));
	struct err e = ERR_NONE;

	if (h && hosts_read((const char *)data, size, h, &e) == 0) {
		assert(h->n <= HOSTS_MOST);
		for (size_t i = 0; i < h->n; i++)
			check(h->places[i].url);
		if (h->server.url[0])
			check(h->server.url);
	}
	free(h);
	return 0;
}
