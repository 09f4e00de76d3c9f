#include "cli/review/lines.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/review/held.h"
#include "cli/show/cols.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/show/wrap.h"
#include "runtime/spec/spec.h"

#define WHY_FRONT "           " /* where the names begin */

/* Of a directory that is new or gone, and empty. */
static const char *slash(const struct json *j)
{
	const int64_t mode =
		json_get_int(j, "mode", 0) ?: json_get_int(j, "was_mode", 0);

	return S_ISDIR((mode_t)mode) && !reviewheld_member_is(j, "kind", "git") ? "/"
										: "";
}

/* Without the '/' in front; for a person. */
const char *reviewlines_name(const struct json *j, char ret[4 * PATH_MAX])
{
	char path[PATH_MAX];

	if (spec_path(j, "path", path) < 0)
		return "?";
	return text_escaped(ret, 4 * PATH_MAX, path + 1, strlen(path + 1));
}

/* Changes in one directory of which the same is to be said. */
struct sum {
	char name[NAME_MAX + 2]; /* the first part of the paths, with its '/' */
	size_t len;		 /* without it */
	const char *why;	 /* borrowed; NULL = they do nothing by themselves */
	size_t n;
	int64_t added, removed;
	bool shown;
};

enum {
	SUMS = 128, /* beyond them each change has its line */
	FEW = 3	    /* of those that act are named */
};

static bool is_colored(const struct reviewlines *to)
{
	return to->out == to->app->out ? to->app->color_out : to->app->color_err;
}

/* "branches a, b and 2 more" */
static void put_names(struct buf *to, const struct json *names, const char *one,
		      const char *many)
{
	const size_t all = json_len(names);
	size_t named = 0;

	if (!all)
		return;
	buf_addf(to, "%s%s", to->len ? ", " : "", all == 1 ? one : many);
	json_each(it, names)
	{
		if (named < FEW)
			buf_addf(to, "%s %s", named ? "," : "",
				 text_shown(json_str(it) ?: "?"));
		named++;
	}
	if (all > FEW)
		buf_addf(to, " and %zu more", all - FEW);
}

/* What git keeps under names that are sums: how much of it there is, and for what. */
static void put_git(FILE *out, const struct json *j)
{
	_cleanup_buf_ struct buf line = BUF_INIT(64 << 10);
	const int64_t n = json_get_int(j, "objects", 0);
	const int64_t packs = json_get_int(j, "packs", 0);

	if (n)
		buf_addf(&line, "%" PRId64 " object%s", n, n == 1 ? "" : "s");
	if (packs)
		buf_addf(&line, "%s%" PRId64 " pack%s", n ? ", " : "", packs,
			 packs == 1 ? "" : "s");
	put_names(&line, json_get(j, "branches"), "branch", "branches");
	put_names(&line, json_get(j, "tags"), "tag", "tags");
	if (json_get_bool(j, "stash", false))
		buf_addf(&line, "%sstash", line.len ? ", " : "");
	put_names(&line, json_get(j, "gone"), "without", "without");
	if (line.len)
		fprintf(out, "%s in ", buf_cstr(&line));
}

/* What acts on this machine, after the @len bytes of its line. On a terminal where it would
 * be broken it stands in rows of its own. */
static void put_why(const struct reviewlines *to, const char *line, size_t len,
		    const char *why)
{
	_cleanup_buf_ struct buf rows = BUF_INIT(4096);
	struct wrap w = { .first = WHY_FRONT, .rest = WHY_FRONT };
	unsigned short height, width;

	if (tty_size(fileno(to->out), &height, &width) == 0 &&
	    cols_text(line, len) + 2 + cols_text(why, strlen(why)) > width) {
		w.cols = width;
		wrap_add(&rows, &w, why, strlen(why));
		buf_truncate(&rows, rows.len ? rows.len - 1 : 0);
		fputc('\n', to->out);
	} else {
		buf_addf(&rows, "  %s", why);
	}
	fprintf(to->out, "%s%s%s", render_style_on(is_colored(to), RENDER_YELLOW),
		buf_cstr(&rows), render_style_off(is_colored(to)));
}

