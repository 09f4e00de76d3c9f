# Plugins of .cubby/box.json: the real packages, from the mirror that the image was made from.
# It is skipped where that cannot be reached.
load ../lib
load toolkit

setup_file() {
	lib_env
	lib_image
	lib_project
	toolkit_apt
	cubby rm -q -f
}
setup() {
	lib_skipped
	cd "$LIB_PROJECT"
}
teardown() { cubby stop -q 2>/dev/null || true; }

@test "plugins: jupyter: a kernel that stays, of the distribution, and another box begins with it" {
	mkdir .cubby
	echo '{"plugins": ["jupyter"]}' >.cubby/box.json
	# shellcheck disable=SC2086 # words
	run -0 timeout 500 cubby exec --keep $APT_RULES -- jupyter kernelspec list
	[[ $output == *"setup: plugin jupyter: packages"*"setup: plugin jupyter: execute_cli"*/python3* ]]
	run -0 --separate-stderr cubby exec -q -- sh -c 'echo "import math; x = 41" | execute_cli'
	[ "$output" = '' ]
	run -0 --separate-stderr cubby exec -q -- sh -c 'echo "print(math.floor(1.5)); x + 1" | execute_cli'
	[ "$output" = $'1\n42' ]
	run -1 --separate-stderr cubby exec -q -- sh -c 'echo "1/0" | execute_cli'
	[[ $stderr == *ZeroDivisionError* ]]
	run -124 --separate-stderr cubby exec -q -- sh -c 'echo "import time; time.sleep(99)" | execute_cli --timeout 1'
	run -0 --separate-stderr cubby exec -q -- sh -c 'echo x | execute_cli; execute_cli --stop; echo x | execute_cli 2>&1 | tail -1; echo 1 | execute_cli --context ../x 2>&1 | tail -1'
	[ "${lines[0]}" = 41 ]
	[[ ${lines[1]} == *"name 'x' is not defined"* && ${lines[2]} == *"a context's name"* ]]
	# a kernel that is killed in its cell is told at once, and the next cell has another
	run -1 --separate-stderr timeout 60 cubby exec -q -- sh -c 'echo "print(1, flush=True); import os, time; time.sleep(1); os._exit(9)" | execute_cli'
	[[ $output == 1 && $stderr == "execute_cli: the kernel has ended; what was defined is lost" ]]
	run -0 --separate-stderr timeout 60 cubby exec -q -- sh -c 'echo 5 | execute_cli'
	[ "$output" = 5 ]
	# cubby's own Python has what IPython has, and no cell of its
	run -0 --separate-stderr cubby python --json -c $'%%html\n<b>hi</b>'
	[ "$(jq -r 'select(.event == "display") | .data["text/html"]' <<<"$output")" = '<b>hi</b>' ]
	cubby python --context own -c 'open = 5'
	cubby python --context own -c $'%%capture caught\nprint("out")'
	run -0 --separate-stderr cubby python --context own -c 'caught.stdout, open, input is __builtins__.input'
	[ "$output" = "('out\\n', 5, True)" ]
	run -0 --separate-stderr cubby python --context own --vars -q
	[ "$(sort <<<"$output")" = $'caught\nget_ipython\nopen' ] || { echo "$output"; return 1; }
	run -1 --separate-stderr cubby python --context own -c $'%nosuch'
	[[ $stderr == *"UsageError: there is no magic '%nosuch' here"* ]]
	run -1 --separate-stderr cubby python --context own -c $'%load_ext nosuch'
	[[ $stderr == *"No module named 'nosuch'"* ]]
	# shellcheck disable=SC2086
	run -0 --separate-stderr timeout 300 cubby -b other exec $APT_RULES -- sh -c 'echo "6 * 7" | execute_cli'
	[ "$output" = 42 ]
	[[ $stderr == *"steps are kept from before"* && $stderr != *"plugin jupyter"* ]]
}
