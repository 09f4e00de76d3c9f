# The host beside the box: K16, K19, K30, K36, K38, K39, K40.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

@test "K16: --user is exactly that user, or an error" {
	cubby exec -- true
	if [ "$(escape_map)" != single ]; then
		run -0 --separate-stderr cubby exec --user 1 -- sh -c 'id -u; id -g'
		[ "${lines[0]}" = 1 ]
		run -0 --separate-stderr cubby exec --user 1:2 -- sh -c 'id -u; id -g'
		[ "$output" = $'1\n2' ]
	fi
	run -0 cubby exec --user 0 -- id -u
	[ "$output" = 0 ]
	for bad in +1 -1 1: :1 4294967295 4294967296 1:4294967295 '1 ' 0x1 '' nosuchuser \
		root:nosuchgroup $'new\nline'; do
		for command in 'exec -- id -u' shell; do
			read -ra words <<<"$command"
			run --separate-stderr cubby "${words[0]}" --user="$bad" "${words[@]:1}" <<<'id -u'
			echo "$command '$bad': $status $stderr"
			[ "$status" -eq 125 ]
			[ -z "$output" ]
			[ "${#stderr_lines[@]}" -eq 1 ]
			[[ $stderr == "cubby ${words[0]}: "* ]]
		done
	done
	run -125 --separate-stderr cubby exec --user nosuchuser -- true
	[ "$stderr" = "cubby exec: no user 'nosuchuser' in the box; a number needs no account" ]
}

@test "K19: abstract sockets of the host are not there" {
	command -v python3 >/dev/null || skip "no python3"
	python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind("\0cubby-test-" + sys.argv[1]); s.listen(1); print("up", flush=True); time.sleep(int(sys.argv[2]))
' "$$" "$(lib_longer 30)" >up 3>&- &
	listener=$!
	until [ -s up ]; do kill -0 $listener; read -rt 0.02 <> <(:) || true; done
	run cubby exec -- cat /proc/net/unix
	[[ $output != *"cubby-test-$$"* ]]
	reach() {
		cubby exec "$@" -- perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_STREAM, 0);
			print connect($s, pack_sockaddr_un("\0cubby-test-" . shift)) ? "in" : $!' "$$"
	}
	run -0 --separate-stderr reach
	[ "$output" = "Connection refused" ]
	[ -z "$stderr" ]
	# With the host's network they are closed by Landlock's scopes (K44) from Linux 6.12
	# on; before that they are there, which is said.
	cubby stop >/dev/null 2>&1 || true
	run -0 --separate-stderr reach --keep --net host
	kill $listener
	abstract=$(cubby info --json | jq -r .abstract)
	cubby stop -q
	[[ $stderr == *"the host's network"* ]]
	if [ "$(perl -e 'print syscall(444, 0, 0, 1)')" -ge 6 ]; then
		[ "$output" = "Operation not permitted" ]
		[[ $stderr != *abstract* ]]
		[ "$abstract" = closed ]
	else
		[ "$output" = in ]
		[[ $stderr == *"abstract sockets"*"within its reach"* ]]
		[ "$abstract" = "within reach" ]
	fi
}

@test "K30: store, boxes and sockets are the caller's alone" {
	cubby exec -- true
	[ "$(stat -c %a "$XDG_DATA_HOME/cubby")" = 700 ]
	cubby exec --keep -- true
	socket=$XDG_RUNTIME_DIR/cubby/$(cubby info --json | jq -r .key)/ctl
	[ -S "$socket" ]
	[ "$(stat -c %a "$socket")" = 600 ]
	[ "$(stat -c %a "$(dirname "$socket")")" = 700 ]
	[ "$(stat -c %a "$XDG_RUNTIME_DIR/cubby")" = 700 ]
	cubby stop
}

