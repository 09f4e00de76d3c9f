#include "cli/task/facts.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"

enum { NETWORK_NAMES = 12 };

/* The rules of one kind as a list: "a.org, b.org"; how many more there are is said. */
static size_t add_rules(const struct json *rules, const char *kind, const char *begin,
			struct buf *out)
{
	size_t n = 0, kept = 0;

	json_each(it, rules)
	{
		const char *rule = json_str(it) ?: "";

		if (!text_starts(rule, kind))
			continue;
		if (n++ == 0)
			buf_adds(out, begin);
		if (kept < NETWORK_NAMES)
			buf_addf(out, "%s%s", kept++ ? ", " : "", rule + strlen(kind));
	}
	if (n > kept)
		buf_addf(out, " and %zu more", n - kept);
	return n;
}

void facts_network(const struct spec *s, char *ret, size_t size)
{
	_cleanup_buf_ struct buf b = BUF_INIT(size - 1);

	if (s->net == NET_NONE) {
		buf_adds(&b, "none: nothing can be downloaded or installed");
	} else if (s->net == NET_HOST) {
		buf_adds(&b, "the host's own, unfiltered");
	} else {
		if (!add_rules(s->rules, "allow ", "only ", &b))
			buf_adds(&b, "any public name and address");
		add_rules(s->rules, "deny ", ", but not ", &b);
		buf_adds(&b, "; what is refused does not resolve");
	}
	(void)text_copy(ret, size,
			buf_failed(&b) < 0 ? "by rules of the person" : buf_cstr(&b));
}

const char *facts_project(const struct spec *spec)
{
	static const char *const words[] = {
		[PROJECT_LIVE] = ", changed at once; git's hooks and settings are held",
		[PROJECT_REVIEW] = (", under review: your changes reach them after the "
				    "task, as far as they permit"),
		[PROJECT_RO] = ", read-only",
	};

	if (spec->project_mode == PROJECT_LIVE && spec->git_writable)
		return ", changed at once";
	return words[spec->project_mode];
}

void facts_limits(const struct limits *l, char *ret, size_t size)
{
	char cpus[48] = "";

	if (l->cpu_milli)
		snprintf(cpus, sizeof(cpus), ", %u.%03u processors",
			 l->cpu_milli / 1000, l->cpu_milli % 1000);
	snprintf(ret, size, "%s of memory, %llu processes%s",
		 text_bytes(l->memory_bytes), (unsigned long long)l->pids, cpus);
}
