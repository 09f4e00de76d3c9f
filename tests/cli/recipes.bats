# docs/recipes with stubs of those who call them.
load ../lib

setup() {
	lib_project
	RECIPES=$CUBBY_TEST_TOP/docs/recipes
	mkdir bin
	ln -s "$CUBBY_TEST_BIN" bin/cubby
	export PATH=$PWD/bin:$PATH
}

# What a runner of GitLab does: each stage is a script, which it names with the stage.
gitlab() {
	CUBBY_JOBS=$PWD/jobs CUSTOM_ENV_CI_JOB_ID=${JOB-71} BUILD_FAILURE_EXIT_CODE=11 SYSTEM_FAILURE_EXIT_CODE=12 \
		CUSTOM_ENV_CI_JOB_IMAGE=${IMAGE-test} "$RECIPES/gitlab-executor" "$@"
}

@test "recipe gitlab: a job has a box, its statuses are GitLab's, nothing stays" {
	run -0 --separate-stderr gitlab config
	[ "$(jq -r '.builds_dir, .builds_dir_is_shared' <<<"$output")" = "$PWD/jobs/71/builds"$'\n'false ]
	gitlab prepare
	echo "set -e; cd '$PWD/jobs/71/builds'; id -u >who; echo made >/opt/here; cat; false | true; echo end" >stage
	run -0 --separate-stderr gitlab run stage build_script
	[ "$output" = end ] # and cat met the end of a file, not of the script
	[ "$(cat jobs/71/builds/who)" = 0 ]
	[ ! -e /opt/here ]
	echo 'test -e /opt/here && exit 3' >stage
	run -11 gitlab run stage step_script
	echo 'exit 125' >stage # which is not cubby's
	run -11 gitlab run stage step_script
	echo 'set -e; false; exit 0' >stage
	run -11 gitlab run stage step_script
	gitlab cleanup
	[ ! -e jobs/71 ]
	[[ $(cubby ls --json) != *"/jobs/71"* ]]
	gitlab cleanup
}

@test "recipe gitlab: a stage writes through no link that the one before left" {
	gitlab prepare
	echo "cd '$PWD/jobs/71'; rm -f script; mkdir script; ln -s '$PWD/planted' script/stage" >stage
	run gitlab run stage step_script
	[ -L jobs/71/script/stage ]
	echo 'echo reached' >stage
	run -0 --separate-stderr gitlab run stage after_script
	[ "$output" = reached ]
	[ ! -e planted ]
	gitlab cleanup
	[ ! -e jobs/71 ]
}

@test "recipe gitlab: an image that is not there is a failure of the system; odd jobs are refused" {
	IMAGE=./no-such.tar run -12 gitlab prepare
	JOB=../x run -2 gitlab prepare
	[ ! -e x ]
}

@test "recipe github: hooks, and steps that leave outputs" {
	mkdir work temp
	export GITHUB_WORKSPACE=$PWD/work RUNNER_TEMP=$PWD/temp CI=true GITHUB_OUTPUT=$PWD/temp/output SECRET=hidden
	CUBBY_JOB_IMAGE=test "$RECIPES/github-runner" started
	echo 'pwd; echo "$CI-${SECRET-none}"; echo "answer=42" >>"$GITHUB_OUTPUT"; touch /opt/here made' >temp/step.sh
	run -0 --separate-stderr "$RECIPES/github-runner" step "$RUNNER_TEMP/step.sh"
	[ "$output" = "$PWD/work"$'\n'true-none ]
	[ "$(cat temp/output)" = answer=42 ]
	[ -e work/made ]
	[ ! -e /opt/here ]
	echo 'false | true; echo not reached' >temp/step.sh
	run -1 --separate-stderr "$RECIPES/github-runner" step "$RUNNER_TEMP/step.sh"
	[ -z "$output" ]
	"$RECIPES/github-runner" completed
	[[ $(cubby ls --json) != *"$PWD/work"* ]]
}

@test "recipe github: a variable is its name and its value, whatever that holds" {
	mkdir work temp
	export GITHUB_WORKSPACE=$PWD/work RUNNER_TEMP=$PWD/temp GITHUB_SHA256=name TITLE=$'fix\nGITHUB_X=1'
	export GITHUB_TEXT=$'two\nlines ' RUNNER_TEMPER=$PWD/temperature CITY=hidden
	CUBBY_JOB_IMAGE=test "$RECIPES/github-runner" started
	echo 'echo "$GITHUB_SHA256,${GITHUB_X-none},$GITHUB_TEXT,$RUNNER_TEMPER,${CITY-none}"' >temp/step.sh
	run -0 --separate-stderr "$RECIPES/github-runner" step "$RUNNER_TEMP/step.sh"
	[ "$output" = "name,none,$GITHUB_TEXT,$RUNNER_TEMPER,none" ]
	"$RECIPES/github-runner" completed
}