@test "K30: a setuid file of an image is out of reach for other users" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	command -v setpriv >/dev/null || skip "no setpriv"
	dir=$(escape_image k30)
	cp "$dir/bin/id" "$dir/bin/setuid-id"
	chmod 4755 "$dir/bin/setuid-id"
	chmod 711 "$LIB_DIR" "$XDG_DATA_HOME"
	name=$(cubby pull -q "$dir")
	cubby exec -q --image "$name" -- true
	file=$(find "$XDG_DATA_HOME/cubby/images" -name setuid-id)
	[ -u "$file" ]
	# By a shell: what setpriv itself executes it still finds with root's rights.
	other() { setpriv --reuid=61235 --regid=61235 --clear-groups -- sh -c '"$@"' sh "$@"; }
	other test -x "$XDG_DATA_HOME" # so far they come
	run other "$file"
	[ "$status" -ne 0 ]
	[[ $output != *uid=* ]]
	run other ls "$XDG_DATA_HOME/cubby"
	[ "$status" -ne 0 ]
	cubby rm -q
	chmod 700 "$LIB_DIR" "$XDG_DATA_HOME"
}

@test "K36: .git/hooks and .git/config are read-only and cannot be walked around" {
	mkdir -p .git/hooks
	echo '[core]' >.git/config
	echo '#!/bin/sh' >.git/hooks/pre-commit
	before=$(find .git -printf '%P %y %i\n' | sort; cat .git/config .git/hooks/*)
	run cubby exec -- sh -c 'echo x >>.git/config; echo x >>.git/hooks/pre-commit
		echo x >.git/hooks/new; rm .git/config; rm -r .git/hooks
		mv .git/hooks .git/h2; mv .git/config .git/c2; mv .git .git2
		ln -s /tmp .git/hooks; chmod 777 .git/hooks; true'
	[ "$before" = "$(find .git -printf '%P %y %i\n' | sort; cat .git/config .git/hooks/*)" ]
	[ ! -e .git2 ]
	cubby exec --git-writable -- sh -c 'echo x >>.git/config'
	grep -q x .git/config
}

@test "K43: the box's own files never land in a project that is mounted on /etc" {
	[ "$(id -u)" -eq 0 ] || skip "only root can put another directory on /etc"
	unshare -m true || skip "no mount namespaces"
	mkdir etc
	cp -a /etc/. etc/
	echo "of the host" >etc/resolv.conf.real
	rm -f etc/resolv.conf etc/hostname
	echo "nameserver 192.0.2.1" >etc/resolv.conf
	echo "the-host" >etc/hostname
	unshare -m --propagation private sh -c 'mount --bind etc /etc && cd / &&
		find /etc -printf "%p %y %i %s\n" | sort >"$1/before" &&
		cubby exec -q -C /etc --any-directory -- sh -c "cat hostname; test ! -e /etc/made" >"$1/said"
		find /etc -printf "%p %y %i %s\n" | sort >"$1/after"
		cubby rm -q -C /etc' sh "$PWD"
	cat said
	[ "$(cat said)" = the-host ]
	diff before after
	[ "$(cat etc/resolv.conf etc/hostname)" = $'nameserver 192.0.2.1\nthe-host' ]
}

@test "K46: what is too wide or private needs a word, and some have none" {
	refused() { # WHY DIR
		run -125 cubby exec -C "$2" -- true
		[[ $output == *"$1"* && ${#lines[@]} = 1 ]] || { echo "said: $output" >&2; return 1; }
	}
	mkdir -p "$HOME/.ssh" "$HOME/work"
	refused "a system directory" /etc
	refused "a directory that programs share" /tmp
	refused "which is private to a home" "$HOME/.ssh"
	refused "say --any-directory" "$XDG_RUNTIME_DIR"
	refused "it contains" "$LIB_DIR"
	cubby exec -C "$HOME/.ssh" --any-directory -- touch key
	[ -e "$HOME/.ssh/key" ]
	cubby rm -C "$HOME/.ssh"
	cubby exec -C "$HOME/work" --keep -- true
	for own in "$XDG_DATA_HOME/cubby" "$XDG_DATA_HOME/cubby/boxes" "$XDG_RUNTIME_DIR/cubby"; do
		refused "cannot be a project" "$own"
		run -125 --separate-stderr cubby exec -C "$own" --any-directory -- true
		[[ $stderr == *"cannot be a project"* ]]
	done
	cubby rm -q --force -C "$HOME/work"
}

# mounted KIND WHAT DIR COMMAND...: where "mount KIND WHAT DIR" was done, for COMMAND alone.
mounted() {
	unshare -m sh -c 'mount "$1" "$2" "$3" && shift 3 && exec "$@"' sh "$@"
}

@test "K46: what is mounted in a project is judged like one, and the kernel's has no word" {
	[ "$(id -u)" -eq 0 ] || skip "mounts"
	mkdir -p chroot/{proc,sys,run} "$HOME/.ssh" bare
	mounted -tproc proc chroot/proc true || skip "no mounts here"
	local how
	refused() { # WHY
		[[ $status = 125 && $output == *"$1"* && ${#lines[@]} = 1 ]] || { echo "said: $output" >&2; return 1; }
	}
	for how in --quiet "--any-directory --git-writable"; do
		# shellcheck disable=SC2086 # two words
		run mounted -tproc proc chroot/proc cubby exec $how -- cat chroot/proc/1/comm
		refused "it contains '$PWD/chroot/proc', a filesystem of the kernel's"
	done
	run mounted -tproc proc chroot/proc cubby exec -C chroot/proc/fs -- true
	refused "lies in '$PWD/chroot/proc', a filesystem of the kernel's"
	run mounted -tproc proc chroot/proc cubby exec -C bare -v ./chroot:/srv/chroot -- true
	refused "'$PWD/chroot' cannot be a volume: it contains"
	run mounted --bind /sys chroot/sys cubby exec --any-directory -- true
	refused "it contains '$PWD/chroot/sys', a filesystem of the kernel's"
	run mounted --bind "$HOME/.ssh" chroot/run cubby exec -- touch chroot/run/key
	refused "'$PWD/chroot/run' is not shared with a box: it is '$HOME/.ssh', which is private to a home"
	mounted --bind "$HOME/.ssh" chroot/run cubby exec -q --any-directory -- touch chroot/run/key
	[ -e "$HOME/.ssh/key" ]
	cubby stop -q
}

# Prints what comes of a greeting to a control socket. A socket's name has 107 bytes.
k44_greet='use Socket; my ($d, $n) = $ARGV[0] =~ m,^(.*)/(.*),; chdir $d;
	socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or die;
	connect($s, pack_sockaddr_un($n)) or print("cannot connect\n"), exit;
	send($s, pack("LLL", 1, 0, 64) . ("x" x 64), 0);
	print sysread($s, my $said, 65536) ? "answered\n" : "hung up\n"'

@test "K44: a process of a box that reaches a control socket is not heard" {
	command -v perl >/dev/null || skip "no perl"
	mkdir other
	cubby exec -C other --keep -- true
	cubby exec --keep -- true
	for dir in . other; do
		socket=$XDG_RUNTIME_DIR/cubby/$(cubby info -C $dir --json | jq -r .key)/ctl
		ln -f "$socket" ctl
		run -0 perl -e "$k44_greet" "$PWD/ctl"
		[ "$output" = answered ]
		run -0 cubby exec -- perl -e "$k44_greet" "$PWD/ctl"
		[ "$output" = "hung up" ]
		run -0 cubby exec -C "$XDG_RUNTIME_DIR" --any-directory -- perl -e "$k44_greet" "$socket"
		[ "$output" = "hung up" ]
	done
	# Nor are those who make namespaces of their own without any box.
	if unshare -Ur true; then
		run -0 unshare -Ur perl -e "$k44_greet" "$PWD/ctl"
		[ "$output" = "hung up" ]
	fi
	if [ "$(id -u)" -eq 0 ] && unshare -pf true; then
		run -0 unshare -pf perl -e "$k44_greet" "$PWD/ctl"
		[ "$output" = "hung up" ]
	fi
	cubby stop -C other
	cubby stop
	cubby rm -C "$XDG_RUNTIME_DIR"
}

@test "K44: a process of a box that poses as a monitor hears nothing" {
	command -v perl >/dev/null || skip "no perl"
	cubby exec -- true
	dir=$XDG_RUNTIME_DIR/cubby/$(cubby info --json | jq -r .key)
	socket=$dir/ctl
	mkdir -pm 700 "$dir"
	cubby exec -C "$XDG_RUNTIME_DIR" --any-directory -- perl -e 'use Socket;
		my ($d, $n) = $ARGV[0] =~ m,^(.*)/(.*),; chdir $d; unlink $n;
		socket(my $l, AF_UNIX, SOCK_SEQPACKET, 0) or die;
		bind($l, pack_sockaddr_un($n)) or die "bind: $!"; listen($l, 5);
		open(my $up, ">", "up"); close $up;
		accept(my $s, $l); print sysread($s, my $said, 65536) ? "heard\n" : "nothing\n"' \
		"$socket" >posed 2>&1 3>&- &
	box=$!
	up=$(dirname "$socket")/up
	until [ -e "$up" ]; do kill -0 $box || { cat posed; return 1; }; read -rt 0.02 <> <(:) || true; done
	run -125 --separate-stderr cubby exec -- true
	[[ $stderr == *"not a process of yours on this host"* ]]
	wait $box
	[ "$(cat posed)" = nothing ]
	rm "$up"
	run -0 cubby exec -- echo again
	[ "$output" = again ]
	cubby rm -C "$XDG_RUNTIME_DIR"
}

# of this test's own boxes; what it has started has its command line for a moment
our_monitor() {
	local pid parent
	for pid in $(lib_processes __monitor); do
		parent=$(sed -n 's/^PPid:\t//p' "/proc/$pid/status" 2>/dev/null) || continue
		! { tr '\0' ' ' <"/proc/$parent/cmdline"; } 2>/dev/null | grep -q __monitor || continue
		echo "$pid"
	done
}

@test "K38: nothing of the box outlives its monitor" {
	# lifecycle.bats has the 200 moments; here it is what the box left running.
	local left="sleep 77$$" # no other file's
	for _ in $(seq "$(lib_fewer 20)"); do
		until [ -z "$(our_monitor)" ]; do # that of the round before ends after its command
			read -rt 0.02 <> <(:) || true
		done
		cubby exec -- sh -c "setsid $left & $left; true" >client.out 2>&1 3>&- &
		client=$!
		until [ "$(pgrep -cxf "$left")" = 2 ]; do
			kill -0 $client || { cat client.out; return 1; }
			read -rt 0.02 <> <(:) || true
		done
		monitor=$(our_monitor)
		kill -9 "$monitor"
		status=0
		wait $client || status=$?
		[ "$status" -ne 0 ]
		for ((i = 0; i < $(lib_longer 500); i++)); do
			pgrep -xf "$left" >/dev/null || break
			read -rt 0.02 <> <(:) || true
		done
		[ "$i" -lt "$(lib_longer 500)" ]
		run -0 cubby exec -- echo again
		[ "$output" = again ]
	done
}

@test "K39: two boxes share nothing" {
	mkdir one two
	cubby exec --here -C one -- sh -c 'for d in /tmp /root /dev/shm /run /var/tmp; do
		echo mark >$d/f; done; exec sleep 1234' 3>&- &
	keeper=$!
	until cubby ps --here -C one >/dev/null 2>&1; do kill -0 $keeper; read -rt 0.02 <> <(:) || true; done
	run cubby exec --here -C two -- sh -c 'cat /tmp/f /root/f /dev/shm/f /run/f /var/tmp/f
		cat /proc/[0-9]*/cmdline | tr "\0" " "; ls ..; kill -9 -1; true'
	[[ $output != *mark* && $output != *"sleep 1234"* ]]
	kill -0 $keeper
	kill $keeper
}

@test "K40: the caller's other groups are gone, or named" {
	cubby exec -- true
	run -0 cubby exec -- id -G
	if [ "$(escape_map)" = single ] && [ "$(id -G | wc -w)" -gt 1 ]; then
		[[ $output == *65534* ]]
		return
	fi
	[ "$output" = 0 ]
}

@test "K44: abstract sockets of the host are out of reach, with the host's network, too" {
	local name=cubby-test-$BATS_SUITE_TEST_NUMBER-$$ pid fd
	local dial='use Socket; socket my $s, AF_UNIX, SOCK_STREAM, 0; my $at = pack("S a*", 1, "\0$ARGV[0]");
		print connect($s, $at) ? "reached" : $!; exit !$ARGV[1]'
	[ "$(perl -e 'print syscall(444, 0, 0, 1)')" -ge 6 ] ||
		skip "this kernel has no scopes of Landlock (Linux 6.12)"
	exec {fd}< <(exec perl -e 'use Socket; $| = 1; socket my $s, AF_UNIX, SOCK_STREAM, 0;
		bind $s, pack("S a*", 1, "\0$ARGV[0]") or die; listen $s, 5; print "there\n"; sleep 100' "$name" 3>&-)
	pid=$!
	read -r <&"$fd"
	run -0 perl -e "$dial" "$name" 1
	[ "$output" = reached ]
	run -0 cubby exec -q -- perl -e "$dial" "$name" 1
	[ "$output" = "Connection refused" ]
	cubby stop -q
	run -0 cubby exec -q --net host -- perl -e "$dial" "$name" 1
	[ "$output" = "Operation not permitted" ]
	cubby stop -q
	# nor by way of a socket of a box with the host's network that another box was handed
	mkdir other
	cp handout other/
	cubby exec -q --net host -v shared:/d -- ./handout give "/d/$name" socket 3>&- &
	run -0 cubby exec -q -C other --here -v shared:/d -- ./handout dial "/d/$name" "$name"
	wait $!
	[ "$output" = "Operation not permitted" ]
	cubby rm -q --force -C other
	cubby stop -q 2>/dev/null || true
	# its own are not affected
	run -0 cubby exec -q -- perl -e 'use Socket; socket my $l, AF_UNIX, SOCK_STREAM, 0;
		my $at = pack("S a*", 1, "\0own"); bind $l, $at or die; listen $l, 1;
		socket my $s, AF_UNIX, SOCK_STREAM, 0; print connect($s, $at) ? "reached" : $!'
	[ "$output" = reached ]
	kill "$pid"
}

# Without a key a task asks a server of this machine, and that one drives the box of the task. In
# a network of our own, for the ports are those that llama.cpp and Ollama have everywhere.
@test "K52: a port that a box publishes, or where another user listens, is not asked for a model" {
	[ "$(id -u)" -eq 0 ] || skip "a network of our own is root's to make"
	command -v ip >/dev/null || skip "no ip"
	mkdir other
	cat >serve <<'S'
use IO::Socket::INET; $| = 1;
my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], Listen => 5, ReuseAddr => 1) or die;
print "up\n";
while (my $c = $s->accept) {
	my ($h, $b) = ('', '');
	while (<$c>) { $h .= $_; last if /^\r?$/ }
	read($c, $b, $1) if $h =~ /Content-Length: (\d+)/i;
	open(my $o, '>>', $ARGV[1]); print $o $h; close $o;
	my $r = $h =~ m{^GET} ? '{"data":[{"id":"posed"}]}'
		: '{"choices":[{"message":{"role":"assistant","content":"said"},"finish_reason":"stop"}]}';
	print $c "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " . length($r) . "\r\nConnection: close\r\n\r\n$r";
	close $c;
}
S
	chmod 755 . serve
	cat >asks <<'S'
set -e
ip link set lo up
up() { for _ in $(seq 600); do ! grep -q up "$1" 2>/dev/null || return 0; sleep 0.05; done; return 1; }
cubby exec -q --publish 8080:8080 -- perl serve 8080 seen >box.log 2>&1 3>&- & up box.log
cubby -C other "say hi" </dev/null >none 2>&1 || echo "none $?"
cubby -C other --model llamacpp: "say hi" </dev/null >named 2>/dev/null; cat named
cubby stop -q; wait
perl serve 8080 seen.own >own.log 2>&1 3>&- & own=$! && up own.log
cubby -C other "say hi" </dev/null 2>/dev/null
kill $own; wait $own || true
setpriv --reuid=61235 --regid=61235 --clear-groups perl serve 8080 /dev/null >user.log 2>&1 3>&- & user=$! && up user.log
cubby -C other "say hi" </dev/null >>none 2>&1 || echo "none $?"
kill $user; wait $user || true
S
	run -0 --separate-stderr env -u OPENAI_API_KEY -u OPENAI_BASE_URL -u ANTHROPIC_API_KEY -u ANTHROPIC_BASE_URL unshare -n sh asks
	[ "$output" = $'none 4\nsaid\nsaid\nnone 4' ]
	grep -q "http://127.0.0.1:8080 is not asked by itself: it is a port of the box of '$LIB_PROJECT'; '--model llamacpp:' asks it" none
	grep -q "http://127.0.0.1:8080 is not asked by itself: what listens there is uid 61235's; '--model llamacpp:' asks it" none
}
