#include "rootfs/image/source_ubuntu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

const char *source_ubuntu_arch(void)
{
#if defined(__x86_64__)
	return "amd64";
#elif defined(__aarch64__)
	return "arm64";
#elif defined(__arm__) && defined(__ARM_PCS_VFP)
	return "armhf";
#elif defined(__riscv) && __riscv_xlen == 64
	return "riscv64";
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
	return "ppc64el";
#elif defined(__s390x__)
	return "s390x";
#else
	return NULL;
#endif
}

const char *source_ubuntu_base(void)
{
	const char *mirror = getenv("CUBBY_UBUNTU_URL");

	return mirror && *mirror ? mirror
				 : "https://cdimage.ubuntu.com/ubuntu-base/releases";
}

/* "ubuntu-base-24.04.3-base-amd64.tar.gz": the 3, or 0 without it; -1 = another file */
static int point_release(const char *name, const char *release, const char *arch)
{
	char middle[8] = "", expect[SOURCE_UBUNTU_FILE];
	const char *p;
	uint64_t point = 0;
	size_t digits;

	snprintf(expect, sizeof(expect), "ubuntu-base-%s", release);
	if (strncmp(name, expect, strlen(expect)) != 0)
		return -1;
	p = name + strlen(expect);
	if (*p == '.') {
		digits = strspn(p + 1, "0123456789");
		if (!digits || digits > 3)
			return -1;
		memcpy(middle, p + 1, digits);
		if (num_range(middle, 0, 999, &point) < 0)
			return -1;
		p += 1 + digits;
	}
	snprintf(expect, sizeof(expect), "-base-%s.tar.gz", arch);
	return strcmp(p, expect) != 0 ? -1 : (int)point;
}

/* "<digest> *<name>" or "<digest>  <name>", as sha256sum writes it */
static bool split_line(const char *line, size_t len, struct source_ubuntu *ret)
{
	enum { DIGITS = HASH_HEX - 1, NAME = DIGITS + 2 };

	if (len <= NAME || len - NAME >= sizeof(ret->file) || line[DIGITS] != ' ' ||
	    (line[DIGITS + 1] != ' ' && line[DIGITS + 1] != '*') ||
	    memchr(line, '\0', len))
		return false;
	memcpy(ret->digest, line, DIGITS);
	ret->digest[DIGITS] = '\0';
	memcpy(ret->file, line + NAME, len - NAME);
	ret->file[len - NAME] = '\0';
	return hash_valid(ret->digest) && !strchr(ret->file, '/');
}

int source_ubuntu_pick(const char *sums, size_t len, const char *release,
		       const char *arch, struct source_ubuntu *ret, struct err *e)
{
	const char *end = sums + len, *stop;
	struct source_ubuntu found;
	int best = -1;

	for (; sums < end; sums = stop + 1) {
		int point;

		stop = memchr(sums, '\n', (size_t)(end - sums));
		if (!stop)
			stop = end;
		if (!split_line(sums, (size_t)(stop - sums), &found))
			continue;
		point = point_release(found.file, release, arch);
		if (point <= best)
			continue;
		best = point;
		*ret = found;
	}
	if (best < 0)
		return err_set(e, -ENOENT, "Ubuntu %s has no base image for %s",
			       release, arch);
	return 0;
}
