#include "runtime/cause/text.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/def.h"

enum package { NO_PACKAGE, UIDMAP, USER_BUS };

struct reason {
	const char *id;
	/* In cause and fix "%s" is the subject, in fix "%p" the command that installs
	 * the package. */
	const char *cause, *fix;
	enum package package;
};

/* clang-format off */
static const struct reason reasons[PROBE_REASONS] = {
	[PROBE_NONE] = { "", "", "", NO_PACKAGE },
	[PROBE_APPARMOR] = { "D1",
		"user namespaces are restricted by AppArmor "
		"(kernel.apparmor_restrict_unprivileged_userns=1)",
		"cubby doctor --apparmor | sudo tee /etc/apparmor.d/cubby; "
		"sudo apparmor_parser -r /etc/apparmor.d/cubby, or: "
		"sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 "
		"(whole host, less safe)", NO_PACKAGE },
	[PROBE_USERNS_OFF] = { "D2",
		"user namespaces are disabled for ordinary users "
		"(kernel.unprivileged_userns_clone=0)",
		"sudo sysctl -w kernel.unprivileged_userns_clone=1 "
		"(keep it: a line in /etc/sysctl.d/90-cubby.conf)", NO_PACKAGE },
	[PROBE_USERNS_LIMIT] = { "D3",
		"no user namespaces allowed (%s)",
		"sudo sysctl -w user.max_user_namespaces=15000 "
		"(keep it: a line in /etc/sysctl.d/90-cubby.conf)", NO_PACKAGE },
	[PROBE_SECCOMP] = { "D4",
		"this container forbids new namespaces (seccomp)",
		"docker run --security-opt seccomp=unconfined "
		"--security-opt apparmor=unconfined "
		"--security-opt systempaths=unconfined, or: podman run "
		"--security-opt seccomp=unconfined --security-opt unmask=ALL", NO_PACKAGE },
	[PROBE_NESTED] = { "D4",
		"this is already the inside of a box: a box cannot hold another one",
		"run cubby on the host", NO_PACKAGE },
	[PROBE_CHROOT] = { "D5",
		"user namespaces cannot be created inside a chroot",
		"run cubby outside it", NO_PACKAGE },
	[PROBE_NO_USERNS] = { "D6",
		"this kernel has no user namespaces (CONFIG_USER_NS)",
		"boot a kernel of your distribution that has them", NO_PACKAGE },
	[PROBE_PROC] = { "D7",
		"/proc is partly masked here, so the kernel refuses a fresh one",
		"docker run --security-opt systempaths=unconfined, or: podman run "
		"--security-opt unmask=ALL (Kubernetes: procMount: Unmasked), "
		"or run cubby on the host", NO_PACKAGE },
	[PROBE_OVERLAY_NONE] = { "D8",
		"no overlay in user namespaces (kernel %s): using a copy of the image "
		"per box",
		"sudo modprobe overlay, or boot a kernel that has it (CONFIG_OVERLAY_FS)", NO_PACKAGE },
	[PROBE_OVERLAY_STORE] = { "D9",
		"the store is on %s, which cannot hold an overlay upper: "
		"using a copy of the image per box",
		"set XDG_DATA_HOME to a directory on ext4, xfs or btrfs", NO_PACKAGE },
	[PROBE_NO_SUBIDS] = { "D10",
		"no subordinate ids for %s: users other than root are simulated in the box",
		"sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 %s "
		"(a free range)", NO_PACKAGE },
	[PROBE_NO_NEWUIDMAP] = { "D11",
		"newuidmap does not work (%s): users other than root are simulated in the "
		"box",
		"%p; do not run under no_new_privs", UIDMAP },
	[PROBE_WEAK_NEWUIDMAP] = { "D11",
		"newuidmap does not work (%s): users other than root are simulated in the "
		"box",
		"in the container's image: chmod u-s /usr/bin/newuidmap /usr/bin/newgidmap; "
		"setcap cap_setuid=ep /usr/bin/newuidmap; "
		"setcap cap_setgid=ep /usr/bin/newgidmap, or: docker run --cap-add SYS_ADMIN",
		NO_PACKAGE },
	[PROBE_NOEXEC] = { "D12",
		"%s is mounted noexec: programs in it cannot run in the box "
		"(the overlay root is not affected)",
		"keep the project on a filesystem mounted without noexec", NO_PACKAGE },
	[PROBE_NO_CGROUP] = { "D13",
		"no cgroup: memory and process limits are best effort, "
		"--cpus has no effect",
		"log in through systemd (%p)", USER_BUS },
	[PROBE_CROWDED_CGROUP] = { "D13",
		"no cgroup: memory and process limits are best effort, "
		"--cpus has no effect (processes at the top "
		"of this container's cgroups are in the way)",
		"move them, as root: mkdir /sys/fs/cgroup/init; "
		"for p in $(cat /sys/fs/cgroup/cgroup.procs); "
		"do echo $p >/sys/fs/cgroup/init/cgroup.procs; done", NO_PACKAGE },
	[PROBE_NO_CPU] = { "D14",
		"the cpu controller is not delegated: --cpus has no effect",
		"sudo systemctl edit user@.service: [Service] "
		"Delegate=cpu cpuset io memory pids; log in again", NO_PACKAGE },
	[PROBE_MEMFD] = { "D15",
		"programs cannot run from memory (vm.memfd_noexec=2)",
		"sudo sysctl -w vm.memfd_noexec=1, or Linux 5.12", NO_PACKAGE },
	[PROBE_OLD_KERNEL] = { "D16",
		"this kernel (%s) is too old: it cannot confine what is mounted below the "
		"project",
		"boot Linux 5.12 or newer", NO_PACKAGE },
};

