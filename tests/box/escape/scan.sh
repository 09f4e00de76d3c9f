# scan - runs in a box: a line "found: …" for everything that scanners of containers
# (amicontained, deepce, CDK) report as a way out, "fact: …" for what they only tell, and
# "scanned" at the end. Needs sh, coreutils, grep.
# shellcheck shell=sh
found() { echo "found: $*"; }

status() { grep "^$1:" /proc/self/status | tr -d '[:space:]' | cut -d: -f2; }
echo "fact: seccomp $(status Seccomp)"
echo "fact: no_new_privs $(status NoNewPrivs)"
echo "fact: capabilities $(status CapEff)"
if [ "$(tr -s ' ' </proc/self/uid_map)" = " 0 0 4294967295" ]; then
	found "no user namespace"
else
	echo "fact: userns yes"
fi

# sockets of engines and of the host's own services
for s in /var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock \
	/run/crio/crio.sock /run/podman/podman.sock /run/dbus/system_bus_socket \
	/run/systemd/private /run/snapd.socket /var/run/lxd.socket "${SCAN_RUN-/none}" \
	"${SCAN_STORE-/none}"; do
	[ ! -e "$s" ] || found "socket or state $s"
done
find / -xdev -type s 2>/dev/null | while read -r s; do found "a socket $s"; done

# credentials
for f in /var/run/secrets/kubernetes.io/serviceaccount/token /root/.kube/config \
	/root/.docker/config.json /root/.aws/credentials /root/.ssh/id_rsa \
	/root/.ssh/authorized_keys "${SCAN_HOME-/none}"; do
	[ ! -e "$f" ] || found "credentials $f"
done
grep -qa k41secret /proc/[0-9]*/environ 2>/dev/null && found "the caller's environment"

# devices and disks
find /dev -type b 2>/dev/null | while read -r d; do found "block device $d"; done
find /dev -type c ! -name null ! -name zero ! -name full ! -name random ! -name urandom \
	! -name tty ! -path '/dev/pts/*' ! -name ptmx ! -name console 2>/dev/null |
	while read -r d; do found "device $d"; done
for d in /dev/mem /dev/kmem /dev/kmsg /dev/fuse /dev/kvm /dev/net/tun; do
	[ ! -e "$d" ] || found "device $d"
done

# files of the kernel that run something on the host, or say too much
for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger \
	/proc/sys/fs/binfmt_misc/register /proc/sys/kernel/hotplug /sys/kernel/uevent_helper \
	/sys/kernel/mm/transparent_hugepage/enabled /proc/sys/vm/panic_on_oom \
	/proc/sys/kernel/randomize_va_space /sys/power/state; do
	[ ! -e "$f" ] || ! (: >>"$f") 2>/dev/null || found "writable $f"
done
for f in /proc/kcore /proc/keys /proc/timer_list /proc/sched_debug; do
	[ ! -s "$f" ] || [ -z "$(head -c 1 "$f" 2>/dev/null)" ] || found "readable $f"
done
for d in /sys/kernel/security /sys/kernel/debug /sys/kernel/tracing /sys/firmware \
	/sys/fs/bpf; do
	[ -z "$(ls -A "$d" 2>/dev/null)" ] || [ "$d" = /sys/kernel/security ] ||
		found "contents of $d"
done

# control groups: a release_agent, or any file that can be written
find /sys/fs/cgroup -name release_agent 2>/dev/null | while read -r f; do
	found "a release agent $f"
done
find /sys/fs/cgroup -type f -writable 2>/dev/null | while read -r f; do
	(: >>"$f") 2>/dev/null && found "writable $f"
done

# mounts: of the host's own names, or that can be changed
while read -r source at type options _; do
	case $source in
	/dev/null) ;;
	/dev/*) [ "$at" != / ] || found "root on the disk $source" ;;
	*docker* | *containerd* | *kubelet*) found "mount of an engine $source" ;;
	esac
	case $type,$options in
	proc,*nosuid* | sysfs,*ro,* | sysfs,ro*) ;;
	sysfs,*) found "sysfs can be written at $at" ;;
	esac
done </proc/mounts
mount -t tmpfs none /mnt 2>/dev/null && found "mount works"
(unshare -Ur true) 2>/dev/null && found "nested user namespaces"
(unshare -m true) 2>/dev/null && found "nested mount namespaces"
(chroot /proc/1/root ls /) >/dev/null 2>&1 && found "the root of process 1"
ls -l /proc/1/exe >/dev/null 2>&1 && found "the program of process 1"

# capabilities that are an escape: by number, from the effective set
effective=$(status CapEff)
has() { # NUMBER: the bit of the 64-bit hexadecimal set
	digit=$(printf %s "$effective" | tail -c $(($1 / 4 + 1)) | head -c 1)
	[ $((0x$digit >> ($1 % 4) & 1)) = 1 ]
}
for pair in 2:DAC_READ_SEARCH 9:LINUX_IMMUTABLE 12:NET_ADMIN 13:NET_RAW 14:IPC_LOCK \
	16:SYS_MODULE 17:SYS_RAWIO 19:SYS_PTRACE 20:SYS_PACCT 21:SYS_ADMIN 22:SYS_BOOT \
	24:SYS_RESOURCE 25:SYS_TIME 27:MKNOD 32:MAC_OVERRIDE 33:MAC_ADMIN 34:SYSLOG \
	38:PERFMON 39:BPF; do
	! has "${pair%%:*}" || found "capability ${pair#*:}"
done

# processes of the host
[ "$(cat /proc/1/comm)" = cubby-init ] || found "the host's processes"
[ ! -e /proc/2/comm ] || [ "$(cat /proc/2/comm)" != kthreadd ] || found "kernel threads"
echo scanned
