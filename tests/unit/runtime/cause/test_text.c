#include "runtime/cause/text.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name;
	enum probe_reason reason;
	enum probe_distro distro;
	const char *subject;
	const char *line;
} rows[] = {
	{ "D1", PROBE_APPARMOR, PROBE_APT, NULL,
	  "user namespaces are restricted by AppArmor "
	  "(kernel.apparmor_restrict_unprivileged_userns=1); fix: cubby doctor "
	  "--apparmor "
	  "| sudo tee /etc/apparmor.d/cubby; sudo apparmor_parser -r "
	  "/etc/apparmor.d/cubby, or: sudo sysctl -w "
	  "kernel.apparmor_restrict_unprivileged_userns=0 (whole host, less safe)" },
	{ "D2", PROBE_USERNS_OFF, PROBE_APT, NULL,
	  "user namespaces are disabled for ordinary users "
	  "(kernel.unprivileged_userns_clone=0); fix: sudo sysctl -w "
	  "kernel.unprivileged_userns_clone=1 (keep it: a line in "
	  "/etc/sysctl.d/90-cubby.conf)" },
	{ "D3", PROBE_USERNS_LIMIT, PROBE_APT, "user.max_net_namespaces=0",
	  "no user namespaces allowed (user.max_net_namespaces=0); fix: sudo sysctl -w "
	  "user.max_user_namespaces=15000 (keep it: a line in "
	  "/etc/sysctl.d/90-cubby.conf)" },
	{ "D4", PROBE_SECCOMP, PROBE_APT, NULL,
	  "this container forbids new namespaces (seccomp); fix: docker run "
	  "--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
	  "--security-opt systempaths=unconfined, or: podman run --security-opt "
	  "seccomp=unconfined --security-opt unmask=ALL" },
	{ "D5", PROBE_CHROOT, PROBE_APT, NULL,
	  "user namespaces cannot be created inside a chroot; fix: run cubby outside "
	  "it" },
	{ "D6", PROBE_NO_USERNS, PROBE_APT, NULL,
	  "this kernel has no user namespaces (CONFIG_USER_NS); fix: boot a kernel of "
	  "your distribution that has them" },
	{ "D7", PROBE_PROC, PROBE_APT, NULL,
	  "/proc is partly masked here, so the kernel refuses a fresh one; fix: docker "
	  "run --security-opt systempaths=unconfined, or: podman run --security-opt "
	  "unmask=ALL (Kubernetes: procMount: Unmasked), or run cubby on the host" },
	{ "D8", PROBE_OVERLAY_NONE, PROBE_DNF, "5.10.0",
	  "no overlay in user namespaces (kernel 5.10.0): using a copy of the image "
	  "per box; fix: sudo modprobe overlay, or boot a kernel that has it "
	  "(CONFIG_OVERLAY_FS)" },
	{ "D9", PROBE_OVERLAY_STORE, PROBE_APT, "NFS",
	  "the store is on NFS, which cannot hold an overlay upper: using a copy of "
	  "the "
	  "image per box; fix: set XDG_DATA_HOME to a directory on ext4, xfs or "
	  "btrfs" },
	{ "D10", PROBE_NO_SUBIDS, PROBE_APT, "bob",
	  "no subordinate ids for bob: users other than root are simulated in the box; "
	  "fix: sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "
	  "bob "
	  "(a free range)" },
	{ "D11 on Debian", PROBE_NO_NEWUIDMAP, PROBE_APT, "no such file",
	  "newuidmap does not work (no such file): users other than root are simulated "
	  "in the box; fix: sudo apt install uidmap; do not run under no_new_privs" },
	{ "D11 on Arch", PROBE_NO_NEWUIDMAP, PROBE_PACMAN, "x",
	  "newuidmap does not work (x): users other than root are simulated in the "
	  "box; "
	  "fix: sudo pacman -S shadow; do not run under no_new_privs" },
	{ "D11 on Alpine", PROBE_NO_NEWUIDMAP, PROBE_APK, "x",
	  "newuidmap does not work (x): users other than root are simulated in the "
	  "box; "
	  "fix: sudo apk add shadow-uidmap; do not run under no_new_privs" },
	{ "D11 in a container", PROBE_WEAK_NEWUIDMAP, PROBE_APT, "x",
	  "newuidmap does not work (x): users other than root are simulated in the "
	  "box; fix: in the container's image: chmod u-s /usr/bin/newuidmap "
	  "/usr/bin/newgidmap; setcap cap_setuid=ep /usr/bin/newuidmap; setcap "
	  "cap_setgid=ep /usr/bin/newgidmap, or: docker run --cap-add SYS_ADMIN" },
	{ "D12", PROBE_NOEXEC, PROBE_APT, "/home/a b",
	  "/home/a b is mounted noexec: programs in it cannot run in the box (the "
	  "overlay "
	  "root is not affected); fix: keep the project on a filesystem mounted "
	  "without "
	  "noexec" },
	{ "D13", PROBE_NO_CGROUP, PROBE_OTHER, NULL,
	  "no cgroup: memory and process limits are best effort, --cpus has no effect; "
	  "fix: log in through systemd (install a D-Bus user session)" },
	{ "D13", PROBE_CROWDED_CGROUP, PROBE_APT, NULL,
	  "no cgroup: memory and process limits are best effort, --cpus has no effect "
	  "(processes at the top of this container's cgroups are in the way); fix: "
	  "move them, as root: mkdir "
	  "/sys/fs/cgroup/init; for p in $(cat /sys/fs/cgroup/cgroup.procs); do echo "
	  "$p "
	  ">/sys/fs/cgroup/init/cgroup.procs; done" },
	{ "D14", PROBE_NO_CPU, PROBE_APT, NULL,
	  "the cpu controller is not delegated: --cpus has no effect; fix: sudo "
	  "systemctl "
	  "edit user@.service: [Service] Delegate=cpu cpuset io memory pids; log in "
	  "again" },
	{ "D15", PROBE_MEMFD, PROBE_APT, NULL,
	  "programs cannot run from memory (vm.memfd_noexec=2); fix: sudo sysctl -w "
	  "vm.memfd_noexec=1, or Linux 5.12" },
	{ "D16", PROBE_OLD_KERNEL, PROBE_APT, "5.11.22",
	  "this kernel (5.11.22) is too old: it cannot confine what is mounted below "
	  "the project; fix: boot Linux 5.12 or newer" },
	{ "a subject with a percent sign", PROBE_NO_SUBIDS, PROBE_APT, "%s%p",
	  "no subordinate ids for %s%p: users other than root are simulated in the "
	  "box; "
	  "fix: sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "
	  "%s%p "
	  "(a free range)" },
};

