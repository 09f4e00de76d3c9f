# What is said of the command line itself: help, versions, mistakes. Needs no image.
load ../lib

setup_file() { lib_env; }

# STATUS LINE WORDS...: the status, and the one line on standard error.
fails() {
	local status=$1 line=$2
	shift 2
	run "-$status" --separate-stderr cubby "$@"
	[ -z "$output" ]
	[ "$stderr" = "$line" ] || {
		echo "got:  $stderr"
		echo "want: $line"
		return 1
	}
}

# bats test_tags=long
@test "completion: made from the tables, for each shell" {
	local out=$LIB_DIR/completion
	for shell in bash zsh fish; do
		"$CUBBY_TEST_TOP/scripts/completion" $shell "$CUBBY_TEST_BIN" >"$out.$shell"
		[ "$(wc -l <"$out.$shell")" -gt 30 ]
	done
	complete_with() { (
		source "$out.bash"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_cubby
		echo "${COMPREPLY[@]}"
	); }
	[ "$(complete_with cubby exe)" = exec ]
	[ "$(complete_with cubby exec --workd)" = --workdir ]
	[ "$(complete_with cubby exec --net n)" = none ]
	[ "$(complete_with cubby help unse)" = unset ]
	[ "$(complete_with cubby help trouble)" = troubleshooting ]
	grep -q "__fish_seen_subcommand_from help' -x -a '.* troubleshooting " "$out.fish"
	grep -q 'compadd -- .* troubleshooting ' "$out.zsh"
	[[ " $(complete_with cubby run --m) " == *" --max-rounds "* ]]
	[ "$(complete_with cubby exec --cache ma)" = maven ]
	[ "$(complete_with cubby unset memo)" = memory ]
	[ "$(complete_with cubby own --no-s)" = --no-setup ]
	# options before the command, values behind '=', letters with values, another program's words
	[ "$(complete_with cubby -C /tmp exe)" = exec ]
	[ "$(complete_with cubby --json --net none unse)" = unset ]
	[ "$(complete_with cubby exec --net = n)" = none ]
	[ "$(complete_with cubby exec --net =)" = "gate none host" ]
	[ "$(complete_with cubby kill -s US)" = "USR1 USR2" ]
	[ "$(complete_with cubby set mem)" = memory= ]
	[ "$(complete_with cubby set net = h)" = host ]
	[ -z "$(complete_with cubby unset max-r)" ] # no setting of a box
	[ -z "$(complete_with cubby exec -it ls --al)" ]
	[ -z "$(complete_with cubby exec -- --al)" ]
	[ "$(complete_with cubby exec -e X --al)" = "--allow --allow-home" ]
	mkdir here
	[ "$(complete_with cubby rm her)" = here ]
	(
		cubby() {
			case $* in
			"images --json") echo '[{"name":"mine:1","short":"x"}]' ;;
			"log --json") echo '[{"name":"20260101-1"}]' ;;
			"ps --json") echo '[{"pid":17,"parent":1}]' ;;
			"info --json") echo '{"services":[{"service":"db","run":"x"},{"service":"web","run":"y"}]}' ;;
			"-C /there ps --json" | "-C $HOME/there ps --json") echo '[{"pid":18,"parent":1}]' ;;
			"ls --json") echo '[{"directory":"/","state":"x","name":null},{"directory":"'"$PWD"'","state":"x","name":"mine"},{"directory":"/there","state":"x","name":"other"}]' ;;
			esac
		}
		[ "$(complete_with cubby rmi "")" = mine:1 ]
		[ "$(complete_with cubby resume "")" = 20260101-1 ]
		[ "$(complete_with cubby kill "")" = 17 ]
		[ "$(complete_with cubby logs "")" = "db web 17" ]
		[ "$(complete_with cubby logs d)" = db ]
		[ "$(complete_with cubby -C /there kill "")" = 18 ]
		[ "$(complete_with cubby -C '~/there' kill "")" = 18 ]
		[ "$(complete_with cubby stop /th)" = /there ]
		# a name belongs to a directory, and to those below it
		[ "$(complete_with cubby exec -b "")" = mine ]
		[ "$(complete_with cubby -b "")" = mine ]
		[ "$(cd here && complete_with cubby exec --name = m)" = mine ]
		[ "$(complete_with cubby -C here exec -b "")" = mine ]
		[ -z "$(complete_with cubby -C / -b "")" ]
		# the value of an option is no operand
		[ -z "$(complete_with cubby resume --at "")" ]
		[ -z "$(complete_with cubby resume --at =)" ]
		[ "$(complete_with cubby resume --at 2 "")" = 20260101-1 ]
	)
	(
		cubby() {
			case $* in
			"models --known --json") echo '[{"model":"gpt-5.1","from":"table"},{"model":"lab:","from":"configuration"},{"model":"lab:x-1","from":"service"},{"model":"lab:x/2:7b","from":"service"}]' ;;
			"images --json") echo '[{"name":"$(touch ran)"}]' ;;
			"ls --json") echo '[{"directory":"/my pro/ject"},{"directory":"/my$(touch ran)"}]' ;;
			esac
		}
		COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
		[ "$(complete_with cubby run --model g)" = gpt-5.1 ]
		[ "$(complete_with cubby -C x --model = g)" = gpt-5.1 ]
		[ "$(complete_with cubby --model =)" = "gpt-5.1 lab: lab:x-1 lab:x/2:7b" ]
		[ "$(complete_with cubby models --model lab :)" = " x-1 x/2:7b" ]
		[ "$(complete_with cubby run --model lab : x-)" = x-1 ]
		[ "$(complete_with cubby run --model = lab : x/2 : 7)" = 7b ]
		COMP_WORDBREAKS=$' \t\n"\'><=;|&('
		[ "$(complete_with cubby run --model lab:x-)" = lab:x-1 ]
		# a name is no program
		[ "$(complete_with cubby rmi '$')" = '\$\(touch\ ran\)' ]
		[ "$(complete_with cubby exec --image '$(t')" = '\$\(touch' ]
		[ "$(complete_with cubby stop '/my\ ')" = '/my\ pro/ject' ]
		[ "$(complete_with cubby stop '/my$')" = '/my\$\(touch\ ran\)' ]
		[ ! -e ran ]
	)
	grep -qF -- "-l model -x -a '(__cubby_list \"models --known\" model)'" "$out.fish"
	grep -qF ':model:($(_cubby_list "models --known" model))' "$out.zsh"
	(
		cubby() { [ "$*" = "snapshots --json" ] && echo '[{"name":"first","project":null},{"name":null}]'; }
		[ "$(complete_with cubby restore "")" = first ]
		[ "$(complete_with cubby snapshots --remove "")" = first ]
	)
	grep -q "__fish_seen_subcommand_from restore' -x -a '(__cubby_list snapshots name)'" "$out.fish"
	grep -qF "__fish_seen_subcommand_from logs' -x -a '(__cubby_list info service; __cubby_list ps pid)'" "$out.fish"
	grep -qF "'*:info:(\$(_cubby_list info service; _cubby_list ps pid))'" "$out.zsh"
	grep -qF "'*:snapshots:(\$(_cubby_list snapshots name))'" "$out.zsh"
	grep -q "complete -c cubby -n '__fish_seen_subcommand_from exec' -l workdir -s w -x -d" "$out.fish"
	! command -v zsh >/dev/null || zsh -n "$out.zsh"
	! command -v fish >/dev/null || fish -n "$out.fish"
	run -2 "$CUBBY_TEST_TOP/scripts/completion" tcsh
}

