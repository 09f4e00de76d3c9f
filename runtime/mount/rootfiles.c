#include "runtime/mount/rootfiles.h"

#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/inroot.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/net/netns.h"

enum { ROOTFILES_MAX = 64 * 1024 };

static bool is_regular(int dir, const char *name)
{
	struct stat st;

	return sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st.st_mode);
}

static bool has_content(int dir, const char *name, const char *want)
{
	_cleanup_buf_ struct buf now = BUF_INIT(ROOTFILES_MAX);

	return is_regular(dir, name) && file_read(dir, name, &now, ERR_IGNORED) == 0 &&
	       strcmp(buf_cstr(&now), want) == 0;
}

static int put(int dir, const char *name, const char *text, struct err *e)
{
	struct file_data data = { text, strlen(text), 0644 };
	int r;

	if (has_content(dir, name, text))
		return 0;
	r = sys_unlinkat(dir, name, AT_REMOVEDIR); /* an empty one in its place */
	if (r == -ENOTEMPTY || r == -EEXIST)
		return err_set(e, -EISDIR,
			       "'/etc/%s' of the box is a directory; --wipe starts the "
			       "box afresh",
			       name);
	r = file_replace(dir, name, &data, e);
	return r < 0 ? err_wrap(e, "/etc/%s of the box", name) : 0;
}

/* With the host's network, the host's resolver. */
static int resolv_conf(enum net_mode net, struct buf *out, struct err *e)
{
	int r;

	if (net != NET_HOST)
		return buf_adds(out, net == NET_NONE ? NETNS_RESOLV_NONE
						     : NETNS_RESOLV_GATE);
	r = file_read(AT_FDCWD, "/etc/resolv.conf", out, e);
	return r == -ENOENT ? 0 : r;
}

/* One that the image or the box made is left alone. */
static int put_gitconfig(int etc, const char *want, struct err *e)
{
	_cleanup_buf_ struct buf now = BUF_INIT(ROOTFILES_MAX);
	struct stat st;
	bool there = sys_fstatat(etc, "gitconfig", &st, AT_SYMLINK_NOFOLLOW) == 0;

	if (there && (!is_regular(etc, "gitconfig") ||
		      file_read(etc, "gitconfig", &now, ERR_IGNORED) < 0 ||
		      strncmp(buf_cstr(&now), ROOTFILES_GITCONFIG,
			      sizeof(ROOTFILES_GITCONFIG) - 1) != 0))
		return 0;
	if (!*want)
		return there ? MIN(sys_unlinkat(etc, "gitconfig", 0), 0) : 0;
	return put(etc, "gitconfig", want, e);
}

int rootfiles_write(int root, enum net_mode net, const char *gitconfig, struct err *e)
{
	_cleanup_close_ int etc = inroot_mkdirs(root, "/etc", 0755);
	_cleanup_buf_ struct buf resolv = BUF_INIT(ROOTFILES_MAX);
	char hosts[256];
	int r;

	if (etc < 0)
		return err_sys(e, etc, "cannot open '/etc' of the box");
	r = resolv_conf(net, &resolv, e) ?:
		put(etc, "resolv.conf", buf_cstr(&resolv), e) ?:
		put(etc, "hostname", ROOTFILES_HOSTNAME "\n", e);
	snprintf(hosts, sizeof(hosts), NETNS_HOSTS, ROOTFILES_HOSTNAME);
	if (r == 0 && !is_regular(etc, "hosts"))
		r = put(etc, "hosts", hosts, e);
	return r < 0 ? r : put_gitconfig(etc, gitconfig, e);
}
