# --ssh-agent: a real agent here; a real ssh and two real sshd in a box, whose packages come
# from the mirror that the image was made from.
# shellcheck disable=SC2016 # the box expands what is in single quotes
load ../lib
load toolkit

# ssh-keygen works only for a user with a name: one without is root in a namespace of its own.
named() {
	local real
	! id -un >/dev/null 2>&1 || return 0
	unshare -r true 2>/dev/null || return 1
	real=$(type -P ssh-keygen)
	mkdir "$LIB_DIR/bin"
	printf '#!/bin/sh\nexec unshare -r %s "$@"\n' "$real" >"$LIB_DIR/bin/ssh-keygen"
	chmod 755 "$LIB_DIR/bin/ssh-keygen"
	export PATH=$LIB_DIR/bin:$PATH
}

setup_file() {
	lib_env
	command -v ssh-agent >/dev/null || { lib_skip_file "there is no ssh-agent here"; return; }
	named || { lib_skip_file "ssh-keygen wants a user with a name"; return; }
	lib_image
	lib_project
	eval "$(ssh-agent -a "$LIB_DIR/agent.sock")" >/dev/null
	export SSH_AUTH_SOCK SSH_AGENT_PID
	ssh-keygen -q -t ed25519 -N '' -C 'a private comment' -f "$LIB_DIR/key"
	ssh-add -q "$LIB_DIR/key"
	mkdir -m 700 "$HOME/.ssh"
	begin_sshd
	[ -n "$NO_SSHD" ] || return 0
	# Some rows need a host that the person knows, and none that answers.
	ssh-keygen -q -t ed25519 -N '' -f "$LIB_DIR/host"
	echo "git.test $(cut -d' ' -f1,2 "$LIB_DIR/host.pub")" >"$HOME/.ssh/known_hosts"
}

# NO_SSHD: why there are no hosts in the box.
begin_sshd() {
	cubby exec -q -- true
	cubby info >info
	if grep -q '^id map *single' info; then
		export NO_SSHD="sshd wants another user than root, and this map has none"
		return
	fi
	toolkit_apt
	export NO_SSHD=${LIB_SKIP-}
	unset LIB_SKIP
	[ -z "$NO_SSHD" ] || return 0
	cubby exec -q -- sh -ec 'apt-get -qq install -y --no-install-recommends openssh-client openssh-server >/dev/null 2>&1
		mkdir -p -m 700 /run/sshd /root/.ssh; cat >/root/.ssh/authorized_keys
		echo "Host *
		StrictHostKeyChecking no
		BatchMode yes
		LogLevel ERROR" >/root/.ssh/config
		ssh-keygen -q -t ed25519 -N "" -f /root/other_key' <"$LIB_DIR/key.pub"
	# Two hosts; the person knows the first.
	cubby exec -q -d -- sh -c '/usr/sbin/sshd -D -e -p 2222 & exec /usr/sbin/sshd -D -e -p 2223 -h /root/other_key'
	cubby exec -- bash -c 'for ((i = 0; i < 3000; i++)); do
		(: </dev/tcp/127.0.0.1/2222 && : </dev/tcp/127.0.0.1/2223) 2>/dev/null && exit; read -rt 0.02 <> <(:); done'
	cubby exec -- sh -c 'for k in /etc/ssh/ssh_host_*_key.pub; do echo "git.test $(cut -d" " -f1,2 $k)"; done' \
		>"$HOME/.ssh/known_hosts"
	ssh-keygen -q -H -f "$HOME/.ssh/known_hosts" >/dev/null 2>&1 # as Debian's ssh writes it
}
teardown() { tmux -S "$BATS_TEST_TMPDIR/tmux" kill-server 2>/dev/null || true; }
teardown_file() {
	[ -z "${SSH_AGENT_PID-}" ] || kill "$SSH_AGENT_PID"
	lib_done
}
setup() {
	lib_skipped
	cd "$LIB_PROJECT"
	FINGERPRINT=$(ssh-keygen -lf "$LIB_DIR/key" | cut -d' ' -f2)
}

needs_sshd() { [ -z "$NO_SSHD" ] || skip "$NO_SSHD"; }

inside() { timeout "$(lib_longer 60)" cubby exec "$@"; }

# on_terminal ANSWER COMMAND...: each question that is put is answered so, once it stands
# there: what was typed before counts for nothing.
on_terminal() {
	local answer=$1 n asked=0 pid
	shift
	mkfifo keys.$$
	: >screen
	timeout "$(lib_longer 60)" script -qefc "${*@Q}" screen <keys.$$ >/dev/null &
	pid=$!
	exec 7>keys.$$
	rm keys.$$
	while kill -0 $pid 2>/dev/null; do
		n=$(grep -c '\[y/N\]' screen) || true
		if ((n > asked)); then
			asked=$n
			echo "$answer" >&7
		fi
		read -rt 0.02 <> <(:) || true
	done
	exec 7>&-
	ASKED=$asked
	wait $pid
}