static void line(const void *p)
{
	const struct row *row = p;
	struct buf out = BUF_INIT(4096);

	assert_int_equal(cause_text_line(&out, row->reason, row->subject, row->distro),
			 0);
	assert_string_equal(buf_cstr(&out), row->line);
	/* An error message and a prefix hold it. */
	assert_true(out.len < 480);
	if (row->name[0] == 'D')
		assert_memory_equal(cause_text_id(row->reason), row->name,
				    strlen(cause_text_id(row->reason)));
	buf_done(&out);
}

static void distros(void)
{
	assert_int_equal(cause_text_distro("NAME=x\nID=debian\n"), PROBE_APT);
	assert_int_equal(cause_text_distro("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"),
			 PROBE_APT);
	assert_int_equal(
		cause_text_distro("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\""),
		PROBE_DNF);
	assert_int_equal(cause_text_distro("ID=arch"), PROBE_PACMAN);
	assert_int_equal(cause_text_distro("ID=alpine\nHOME=https://debian.org\n"),
			 PROBE_APK);
	assert_int_equal(cause_text_distro("ID=archlike\nVERSION_ID=debian\n"),
			 PROBE_OTHER);
	assert_int_equal(cause_text_distro(""), PROBE_OTHER);
}

static void apparmor(void)
{
	struct buf out = BUF_INIT(4096);

	assert_int_equal(cause_text_apparmor(&out, "/usr/bin/cubby"), 0);
	assert_string_equal(buf_cstr(&out),
			    "abi <abi/4.0>,\ninclude <tunables/global>\n\n"
			    "profile cubby /usr/bin/cubby flags=(unconfined) {\n"
			    "  userns,\n\n  include if exists <local/cubby>\n}\n");
	assert_int_equal(cause_text_apparmor(&out, "/home/*/cubby"), -EINVAL);
	assert_int_equal(cause_text_apparmor(&out, "/a b"), -EINVAL);
	assert_int_equal(cause_text_apparmor(&out, "/a{b}"), -EINVAL);
	assert_int_equal(cause_text_apparmor(&out, "cubby"), -EINVAL);
	buf_done(&out);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the distribution", distros },
		{ "the AppArmor profile", apparmor },
	};

	return unit_rows("cause_text", rows, line) + unit_cases("cause_text", cases);
}
