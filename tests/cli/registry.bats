# Images from registries: names, logins, faults; a real registry where there is one.
bats_require_minimum_version 1.5.0
load ../lib

setup_file() {
	lib_env
	export MK=$CUBBY_TEST_TOP/tests/mklayout LAYOUT=$LIB_DIR/layout
	unset CUBBY_MIRRORS REGISTRY_AUTH_FILE DOCKER_CONFIG
	mkdir -p "$LIB_DIR/l/etc" "$LIB_DIR/l/bin"
	head -c 300000 /dev/urandom >"$LIB_DIR/l/bin/noise"
	echo base >"$LIB_DIR/l/etc/which"
	tar --owner 0 --group 0 -C "$LIB_DIR/l" -cf "$LIB_DIR/base.tar" etc bin
	echo top >"$LIB_DIR/l/etc/which"
	tar --owner 0 --group 0 -C "$LIB_DIR/l" -cf "$LIB_DIR/top.tar" etc
	"$MK" "$LAYOUT" 1 "$LIB_DIR/base.tar" "$LIB_DIR/top.tar"
}
teardown_file() { lib_done; }
setup() { lib_project; }
teardown() {
	[ -z "${SERVER-}" ] || kill "$SERVER"
	cubby rmi --all -q 2>/dev/null || true
}

# A registry that behaves as told: $AT is its host and port, $LOG its requests.
serve() { # FAULT...
	LOG=$LIB_PROJECT/requests
	"$CUBBY_TEST_TOP/tests/fake/registry" "$LAYOUT" "$LIB_PROJECT/ready" "$@" >"$LOG" 3>&- &
	SERVER=$!
	lib_await "$LIB_PROJECT/ready"
	AT=127.0.0.1:$(cat "$LIB_PROJECT/ready")
}
lib_await() { while [ ! -e "$1" ]; do kill -0 "$SERVER" || return 1; read -rt 0.02 <> <(:) || true; done; }

pulls() {
	run -0 --separate-stderr cubby pull -q "$AT/it/x:1"
	[ "$output" = "$AT/it/x:1" ]
	run -0 cubby images --json
	[ "$(jq -r '.[0].name' <<<"$output")" = "$AT/it/x:1" ]
	[ "$(jq -r '.[0].size' <<<"$output")" -gt 300000 ]
}
refused() { # MESSAGE
	run -1 --separate-stderr cubby pull -q "$AT/it/x:1"
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"$1"* ]] || { echo "$stderr"; return 1; }
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
	[ -z "$(find "$XDG_DATA_HOME/cubby/diffs" -mindepth 1 2>/dev/null)" ]
}
login() { # USER:SECRET
	mkdir -p "$HOME/.docker"
	printf '{"auths":{"%s":{"auth":"%s"}}}' "$AT" "$(printf %s "$1" | base64)" >"$HOME/.docker/config.json"
}

@test "registry: by tag and by digest, without a login" {
	serve
	pulls
	local digest
	digest=$(cubby images --json | jq -r '.[0].digest')
	cubby rmi -q "$AT/it/x:1"
	run -0 cubby pull -q "$AT/it/x@sha256:$digest"
	run -1 --separate-stderr cubby pull -q "$AT/it/x:2"
	[[ $stderr == *"'$AT/it/x:2': $AT does not have it, or not without a login (404: manifest unknown)"* ]]
}

@test "registry: a layer that is there is not asked for again" {
	serve
	pulls
	cubby pull -q "oci:$LAYOUT:1" >/dev/null
	[ "$(grep -c /blobs/ "$LOG")" = 3 ]
	cubby pull -q "$AT/it/y:1" >/dev/null
	[ "$(grep -c /blobs/ "$LOG")" = 4 ] # its configuration
}

@test "registry: a token is asked for, and again when it is no longer good" {
	serve token expired
	pulls
	[ "$(grep -c 'GET /token?service=it%2[0C]\|GET /token?service=it,' "$LOG")" = 2 ]
	grep -q 'GET /token?.*scope=repository:it/x:pull - -' "$LOG"
}

@test "registry: logins of docker are used, wrong ones told" {
	serve login=me:word
	refused "no token was given (401)"
	login me:word
	pulls
	cubby rmi -q --all
	login me:other
	refused "no token was given (401); log in again"
	rm "$HOME/.docker/config.json"
}