@test "agent: nothing of it is in a box that was not given it" {
	run -1 cubby exec -- sh -c 'echo "${SSH_AUTH_SOCK-none}"; ls /tmp | grep cubby-agent'
	[ "$output" = none ]
}

@test "agent: a login at the host that was named, and the keys stay here" {
	needs_sshd
	run -0 --separate-stderr inside -y --ssh-agent git.test -- ssh -p 2222 root@127.0.0.1 echo in
	[ "$output" = in ]
	[ "$stderr" = "cubby: ssh-agent: the box logs in as 'root' at git.test, key $FINGERPRINT" ]
	run -0 inside -y --ssh-agent git.test -- ssh-add -l
	[[ $output == *"$FINGERPRINT"* && $output != *comment* ]]
	run -1 cubby exec -- sh -c 'ls /tmp | grep cubby-agent' # its socket goes with the command
}

@test "agent: another host has no login" {
	needs_sshd
	run -255 --separate-stderr inside -y --ssh-agent git.test -- ssh -p 2223 root@127.0.0.1 echo in
	[[ ${stderr_lines[0]} == "cubby: ssh-agent: a login was refused: its host is none that --ssh-agent named, by your known_hosts" ]]
	[[ $stderr == *"Permission denied"* ]]
}

@test "agent: nor has one behind the host that was named" {
	needs_sshd
	run --separate-stderr inside -y --ssh-agent git.test -- ssh -A -p 2222 root@127.0.0.1 \
		'ssh-add -l; ssh -p 2222 root@127.0.0.1 echo twice'
	[ "$status" != 0 ]
	[[ $output != *twice* ]]
}

@test "agent: it signs logins, and does nothing else" {
	needs_sshd
	run --separate-stderr inside -y --ssh-agent git.test -- sh -c '
		echo data >/root/data; ssh-add -L >/root/public
		ssh-keygen -q -Y sign -n git -f /root/public /root/data; echo "sign $?"
		ssh-keygen -q -t ed25519 -N "" -f /root/mine; ssh-add /root/mine; echo "add $?"
		ssh-add -D; echo "remove $?"'
	[[ $output == *"sign 255"* && $output == *"add 1"* && $output == *"remove 1"* ]]
	[[ $stderr == *"cubby: ssh-agent: what a program wanted signed is no login: refused"* ]]
	run -0 ssh-add -l
	[ "${#lines[@]}" = 1 ]
}

@test "agent: bytes that are no message end the connection, and the next one is served" {
	run -0 --separate-stderr inside -y --ssh-agent git.test -- perl -MSocket -e '
		sub talk { my ($data) = @_;
			socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, pack_sockaddr_un($ENV{SSH_AUTH_SOCK})) or die;
			syswrite($s, $data); my $n = sysread($s, my $got, 100); print $n ? unpack("H*", $got) : "end", "\n"; }
		talk("\xff\xff\xff\xff"); talk("\0\0\0\0"); talk("\0\0\0\5\x0d\0\0\0\7");
		talk("\0\0\0\1\x13"); my @many = map { socket(my $s, PF_UNIX, SOCK_STREAM, 0);
			connect($s, pack_sockaddr_un($ENV{SSH_AUTH_SOCK})); $s } 1..40;
		@many = (); talk("\0\0\0\1\x13");'
	[ "$output" = $'end\nend\nend\n0000000105\n0000000105' ]
}

@test "agent: the person is asked, once for each, and is believed" {
	needs_sshd
	on_terminal yes cubby exec --ssh-agent git.test -- sh -c \
		'ssh -p 2222 root@127.0.0.1 echo one; ssh -p 2222 root@127.0.0.1 echo two'
	grep -q "ssh-agent: may the box log in as 'root' at git.test, key $FINGERPRINT? \[y/N\]" screen
	grep -q '^one' screen
	grep -q '^two' screen
	[ "$ASKED" = 1 ]
	run -255 on_terminal no cubby exec --ssh-agent git.test -- ssh -p 2222 root@127.0.0.1 echo in
	grep -q 'Permission denied' screen
}

