/* What a person calls an image: refused, or of characters that mean nothing in a URL, and
 * its short form is the same image. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rootfs/oci/name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), again[OCI_NAME];
	struct oci_name n, same;
	struct err e = ERR_NONE;

	if (oci_name_parse(text, &n, &e) == 0) {
		assert(!strpbrk(n.host, "/@?# \\%") && !strpbrk(n.repo, "@?# \\%:"));
		assert(!strstr(n.repo, "..") && n.repo[0] != '/');
		oci_name_text(&n, again);
		assert(oci_name_parse(again, &same, &e) == 0);
		assert(!strcmp(n.repo, same.repo) && !strcmp(n.host, same.host));
		assert(!strcmp(n.tag, same.tag) &&
		       !strcmp(n.digest.text, same.digest.text));
	}
	free(text);
	return 0;
}
