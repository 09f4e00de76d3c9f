/* /etc/subuid, passwd, the cgroup files: texts of the host, but others write them. */
#include <stdlib.h>
#include <string.h>

#include "runtime/cgroup/find.h"
#include "runtime/idmap/subid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), name[IDMAP_SUBID_NAME];
	struct cgroup_places *places = malloc(sizeof(*places));
	struct idmap_subids ids;

	if (!text || !places)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	idmap_subid_parse(text, "bob", 1001, &ids);
	for (unsigned i = 0; i < ids.n; i++)
		if (!ids.at[i].outside || !ids.at[i].count)
			abort();
	idmap_subid_parse_list(text, &ids);
	(void)idmap_subid_name(text, 1001, name);
	cgroup_find(text, text, places);
	free(places);
	free(text);
	return 0;
}
