# .cubby/box.json: what a project says about its box.
load ../lib

setup() {
	lib_project
	mkdir .cubby
}

says() { cat >.cubby/box.json; }

WANTS="cubby: .cubby/box.json wants more than a box has by itself, which does not hold until 'cubby agree' permits it"

@test "project: setup runs once in a box, again when it or its script changes" {
	says <<<'{"setup": ["echo one >>/root/one", "./prep two"], "env": {"GREETING": "hello"}}'
	printf '#!/bin/sh\necho $1 >>/root/two\n' >prep
	chmod +x prep
	run -0 --separate-stderr cubby exec -- sh -c 'cat /root/one /root/two; echo $GREETING'
	[ "$output" = $'one\ntwo\nhello' ]
	[ "$stderr" = $'cubby: setup: echo one >>/root/one\ncubby: setup: ./prep two' ]
	run -0 --separate-stderr cubby exec -- cat /root/one
	[ "$output" = one ]
	[ -z "$stderr" ]
	echo 'echo more >>/root/two' >>prep
	run -0 cubby exec -q -- cat /root/two
	[ "$output" = $'two\ntwo\nmore' ]
	[ "$(cubby config --json | jq -r '.[] | select(.name == "env") | "\(.value) \(.from)"')" = "GREETING=hello project" ]
}

@test "a step of the setup is named as it is written, also on a narrow terminal" {
	mkdir -p .cubby
	echo '{"setup": ["for i in 1 2 3; do echo line $i; sleep 0; done >/root/of-a-loop"]}' >.cubby/box.json
	run -0 "$CUBBY_TEST_TOP/tests/on-tty" 'stty rows 24 cols 40; cubby --no-color exec -- cat /root/of-a-loop' </dev/null
	[[ $output == *$'cubby: setup: for i in 1 2 3; do echo\r\n  line $i; sleep 0; done\r\n  >/root/of-a-loop\r\n'* ]] || { cat -A <<<"$output"; return 1; }
}

@test "project: a file that cannot be read keeps nobody from looking at the box, or ending what runs there" {
	local number words
	number=$(cubby exec -q -d -- sh -c 'echo said; exec sleep 1000')
	says <<<'{"deny": ["example.org"],'
	for words in ps "top --once" "log --net" info ports net snapshots diff logs "kill $number" "wait $number" down logs; do
		run --separate-stderr cubby $words
		[[ $status == 0 || $words == wait* ]] || { echo "$words: $status"; return 1; }
		[[ $stderr == "cubby: .cubby/box.json: bad JSON"* && $stderr != *JSON*JSON* ]] || { echo "$words: $stderr"; return 1; }
		[[ $words != logs || $output == said ]] || { echo "$words: $output"; return 1; }
	done
	# A box that was started to be looked at is in no network: the file might say so.
	CUBBY_LINGER=10 run -0 --separate-stderr cubby logs
	run -0 --separate-stderr cubby info --json
	[ "$(jq -r '"\(.state) \(.net)"' <<<"$output")" = "lingering none" ] || { echo "$output"; return 1; }
	for words in "exec -- true" shell up "cp :/etc/hostname h" "set memory=1G" "restore x"; do # what starts one, or decides for it
		run --separate-stderr cubby $words </dev/null
		[[ $status != 0 && $stderr == *".cubby/box.json: bad JSON"* ]] || { echo "$words: $stderr"; return 1; }
	done
	rm .cubby/box.json
	run -1 --separate-stderr cubby ps
	[ "$stderr" = "cubby ps: the box is not running; any command in it starts it" ]
}

@test "project: going back to a snapshot goes back to the setup it had, and a branch of it begins there" {
	local add='echo b >>/root/done'
	says <<<'{"setup": ["echo a >>/root/done"]}'
	cubby exec -q -- true
	cubby snapshot -q old
	says <<<'{"setup": ["echo a >>/root/done", "'"$add"'"]}'
	run -0 --separate-stderr cubby exec -- cat /root/done
	[ "$output $stderr" = $'a\nb '"cubby: setup: $add" ]
	cubby snapshot -q new
	cubby restore -q old
	run -1 cubby restore none # changes nothing of it
	run -0 --separate-stderr cubby exec -- cat /root/done
	[ "$output $stderr" = $'a\nb '"cubby: setup: $add" ]
	cubby restore -q new
	run -0 --separate-stderr cubby exec -- cat /root/done
	[ "$output $stderr" = $'a\nb ' ]
	cubby branch -q other old
	run -0 --separate-stderr cubby -b other exec -- cat /root/done
	[ "$output $stderr" = $'a\nb '"cubby: setup: $add" ]
	cubby restore -q old
	cubby restore -q before-restore # nothing was done meanwhile
	run -0 --separate-stderr cubby exec -- cat /root/done
	[ "$output $stderr" = $'a\nb ' ]
	cubby snapshots -q --remove new --remove old
	[ "$(ls "$XDG_DATA_HOME"/cubby/boxes/*/setups)" = before-restore ]
}