static const char *const packages[][PROBE_OTHER + 1] = {
	[NO_PACKAGE] = { "", "", "", "", "" },
	[UIDMAP] = { "uidmap", "shadow-utils", "shadow", "shadow-uidmap", "newuidmap" },
	[USER_BUS] = { "dbus-user-session", "dbus-daemon", "dbus", "dbus",
		       "a D-Bus user session" },
};

static const char *const installers[] = {
	[PROBE_APT] = "sudo apt install ",  [PROBE_DNF] = "sudo dnf install ",
	[PROBE_PACMAN] = "sudo pacman -S ", [PROBE_APK] = "sudo apk add ",
	[PROBE_OTHER] = "install ",
};

static const struct {
	const char *word;
	enum probe_distro distro;
} distros[] = {
	{ "debian", PROBE_APT }, { "ubuntu", PROBE_APT }, { "fedora", PROBE_DNF },
	{ "rhel", PROBE_DNF }, { "centos", PROBE_DNF }, { "arch", PROBE_PACMAN },
	{ "alpine", PROBE_APK },
};
/* clang-format on */

static bool is_delimiter(char c)
{
	return c == '\0' || strchr(" \"'\n", c);
}

/* True when @word is one of the words of the value that ends with the line. */
static bool has_word(const char *value, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = value; *p && *p != '\n'; p++)
		if ((p == value || is_delimiter(p[-1])) && !strncmp(p, word, n) &&
		    is_delimiter(p[n]))
			return true;
	return false;
}

static bool is_like(const char *os_release, const char *word)
{
	for (const char *line = os_release; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "ID=", 3) && has_word(line + 3, word))
			return true;
		if (!strncmp(line, "ID_LIKE=", 8) && has_word(line + 8, word))
			return true;
	}
	return false;
}

enum probe_distro cause_text_distro(const char *os_release)
{
	for (size_t i = 0; i < ARRAY_SIZE(distros); i++)
		if (is_like(os_release, distros[i].word))
			return distros[i].distro;
	return PROBE_OTHER;
}

static const struct reason *reason_of(enum probe_reason r)
{
	assert((size_t)r < ARRAY_SIZE(reasons));
	return &reasons[r];
}

const char *cause_text_id(enum probe_reason r)
{
	return reason_of(r)->id;
}

static int expand(struct buf *out, const char *text, const char *subject,
		  const char *const install[2])
{
	int r = 0;

	for (const char *p = text; *p && r >= 0; p++) {
		if (*p != '%') {
			r = buf_addc(out, *p);
		} else if (*++p == 's') {
			r = buf_adds(out, subject ? subject : "unknown");
		} else if (install) {
			r = buf_adds(out, install[0]);
			if (r >= 0)
				r = buf_adds(out, install[1]);
		}
	}
	return r;
}

int cause_text_cause(struct buf *out, enum probe_reason r, const char *subject)
{
	return expand(out, reason_of(r)->cause, subject, NULL);
}

int cause_text_fix(struct buf *out, enum probe_reason r, const char *subject,
		   enum probe_distro d)
{
	const struct reason *reason = reason_of(r);
	const char *const install[2] = { installers[d], packages[reason->package][d] };

	return expand(out, reason->fix, subject, install);
}

int cause_text_line(struct buf *out, enum probe_reason r, const char *subject,
		    enum probe_distro d)
{
	int ret = cause_text_cause(out, r, subject);

	if (ret >= 0)
		ret = buf_adds(out, "; fix: ");
	return ret < 0 ? ret : cause_text_fix(out, r, subject, d);
}

int cause_text_apparmor(struct buf *out, const char *path)
{
	if (path[0] != '/' || path[strcspn(path, " \t\n\"\\*?[]{}^@#,")])
		return -EINVAL;
	return buf_addf(out,
			"abi <abi/4.0>,\n"
			"include <tunables/global>\n\n"
			"profile cubby %s flags=(unconfined) {\n"
			"  userns,\n\n"
			"  include if exists <local/cubby>\n"
			"}\n",
			path);
}
