#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/gate/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines of rules; what is taken is listed, judged by, and dropped again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_gate_policy_ struct gate_policy *p = NULL;
	_cleanup_json_ struct json *list = NULL;
	_cleanup_free_ char *text = strndup((const char *)data, size);
	const struct netaddr a = { .len = 4, .bytes = { 10, 0, 0, 1 } };
	struct err e = ERR_NONE;
	char *save = NULL;

	if (!text || gate_policy_new(&p, &e) < 0)
		return 0;
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		(void)gate_policy_add(p, l, &e);
	list = gate_policy_list(p);
	(void)gate_policy_name(p, "a.example.com", 443);
	(void)gate_policy_literal(p, &a, 80);
	(void)gate_policy_address(p, &a, 80, NETADDR_PRIVATE);
	json_each(it, list)(void)
		gate_policy_drop(p, strchr(json_str(it), ' ') + 1, &e);
	assert(gate_policy_is_open(p));
	return 0;
}
