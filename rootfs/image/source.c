#include "rootfs/image/source.h"

#include <stdio.h>
#include <string.h>

#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/oci/name.h"

static const char *const endings[] = { ".tar",	  ".tar.gz",  ".tgz",
				       ".tar.xz", ".txz",     ".tar.zst",
				       ".tzst",	  ".tar.bz2", ".tbz2" };

/* The ending of a tarball's name; NULL = it is none. */
static const char *tar_ending(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		if (text_ends(name, endings[i]) && strlen(name) > strlen(endings[i]))
			return name + strlen(name) - strlen(endings[i]);
	return NULL;
}

static const char name_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789._-+";

/* The last component without its ending, in the letters that a name may have. */
static void name_from(const char *where, char ret[IMAGE_NAME])
{
	const char *end = where + strcspn(where, "?#"), *start;
	char last[IMAGE_NAME] = "";
	size_t n;

	while (end > where && end[-1] == '/')
		end--;
	for (start = end; start > where && start[-1] != '/';)
		start--;
	n = MIN((size_t)(end - start), sizeof(last) - 1);
	memcpy(last, start, n);
	last[n] = '\0';
	if (tar_ending(last))
		n = (size_t)(tar_ending(last) - last);
	for (size_t i = 0; i < n; i++)
		ret[i] = strchr(name_chars, last[i]) ? last[i] : '-';
	ret[n] = '\0';
	if (!n) /* of "/" */
		memcpy(ret, "root", sizeof("root"));
}

static int parse_ubuntu(const char *release, struct source *ret, struct err *e)
{
	static const struct {
		const char *codename, *release;
	} known[] = { { "noble", "24.04" }, { "jammy", "22.04" } };
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(release, known[i].codename))
			release = known[i].release;
	/* It becomes part of a URL: digits, a point, digits, and nothing else. */
	n = strspn(release, "0123456789");
	if (n != 2 || release[n] != '.' || strlen(release) != 5 ||
	    strspn(release + 3, "0123456789") != 2)
		return err_set(
			e, -EINVAL,
			"no Ubuntu release '%s'; say 24.04, 22.04, noble or jammy",
			text_shown(release));
	ret->kind = SOURCE_UBUNTU;
	snprintf(ret->name, sizeof(ret->name), "ubuntu:%s", release);
	return text_copy(ret->where, sizeof(ret->where), release);
}

static int parse_url(const char *url, struct source *ret, struct err *e)
{
	ret->kind = SOURCE_URL;
	name_from(url, ret->name);
	/* It is kept as the image's source. */
	if (strlen(url) >= IMAGE_SOURCE)
		return err_set(e, -ENAMETOOLONG, "URL of more than %d bytes",
			       IMAGE_SOURCE - 1);
	return text_copy(ret->where, sizeof(ret->where), url);
}

static int say_not_there(const char *shown, struct err *e)
{
	err_set(e, -ENOENT, "there is no file or directory '%s' here", shown);
	return err_hint(e, "a path of your computer is meant; one that is downloaded "
			   "is such as 'ubuntu' or 'ghcr.io/OWNER/NAME'");
}

static int parse_path(const char *path, struct source *ret, struct err *e)
{
	const char *shown = text_shown(path);
	struct stat st;
	int r;

	r = sys_fstatat(AT_FDCWD, path, &st, 0);
	if (r == -ENOENT)
		return say_not_there(shown, e);
	if (r < 0)
		return err_sys(e, r, "image '%s'", shown);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "image '%s': neither a file nor a directory",
			       shown);
	ret->kind = S_ISDIR(st.st_mode) ? SOURCE_DIR : SOURCE_FILE;
	r = inroot_absolute(path, ret->where);
	if (r < 0)
		return err_sys(e, r, "image '%s'", shown);
	name_from(ret->where, ret->name);
	return 0;
}

/* "PATH[:REF]": a path may have colons, too, so the first one counts that ends one. */
static int split_ref(const char *text, struct source *ret, struct err *e)
{
	char path[PATH_MAX];
	struct stat st;

	for (size_t n = 0;; n++) {
		n += strcspn(text + n, ":");
		if (n >= sizeof(path))
			return err_set(e, -ENAMETOOLONG,
				       "the path of the image is too long");
		memcpy(path, text, n);
		path[n] = '\0';
		if (n && sys_fstatat(AT_FDCWD, path, &st, 0) == 0) {
			if (text[n] &&
			    text_copy(ret->ref, sizeof(ret->ref), text + n + 1) < 0)
				return err_set(e, -ENAMETOOLONG,
					       "the image's name is too long");
			return inroot_absolute(path, ret->where) < 0
				       ? err_set(e, -ENAMETOOLONG,
						 "the path is too long")
				       : 0;
		}
		if (!text[n])
			break;
	}
	return say_not_there(text_shown(text), e);
}

