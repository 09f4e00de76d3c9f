#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/netpolicy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines of rules; what is taken is listed, judged by, and dropped again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_netpolicy_ struct netpolicy *p = NULL;
	_cleanup_json_ struct json *list = NULL;
	_cleanup_free_ char *text = strndup((const char *)data, size);
	const struct netaddr a = { .len = 4, .bytes = { 10, 0, 0, 1 } };
	struct err e = ERR_NONE;
	char *save = NULL;

	if (!text || netpolicy_new(&p, &e) < 0)
		return 0;
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		(void)netpolicy_add(p, l, &e);
	list = netpolicy_list(p);
	(void)netpolicy_name(p, "a.example.com", 443);
	(void)netpolicy_literal(p, &a, 80);
	(void)netpolicy_address(p, &a, 80, NETADDR_PRIVATE);
	json_each(it, list)(void) netpolicy_drop(p, strchr(json_str(it), ' ') + 1, &e);
	assert(netpolicy_is_open(p));
	return 0;
}
