# The questions of real programs in a box, as a model meets them: apt-get and dpkg, passwd,
# the client of OpenSSH. (sudo gains nothing in a box, where set-id bits have no effect, and
# does not ask root: it is in tests/unit/agent/session/test_talk.c.) The packages come from the mirror that the image was made
# from, as in packages.bats.
#
# A call without `timeout` returns after 30 seconds without output, and says so: that it
# waits for an answer can only be said because that was seen.
# shellcheck disable=SC2016 # the box expands what is in single quotes
load ../lib
load toolkit

setup_file() { toolkit_setup_file; }
setup() {
	toolkit_setup
	serve
}
teardown() { unserve; }

# answer TEXT: what is typed is of no password's echo
answer() { call input text "$1"; }

# Until the command has ended, however long it works in silence.
finish() {
	while [[ $text == *'[running, '* ]]; do
		call input
	done
}

# bats test_tags=long
@test "X3: apt-get install asks, takes no and yes, and does not wait while it works" {
	call shell command 'apt-get install --no-install-recommends sudo openssh-client dropbear-bin'
	has 'Do you want to continue? [Y/n] 
[waiting for a line]'
	answer n
	has 'Abort.
[exit 1, '
	call shell command 'DEBIAN_FRONTEND=noninteractive apt-get install --no-install-recommends sudo openssh-client dropbear-bin'
	has 'Do you want to continue? [Y/n] 
[waiting for a line]'
	answer Y
	finish
	has "lines of a package manager's progress left out"
	has '[exit 0, '
}

# bats test_tags=long
@test "X3: dpkg, below apt-get on a terminal of its own, asks about a changed file" {
	call shell command 'echo "# mine" >>/etc/sudo.conf; apt-get install --reinstall -o DPkg::Options::=--force-confask sudo'
	finish
	has "*** sudo.conf (Y/I/N/O/D/Z) [default=N] ? 
[waiting for a line]"
	answer N
	finish
	has '[exit 0, '
	call shell command 'tail -n 1 /etc/sudo.conf'
	has '# mine'
}

@test "X4: passwd asks twice and shows neither answer" {
	call shell command 'useradd -m -s /bin/bash ann && passwd ann'
	has 'New password: 
[waiting for a password]'
	answer one-Pa55word
	has 'Retype new password: 
[waiting for a password]'
	lacks one-Pa55word
	answer another
	has 'do not match'
	lacks another
	has '[exit 10, '
	call shell command 'passwd ann'
	answer one-Pa55word
	answer one-Pa55word
	has 'password updated successfully
[exit 0, '
	lacks one-Pa55word
}

# bats test_tags=long
@test "X2: ssh asks about a host's key, then for a password" {
	call shell command 'dropbearkey -t ed25519 -f /tmp/hostkey >/dev/null && dropbear -r /tmp/hostkey -p 127.0.0.1:2222 -P /tmp/dropbear.pid && echo root:three-Pa55words | chpasswd'
	has '[exit 0, '
	call shell command 'ssh -p 2222 root@127.0.0.1 "echo from \$SSH_CONNECTION; exit 4"'
	has '(yes/no/[fingerprint])? 
[waiting for a line]'
	answer no
	has 'Host key verification failed.
[exit 255, '
	call shell command 'ssh -p 2222 root@127.0.0.1 "echo from \$SSH_CONNECTION; exit 4"'
	answer yes
	has "root@127.0.0.1's password: 
[waiting for a password]"
	answer wrong-Pa55word
	has 'Permission denied, please try again.'
	has '[waiting for a password]'
	answer three-Pa55words
	lacks Pa55word
	has 'from 127.0.0.1 '
	has '[exit 4, '
}
