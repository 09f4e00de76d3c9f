# A task that is left to itself: begun, followed, ended, and read afterwards.
load ../lib
load model

teardown() {
	touch go
	model_done
}

# begin TEXT OPTION...: a detached task in $TASK
begin() {
	run -0 --separate-stderr task --detach "${@:2}" "$1"
	TASK=$output
	[[ $TASK =~ ^[0-9]{8}-[0-9]{6}(-[0-9]+)?$ ]]
}

ended() { [ "$(cubby log --json | jq -r '.[-1].end')" != running ]; }

@test "detach: the command returns while the task works, --follow reads it to its end" {
	model < <(call 'echo so it began; until [ -e go ]; do sleep 0.05; done; echo late'; finish "all done")
	begin "take your time"
	[[ $stderr == *"cubby log --follow $TASK"* ]]
	[ "$(cubby log --json | jq -r '.[0].end')" = running ]
	(sleep 0.3; touch go) 3>&- &
	run -0 --separate-stderr timeout 60 cubby log --follow "$TASK"
	[[ $output == *"task: take your time"*late*"all done"*"end: done"* ]]
	[ "$(cubby log --json | jq -r '.[0].end')" = "done" ]
	run -0 --separate-stderr cubby log --terminal
	[[ $output == *"so it began"*late* ]]
	run -1 script -qec "cubby log --terminal" /dev/null
	[[ $output == *"--terminal is for a pipe or a file"* ]]
}

@test "detach: --follow gives records and bytes as they come, and ends with a killed task" {
	local follower
	model < <(call 'echo so it began; until [ -e go ]; do sleep 0.05; done'; finish "never")
	begin "wait"
	cubby log --follow --json >records 3>&- &
	follower=$!
	cubby log --follow --terminal >bytes 3>&- &
	lib_until grep -q '"type":"call"' records
	lib_until grep -q 'so it began' bytes
	jq -e . records >/dev/null
	kill -9 "$(lib_writer "$TASK")"
	wait $!
	wait "$follower"
	[ "$(cubby log --json | jq -r '.[0].end')" = '' ] || [ "$(cubby log --json | jq -r '.[0].end')" = null ]
	run -1 --separate-stderr cubby log --interrupt "$TASK"
	[ "$stderr" = "cubby log: the task '$TASK' does not run" ]
}

@test "detach: --interrupt ends the task as ^C does" {
	model < <(call 'until [ -e go ]; do sleep 0.05; done'; finish "never")
	begin "wait"
	lib_until sh -c "cubby log --json $TASK | grep -q '\"type\":\"call\"'"
	run -0 cubby log --interrupt
	lib_until ended
	[ "$(cubby log --json | jq -r '.[0].end')" = interrupted ]
}

@test "detach: what keeps a task from beginning is said by the command, with its status" {
	model <<<'{"text":"x"}'
	run -2 --separate-stderr task --detach
	[ "$stderr" = 'cubby run: --detach: a task is missing, such as "run the tests"' ]
	run -2 --separate-stderr task --detach --replay nowhere
	[[ $stderr == *"cannot open 'nowhere'"* ]]
	run -5 --separate-stderr task --detach --image no-such-image x
}