@test "project: a step that fails is named, with what it printed, and tried again" {
	says <<<'{"setup": ["echo bad news; exit 3"]}'
	run -125 --separate-stderr cubby exec -- true
	[[ $stderr == *$'\nbad news\n'*"cubby exec: box of '$PWD': setup: 'echo bad news; exit 3' ended with status 3; "*"'cubby shell --no-setup'"* ]]
	run -0 --separate-stderr cubby exec --no-setup -- cat /var/log/cubby-setup.log
	[ "$output" = "bad news" ]
	says <<<'{"setup": ["true"]}'
	run -0 cubby exec -q -- true
}

# bats test_tags=long
@test "project: a plugin that fails is named with its step and the box, one that is not known at once" {
	says <<<'{"plugins": ["jupyter"]}'
	run -125 --separate-stderr cubby exec --net none -- true
	[[ $stderr == *"cubby exec: box of '$PWD': setup: 'plugin jupyter: packages' ended with status "* ]]
	says <<<'{"plugins": ["vscode"]}'
	run -125 --separate-stderr cubby exec -- true
	[[ $stderr == *"there is no plugin 'vscode'; there is jupyter"* ]]
}

@test "project: what a step made is kept for other boxes; one that the project sees, for its own" {
	says <<<'{"packages": {"pip": []}, "setup": ["echo x >>/root/x; date +%N >/root/when", "touch made"]}'
	run -0 --separate-stderr cubby exec -- cat /root/when
	local when=$output
	[ "$stderr" = $'cubby: setup: echo x >>/root/x; date +%N >/root/when\ncubby: setup: touch made' ]
	rm made
	run -0 --separate-stderr cubby exec -b other -- cat /root/when
	[ "$output" = "$when" ]
	[ "$stderr" = $'cubby: setup: 1 of 2 steps are kept from before\ncubby: setup: touch made' ]
	[ -e made ]
	run -0 --separate-stderr cubby exec -b third --no-cache -- cat /root/when
	[ "$output" != "$when" ]
	[[ $stderr != *"kept from before"* ]]
	mkdir -p sub/.cubby
	cp .cubby/box.json sub/.cubby
	run -0 --separate-stderr cubby exec --here -C sub -- cat /root/when
	[ "$output" != "$when" ]
	[[ $stderr != *"kept from before"* ]]
	cubby stop -q -a
	cubby rm -q -a -y
	run -0 cubby prune
	[[ $output == "removed what is kept of "[1-9]*" setup steps that no box has" ]]
	run -0 --separate-stderr cubby exec -- cat /root/when
	[ "$output" != "$when" ]
}

@test "project: after a step that failed was taken out, what people do in the box stays" {
	says <<<'{"setup": ["echo one", "false"]}'
	run -125 cubby exec -- true
	says <<<'{}'
	cubby exec -- sh -c 'echo work >/root/work'
	cubby stop -q
	says <<<'{"setup": ["echo two >/root/two"]}'
	run -0 cubby exec -q -- cat /root/work /root/two
	[ "$output" = $'work\ntwo' ]
}

@test "project: a step that failed in a new box leaves nothing to the next try" {
	says <<<'{"setup": ["echo a >>/root/a", "echo b >>/root/b; exit 1"]}'
	run -125 --separate-stderr cubby exec -- true
	says <<<'{"setup": ["echo a >>/root/a", "echo b >>/root/b"]}'
	run -0 --separate-stderr cubby exec -- cat /root/a /root/b
	[ "$output" = $'a\nb' ]
	[ "$stderr" = $'cubby: setup: 1 of 2 steps are kept from before\ncubby: setup: echo b >>/root/b' ]
	# What the person did in the box stays, and is nobody else's.
	says <<<'{"setup": ["echo a >>/root/a", "echo b >>/root/b", "echo c >>/root/c"]}'
	cubby exec --no-setup -- sh -c 'echo mine >/root/mine'
	run -0 cubby exec -q -- cat /root/mine /root/c
	[ "$output" = $'mine\nc' ]
	run -0 cubby exec -q -b other -- sh -c 'cat /root/c; ls /root/mine || true'
	[[ $output == $'c\n'*"No such file"* ]]
}

