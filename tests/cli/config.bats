# The configuration: flags over environment over file. Needs no image.
load ../lib

setup_file() { lib_env; }
setup() {
	lib_project
	rm -rf "$HOME/.config"
}

config() { # TEXT
	mkdir -p "$HOME/.config/cubby"
	printf '%s' "$1" >"$HOME/.config/cubby/config.json"
}

value() { cubby config --json | jq -r ".[] | select(.name == \"$1\") | \"\(.value) \(.from)\""; }

@test "without a file all is default" {
	[ "$(value max-rounds)" = "200 default" ]
	[ "$(value image)" = "ubuntu default" ]
	[ "$(value allow)" = "null default" ]
	run -0 --separate-stderr cubby config
	[[ $stderr == *"config.json (there is none)" ]]
}

@test "the file, and the environment over it" {
	config '{"max-rounds": 7, "memory": "1G", "allow": ["a.example", "b.example"], "keep": true}'
	[ "$(value max-rounds)" = "7 file" ]
	[ "$(value memory)" = "1G file" ]
	[ "$(value allow)" = "a.example b.example file" ]
	[ "$(value keep)" = "true file" ]
	export CUBBY_MAX_ROUNDS=9 CUBBY_ALLOW="c.example d.example" CUBBY_KEEP=no
	[ "$(value max-rounds)" = "9 environment" ]
	[ "$(value allow)" = "c.example d.example environment" ]
	[ "$(value keep)" = "no environment" ]
}

@test "XDG_CONFIG_HOME is where the file is" {
	mkdir -p "$LIB_PROJECT/conf/cubby"
	echo '{"pids": 5}' >"$LIB_PROJECT/conf/cubby/config.json"
	XDG_CONFIG_HOME=$LIB_PROJECT/conf run -0 value pids
	[ "$output" = "5 file" ]
}

wrong() { # TEXT MESSAGE
	config "$1"
	run -2 --separate-stderr cubby config
	[ "$stderr" = "cubby config: $HOME/.config/cubby/config.json:$2" ] || {
		echo "$stderr"
		return 1
	}
}

@test "what is wrong is named with its line" {
	wrong $'{\n"image": "x",\n"memroy": "1G"\n}' "3: unknown key 'memroy'; did you mean 'memory'?"
	wrong $'{\n"keep": "yes"}' "2: 'keep': it must be true or false, not string"
	wrong $'{"memory": "lots"}' "1: 'memory': bad size 'lots'; it is such as 512M or 2G"
	wrong $'{"memory": "512"}' "1: 'memory': bad size '512'; a box needs at least 16M"
	wrong $'[]' "1: it must be an object, not list"
	wrong $'{"providers": {"c": {"key": "sk-1"}}}' \
		"1: provider 'c': unknown key 'key'; known are base-url, key-env, wire, context"
}

@test "bad syntax has its line" {
	config $'{\n"image": "x",\n"keep" true}'
	run -2 --separate-stderr cubby config
	[[ $stderr == "cubby config: $HOME/.config/cubby/config.json:3: "* ]]
}

@test "a bad variable is named" {
	CUBBY_MEMORY=lots run -2 --separate-stderr cubby config
	[ "$stderr" = "cubby config: CUBBY_MEMORY: bad size 'lots'; it is such as 512M or 2G" ]
	CUBBY_MEMORY=lots run -125 --separate-stderr cubby exec true
	[ "$stderr" = "cubby exec: CUBBY_MEMORY: bad size 'lots'; it is such as 512M or 2G" ]
}

@test "commands that need no settings do not mind a bad file" {
	config 'nonsense'
	run -0 cubby --version
	run -0 cubby ls
	run -0 cubby images
}