# bats test_tags=long
@test "completion: of a name that a box made or a service has, Enter runs nothing" {
	local lines=('-C a' 'stop a' 'mv a' 'pull e' 'exec --env-file e' 'run --model x')
	"$CUBBY_TEST_TOP/scripts/completion" bash "$CUBBY_TEST_BIN" >completion
	mkdir 'a$(>ran)'
	: >'e$(>ran)'
	cat >stub <<-'END'
		. ./completion
		cubby() {
			case $* in
			"models --known --json") echo '[{"model":"x$(>ran)"}]' ;;
			*--json) ;;
			*) echo "${@: -1}" >>said ;;
			esac
		}
	END
	{
		echo . ./stub
		printf 'cubby %s\t\n' "${lines[@]}"
		echo exit
	} | timeout 30 "$CUBBY_TEST_TOP/tests/on-tty" 'bash --norc --noprofile -i'
	[ ! -e ran ]
	[ "$(tr -d / <said | xargs -n1)" = "$(printf '%s\n' 'a$(>ran)' 'a$(>ran)' 'a$(>ran)' 'e$(>ran)' 'e$(>ran)' 'x$(>ran)')" ]
}

# bats test_tags=long
@test "completion: zsh and fish find the command behind options" {
	local words
	"$CUBBY_TEST_TOP/scripts/completion" zsh "$CUBBY_TEST_BIN" >_cubby
	"$CUBBY_TEST_TOP/scripts/completion" fish "$CUBBY_TEST_BIN" >cubby.fish
	asked() { # WORD...: what _arguments is asked for, or that a command is wanted
		zsh -fc '_arguments() { print -r -- "of $words at $CURRENT:" ${(M)@:#*project*}; }
			_describe() { print -r -- "a command"; }; _files() { :; }; _directories() { print -r -- "a directory"; }
			words=("$@"); CURRENT=$#words; source ./_cubby' zsh "$@"
	}
	run -0 asked cubby exec --proj
	[[ $output == "of exec --proj at 2:"*"--project="* ]]
	run -0 asked cubby -C /tmp --json exec --proj
	[[ $output == "of exec --proj at 2:"*"--project="* ]]
	run -0 asked cubby -C /tmp ex
	[ "$output" = "a command" ]
	run -0 asked cubby -C /t
	[ "$output" = "a directory" ]
	# names of boxes, before the command and behind it
	mkdir below bin
	printf '#!/bin/sh\necho '\''[{"directory":"%s","name":"mine"},{"directory":"/there","name":"other"}]'\''\n' "$PWD" >bin/cubby
	chmod +x bin/cubby
	for words in "cubby -b |" "cubby --json -b |" "cubby -C below -b |" "cubby -C / -b |none"; do
		run -0 env PATH="$PWD/bin:$PATH" zsh -fc 'compadd() { shift; print -r -- "${@:-none}"; }
			words=(${=1} ""); CURRENT=$#words; source ./_cubby' zsh "${words%|*}"
		[ "$output" = "$(sed 's/^$/mine/' <<<"${words#*|}")" ]
	done
	# lists are those of the box that is named
	printf '#!/bin/sh\necho "[{\\"pid\\":\\"$*\\"}]"\n' >bin/told
	chmod +x bin/told
	for words in "cubby -C ~/p kill |-C $HOME/p" "cubby kill --directory=/x |-C /x" "cubby -b two kill |-b two" "cubby rmi |"; do
		run -0 zsh -fc 'compadd() { :; }; cubby() { bin/told "$@"; }; _describe() { :; }; _files() { :; }
			_arguments() { _cubby_list "ps" pid; }
			words=(${=1} ""); CURRENT=$#words; source ./_cubby' zsh "${words%|*}"
		[ "$output" = "$(echo "${words#*|}" "ps --json" | sed 's/^ //')" ]
	done
	# What exec runs stands behind '--', which is no command.
	run -0 zsh -fc 'words=(cubby ""); CURRENT=2; _describe() { :; }; _files() { :; }; source ./_cubby
		_normal() { print -r -- "$words at $CURRENT"; }
		grep -q "command:_cubby_command" _cubby; words=(-- ls -); CURRENT=3; _cubby_command'
	[ "$output" = "ls - at 2" ]
	! grep -q "local -a commands" _cubby || return 1 # which would hide the programs
	command -v fish >/dev/null || skip "no fish: what it completes is not asked for"
	for words in "ex exec" "-C /tmp ex exec" "--json rmi rmi" "exec --proj --project" "set mem memory" "-b x unse unset"; do
		[ "$(fish -c 'source cubby.fish; complete -C $argv[1]' "cubby ${words% *}" | cut -f1)" = "${words##* }" ]
	done
	for words in "-C ~/p kill |-C $HOME/p ps --json" "kill --directory=/x |-C /x ps --json" "-b two kill |-b two ps --json"; do
		run -0 fish -c 'source cubby.fish; function cubby; bin/told $argv; end; complete -C $argv[1]' "cubby ${words%|*}"
		[ "${output%%$'\t'*}" = "${words#*|}" ]
	done
	[[ -z $(env PATH="$PWD/bin:$PATH" fish -c 'source cubby.fish; complete -C "cubby -C / -b "') ]]
	for words in "-b " "--json --name " "exec -b " "stop --name="; do
		run -0 env PATH="$PWD/bin:$PATH" fish -c 'source cubby.fish; cd below; complete -C $argv[1]' "cubby $words"
		[[ ${output%%$'\t'*} =~ ^(--name=)?mine$ ]]
	done
}

@test "no words: the short help, status 0" {
	run -0 --separate-stderr cubby
	[[ $output == *$'\nTasks:\n  run  '* ]]
	[[ $output == *"cubby shell"* ]]
	[ -z "$stderr" ]
	local alone=$output
	for words in -h --help help; do
		run -0 cubby $words
		[ "$output" = "$alone" ]
	done
}

@test "--version names the version" {
	run -0 cubby --version
	[ "$output" = "cubby $(cat "$CUBBY_TEST_TOP/VERSION")" ]
}

@test "every command has a help that begins with its name, and a page with all of its options" {
	local commands command
	commands=$(cubby help | awk '/^  [a-z]+  / { print $1 }')
	[ "$(wc -w <<<"$commands")" -eq "$(ls "$CUBBY_TEST_TOP"/docs/commands/*.md | grep -vc /common.md)" ]
	for command in $commands; do
		run -0 --separate-stderr cubby "$command" -h
		[[ ${lines[0]} == "Usage: cubby $command"* ]]
		[ -z "$stderr" ]
		local short=$output option
		run -0 --separate-stderr cubby help "$command"
		[[ ${lines[0]} == "# cubby-$command - "* ]]
		[ -z "$stderr" ]
		for option in $(grep -oE '^ +(-., )?--[a-z-]+' <<<"$short" | grep -oE -- '--[a-z-]+'); do
			[[ $output == *"\`$option"[\`=[]* ]] || { echo "$option is not in the page of $command"; false; }
		done
	done
}

@test "help: pages of the book, in a pipe as they are, with what they lead to" {
	local topic n=0
	for topic in $(cubby help | sed -n '/a page of the book:/,/^$/p' | tail -n +2); do
		n=$((n + 1))
		run -0 --separate-stderr cubby help "$topic"
		[[ ${lines[0]} == "# "* && -z $stderr ]]
		[[ $output != *"<!--"* ]]
		run -1 grep -E '\]\([^:)]*\)' <<<"$output"
	done
	[ "$n" -ge 8 ]
	run -0 cubby help start
	[[ $output == *'(troubleshooting, `cubby help troubleshooting`)'* ]]
	run -0 --separate-stderr cubby help images
	[[ ${lines[0]} == "# cubby-images - "* ]]
	for topic in images models snapshots mcp python; do # each is a command, too
		run -0 bash -c "cubby help $topic | grep -c '^# '"
		[ "$output" = 2 ]
	done
}

@test "help: a page longer than the terminal is shown by the pager, a short one is not" {
	local tty=$CUBBY_TEST_TOP/tests/on-tty
	export TERM=xterm
	run -0 env PAGER="sed 's/^/> /'" "$tty" 'stty rows 10 cols 80; cubby help start' </dev/null
	[[ $output == *"> "*"Start"*"> "* && $output != *'# Start'* ]]
	run -0 env PAGER="sed 's/^/> /'" "$tty" 'stty rows 500 cols 80; cubby help start' </dev/null
	[[ $output == *"Start"* && $output != *"> "* ]]
	# one that is left before the end, and none
	run -0 env PAGER="head -n 1" "$tty" 'stty rows 10 cols 80; cubby help network && echo went well' </dev/null
	[[ $output == *"went well"* && $output != *"proxy"* ]]
	for pager in cat ""; do
		run -0 env PAGER="$pager" "$tty" 'stty rows 10 cols 80; cubby help start' </dev/null
		[[ $output == *"Start"*"cubby rm"* ]]
	done
}

@test "help: no pager of a project is run, and one that is not there leaves the text" {
	local tty=$CUBBY_TEST_TOP/tests/on-tty at page
	export TERM=xterm
	unset PAGER
	mkdir -p bin "$HOME/bin"
	printf '#!/bin/sh\ntouch "%s/ran"\n' "$LIB_DIR" >bin/less
	printf '#!/bin/sh\necho as found; exec cat\n' >"$HOME/bin/less"
	chmod +x bin/less "$HOME/bin/less"
	for at in bin "$PWD/bin"; do
		for page in network exec; do
			run -0 env PATH="$at:$HOME/bin:$PATH" "$tty" "stty rows 10 cols 80; cubby help $page" </dev/null
			[[ ! -e $LIB_DIR/ran && $output == *"as found"* ]] || { echo "$at, $page: $output"; return 1; }
		done
	done
	# what is found elsewhere is run, and without a store nothing is
	run -0 env PATH="$PWD/bin:$PATH" "$tty" "cd; stty rows 10 cols 80; cubby help network" </dev/null
	[ -e "$LIB_DIR/ran" ]
	rm "$LIB_DIR/ran"
	run -0 env XDG_DATA_HOME=/proc/none PATH="$PWD/bin:$PATH" "$tty" "cd; stty rows 10 cols 80; cubby help network" </dev/null
	[[ ! -e $LIB_DIR/ran && $output == *"proxy"* ]]
	for at in /no/such/pager "$PWD/bin"; do
		run -0 env PAGER="$at" "$tty" 'stty rows 10 cols 80; cubby help network' </dev/null
		[[ $output == *"proxy"* ]]
	done
}

@test "a failure: its parts have lines of their own on a terminal, elsewhere it is one line" {
	run -2 "$CUBBY_TEST_TOP/tests/on-tty" 'stty rows 24 cols 40; cubby run --no-color --max-rounds 0 work' </dev/null
	[ "$(tr -d '\r' <<<"$output")" = "cubby run: --max-rounds: bad number '0'
  it is a whole number above 0" ]
	run -2 cubby run --max-rounds 0 work
	[ "$output" = "cubby run: --max-rounds: bad number '0'; it is a whole number above 0" ]
	[[ $(cubby run --max-rounds 0 --json work 2>&1) == *"bad number '0'; it is a whole number above 0"* ]]
}

@test "help: no word is broken by a narrow terminal, and a pipe gets what it ever got" {
	local c
	for c in --help 'exec -h' 'save -h' 'rm -h' 'serve -h'; do
		run -0 "$CUBBY_TEST_TOP/tests/on-tty" "stty rows 24 cols 40; cubby $c" </dev/null
		[ "${#lines[@]}" -gt 10 ]
		[ -z "$(tr -d '\r' <<<"$output" | sed 's/\x1b\[[0-9;]*m//g' | grep -E '.{41}')" ] || { echo "$output"; return 1; }
	done
	run -0 cubby save -h
	[[ $output == *$'\n  or:  cubby save [OPTION...] IMAGE docker-archive:FILE[:NAME]\n'* ]]
	run -0 cubby --help
	[[ ${lines[0]} == "cubby gives a language model a real shell in a sealed box of this directory." ]]
	[[ $output == *$'\n  own         make files yours that users of the box made in the project\n'* ]]
}

@test "a mistyped command suggests the nearest" {
	fails 2 "cubby: unknown command 'shel'; did you mean 'shell'? (cubby run 'shel' makes it a task)" shel
	fails 2 "cubby: there is no command or page 'netwrok'; did you mean 'network'?" help netwrok
	fails 2 "cubby: there is no command or page 'securty'; did you mean 'security'?" help securty
	fails 2 "cubby: unknown command 'imgaes'; did you mean 'images'? (cubby run 'imgaes' makes it a task)" imgaes
}

@test "one word is never a task" {
	fails 2 "cubby: unknown command 'refactor'; 'cubby help' lists them (cubby run 'refactor' makes it a task)" refactor
	fails 2 "cubby: unknown command 'refactor'; 'cubby help' lists them (cubby run 'refactor' makes it a task)" -q -- refactor
	fails 2 "cubby: unknown command 'lss'; did you mean 'ls'? (cubby run 'lss' makes it a task)" -C / lss
	fails 2 "cubby: unknown command 'exce'; did you mean 'exec'? (cubby run 'exce' makes it a task)" --memory 1G exce -- make test
	run -4 --separate-stderr cubby "refactor it"
	[[ $stderr == "cubby: no language model"* ]]
	run -4 --separate-stderr cubby models --model nobody:
	[[ $stderr == "cubby models: no language model: no provider is called 'nobody:'; there are openai:, "*" and those of the configuration" ]]
	run -4 --separate-stderr cubby run refactor
	[[ $stderr == "cubby run: no language model"* ]]
	run -4 --separate-stderr cubby refactor all of it
	[[ $stderr == "cubby: no language model"* ]]
}

@test "options before a command are its options" {
	run -0 --separate-stderr cubby --json ls
	[ "$output" = "[]" ]
	mkdir ls
	fails 1 "cubby info: there is no box for '$LIB_PROJECT/ls'; 'cubby ls' lists them" -C ls info
	fails 1 "cubby info: there is no box for '$LIB_PROJECT/ls'; 'cubby ls' lists them" --directory=ls -q info
	fails 2 "cubby ls: unknown option '--max-rounds'; --help lists them" --max-rounds 3 ls
	fails 2 "cubby ls: '-b' says which box, and this command is not about one; leave it out" -b one ls
	fails 2 "cubby images: '--name' says which box, and this command is not about one; leave it out" images --name=one
	fails 2 "cubby ls: unknown option '-z'; --help lists them" -z ls
	fails 2 "cubby prune: --older: bad time 'x'; it is such as 90s, 10m or 2h" --older x prune
	fails 125 "cubby exec: --memory: bad size 'lots'; it is such as 512M or 2G" --memory lots exec true
	fails 125 "cubby exec: option '--json' takes no value" --json=x exec
	run -0 cubby -h exec
	[[ ${lines[0]} == "Usage: cubby exec"* ]]
	run -4 --separate-stderr cubby --model openai:ls "do it"
}

@test "a mistyped option suggests the nearest" {
	fails 2 "cubby run: unknown option '--memry'; did you mean '--memory'?" run --memry 1G x
	fails 2 "cubby: unknown option '--max-round5'; did you mean '--max-rounds'?" --max-round5 3 x
	fails 2 "cubby ls: unknown option '-x'; --help lists them" ls -x
	fails 125 "cubby exec: unknown option '--zzz'; --help lists them" exec --zzz true
}

@test "values are checked by name" {
	fails 2 "cubby run: --memory: bad size 'lots'; it is such as 512M or 2G" run --memory lots x
	fails 2 "cubby run: --memory: bad size '12Q'; it is such as 512M or 2G" run --memory=12Q "task"
	fails 2 "cubby run: --cpus: bad number '-1'; it is such as 2 or 0.5" run --cpus=-1 x
	fails 2 "cubby run: --pids: bad number '0'; it is a whole number above 0" run --pids 0 x
	fails 125 "cubby exec: --memory: bad size '512'; a box needs at least 16M" exec --memory 512 true
	fails 125 "cubby exec: --pids: bad number '1'; a box needs at least 2" exec --pids 1 true
	fails 125 "cubby exec: --disk: bad size '1'; a box needs at least 1M" exec --disk 1 true
	fails 2 "cubby set: volume: empty value ''; 'cubby unset volume' takes it back" set volume=
	fails 2 "cubby own: a name is missing: that of a file" own ''
	fails 2 "cubby discard: name paths or say --all, one of both" discard --all x
	fails 2 "cubby commit: bad name of an image 'a b'; letters and digits make one, with '.', '_', '-' and '/' between them, and ':' before a tag" commit 'a b'
	fails 2 "cubby pull: --name: bad name of an image ''; letters and digits make one, with '.', '_', '-' and '/' between them, and ':' before a tag" pull --name '' x
	fails 125 "cubby exec: --cpus: bad number '0.001'; a box needs at least 0.01" exec --cpus 0.001 true
	fails 2 "cubby run: --timeout: bad time 'soon'; it is such as 90s, 10m or 2h" run --timeout soon x
	fails 2 "cubby run: --net: bad mode 'bridge'; it is gate, none or host" run --net bridge x
	fails 125 "cubby exec: --memory: bad size 'lots'; it is such as 512M or 2G" exec --memory lots true
	fails 2 "cubby run: --deny: no list of hosts is called '@nope'; 'cubby help network' has their names" run --deny @nope x
	run -2 --separate-stderr cubby run --allow "bad host!" x
	[[ $stderr == "cubby run: --allow: bad network pattern 'bad host!'"* ]]
	run -2 --separate-stderr cubby run --publish nonsense x
	[[ $stderr == "cubby run: --publish: bad port 'nonsense'"* ]]
	fails 125 "cubby shell: --user: empty value ''; give the option a value, or leave it out" shell --user ""
	fails 2 "cubby kill: --signal: unknown signal 'LOTS'; it is such as TERM, KILL, HUP or 9" kill -s LOTS 1
	fails 2 "cubby cp: a path is missing behind ':'; ':.' is the current directory in the box" cp x :
	fails 2 "cubby cp: '-' is no file here; 'cubby exec cat FILE' writes to standard output, 'cubby exec tee FILE' reads standard input" cp :/x -
	fails 2 "cubby kill: unknown option '-0'; --help lists them" kill -0 1
	fails 2 "cubby kill: a process number is missing; 'cubby ps' lists them" kill -9
	fails 2 "cubby kill: bad process number 'x'; 'cubby ps' lists them" kill x
	fails 2 "cubby prune: --older: bad time 'x'; it is such as 90s, 10m or 2h" prune --older x
	fails 2 "cubby run: --max-cost: bad number 'free'; it is such as 2 or 0.5" run --max-cost free x
	fails 125 "cubby exec: --env: bad name '1A'; letters, digits and _ make one" exec --env 1A=x true
	fails 125 "cubby exec: --env: bad name ''; letters, digits and _ make one" exec --env =x true
	run -2 --separate-stderr cubby net --allow "bad host!"
	[[ $stderr == "cubby net: --allow: bad network pattern 'bad host!'"* ]]
	run -2 --separate-stderr cubby ports --publish nonsense
	[[ $stderr == "cubby ports: --publish: bad port 'nonsense'"* ]]
}

@test "values that are missing or too many" {
	fails 2 "cubby run: option '--max-rounds' needs a value: N" run --max-rounds
	fails 2 "cubby run: option '--keep' takes no value" run --keep=3 x
	fails 2 "cubby run: ambiguous option '--max': '--max-rounds' or '--max-tokens'" run --max 3 x
}

@test "operands that are missing or too many" {
	fails 2 'cubby run: a task is missing, such as "run the tests"' run
	fails 125 "cubby exec: a command is missing; 'cubby shell' is a shell" exec
	fails 125 "cubby shell: unexpected word 'ls'; 'cubby exec ls' runs a command" shell ls
	fails 2 "cubby ls: unexpected word 'x'; --help says what it takes" ls x
	fails 2 "cubby kill: a process number is missing; 'cubby ps' lists them" kill
	fails 2 "cubby rmi: an image is missing; 'cubby images' lists them" rmi
	fails 2 "cubby stop: --all and 'x' exclude each other" stop --all x
	fails 125 "cubby exec: --detach and --tty exclude each other" exec -d -t true
	fails 2 "cubby: the task is empty" ""
	run -2 --separate-stderr cubby - <<<"  "
	[ "$stderr" = "cubby: the task is empty" ]
}

@test "what is wrong with the words is said before a key is asked for" {
	fails 2 "cubby run: cannot use directory '/nonexistent': No such file or directory" run -C /nonexistent x
	fails 2 "cubby run: --replay: cannot open './absent': No such file or directory" run --replay ./absent
	echo nonsense >bad.jsonl
	fails 2 "cubby run: --replay 'bad.jsonl': transcript, line 1: bad JSON at byte 1" run --replay bad.jsonl
}

@test "a directory that is not there is said by every command, also by those that ask nothing of it" {
	for command in ls images stats doctor config volumes models prune mcp "exec true" info rm; do
		status=2
		[ "$command" != "exec true" ] || status=125
		# shellcheck disable=SC2086 # words
		fails "$status" "cubby ${command%% *}: cannot use directory '/nonexistent': No such file or directory" -C /nonexistent $command
	done
	touch file
	fails 2 "cubby ls: cannot use directory 'file': Not a directory" ls -C file
}

@test "what docker calls otherwise is said with what it is called here" {
	fails 2 "cubby: unknown command 'inspect'; 'cubby info' tells of the box, 'cubby info --json' all of it; 'cubby images --json' of the images (cubby run 'inspect' makes it a task)" inspect
	fails 2 "cubby: unknown command 'inspect'; 'cubby info' tells of the box, 'cubby info --json' all of it; 'cubby images --json' of the images (cubby run 'inspect' makes it a task)" inspect db
	fails 2 "cubby: unknown command 'network'; 'cubby net' says what the box may reach, and changes it (cubby run 'network' makes it a task)" network ls
	fails 2 "cubby: unknown command 'bash'; 'cubby shell' is a shell in the box (cubby run 'bash' makes it a task)" bash
	fails 2 "cubby ps: unknown option '-a'; 'cubby ls' lists the boxes" ps -a
	fails 2 "cubby prune: unknown option '-f'; -y does not ask first" prune -f
	fails 2 "cubby info: unknown option '--format'; --json has all fields, from which jq(1) picks" info --format '{{.Id}}'
	fails 2 "cubby run: unknown option '-i'; 'cubby exec -it COMMAND' runs a command in the box, 'cubby shell' is a shell" run --rm -it ubuntu bash
	fails 125 "cubby exec: unknown option '--network'; --net says what the box may reach" exec --network none true
	fails 2 "cubby cp: two paths are wanted, and ':' in front of the one in the box, such as :/etc/hosts; a box that has a name is meant by '-b NAME'" cp db:/x y
	fails 2 "cubby save: where to is missing; say oci:DIR, oci-archive:FILE or docker-archive:FILE, or -o FILE" save image
	fails 2 "cubby save: --output and 'oci:x' exclude each other" save -o y image oci:x
	fails 2 "cubby logs: --tail: bad number 'x'; it is such as 20" logs --tail x
	fails 2 "cubby ports: --unpublish: bad port 'x'; 'cubby ports' lists what is published" ports --unpublish x
	fails 125 "cubby exec: the command is empty" exec ''
	fails 125 "cubby exec: --image: empty value ''; give the option a value, or leave it out" exec --image= true
}

@test "help for what is no command; output of what never ran" {
	fails 2 "cubby: there is no command or page 'nosuch'; 'cubby help' lists them" help nosuch
	fails 2 "cubby: there is no command or page 'rin'; did you mean 'run'?" help rin
	fails 125 "cubby logs: there is no box for '$LIB_PROJECT'; 'cubby ls' lists them" logs
}

@test "--json: the error is an object" {
	run -2 --separate-stderr cubby run --json --memory lots x
	[ "$(jq -r .error.message <<<"$stderr")" = "--memory: bad size 'lots'; it is such as 512M or 2G" ]
	[ "$(jq -r .error.code <<<"$stderr")" = EINVAL ]
	[ "$(jq -r .error.status <<<"$stderr")" = 2 ]
	run -125 --separate-stderr cubby exec --json --zzz
	[ "$(jq -r .error.status <<<"$stderr")" = 125 ]
}

@test "options behind the command of exec are the command's" {
	run -125 --separate-stderr cubby exec -C /nonexistent true --zzz
	[[ $stderr != *zzz* ]]
}

@test "no colours where there is no terminal" {
	run -0 cubby
	[[ $output != *$'\033'* ]]
}

@test "a full disk under the output is a failure" {
	run -1 --separate-stderr bash -c 'cubby help >/dev/full'
	[ "$stderr" = "cubby: cannot write standard output: No space left on device" ]
	run -1 --separate-stderr bash -c 'cubby info -h >&-'
	[ "$stderr" = "cubby info: cannot write standard output: Bad file descriptor" ]
}

@test "a reader that goes is no disaster" {
	run bash -c 'cubby run -h | head -1; echo "${PIPESTATUS[0]}"'
	[[ ${lines[0]} == "Usage: cubby run"* ]]
	[[ ${lines[1]} =~ ^(0|141)$ ]]
}

@test "a message goes out in one piece" {
	cat >"$LIB_DIR/pieces.py" <<-'EOF'
		import socket, subprocess
		ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
		p = subprocess.Popen(["cubby", "stop"], stderr=theirs)
		theirs.close()
		pieces = list(iter(lambda: ours.recv(65536).decode(), ""))
		print(p.wait(), len(pieces), pieces[0], end="")
	EOF
	run -0 python3 "$LIB_DIR/pieces.py"
	[ "$output" = "1 1 cubby stop: there is no box for '$PWD'; 'cubby ls' lists them" ] || { echo "$output"; false; }
}