@test "project: a step that leaves a process, and changes that wait for review, stay with their box" {
	says <<<'{"setup": ["sleep 4242 & echo $! >/root/pid", "kill -0 $(cat /root/pid); echo $? >/root/alive"]}'
	run -0 cubby exec -q -- cat /root/alive
	[ "$output" = 0 ]
	cubby stop -q
	cubby rm -q -y
	says <<<'{"setup": ["touch reviewed"]}'
	run -0 cubby exec -q --project review -- ls reviewed
	[ ! -e reviewed ]
	run -0 cubby exec -q -b other --project review -- ls reviewed
	cubby prune -q
}

@test "project: a step during which somebody was in the box is not kept" {
	local setup kept
	kept=$(find "$XDG_DATA_HOME/cubby/steps" -type f 2>/dev/null | wc -l)
	says <<<'{"setup": ["touch /root/begun; until [ -e /root/go ]; do sleep 0.1; done"]}'
	timeout 60 cubby exec -q -- true 3>&- &
	setup=$!
	until [ "$(cubby ls --json | jq -r ".[] | select(.directory == \"$PWD\") | .state")" = running ]; do
		kill -0 "$setup"
		sleep 0.1
	done
	cubby exec -q --no-setup -- sh -c 'until [ -e /root/begun ]; do sleep 0.1; done; touch /root/go'
	wait "$setup"
	[ "$(find "$XDG_DATA_HOME/cubby/steps" -type f 2>/dev/null | wc -l)" = "$kept" ]
	run -0 --separate-stderr cubby exec -- ls /root/go
	[ -z "$stderr" ]
	cubby rm -q -y
}

@test "project: what a setup step says of a directory above the project is kept" {
	local dir=/var/tmp/cubby-setup.$$
	mkdir -p "$dir/.cubby"
	cd "$dir"
	says <<<'{"setup": ["chmod 751 /var/tmp"]}'
	for _ in made kept; do
		run -0 --separate-stderr cubby exec -q -- stat -c %a /var/tmp
		[ "$output" = 751 ] || break
		cubby rm -y -q
	done
	cd /
	rm -r "$dir"
	[ "$output" = 751 ]
}

@test "project: what is kept of a step does not tell where the project lies" {
	local dir=/var/tmp/cubby-setup.$$ layer
	mkdir -p "$dir/secret/.cubby"
	cd "$dir/secret"
	says <<<'{"setup": ["echo x >/root/x"]}'
	(umask 077 && cubby exec -q -- true)
	for layer in "$XDG_DATA_HOME"/cubby/layers/*/machine; do
		[ -d "$layer" ]
		[ ! -e "$layer$dir" ]
		[ ! -L "$layer/workspace" ]
	done
	cubby rm -q -y
	rm -r "$dir"
}

@test "project: what widens holds only after the person agreed to that very text" {
	says <<<'{"publish": ["0:8123"], "memory": "300M", "net": "host"}'
	run -0 --separate-stderr cubby exec -- true
	[ "$stderr" = "$WANTS" ]
	[ "$(cubby info --json | jq -c '[.net, .publish, .limits.memory_bytes]')" = '["gate",[],314572800]' ]
	run -1 "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby agree" <<<no
	[[ $output == *'  publish: ["0:8123"]'*'  net: "host"'*"Permit that? [y/N]"*"cubby agree: .cubby/box.json: nothing was permitted"* ]]
	run -1 "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby agree" < <(printf "\004")
	[[ $output == *"nothing was permitted"* ]]
	run -1 --separate-stderr cubby agree </dev/null
	[ "$stderr" = "cubby agree: .cubby/box.json: it wants more than a box has by itself; --yes permits that; at a terminal it is shown and asked about" ]
	[ "$(cubby info --json | jq -r .net)" = gate ]
	run -0 "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby agree" <<<yes
	[[ $output == *"cubby: what .cubby/box.json wants is permitted, as long as its text stays as it is"* ]]
	[ "$(cubby info --json | jq -c '[.net, .publish]')" = '["host",["0:8123"]]' ]
	run -0 --separate-stderr cubby agree </dev/null
	[[ $stderr == *"is permitted, as long as"* ]]
	says <<<'{"publish": ["0:8124"], "memory": "300M", "net": "host"}'
	[ "$(cubby info --json | jq -c '[.net, .publish]')" = '["gate",[]]' ]
	run -0 cubby agree --yes
	[ "$(cubby info --json | jq -c '[.net, .publish]')" = '["host",["0:8124"]]' ]
	[ "$(CUBBY_NET=none cubby info --json | jq -r .net)" = none ]
	says <<<'{"publish": ["0:8125"]}'
	cubby exec -q --keep -- true
	run -0 --separate-stderr cubby agree --yes
	[[ $stderr == *"cubby: the box runs: this holds from its next start ('cubby stop' ends it)" ]]
	says <<<'{"publish": ["0:8126"]}'
	run -0 "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby exec -- true" <<<yes
	[[ $output == *"the box runs already: the new options hold from its next start"* ]]
	run -0 "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby exec -- true" </dev/null
	[[ $output != *"the box runs already"* ]]
}

@test "project: however much it wants, all of it is on the screen when the question comes" {
	jq -n '{mounts: ["~/.ssh:/keys"], image: ("x" * 30000), publish: [range(1000) | "\(. + 8000):80"],
		allow: (["*"] + [range(500) | "\(.).example"])}' | says
	run -1 "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby agree" <<<no
	[ ${#lines[@]} -lt 22 ]
	[[ $output == *'allow: 501 in all, 1 of them addresses, patterns or lists; the first:'*'"*"'*'mounts: ["~/.ssh:/keys"]'*'Permit that?'* ]]
}

@test "project: the box cannot agree for the person, nor lead the reader elsewhere" {
	says <<<'{"net": "host"}'
	cubby exec -q -- sh -c 'mkdir -p agreed; printf %064d 0 >agreed/x; true'
	[ "$(cubby info --json | jq -r .net)" = gate ]
	rm .cubby/box.json
	cubby exec -q -- ln -s /etc/passwd .cubby/box.json
	run -125 --separate-stderr cubby exec -q -- true
	remedy="; a box may have put it there; remove it if it is not yours"
	[[ $stderr == "cubby exec: .cubby/box.json: cannot open it: "*"$remedy" ]]
	cubby stop -q
	rm .cubby/box.json
	mkfifo .cubby/box.json
	run -125 --separate-stderr timeout 20 cubby exec -q -- true
	[ "$stderr" = "cubby exec: .cubby/box.json: it is no regular file$remedy" ]
	rm .cubby/box.json
	head -c 200000 /dev/zero | tr '\\0' ' ' >.cubby/box.json
	run -125 --separate-stderr cubby exec -q -- true
	[ "$stderr" = "cubby exec: .cubby/box.json: it has 195.3 KiB; at most 64 KiB are read$remedy" ]
	cubby rm -q
}

@test "project: up starts services in order, down ends them in reverse" {
	says <<'END'
{ "services": {
	"first": { "run": "trap 'echo ended >>/root/order; exit' TERM; echo hello; while :; do sleep 0.1; done" },
	"again": { "run": "echo x >>/root/again; sleep 0.1", "restart": true },
	"last": { "run": "trap 'echo last >>/root/order; exit' TERM; while :; do sleep 0.1; done",
		"ready": { "command": "grep -c x /root/again" } }
} }
END
	run -0 --separate-stderr cubby up
	[ "$stderr" = $'cubby: service \'first\' runs\ncubby: service \'again\' runs\ncubby: service \'last\' runs\ncubby: all services run' ]
	run -0 cubby up
	[ "$output" = "cubby: all services run" ]
	run -0 cubby logs first
	[ "$output" = hello ]
	run -0 --separate-stderr cubby down
	[[ $stderr == $'cubby: service \'last\' has ended\ncubby: service \'again\' has ended\ncubby: service \'first\' has ended\n'* ]]
	run -0 cubby exec -q -- cat /root/order
	echo "order: $output"
	[ "$output" = $'last\nended' ]
	cubby stop -q
	run -0 --separate-stderr cubby down
	[ "$stderr" = "cubby: the box is not running" ]
}

@test "project: the next service waits until something listens at the port of the one before" {
	jq -n --arg web "sleep 0.5; touch /root/late; exec perl -e 'use IO::Socket; my \$s = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\", LocalPort => 8123) or die; sleep 1000'" \
		'{services: {web: {run: $web, ready: {port: 8123}}, next: {run: "ls /root/late >/root/seen; exec sleep 1000"}}}' >.cubby/box.json
	run -0 cubby up
	cubby exec -q -- sh -c 'until [ -e /root/seen ]; do sleep 0.05; done'
	run -0 cubby exec -q -- cat /root/seen
	[ "$output" = /root/late ]
	cubby stop -q
}

# bats test_tags=long
@test "project: stop ends services first, the last one first, and then what else runs" {
	local run="trap 'sleep 0.3; echo @ >>/root/order; exit' TERM; echo up; while :; do sleep 0.1; done" way
	jq -n --arg a "${run/@/a}" --arg b "${run/@/b}" '{services: {a: {run: $a}, b: {run: $b}}}' >.cubby/box.json
	for way in "" --all; do
		cubby up -q
		cubby exec -q -d -- sh -c "${run/@/other}"
		until [[ $(cubby logs a)$(cubby logs b)$(cubby logs) == upupup ]]; do read -rt 0.02 <> <(:) || true; done
		cubby stop -q $way
		run -0 cubby exec -q -- sh -c 'cat /root/order; rm /root/order /var/log/cubby/*'
		[ "$output" = $'b\na\nother' ] || { echo "$way: $output"; return 1; }
	done
	# one that does not end takes no more time than there is
	jq -n '{services: {a: {run: "trap : TERM; while :; do sleep 0.1; done"}}}' >.cubby/box.json
	cubby up -q
	local began=$SECONDS
	cubby stop -q --time 1
	((SECONDS - began < 8))
	run -0 --separate-stderr cubby down
	[ "$stderr" = "cubby: the box is not running" ]
}

@test "project: up names what its steps and services made that acts on this machine" {
	says <<'END'
{ "setup": ["echo x >.envrc"],
  "services": { "one": { "run": "echo {} >random.py; : >/tmp/on; sleep 1000", "ready": { "command": "test -e /tmp/on" } } } }
END
	run -0 --separate-stderr cubby up
	[[ $stderr == *"cubby: new '.envrc' acts on this machine: a shell reads it when it starts or enters the directory
cubby: new 'random.py' acts on this machine: shadows a module of python's library
cubby: all services run" ]]
	says <<<'{"services": {"db": {"run": "echo x >b.pth; exit 7", "ready": {"command": "false"}}}}'
	cubby rm -q -y --force
	run -1 --separate-stderr cubby up # also where it fails
	[[ $stderr == *"cubby: new 'b.pth' acts on this machine: python loads it by itself"*"ended with status 7"* ]]
	cubby rm -q -y --force
}

@test "project: what is wrong in box.json says where it is written what may stand there" {
	says <<<'{"foo": 1}'
	run -125 --separate-stderr cubby exec -q -- true
	[ "$stderr" = "cubby exec: .cubby/box.json: unknown member 'foo'; 'cubby help boxfile' says what may stand there" ]
	says <<<'{'
	run -1 --separate-stderr cubby init
	[ "$stderr" = "cubby init: there is a .cubby/box.json; --force writes it anew" ]
}

@test "project: down names those that it ended, not what never ran" {
	says <<<'{"services": {"first": {"run": "sleep 1000"}, "bad": {"run": "exit 3"}, "next": {"run": "sleep 1000"}}}'
	run -1 cubby up
	run -0 --separate-stderr cubby down
	[ "$stderr" = $'cubby: service \'first\' has ended\ncubby: the box of \''"$PWD"$'\' is stopped' ]
}

@test "project: packages of a manager that the image does not have say what brings it" {
	says <<<'{"packages": {"npm": ["left-pad"]}}'
	run -125 --separate-stderr cubby exec -- true
	[[ $stderr == *$'\n'"cubby exec: box of '$PWD': setup: 'npm: left-pad': the image has no 'npm'; \"apt\": [\"npm\"] in the packages of .cubby/box.json brings it" ]]
}

@test "project: a service that ends at once is told" {
	says <<<'{"services": {"db": {"run": "echo no disk; exit 7"}}}'
	run -1 --separate-stderr cubby up
	[ "$stderr" = "cubby up: service 'db' ended with status 7; 'cubby logs db' shows what it said" ]
	run -0 cubby logs db
	[ "$output" = "no disk" ]
	run -0 cubby info
	[[ $output == *$'\nservices           db\n'* ]]
	cubby stop -q
	# also with the status by which cubby's own script says that it runs already
	says <<<'{"services": {"db": {"run": "exit 9"}}}'
	run -1 --separate-stderr timeout "$(lib_longer 30)" cubby up
	[[ $stderr == *"service 'db' ended with status 9; 'cubby logs db' shows what it said" ]]
	cubby stop -q
}

# bats test_tags=long
@test "project: up says what it waits for; after ^C, or where one fails, what runs on" {
	says <<'END'
{ "services": { "one": { "run": "exec sleep 1000" },
	"web": { "run": "exec sleep 1000", "ready": { "port": 8124 } } } }
END
	cubby up 2>up.log &
	local pid=$! again
	lib_until grep -qx "cubby: waiting for service 'web': nothing listens at port 8124" up.log
	kill "$pid" # ^C is the same; bash lets its jobs ignore that one
	wait "$pid" || [ $? = 143 ]
	[ "$(tail -n 1 up.log)" = "cubby: service 'web' is not ready yet; the box and its services run on ('cubby down' ends them)" ]
	cubby up 2>again.log & # it runs already, and is waited for all the same
	again=$!
	lib_until grep -q 'waiting for' again.log
	kill -0 "$again"
	kill "$again"
	wait "$again" || [ $? = 143 ]
	run -0 cubby down
	# a command that takes long is no reason to wait for it
	says <<<'{"services": {"db": {"run": "exec sleep 1000", "ready": {"command": ": >/tmp/asked; sleep 50"}}}}'
	cubby up 2>up.log &
	pid=$!
	lib_until cubby exec -q -- test -e /tmp/asked
	kill "$pid"
	wait "$pid" || [ $? = 143 ]
	run -0 cubby down
	says <<<'{"services": {"one": {"run": "exec sleep 1000"}, "two": {"run": "exit 3", "ready": {"command": "false"}}}}'
	run -1 --separate-stderr cubby up
	[ "$stderr" = "cubby: service 'one' runs
cubby: the services before it run on ('cubby down' ends them)
cubby up: service 'two' ended with status 3; 'cubby logs two' shows what it said" ]
	run -0 cubby down
}

@test "project: logs of a box that is stopped start nothing that stays, and follow nothing" {
	says <<<'{"services": {"db": {"run": "echo began; exec sleep 1000", "restart": true}}}'
	cubby up -q
	run -0 cubby ps
	[[ $output != *cubby-services* ]] # the command of the service, not the script that starts it
	run -0 cubby stop
	cubby set -q keep=true publish=0:80
	says <<<'{"setup": ["touch /root/set-up"], "allow": ["example.org"], "services": {"db": {"run": "x"}}}'
	run -0 --separate-stderr timeout 60 "$CUBBY_TEST_BIN" logs --follow db
	[ "${lines[0]}" = began ]
	[ "$stderr" = "cubby: the box is not running: nothing more will come" ]
	[ "$(cubby ls --json | jq -r .[0].state)" = stopped ]
	run -1 --separate-stderr cubby logs nothing
	[ "$stderr" = "cubby logs: no service 'nothing' has run in this box; 'cubby logs' shows the one that printed last" ]
	cubby unset -q keep publish
	run -1 cubby exec -q --no-setup -- test -e /root/set-up
}

@test "project: a bad file is one line with the remedy" {
	says <<<'{"imge": "x"}'
	run -125 --separate-stderr cubby exec -- true
	[ "$stderr" = "cubby exec: .cubby/box.json: unknown member 'imge'; did you mean 'image'?" ]
	says <<<'{"image": '
	run -125 --separate-stderr cubby exec -- true
	[ "$stderr" = "cubby exec: .cubby/box.json: bad JSON: it ends too early; 'cubby help boxfile' says what may stand there" ]
	rm .cubby/box.json
	cubby set -q pids=99
	says <<<'{"imge": "x"}'
	run -1 --separate-stderr cubby set allow=a.example
	[ "$stderr" = "cubby set: .cubby/box.json: unknown member 'imge'; did you mean 'image'?" ]
	run -0 --separate-stderr cubby unset pids
	[ "$stderr" = "cubby: .cubby/box.json: unknown member 'imge'; did you mean 'image'?" ]
	[ "$(cubby set --json -q 2>/dev/null | jq length)" = 0 ]
}

@test "project: init reads a Dockerfile, says what it leaves out, and writes over nothing" {
	rmdir .cubby
	printf '%s\n' 'FROM debian:12' 'RUN apt-get update && apt-get install -y git && make deps' \
		'ENV GREETING=hello' 'EXPOSE 80' 'COPY . .' >Dockerfile
	run -0 --separate-stderr cubby init
	[ -z "$output" ]
	[[ $stderr == "cubby: from 'Dockerfile'"*"not in it, for you to look at:"*"COPY . ."*"wrote .cubby/box.json; "* ]]
	[ "$(jq -c . .cubby/box.json)" = '{"image":"debian:12","packages":{"apt":["git"]},"setup":["make deps"],"env":{"GREETING":"hello"},"publish":["0:80"]}' ]
	run -1 --separate-stderr cubby init
	[[ $stderr == *"there is a .cubby/box.json; --force writes it anew" ]]
	run -0 cubby config
	rm Dockerfile
	echo all: >Makefile
	run -0 cubby init -q --force
	[ "$(jq -c . .cubby/box.json)" = '{"packages":{"apt":["build-essential"]}}' ]
	rm Makefile
	touch package.json pnpm-lock.yaml
	run -0 --separate-stderr cubby init --force
	[[ $stderr == "cubby: there is a pnpm-lock.yaml"$'\n'"cubby: there is a package.json"* ]]
	[ "$(jq -c .setup .cubby/box.json)" = '[{"run":"pnpm install --frozen-lockfile","files":["pnpm-lock.yaml"]}]' ]
	printf '{\n"image": "x"\n"name": "y"\n}\n' >.devcontainer.json
	run -1 --separate-stderr cubby init --force
	[ "${stderr_lines[1]}" = "cubby init: '.devcontainer.json': bad JSON in line 3, at '\"name\": \"y\"'; mend it, or write .cubby/box.json by hand: 'cubby help boxfile'" ]
}

@test "project: init of a devcontainer in a directory of its own, where it is the only one" {
	rmdir .cubby
	mkdir -p .devcontainer/rust
	echo '{"image": "rust:1", "build": {"dockerfile": "none"}, "runArgs": []}' >.devcontainer/rust/devcontainer.json
	run -0 --separate-stderr cubby init
	[[ $stderr == "cubby: from '.devcontainer/rust/devcontainer.json'
cubby: its Dockerfile '.devcontainer/rust/none' is not there"$'\ncubby: not in it, for you to look at:\n  runArgs\ncubby: wrote '* ]]
	[ "$(jq -r .image .cubby/box.json)" = rust:1 ]
	cp -r .devcontainer/rust .devcontainer/go
	run -0 --separate-stderr cubby init --force
	[[ $stderr == "cubby: .devcontainer has 2 devcontainer.json: copy the one that is meant to .devcontainer.json"* ]]
	[ "$(jq -c . .cubby/box.json)" = '{}' ]
}

@test "project: init of a devcontainer; a link that leads out of the project is not read" {
	rmdir .cubby
	mkdir .devcontainer
	printf '%s\n' '{ // said' '"build": {"dockerfile": "Dockerfile"}, "postCreateCommand": "echo made >/root/made",}' >.devcontainer/devcontainer.json
	echo "FROM test" >.devcontainer/Dockerfile
	run -0 --separate-stderr cubby init --json
	[ "$(jq -c . <<<"$output")" = '{"image":"test","setup":["echo made >/root/made"]}' ]
	run -0 --separate-stderr cubby exec -- cat /root/made
	[ "$output" = made ]
	rm -r .cubby .devcontainer
	echo "FROM debian:12" >"$HOME/Dockerfile"
	ln -s "$HOME/Dockerfile" Dockerfile
	run -0 cubby init
	[ "$(jq -c . .cubby/box.json)" = '{}' ]
	rm -r .cubby
	ln -s "$HOME" .cubby
	run -1 --separate-stderr cubby init
	[ ! -e "$HOME/box.json" ]
}