void reviewlines_put(const struct reviewlines *to, const struct json *j)
{
	const char *kind = json_get_str(j, "kind"), *why = json_get_str(j, "why");
	int64_t was = json_get_int(j, "was_mode", 0), now = json_get_int(j, "mode", 0);
	_cleanup_free_ char *line = NULL;
	char name[4 * PATH_MAX];
	size_t len = 0;
	FILE *out = open_memstream(&line, &len);

	if (!out)
		return;
	fprintf(out, "  %-8s ", kind);
	put_git(out, j);
	fprintf(out, "%s%s", reviewlines_name(j, name), slash(j));
	render_counts(out, is_colored(to), json_get_int(j, "added", 0),
		      json_get_int(j, "removed", 0));
	if (json_get_bool(j, "binary", false))
		fputs(" (binary)", out);
	if (was && now && (was ^ now) & 0111)
		fputs(now & 0111 ? " (+x)" : " (-x)", out);
	if (fclose(out) != 0)
		return;
	fputs(line, to->out);
	if (why)
		put_why(to, line, len, why);
	fputc('\n', to->out);
}

static bool is_wanted(const struct json *j, bool chosen)
{
	return reviewheld_is_change(j) && json_get_bool(j, "chosen", false) == chosen;
}

size_t reviewlines_count(const struct json *list, bool chosen)
{
	size_t n = 0;

	json_each(it, list)
	{
		n += is_wanted(it, chosen);
	}
	return n;
}

static void put_sum(const struct reviewlines *to, const struct sum *sum)
{
	fprintf(to->out, "  %-8s %s (%zu file%s)", "in", text_shown(sum->name), sum->n,
		sum->n == 1 ? "" : "s");
	render_counts(to->out, is_colored(to), sum->added, sum->removed);
	if (sum->why)
		fprintf(to->out, "  %s%s%s",
			render_style_on(is_colored(to), RENDER_YELLOW), sum->why,
			render_style_off(is_colored(to)));
	fputc('\n', to->out);
}

/* That of @j; NULL = it has its own line. Made when it is missing, and when there is room. */
static struct sum *sum_of(struct sum sums[SUMS], size_t *n, const struct json *j)
{
	const char *why = json_get_str(j, "why");
	char path[PATH_MAX];
	size_t len;

	if (spec_path(j, "path", path) < 0)
		return NULL;
	len = strcspn(path + 1, "/");
	if (!path[len + 1] || len > NAME_MAX)
		return NULL;
	path[len + 2] = '\0';
	for (size_t i = *n; i-- > 0;)
		if (sums[i].len == len && memcmp(sums[i].name, path + 1, len) == 0 &&
		    strcmp(sums[i].why ?: "", why ?: "") == 0)
			return &sums[i];
	if (*n == SUMS)
		return NULL;
	sums[*n] = (struct sum){ .len = len, .why = why };
	(void)text_copy(sums[*n].name, sizeof(sums[*n].name), path + 1);
	return &sums[(*n)++];
}

/* A line for all in a directory of which the same is to be said. */
static void put_folded(const struct reviewlines *to, const struct json *list,
		       bool chosen)
{
	struct sum sums[SUMS], *sum;
	size_t n = 0;

	json_each(it, list)
	{
		sum = is_wanted(it, chosen) ? sum_of(sums, &n, it) : NULL;
		if (!sum)
			continue;
		sum->n++;
		sum->added += json_get_int(it, "added", 0);
		sum->removed += json_get_int(it, "removed", 0);
	}
	json_each(it, list)
	{
		if (!is_wanted(it, chosen))
			continue;
		sum = sum_of(sums, &n, it);
		if (!sum || (sum->why && sum->n <= FEW))
			reviewlines_put(to, it);
		else if (!sum->shown)
			put_sum(to, sum);
		if (sum)
			sum->shown = true;
	}
}

void reviewlines_stat(const struct reviewlines *to, const struct json *list,
		      bool chosen)
{
	if (reviewlines_count(list, chosen) > REVIEWLINES_FOLD) {
		put_folded(to, list, chosen);
		fflush(to->out);
		return;
	}
	json_each(it, list)
	{
		if (is_wanted(it, chosen))
			reviewlines_put(to, it);
	}
	fflush(to->out);
}

void reviewlines_names(FILE *out, const struct json *list)
{
	const bool shown = sys_isatty(fileno(out)) == 0;
	char path[PATH_MAX], seen[4 * PATH_MAX];

	json_each(it, list)
	{
		if (!reviewheld_is_change(it) || spec_path(it, "path", path) < 0)
			continue;
		text_escaped(seen, sizeof(seen), path + 1, strlen(path + 1));
		fprintf(out, "%s%s\n", shown ? seen : path + 1, slash(it));
	}
}