# A real terminal, whose window gets another size, and a shell with jobs: none of it answers.
@test "agent: a window that gets another size, and a question that was left alone, are no answer" {
	needs_sshd
	terminal() { tmux -S "$BATS_TEST_TMPDIR/tmux" "$@" 3>&-; }
	shows() { # TEXT TIMES: waits until the screen has it so often
		local n
		for ((n = 0; n < $(lib_longer 300); n++)); do
			seen=$(terminal capture-pane -p)
			[ "$(grep -c -- "$1" <<<"$seen")" != "$2" ] || return 0
			sleep 0.1
		done
		echo "$seen"
		return 1
	}
	(unset TMUX; terminal -f /dev/null new-session -d -x 150 -y 40 'PS1="ready> " bash --norc --noprofile -i')
	terminal send-keys "cubby exec -t --ssh-agent git.test -- ssh -p 2222 root@127.0.0.1 echo let in" Enter
	shows '\[y/N\]$' 1
	terminal resize-window -x 140 -y 30
	until [ "$(stty size <"$(terminal display -p '#{pane_tty}')")" = "30 140" ]; do sleep 0.1; done
	shows '\[y/N\]$' 1
	terminal send-keys C-z
	shows 'Stopped' 1
	terminal send-keys fg Enter
	shows '\[y/N\]' 2
	terminal send-keys yes Enter
	shows '^let in' 1
	shows 'Permission denied' 0
	terminal kill-server
}

@test "agent: where nobody can be asked, the answer is no" {
	needs_sshd
	run -255 --separate-stderr inside --ssh-agent git.test -- ssh -p 2222 root@127.0.0.1 echo in
	[ "${stderr_lines[0]}" = "cubby: ssh-agent: a login was refused: there is no terminal to ask at; --yes permits it" ]
}

@test "agent: what cannot be is said before anything runs" {
	run -125 --separate-stderr cubby exec --ssh-agent absent.test -- touch ran
	[ "$stderr" = "cubby exec: your known_hosts has no key of 'absent.test'; connect to it once from here: ssh absent.test" ]
	run -125 --separate-stderr cubby exec --ssh-agent '[absent.test]:2222' -- touch ran
	[[ $stderr == *"; connect to it once from here: ssh -p 2222 absent.test" ]]
	run -125 --separate-stderr cubby exec --ssh-agent '-x y' -- touch ran
	[[ $stderr == *"'-x y' is no host"* ]]
	run -125 --separate-stderr cubby exec -d --ssh-agent git.test -- touch ran
	[[ $stderr == *"--detach and --ssh-agent exclude each other"* ]]
	SSH_AUTH_SOCK='' run -125 --separate-stderr cubby exec --ssh-agent git.test -- touch ran
	[ "$stderr" = "cubby exec: there is no ssh-agent: SSH_AUTH_SOCK is not set; 'eval \"\$(ssh-agent)\"; ssh-add' starts one" ]
	SSH_AUTH_SOCK=$LIB_DIR/gone run -125 --separate-stderr cubby exec --ssh-agent git.test -- touch ran
	[[ $stderr == *"cannot reach your ssh-agent at '$LIB_DIR/gone'"* ]]
	[ ! -e ran ]
}

@test "agent: where ssh-keygen does not work for who asks, that is said" {
	run id -un
	[ "$status" -ne 0 ] || skip "this user has a name"
	PATH=${PATH#"$LIB_DIR/bin:"} run -125 --separate-stderr cubby exec --ssh-agent git.test -- touch ran
	[ "$stderr" = "cubby exec: ssh-keygen cannot look into '$HOME/.ssh/known_hosts'; it wants a file that you may read, and a user with a name" ]
	[ ! -e ran ]
}

# refuses_host: the person's known_hosts is PERSON, that of the computer COMPUTER
refuses_host() {
	cp "$1" "$HOME/.ssh/known_hosts"
	cp "$2" computer/ssh_known_hosts
	unshare -rm true 2>/dev/null || skip "no namespaces with root's rights can be made here (unshare -rm)"
	run -125 --separate-stderr unshare -rm sh -c 'mount --bind computer /etc/ssh; exec cubby exec --ssh-agent git.test -- true'
	[[ $stderr == *"your known_hosts has no key of 'git.test'"* ]]
}

@test "agent: a key that known_hosts revokes is no host's, wherever it says so" {
	mkdir -p computer
	cp "$HOME/.ssh/known_hosts" kept
	sed 's/^[^ ]*/@revoked */' kept >revoked
	cat kept revoked >after
	cat revoked kept >before
	: >empty
	local bad=
	for files in 'after empty' 'before empty' 'kept revoked' 'revoked kept'; do
		# shellcheck disable=SC2086 # two words
		refuses_host $files || { bad+=" $files"; echo "$files: $stderr"; }
	done
	cat kept >"$HOME/.ssh/known_hosts"
	[ -z "$bad" ]
}