@test "recipe systemd: the unit is one that systemd accepts" {
	command -v systemd-analyze >/dev/null || skip "there is no systemd-analyze"
	mkdir -m 700 run
	XDG_RUNTIME_DIR=$PWD/run run -0 systemd-analyze --user verify "$RECIPES/cubby-up@.service"
	[ -z "$output" ]
}

# A manager of services like that of a login, with a runtime directory and a /run of its own:
# by what is there it knows whether systemd runs the machine. $1: what is done beside it.
with_manager() {
	mkdir -m 700 manager
	cat >with_manager <<-'END'
		mount -t tmpfs -o mode=755 none /run
		mkdir -p /run/systemd/system
		leaf=/sys/fs/cgroup/systemd
		[ -d $leaf ] || leaf=/sys/fs/cgroup
		leaf=$leaf/cubby-recipe-$$
		mkdir "$leaf" && echo $$ >"$leaf/cgroup.procs" || exit 77
		export XDG_RUNTIME_DIR=$PWD/manager
		/usr/lib/systemd/systemd --user --log-target=console >manager.log 2>&1 </dev/null 3>&- &
		pid=$!
		until systemctl --user is-system-running >/dev/null 2>&1; do
			kill -0 $pid 2>/dev/null || exit 77
			read -rt 0.05 <> <(:) || true
		done
		(eval "$1")
		status=$?
		kill $pid
		wait $pid
		echo $$ >"${leaf%/*}/cgroup.procs"
		find "$leaf" -depth -type d -exec rmdir {} + 2>/dev/null
		exit $status
	END
	unshare -m bash with_manager "$1"
}

@test "recipe systemd: its start starts the services, and its end ends them and the box" {
	[ -x /usr/lib/systemd/systemd ] || skip "there is no systemd"
	[ "$(id -u)" = 0 ] || skip "an ordinary user has no cgroup for a manager of services of its own"
	local unit status=0
	mkdir -p shop/.cubby "$HOME/.config/systemd/user" "$HOME/.local/bin"
	ln -s "$CUBBY_TEST_BIN" "$HOME/.local/bin/cubby"
	echo '{"services": {"web": {"run": "echo up >>said; trap \"echo down >>said; exit\" TERM; while :; do sleep 0.1; done"}}}' >shop/.cubby/box.json
	cubby -C shop agree -q --yes
	cp "$RECIPES/cubby-up@.service" "$HOME/.config/systemd/user/"
	export unit="cubby-up@$(systemd-escape --path "$PWD/shop").service"
	with_manager '
		set -e
		systemctl --user set-environment HOME="$HOME" XDG_DATA_HOME="$XDG_DATA_HOME" CUBBY_IMAGE="$CUBBY_IMAGE"
		systemctl --user start "$unit"
		systemctl --user is-active "$unit" >is
		until [ -s shop/said ]; do read -rt 0.05 <> <(:) || true; done
		cubby -C shop info --json | jq -r .state >>is
		systemctl --user stop "$unit"
		cubby -C shop info --json | jq -r .state >>is' || status=$?
	[ $status != 77 ] || skip "systemd --user does not start here: $(tail -n 1 manager.log)"
	[ $status = 0 ]
	[ "$(xargs <is)" = "active running stopped" ]
	[ "$(xargs <shop/said)" = "up down" ]
}

# bats test_tags=long
@test "recipe ssh: sshd in the box speaks over the pipes of a command" {
	command -v ssh >/dev/null || skip "there is no ssh here"
	lib_needs_users # sshd makes sure that it cannot get its rights back
	cubby exec -q -- sh -c 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends openssh-server' >log 2>&1 &&
		! grep -q '^E:' log || skip "the image's package mirror cannot be reached from here"
	ssh-keygen -q -t ed25519 -N '' -f key
	cubby exec -q -- sh -c 'mkdir -p -m 700 /root/.ssh; cat >/root/.ssh/authorized_keys' <key.pub
	sed -n '/^Host shop.box/,/^```/p' "$CUBBY_TEST_TOP/docs/recipes.md" | grep -v '^```' |
		sed "s|~/src/shop|$PWD|" >config
	run -0 timeout "$(lib_longer 60)" ssh -F config -i key -o StrictHostKeyChecking=no -o UserKnownHostsFile=known \
		-o BatchMode=yes shop.box 'id -u; cat /etc/hostname; echo "$SSH_CONNECTION" | cut -c1-7'
	grep -qx 0 <<<"$output"
}
