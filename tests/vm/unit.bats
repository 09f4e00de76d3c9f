# docs/recipes' unit for the services of a project where systemd runs the machine: of a user who
# has a manager without a session (loginctl enable-linger), and of root, who starts and stops it.
load ../lib

SHOP="/home/user/src/my shop"

setup_file() {
	lib_env
	UNIT=cubby-up@$(systemd-escape --path "$SHOP").service
	export UNIT
	user "set -e
		mkdir -p ~/.local/bin ~/.config/systemd/user '$SHOP/.cubby'
		ln -s '$CUBBY_TEST_BIN' ~/.local/bin/
		cp '$CUBBY_TEST_TOP/docs/recipes/cubby-up@.service' ~/.config/systemd/user/
		~/.local/bin/cubby pull -q --name test '$CUBBY_TEST_ROOTFS'"
	cat >"$SHOP/serve" <<-'END'
	use IO::Socket::INET;
	my ($name, $port) = @ARGV;
	sub note { open my $said, '>>', 'said'; print $said "$name @_\n"; close $said }
	$SIG{TERM} = sub { note("down"); exit };
	my $door = IO::Socket::INET->new(LocalPort => $port, Listen => 5, ReuseAddr => 1) or die;
	note("up");
	while (1) { my $who = $door->accept or next; print $who "$name here\n"; close $who }
	END
	cat >"$SHOP/.cubby/box.json" <<-'END'
	{ "image": "test", "publish": ["8080:80"], "services": {
		"db": { "run": "exec perl serve db 5432", "ready": { "port": 5432 } },
		"web": { "run": "exec perl serve web 80", "ready": { "port": 80 } } } }
	END
	user "cd '$SHOP' && ~/.local/bin/cubby agree -q --yes"
}

setup() { :; }

teardown_file() { user "systemctl --user disable --now '$UNIT'; ~/.local/bin/cubby rm -q -f -a" || true; }

user() { su - user -c "$1"; } # a login

state() { user "cd '$SHOP' && ~/.local/bin/cubby info --json" | jq -r .state; }

said() { xargs <"$SHOP/said"; }

@test "enabled: the box runs in a scope of the user's manager, its services answer" {
	user "systemctl --user enable --now '$UNIT'" || user "journalctl --user -n 30 -u '$UNIT'; false"
	run -0 user "systemctl --user is-active '$UNIT'"
	[ "$output" = active ]
	[ "$(state)" = running ]
	[ "$(user "cd '$SHOP' && ~/.local/bin/cubby info --json" | jq -r .cgroup)" = systemd ]
	run -0 timeout "$(lib_longer 10)" bash -c 'cat </dev/tcp/127.0.0.1/8080'
	[ "$output" = "web here" ]
	[ "$(said)" = "db up web up" ]
}

@test "stopped: the services end in their order, then the box" {
	: >"$SHOP/said"
	user "systemctl --user stop '$UNIT'"
	[ "$(said)" = "web down db down" ]
	[ "$(state)" = stopped ]
	[ -z "$(user "systemctl --user list-units --all --plain --no-legend --state=failed")" ]
}

# What a reboot does to it: nothing of the manager's order may end the box before its services.
@test "the manager ends and begins again: so do the services, in their order" {
	user "systemctl --user start '$UNIT'"
	: >"$SHOP/said"
	systemctl stop "user@$(id -u user).service"
	[ "$(said)" = "web down db down" ]
	: >"$SHOP/said"
	systemctl start "user@$(id -u user).service"
	for ((i = 0; i < $(lib_longer 200); i++)); do
		[ "$(user "systemctl --user is-active '$UNIT'")" != active ] || break
		sleep 0.1
	done
	[ "$(said)" = "db up web up" ]
	run -0 timeout "$(lib_longer 10)" bash -c 'cat </dev/tcp/127.0.0.1/8080'
	[ "$output" = "web here" ]
}

@test "what does not start is a failed unit, whose log has the reason" {
	user "systemctl --user stop '$UNIT'"
	echo '{ "image": "test", "services": { "db": { "run": "exit 3", "ready": { "port": 5432 } } } }' >"$SHOP/.cubby/box.json"
	user "cd '$SHOP' && ~/.local/bin/cubby agree -q --yes"
	run user "systemctl --user start '$UNIT'"
	[ "$status" -ne 0 ]
	run -0 user "systemctl --user --no-pager -l -n 30 status '$UNIT' || true"
	echo "$output"
	[[ $output == *"cubby up: service 'db' ended with status 3; 'cubby logs db' shows what it said"* ]]
	user "systemctl --user reset-failed '$UNIT'"
}