static const struct layered {
	const char *prefix;
	enum source_kind kind;
	bool dir;
} layered[] = {
	{ "oci:", SOURCE_OCI, true },
	{ "oci-archive:", SOURCE_OCI_ARCHIVE, false },
	{ "docker-archive:", SOURCE_DOCKER_ARCHIVE, false },
};

static const struct layered *layered_kind(const char *ref)
{
	for (size_t i = 0; i < ARRAY_SIZE(layered); i++)
		if (text_starts(ref, layered[i].prefix))
			return &layered[i];
	return NULL;
}

static int parse_layered(const struct layered *l, const char *ref, struct source *ret,
			 struct err *e)
{
	struct stat st = { 0 };
	int r;

	ret->kind = l->kind;
	r = split_ref(ref + strlen(l->prefix), ret, e);
	if (r < 0)
		return r;
	r = sys_fstatat(AT_FDCWD, ret->where, &st, 0);
	if (r < 0)
		return err_sys(e, r, "image");
	if (l->dir ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "image '%s': not a %s",
			       text_shown(ret->where),
			       l->dir ? "directory" : "regular file");
	if (ret->ref[0])
		return text_copy(ret->name, sizeof(ret->name), ret->ref);
	name_from(ret->where, ret->name);
	return 0;
}

static int parse_name(const char *text, struct source *ret, struct err *e)
{
	char full[OCI_NAME];
	struct oci_name n;
	int r = oci_name_parse(text, &n, e);

	if (r < 0)
		return err_hint(
			e, "say ubuntu[:RELEASE], a name such as debian:12, a URL, or "
			   "the path of a tarball or directory");
	oci_name_text(&n, full);
	ret->kind = SOURCE_REGISTRY;
	if (text_copy(ret->name, sizeof(ret->name), full) < 0)
		return err_set(e, -ENAMETOOLONG, "the image's name is too long");
	/* Docker Hub's own, whatever that name without a registry stands for here */
	snprintf(ret->where, sizeof(ret->where), "%s%s",
		 !n.bare && !strcmp(n.registry, "docker.io") ? "docker.io/" : "", full);
	return 0;
}

/* What has a '/' in it may be either: a path that is there, or begins like one, is one. */
static bool is_path(const char *ref)
{
	return ref[0] == '/' || text_starts(ref, "./") || text_starts(ref, "../") ||
	       !strcmp(ref, ".") || !strcmp(ref, "..") || tar_ending(ref) ||
	       (strchr(ref, '/') && sys_faccessat(AT_FDCWD, ref, F_OK, 0) == 0);
}

bool source_layered(const struct source *s)
{
	return s->kind == SOURCE_REGISTRY || s->kind == SOURCE_OCI ||
	       s->kind == SOURCE_OCI_ARCHIVE || s->kind == SOURCE_DOCKER_ARCHIVE;
}

int source_text(const struct source *s, char *ret, size_t size)
{
	const char *prefix = "";

	for (size_t i = 0; i < ARRAY_SIZE(layered); i++)
		if (layered[i].kind == s->kind)
			prefix = layered[i].prefix;
	return snprintf(ret, size, "%s%s%s%s", prefix, s->where, s->ref[0] ? ":" : "",
			s->ref) < (int)size
		       ? 0
		       : -ENAMETOOLONG;
}

int source_parse(const char *ref, struct source *ret, struct err *e)
{
	const struct layered *l = layered_kind(ref);
	struct source s = { .ref = "" };
	int r;

	if (l)
		r = parse_layered(l, ref, &s, e);
	else if (!strcmp(ref, "ubuntu"))
		r = parse_ubuntu(SOURCE_UBUNTU_DEFAULT, &s, e);
	else if (text_starts(ref, "ubuntu:"))
		r = parse_ubuntu(ref + strlen("ubuntu:"), &s, e);
	else if (text_starts(ref, "http://") || text_starts(ref, "https://"))
		r = parse_url(ref, &s, e);
	else if (is_path(ref))
		r = parse_path(ref, &s, e);
	else
		r = parse_name(text_starts(ref, "docker://") ? ref + strlen("docker://")
							     : ref,
			       &s, e);
	if (r < 0)
		return r;
	*ret = s;
	return 0;
}
