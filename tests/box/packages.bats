# Packages of the distribution: the real apt-get, through the gate, from the mirror that the
# image was made from. It is skipped where that cannot be reached.
load ../lib
load toolkit
load escape/escape

PACKAGES="openssh-client dbus sudo man-db nginx redis-server git python3-venv build-essential"

setup_file() {
	lib_env
	lib_image
	lib_project
	PACKAGES_MAP=$(cubby exec -q -- true && escape_map)
	export PACKAGES_MAP
	toolkit_apt
}
setup() {
	lib_skipped
	cd "$LIB_PROJECT"
}

single_only() {
	[ "$PACKAGES_MAP" = single ] ||
		skip "only a map of one id simulates owners, and this is $PACKAGES_MAP"
}

@test "packages: privileged programs have the bits and owners that dpkg asked for" {
	run timeout 280 cubby exec -- env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends sudo passwd openssh-client at iputils-ping
	[ "$status" -eq 0 ] || { tail -20 <<<"$output"; return 1; }
	run -0 cubby exec -- dpkg --audit
	[ -z "$output" ]
	run -0 --separate-stderr cubby exec -- sh -ec 'cd /usr/bin
		stat -c "%a %n" sudo passwd at ssh-agent; sudo -n true && echo works
		ping -c 1 127.0.0.1 >/dev/null && echo pings
		stat -c "%a %U:%G" /var/spool/cron/atjobs at ssh-agent'
	[ "${lines[*]:0:6}" = "4755 sudo 4755 passwd 6755 at 2755 ssh-agent works pings" ] || { echo "$output$stderr"; false; }
	[ "$PACKAGES_MAP" = single ] ||
		[ "${lines[*]:6}" = "1770 daemon:daemon 6755 daemon:daemon 2755 root:_ssh" ]
}

@test "single map: apt-get installs what changes owners and identities" {
	single_only
	for package in $PACKAGES; do
		run timeout 280 cubby exec -- env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y --no-install-recommends "$package"
		[ "$status" -eq 0 ] || { echo "$package: $status"; tail -20 <<<"$output"; return 1; }
	done
	run -0 cubby exec -- dpkg --audit
	[ -z "$output" ]
}

@test "single map: what was installed works" {
	single_only
	run -0 cubby exec -- sh -c 'ssh -V && dbus-daemon --version && sudo -n true && man --version &&
		nginx -t && git init -q /tmp/g && python3 -m venv /tmp/v && /tmp/v/bin/python -c "print(6*7)" &&
		printf "int main(void){return 7;}" >/tmp/x.c && make -C /tmp -s x && { /tmp/x; echo "made $?"; }'
	[[ $output == *42*"made 7"* ]]
	run -0 cubby exec -- sh -c 'redis-server --port 7777 --daemonize yes >/dev/null
		for i in $(seq 300); do redis-cli -p 7777 ping 2>/dev/null && break; sleep 0.1; done
		redis-cli -p 7777 shutdown'
	[[ $output == *PONG* ]]
}

@test "single map: users are simulated, and say so where it matters" {
	single_only
	run -0 cubby exec -- sh -c 'useradd -m someone && su someone -c "id -u"'
	[ "$output" = 0 ]
	run -0 cubby exec -- sudo -u someone id -u
	[ "$output" = 0 ]
	run -0 cubby exec -- sh -c 'touch /tmp/f && chown someone /tmp/f && stat -c %u /tmp/f
		mknod /tmp/null c 1 3 && ls /tmp/null 2>&1 || echo none'
	[ "${lines[0]}" = 0 ]
	[ "${lines[-1]}" = none ]
	run -125 --separate-stderr cubby exec --user someone -- id
	[[ $stderr == *"no user but root (single id map)"* ]]
}