@test "registry: Basic" {
	serve basic=me:word
	refused "it wants a login: 'docker login $AT'"
	login me:word
	pulls
	rm "$HOME/.docker/config.json"
}

@test "registry: a realm elsewhere gets nothing" {
	serve realm=http://169.254.169.254/token
	refused "its tokens are had by http, 'http://169.254.169.254/token'"
}

@test "registry: who is redirected to shows no token there" {
	serve token redirect
	pulls
	[ "$(grep -c 'GET /v2/it/x/blobs/.* - -' "$LOG")" = 3 ]
	[ "$(grep -c 'GET /v2/it/x/blobs/.* Bearer token-1' "$LOG")" = 3 ]
}

@test "registry: goes on after a cut" {
	serve cut=100000
	pulls
	grep -q 'bytes=100000-' "$LOG"
}

@test "registry: begins again where the rest is not given" {
	serve cut=100000 norange
	pulls
}

@test "registry: waits when it is asked to" {
	serve busy=2
	run -0 --separate-stderr cubby pull "$AT/it/x:1"
	[[ $stderr == *"$AT has had too many requests, and is asked again in 1 s"* ]]
}

@test "registry: what is not what was announced is refused" {
	serve tamper
	refused "is not what was announced"
	kill "$SERVER"; rm "$LIB_PROJECT/ready"
	serve longer
	refused "is larger than the"
	kill "$SERVER"; rm "$LIB_PROJECT/ready"
	serve lie
	refused "the manifest is not the one that was announced"
	kill "$SERVER"; rm "$LIB_PROJECT/ready"
	serve status=418
	refused "$AT answered 418: as told"
}

@test "registry: a mirror is asked first, and the registry not at all when it is said so" {
	serve
	export CUBBY_MIRRORS="ghcr.io=http://$AT,ghcr.io="
	run -0 --separate-stderr cubby pull -q ghcr.io/it/x:1
	[ "$output" = ghcr.io/it/x:1 ]
	CUBBY_MIRRORS=ghcr.io= run -1 --separate-stderr cubby pull -q ghcr.io/it/y:1
	[[ $stderr == *"'ghcr.io' is not to be asked (CUBBY_MIRRORS)"* ]]
	CUBBY_MIRRORS=ghcr.io=http://10.0.0.1 run -1 --separate-stderr cubby pull -q ghcr.io/it/y:1
	[[ $stderr == *"'http://10.0.0.1' is no https:// URL"* ]]
}

@test "registry: a mirror gets no login that is for the registry" {
	local kind
	for kind in basic login; do
		serve $kind=me:word
		mkdir -p "$HOME/.docker"
		printf '{"auths":{"ghcr.io":{"auth":"%s"}}}' "$(printf me:word | base64)" >"$HOME/.docker/config.json"
		CUBBY_MIRRORS="ghcr.io=http://$AT,ghcr.io=" run -1 cubby pull -q ghcr.io/it/x:1
		grep -q "GET /" "$LOG"
		! grep -q Basic "$LOG" || { cat "$LOG"; return 1; }
		kill "$SERVER"; rm "$LIB_PROJECT/ready"
	done
	SERVER=
	rm "$HOME/.docker/config.json"
}

@test "registry: nobody there" {
	run -1 --separate-stderr cubby pull -q 127.0.0.1:9/x
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"cannot connect to '127.0.0.1:9'"* ]]
}

@test "registry: one that cannot be reached: what else there is" {
	CUBBY_MIRRORS=docker.io= run -1 --separate-stderr cubby pull -q debian:12
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"'docker.io' is not to be asked (CUBBY_MIRRORS); scripts/mkrootfs makes a root filesystem from this host's package mirror; give its path instead" ]]
}

@test "registry: distribution's own" {
	command -v docker-registry skopeo >/dev/null || skip "no docker-registry or skopeo"
	local port=$((20000 + RANDOM % 20000))
	printf 'version: 0.1\nstorage: {filesystem: {rootdirectory: %s/reg}}\nhttp: {addr: "127.0.0.1:%s"}\n' "$LIB_PROJECT" "$port" >reg.yml
	docker-registry serve reg.yml >reg.log 2>&1 3>&- &
	SERVER=$!
	until curl -fs "http://127.0.0.1:$port/v2/" >/dev/null; do kill -0 "$SERVER"; done
	AT=127.0.0.1:$port
	skopeo copy -q --dest-tls-verify=false "oci:$LAYOUT:1" "docker://$AT/it/x:1"
	pulls
}
