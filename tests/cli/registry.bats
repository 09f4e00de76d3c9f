# Images from registries: names, logins, faults; a real registry where there is one.
load ../lib

setup_file() {
	unset CUBBY_TEST_STORE # no image is there that no row has pulled
	lib_env
	export MK=$CUBBY_TEST_TOP/tests/mklayout LAYOUT=$LIB_DIR/layout
	unset CUBBY_MIRRORS REGISTRY_AUTH_FILE DOCKER_CONFIG CONTAINERS_REGISTRIES_CONF
	mkdir -p "$LIB_DIR/l/etc" "$LIB_DIR/l/bin"
	head -c 300000 /dev/urandom >"$LIB_DIR/l/bin/noise"
	echo base >"$LIB_DIR/l/etc/which"
	tar --owner 0 --group 0 -C "$LIB_DIR/l" -cf "$LIB_DIR/base.tar" etc bin
	echo top >"$LIB_DIR/l/etc/which"
	tar --owner 0 --group 0 -C "$LIB_DIR/l" -cf "$LIB_DIR/top.tar" etc
	"$MK" "$LAYOUT" 1 "$LIB_DIR/base.tar" "$LIB_DIR/top.tar"
}
teardown() {
	[ -z "${SERVER-}" ] || kill $SERVER
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

# bats test_tags=long
@test "registry: digests of sha512 are proven, shown and found again; others are refused" {
	local digest sum name
	LAYOUT=$LIB_PROJECT/long
	digest=$("$MK" "$LAYOUT" 1 --sum sha512 "$LIB_DIR/base.tar" "$LIB_DIR/top.tar")
	mkdir -p "$LAYOUT/blobs/sha256" # of what is pushed
	[ "${#digest}" = 135 ]
	serve
	pulls
	[ "$(grep -c 'GET /v2/it/x/blobs/sha512:' "$LOG")" = 3 ]
	run -0 cubby pull -q "$AT/it/x@$digest"
	[ "$output" = "$AT/it/x@$digest" ]
	[ "$(grep -c 'GET /v2/it/x/blobs/sha512:' "$LOG")" = 4 ] # the configuration: its layers are there
	run -0 cubby images --json
	[ "$(jq -r '.[].name' <<<"$output" | sort | xargs)" = "$AT/it/x:1 $AT/it/x@$digest" ]
	[ "$(jq -r '.[].digest' <<<"$output" | sort -u | wc -l)" = 1 ]
	# What is sent is packed anew, with digests that every registry takes.
	run -0 --separate-stderr cubby push "$AT/it/x@$digest" "$AT/new/y:2"
	[[ $output == "$AT/new/y:2@sha256:"* ]] || { echo "$output $stderr"; return 1; }
	cubby rmi -q --all
	run -1 --separate-stderr cubby pull -q "$AT/it/x@sha512:${digest:8}0"
	[[ $stderr == *"404"* ]] || { echo "$stderr"; return 1; }
	kill "$SERVER"; rm "$LIB_PROJECT/ready"
	serve tamper
	refused "is not what was announced"
	for sum in diff digest; do
		"$MK" "$LIB_PROJECT/$sum" 1 --sum sha512 --wrong $sum "$LIB_DIR/base.tar"
		run -1 --separate-stderr cubby pull -q "oci:$sum"
		[[ $stderr == *"it was refused"* ]] || { echo "$stderr"; return 1; }
	done
	for sum in md5 sha384; do
		name=$("$MK" "$LIB_PROJECT/$sum" 1 --sum $sum "$LIB_DIR/base.tar")
		run -1 --separate-stderr cubby pull -q "oci:$sum"
		[[ $stderr == *"'$sum:"*"is no sha256 or sha512 digest"* ]] || { echo "$stderr"; return 1; }
		run -1 --separate-stderr cubby pull -q "$AT/it/x@$name"
		[[ $stderr == *"behind the '@' there is no sha256 or sha512 digest"* ]] || { echo "$stderr"; return 1; }
	done
	[ "$(cubby images --json)" = "[]" ]
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

@test "registry: a token that was asked for too little is asked for again, as it is told" {
	serve scope=repository:it/x:pull,read
	pulls
	[ "$(grep -c 'GET /token?.*scope=repository:it/x:pull - -' "$LOG")" = 1 ]
	[ "$(grep -c 'GET /token?.*scope=repository:it/x:pull,read - -' "$LOG")" = 1 ]
}

@test "registry: what it warns of is told, once" {
	serve token warn=$'it \\"ends\\" \e[31msoon'
	run -0 --separate-stderr cubby pull "$AT/it/x:1"
	[ "$(grep -c 'says:' <<<"$stderr")" = 1 ] || { echo "$stderr"; return 1; }
	[[ $stderr == *"$AT says: it \"ends\" ?[31msoon"* ]]
}

@test "registry: what stands in a document is not looked for" {
	python3 - "$LAYOUT" "$LIB_PROJECT/inline" <<-'END'
	import base64, hashlib, json, os, shutil, sys
	src, dst = sys.argv[1:]
	shutil.copytree(src, dst)
	def blob(d): return os.path.join(dst, "blobs/sha256", d["digest"][7:])
	def inline(d):
	    d["data"] = base64.b64encode(open(blob(d), "rb").read()).decode()
	    os.unlink(blob(d))
	index = json.load(open(dst + "/index.json"))
	top = index["manifests"][0]
	m = json.load(open(blob(top)))
	inline(m["config"])
	inline(m["layers"][1])
	text = json.dumps(m).encode()
	os.unlink(blob(top))
	top.update(digest="sha256:" + hashlib.sha256(text).hexdigest(), size=len(text), data=base64.b64encode(text).decode())
	json.dump(index, open(dst + "/index.json", "w"))
	END
	run -0 --separate-stderr cubby pull -q "oci:$LIB_PROJECT/inline:1"
	[ "$(cat "$XDG_DATA_HOME"/cubby/diffs/*/rootfs/etc/which | sort | xargs)" = "base top" ]
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

# bats test_tags=long
@test "registry: waits when it is asked to" {
	serve busy=2
	run -0 --separate-stderr cubby pull "$AT/it/x:1"
	[[ $stderr == *"$AT has had too many requests, and is asked again in 1 s"* ]]
}

# bats test_tags=long
@test "registry: what passes by itself is asked again" {
	local status
	for status in 408 499 503; do
		serve once=$status
		pulls
		cubby rmi -q --all
		kill "$SERVER"; rm "$LIB_PROJECT/ready"
	done
	serve once=400
	run ! --separate-stderr cubby pull "$AT/it/x:1"
}

# bats test_tags=long
@test "registry: waits until a date" {
	serve date=3
	run -0 --separate-stderr cubby pull "$AT/it/x:1"
	[[ $stderr =~ "$AT has had too many requests, and is asked again in "[23]" s" ]] || { echo "$stderr"; return 1; }
}

# bats test_tags=long
@test "registry: a token that gives tokens, and a place for them that knows no POST" {
	local status
	for status in 404 405 403; do
		serve token nopost=$status
		mkdir -p "$HOME/.docker"
		printf '{"auths":{"%s":{"identitytoken":"a secret"}}}' "$AT" >"$HOME/.docker/config.json"
		if [ "$status" = 403 ]; then
			refused "no token was given (403); log in again"
		else
			pulls
			[ "$(grep -c '^POST /token - -$' "$LOG")" = 1 ]
			grep -q '^GET /token?service=it.*scope=repository:it/x:pull - -$' "$LOG"
		fi
		cubby rmi -q --all
		kill "$SERVER"; rm "$LIB_PROJECT/ready"
	done
	SERVER=
	rm "$HOME/.docker/config.json"
}

@test "registry: a manifest that is sent as another type than it calls itself is refused" {
	local type=application/vnd.oci.image.manifest.v1+json
	serve "type=${type/manifest/index}"
	refused "manifest: it was sent as '${type/manifest/index}' and calls itself '$type'; it was refused"
	kill "$SERVER"; rm "$LIB_PROJECT/ready"
	serve "type=$type; charset=utf-8"
	pulls
}

@test "registry: that few more images are given is told" {
	serve limit=10
	run -0 --separate-stderr cubby pull "$AT/it/x:1"
	[[ $stderr == *"$AT gives 10 more of 100 images in 6h00m; with a login it may give more"* ]] || { echo "$stderr"; return 1; }
	cubby rmi -q "$AT/it/x:1"
	kill "$SERVER"; rm "$LIB_PROJECT/ready"
	serve limit=11
	run -0 --separate-stderr cubby pull "$AT/it/x:1"
	[[ $stderr != *" more of "* ]]
}

@test "registry: how few images a mirror gives is not told of the registry" {
	serve limit=10
	local mirror=$AT mirrorpid=$SERVER
	CUBBY_MIRRORS="ghcr.io=http://$mirror,ghcr.io=" run -0 --separate-stderr cubby pull ghcr.io/it/x:1
	[[ $stderr != *" more of "* ]] || { echo "$stderr"; return 1; }
	rm "$LIB_PROJECT/ready"
	serve
	CUBBY_MIRRORS="$AT=http://$mirror" run -0 --separate-stderr cubby pull "$AT/it/x:1"
	kill "$mirrorpid"
	[[ $stderr != *" more of "* ]] || { echo "$stderr"; return 1; }
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

# NAME is that of an image of two registries: one that ends within a layer, and another.
half() { # FAULT...
	serve die=100000 "$@"
	local dying=$AT
	rm "$LIB_PROJECT/ready"
	serve
	export CUBBY_MIRRORS="ghcr.io=http://$dying,ghcr.io=http://$AT,ghcr.io="
}

@test "registry: what a mirror did not give to the end comes from the next" {
	half
	run -0 --separate-stderr cubby pull -q ghcr.io/it/x:1
	[ "$output" = ghcr.io/it/x:1 ]
	grep -q '/blobs/.* bytes=100000-$' "$LOG"
}

# bats test_tags=long
@test "registry: and is proven as a whole" {
	half tamper
	run -1 --separate-stderr cubby pull -q ghcr.io/it/x:1
	[[ $stderr == *"is not what was announced"* ]]
	grep -q '/blobs/.* bytes=100000-$' "$LOG"
	[ "$(cubby images --json)" = '[]' ]
	[ -z "$(find "$XDG_DATA_HOME/cubby/diffs" -mindepth 1 2>/dev/null)" ]
}

# The registry itself is asked for what the mirror has not, by a login that it keeps.
@test "registry: a mirror gets no login after the registry itself got it" {
	local kind own ownlog
	for kind in basic login; do
		serve $kind=me:word
		own=$SERVER ownlog=$LOG$kind
		mv "$LOG" "$ownlog"
		mkdir -p "$HOME/.docker"
		printf '{"auths":{"%s":{"auth":"%s"}}}' "$AT" "$(printf me:word | base64)" >"$HOME/.docker/config.json"
		local name=$AT
		rm "$LIB_PROJECT/ready"
		serve nodoc $kind=me:word
		CUBBY_MIRRORS="$name=http://$AT" run -0 cubby pull -q "$name/it/x:1"
		kill "$own" "$SERVER"; rm "$LIB_PROJECT/ready"
		grep -q "GET /v2/it/x/blobs/" "$LOG"
		grep -q Basic "$ownlog"
		! grep -q Basic "$LOG" || { cat "$LOG"; return 1; }
		cubby rmi -q --all
	done
	SERVER=
	rm "$HOME/.docker/config.json"
}

# podman's own words of registries, in a file that only this test has.
conf() { # LINE...
	export CONTAINERS_REGISTRIES_CONF=$LIB_PROJECT/registries.conf
	printf '%s\n' "$@" >"$CONTAINERS_REGISTRIES_CONF"
}

@test "registry: registries.conf: mirrors are asked first, and the place itself for what they have not" {
	serve nodoc
	local mirror=$AT mirrorlog=$LOG.mirror
	mv "$LOG" "$mirrorlog"
	rm "$LIB_PROJECT/ready"
	mkdir -p "$HOME/.docker"
	local first=$SERVER
	serve token
	conf '[[registry]]' 'prefix = "reg.example/team"' "location = '$AT/it'" \
		'[[registry.mirror]]' 'location = "127.0.0.1:9/gone"' \
		'[[registry.mirror]]' "location = '$mirror/cache/of'" 'insecure = true'
	printf '{"auths":{"reg.example":{"auth":"%s"}}}' "$(printf me:word | base64)" >"$HOME/.docker/config.json"
	run -0 --separate-stderr cubby pull reg.example/team/x:1
	[ "$output" = reg.example/team/x:1 ]
	[[ $stderr == *"'reg.example/team/x:1' is '$AT/it/x:1' here (registries.conf)"* ]]
	grep -q 'GET /v2/cache/of/x/manifests/1' "$mirrorlog"
	grep -q 'GET /v2/cache/of/x/blobs/' "$mirrorlog"
	grep -q 'GET /v2/it/x/manifests/1' "$LOG"
	grep -q 'scope=repository:it/x:pull' "$LOG"
	! grep Basic "$LOG" "$mirrorlog" || return 1
	[ "$(cubby images --json | jq -r '.[0].source')" = "$AT/it/x:1" ]
	kill "$first"
	rm "$HOME/.docker/config.json"
}

@test "registry: hosts.toml: a mirror is told whose it is, and the registry may be elsewhere" {
	local top=$HOME/.config/containerd/certs.d mirror mirrorlog=$LIB_PROJECT/requests.mirror first
	serve nodoc
	mirror=$AT first=$SERVER
	mv "$LOG" "$mirrorlog"
	rm "$LIB_PROJECT/ready"
	serve
	mkdir -p "$top/reg.example"
	printf '%s\n' "server = 'http://$AT'" "[host.'http://m.example']" \
		"[host.'http://$mirror/v2/cache']" 'override_path = true' >"$top/reg.example/hosts.toml"
	run -0 --separate-stderr cubby pull reg.example/it/x:1
	[[ $stderr == *"'reg.example/it/x:1' is '$AT/it/x:1' here (hosts.toml)"* ]] || { echo "$stderr"; return 1; }
	grep -q 'GET /v2/cache/it/x/manifests/1?ns=reg.example ' "$mirrorlog" || { cat "$mirrorlog"; return 1; }
	grep -q 'GET /v2/cache/it/x/blobs/sha256:.*?ns=reg.example ' "$mirrorlog"
	grep -q 'GET /v2/it/x/manifests/1 ' "$LOG"
	! grep -q '/blobs/' "$LOG" || { cat "$LOG"; return 1; } # the mirror had them
	cubby rmi -q --all
	# who does not resolve is not asked what a tag is; _default is for all that have no file
	mkdir "$top/_default"
	rm "$top/reg.example/hosts.toml"
	printf '%s\n' "server = 'http://$AT'" "[host.'http://$mirror']" "capabilities = ['pull']" >"$top/_default/hosts.toml"
	: >"$mirrorlog"
	run -0 cubby pull -q reg.example/it/x:1
	! grep -q manifests/1 "$mirrorlog" || { cat "$mirrorlog"; return 1; }
	echo '[host' >"$top/_default/hosts.toml"
	run -1 cubby pull -q other.example/it/x:1
	[[ $output == *"'$top/_default/hosts.toml': line 1: "* ]]
	kill "$first"
	rm -r "$HOME/.config/containerd"
}

@test "registry: registries.conf: aliases, of names without a registry" {
	serve
	conf '[aliases]' "'thing' = '$AT/it/x'"
	run -0 --separate-stderr cubby pull thing:1
	[ "$output" = thing:1 ]
	[[ $stderr == *"'thing:1' is '$AT/it/x:1' here (registries.conf)"* ]]
	cubby rmi -q thing:1
	CUBBY_MIRRORS="docker.io=http://$AT,docker.io=" run -0 cubby pull -q docker.io/library/thing:1
	grep -q 'GET /v2/library/thing/manifests/1' "$LOG"
}

@test "registry: registries.conf: blocked is blocked, and CUBBY_MIRRORS stands for the rest" {
	serve
	conf '[[registry]]' 'location = "ghcr.io"' 'blocked = true' \
		'[[registry]]' 'prefix = "quay.io"' 'location = "127.0.0.1:9"'
	run -1 --separate-stderr cubby pull -q ghcr.io/it/x:1
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"'ghcr.io/it/x:1' is blocked here (registries.conf)" ]]
	CUBBY_MIRRORS="ghcr.io=http://$AT" run -1 cubby pull -q ghcr.io/it/x:1
	cubby pull -q "oci:$LAYOUT:1"
	run -1 --separate-stderr cubby push -q 1 ghcr.io/it/x:1
	[[ $stderr == *"is blocked here (registries.conf)" ]]
	[ ! -s "$LOG" ]
	CUBBY_MIRRORS="quay.io=http://$AT,quay.io=" run -0 cubby pull -q quay.io/it/x:1
}

@test "registry: registries.conf: what is wrong in it is told by its line" {
	conf '[[registry]]' 'location = "ghcr.io"' 'blocked = perhaps'
	run -1 --separate-stderr cubby pull -q ghcr.io/it/x:1
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"'$CONTAINERS_REGISTRIES_CONF': line 3: "* ]] || { echo "$stderr"; return 1; }
}

@test "registry: registries.conf: a person's own and what is dropped beside it; docker's daemon.json" {
	serve
	local dir=$HOME/.config/containers
	mkdir -p "$dir/registries.conf.d" "$HOME/.config/docker"
	printf '[aliases]\nthing = "127.0.0.1:9/it/x"\n' >"$dir/registries.conf"
	printf '[aliases]\nthing = "%s/it/x"\n' "$AT" >"$dir/registries.conf.d/b.conf"
	printf '[aliases]\nthing = "127.0.0.1:9/it/x"\n' >"$dir/registries.conf.d/a.conf"
	printf 'no TOML' >"$dir/registries.conf.d/README"
	run -0 cubby pull -q thing:1
	printf '{"registry-mirrors":["http://%s"]}' "$AT" >"$HOME/.config/docker/daemon.json"
	cubby rmi -q --all
	printf '' >"$dir/registries.conf"
	rm -r "$dir/registries.conf.d"
	run -0 cubby pull -q other:1
	grep -q 'GET /v2/library/other/manifests/1' "$LOG"
	rm -r "$HOME/.config/containers" "$HOME/.config/docker"
}

@test "registry: push sends what is not there, and the name last" {
	local digest
	cubby pull -q "oci:$LAYOUT:1"
	LAYOUT=$LIB_PROJECT/other
	"$MK" "$LAYOUT" 1 "$LIB_DIR/top.tar"
	serve token
	run -0 --separate-stderr cubby push 1 "$AT/new/y:2"
	[[ $output == "$AT/new/y:2@sha256:"* ]]
	digest=${output##*:}
	[ "$(tail -n 1 "$LOG")" = "pushed /v2/new/y/manifests/2 sha256:$digest" ]
	grep -q 'GET /token?.*scope=repository:new/y:pull,push' "$LOG"
	[ "$(grep -c '^PUT /up' "$LOG")" = 3 ]
	! grep -v 'token?\|^pushed\|Bearer token-1\|^HEAD .* - -$' "$LOG" || return 1
	run -0 --separate-stderr cubby push --json 1 "$AT/new/y:3"
	[ "$(jq -r .digest <<<"$output")" = "$digest" ]
	[ "$(grep -c '^PUT /up' "$LOG")" = 3 ]
	cubby rmi -q --all
	run -0 cubby pull -q "$AT/new/y:3"
	run -0 cubby images --json
	[ "$(jq -r '.[0].digest' <<<"$output")" = "$digest" ]
	run -0 cubby push -q "$AT/new/y:3"
}

@test "registry: push begins a blob again after a cut" {
	cubby pull -q "oci:$LAYOUT:1"
	serve hasty
	run -0 --separate-stderr cubby push 1 "$AT/again/y:2"
	grep -q hasty "$LOG"
	[[ $stderr == *"$AT does not answer as it should, and is asked again in 1 s"* ]]
	grep -q "^pushed /v2/again/y/manifests/2" "$LOG"
}

# bats test_tags=long
@test "registry: push asks five times where an upload is not begun, and waits as long as it is told" {
	cubby pull -q "oci:$LAYOUT:1"
	LAYOUT=$LIB_PROJECT/other
	"$MK" "$LAYOUT" 1 "$LIB_DIR/top.tar"
	serve drop
	run -1 --separate-stderr cubby push -q 1 "$AT/new/y:2"
	local asked
	asked=$(grep -c ^POST "$LOG") # curl asks once more where it had used the connection before
	[[ $asked == [56] ]] || { echo "asked $asked times"; return 1; }
	kill "$SERVER"; rm "$LIB_PROJECT/ready"
	serve later=2
	run -0 --separate-stderr cubby push 1 "$AT/new/y:2"
	[ "$(grep -c "has had too many requests, and is asked again in 1 s" <<<"$stderr")" = 2 ]
	[ "$(grep -c ^POST "$LOG")" = 5 ] # three blobs
}

# bats test_tags=long
@test "registry: push goes nowhere else, and says what is refused" {
	cubby pull -q "oci:$LAYOUT:1"
	LAYOUT=$LIB_PROJECT/other
	"$MK" "$LAYOUT" 1 "$LIB_DIR/top.tar"
	local at
	for at in http://127.0.0.1:9/x https://evil.example/x //evil.example/x http://169.254.169.254/latest x "/a b"; do
		serve "elsewhere=$at" basic=me:word
		login me:word
		run -1 --separate-stderr cubby push -q 1 "$AT/new/y:2"
		[[ $stderr == *"it wants the image "*"$at'" ]] || { echo "$stderr"; return 1; }
		[ "$(grep -c '^PUT' "$LOG")" = 0 ]
		kill "$SERVER"; rm "$LIB_PROJECT/ready"
	done
	rm "$HOME/.docker/config.json"
	serve nowhere
	run -1 --separate-stderr cubby push -q 1 "$AT/new/y:2"
	[[ $stderr == *": it does not say where the upload goes" ]] || { echo "$stderr"; return 1; }
	kill "$SERVER"; rm "$LIB_PROJECT/ready"
	serve readonly
	run -1 --separate-stderr cubby push -q 1 "$AT/new/y:2"
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"$AT does not take it, or not without another login (403: it is only to be read)" ]]
	run -1 --separate-stderr cubby push -q 1 "$AT/new/y@sha256:$(printf %064d 0)"
	[[ $stderr == *"an image is pushed by a tag; its digest is what it has" ]]
	run -1 --separate-stderr cubby push -q none "$AT/new/y"
	[[ $stderr == *"no image 'none'"* ]] || { echo "$stderr"; return 1; }
	CUBBY_MIRRORS="ghcr.io=http://$AT,ghcr.io=" run -1 --separate-stderr cubby push -q 1 ghcr.io/x/y
	[[ $stderr == *"'ghcr.io' is not to be asked (CUBBY_MIRRORS)" ]]
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
}

certificate() { # NAME: NAME.pem, and both.NAME with its key
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$1" -addext subjectAltName=IP:127.0.0.1 \
		-keyout key.pem -out "$1.pem" 2>/dev/null
	cat "$1.pem" key.pem >"both.$1"
}

@test "registry: a certificate that is kept for it, and for no other" {
	command -v openssl >/dev/null || skip "no openssl"
	certificate me
	serve tls=both.me
	refused "cannot verify '$AT'"
	[[ $stderr == *"or put its own into ~/.config/containers/certs.d/$AT/ca.crt"* ]]
	local dir=$HOME/.config/containers/certs.d
	mkdir -p "$dir/127.0.0.1:1" "$dir/$AT"
	cp me.pem "$dir/127.0.0.1:1/ca.crt"
	cp key.pem "$dir/$AT/client.key"
	refused "cannot verify '$AT'"
	cp me.pem "$dir/$AT/ca.crt"
	pulls
	run -0 cubby push -q "$AT/it/x:1" "$AT/new/x:1"
	rm -r "$dir"
}

@test "registry: certificates that are kept for it are beside those of SSL_CERT_FILE" {
	command -v openssl >/dev/null || skip "no openssl"
	certificate me
	certificate other
	serve tls=both.me
	mkdir -p "$HOME/.config/containers/certs.d/$AT"
	cp other.pem "$HOME/.config/containers/certs.d/$AT/ca.crt"
	refused "cannot verify '$AT'"
	SSL_CERT_FILE=$PWD/me.pem pulls
	rm -r "$HOME/.config/containers"
}

@test "registry: a certificate that is kept for it is not good for where its tokens are had" {
	command -v openssl >/dev/null || skip "no openssl"
	certificate me
	serve tls=both.me
	local tokens=$AT first=$SERVER dir=$HOME/.config/containers/certs.d
	mv "$LOG" tokens
	rm "$LIB_PROJECT/ready"
	serve tls=both.me "realm=https://$tokens/token"
	mkdir -p "$dir/$AT" "$dir/$tokens"
	cp me.pem "$dir/$AT/ca.crt"
	refused "token: cannot verify '$tokens'"
	[[ $stderr == *"certs.d/$tokens/ca.crt"* ]]
	[ ! -s tokens ]
	cp me.pem "$dir/$tokens/ca.crt"
	run -1 cubby pull -q "$AT/it/x:1" # its tokens are good there alone
	grep -q "^GET /token" tokens
	kill "$first"
	rm -r "$HOME/.config/containers"
}

@test "registry: without certificates of anybody, http on this machine" {
	serve
	SSL_CERT_FILE=/nonexistent pulls
}

@test "registry: nobody there" {
	run -1 --separate-stderr cubby pull -q 127.0.0.1:9/x
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"cannot connect to '127.0.0.1:9'"* ]]
}

@test "registry: one that cannot be reached: what else there is" {
	export CUBBY_MIRRORS=docker.io=
	run -1 --separate-stderr cubby pull -q debian:1
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"'docker.io' is not to be asked (CUBBY_MIRRORS); "*"'cubby pull "*", for '--image "*"'" && $stderr != *$'\n'* ]]
	cubby pull -q --name mine "$LIB_DIR/base.tar"
	run -1 --separate-stderr cubby pull -q debian:1
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"; --image mine uses one that is there, CUBBY_IMAGE=mine makes it the default" ]]
}

@test "registry: one that cannot be reached, and what is there is for another id map" {
	local dir map other=subuid
	export CUBBY_MIRRORS=docker.io= XDG_DATA_HOME=$LIB_PROJECT/data
	cubby pull -q --name mine "$LIB_DIR/base.tar"
	map=$(cubby images --json | jq -r '.[] | select(.name == "mine").map')
	[ "$map" != subuid ] || other=single
	for dir in "$XDG_DATA_HOME"/cubby/images/*/; do # as the store of somebody who had another map
		jq --arg map $other '.map = $map' "$dir/meta.json" >meta && cp meta "$dir/meta.json"
	done
	run -1 --separate-stderr cubby pull -q debian:1
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"; no image is there for the id map '$map'; --image mine makes the one for '$other' again, from where it came" ]]
}

# A mmdebstrap of our own, which is told by COMMANDS what to do with $2, the archive, and
# says of which suite it is to be. (The real one: tests/box/mirror.bats.)
fake_maker() { # DIR COMMANDS
	export CUBBY_MIRRORS=docker.io=
	. /etc/os-release
	[[ $ID == debian || $ID == ubuntu ]] && command -v apt-get >/dev/null || skip "the host has no apt of Debian or Ubuntu"
	mkdir -p "$1"
	printf '#!/bin/sh\nwhile [ $# -gt 3 ]; do shift; done\nset -- $1 "$2"\n%s\n' "$2" >"$1/mmdebstrap"
	chmod +x "$1/mmdebstrap"
}

@test "registry: one that cannot be reached: the host's distribution is made from its mirror" {
	fake_maker "$LIB_DIR/bin" "echo \"\$1\" >'$LIB_PROJECT/suite'; exec cp '$LIB_DIR/base.tar' \"\$2\""
	PATH=$LIB_DIR/bin:$PATH run -0 --separate-stderr cubby pull $ID:latest
	[ "$output" = $ID:latest ]
	[[ $stderr == *"so '$ID:latest' is made of $VERSION_CODENAME, from the package mirror of this machine"* ]]
	[ "$(cat suite)" = $VERSION_CODENAME ]
	run -0 cubby images --json
	[ "$(jq -r '.[0] | .name, .source, .built' <<<"$output" | xargs)" = "$ID:latest $ID:latest $VERSION_CODENAME" ]
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
}

# bats test_tags=long
@test "registry: a maker that fails, and one that is interrupted, leave nothing" {
	fake_maker "$LIB_DIR/bin" 'echo "E: no such suite" >&2; exit 3'
	PATH=$LIB_DIR/bin:$PATH run -1 --separate-stderr cubby pull -q $ID:latest
	[[ $stderr == "cubby pull: cannot make '$ID:latest' of $VERSION_CODENAME with mmdebstrap: no such suite"* ]]
	fake_maker "$LIB_DIR/bin" "trap 'touch \"$LIB_PROJECT/ended\"; exit 1' TERM; touch '$LIB_PROJECT/ready'; while sleep 0.1; do :; done"
	for signal in INT TERM HUP; do
		PATH=$LIB_DIR/bin:$PATH env --default-signal=INT,TERM,HUP cubby pull -q $ID:latest 3>&- &
		SERVER=$!
		lib_await "$LIB_PROJECT/ready"
		kill -$signal $SERVER
		local status=0
		wait $SERVER || status=$?
		unset SERVER
		echo "$signal: $status"
		[ $status = $((128 + $(kill -l $signal))) ]
		[ -e ended ]
		[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
		rm ended ready
	done
	[ "$(cubby images --json)" = '[]' ]
}

@test "registry: programs of the project are passed over by pull, push, save, rm, rmi and prune" {
	fake_maker .venv/bin "touch '$LIB_DIR/ran'; exit 3"
	cp .venv/bin/mmdebstrap .venv/bin/docker-credential-x
	cp .venv/bin/mmdebstrap .venv/bin/newuidmap
	mkdir -p "$HOME/.docker"
	serve basic=me:word
	echo "{\"credsStore\":\"x\"}" >"$HOME/.docker/config.json"
	PATH=$PWD/.venv/bin:$PATH
	run -1 cubby pull -q "$AT/it/x:1"
	cubby pull -q "oci:$LAYOUT:1"
	run -1 cubby push -q "oci:$LAYOUT:1" "$AT/it/x:1"
	cubby save -q "oci:$LAYOUT:1" oci-archive:o.tar
	run -127 cubby exec --image "oci:$LAYOUT:1" -- /nothing
	mkdir gone
	run -127 cubby exec -C gone --here --image "oci:$LAYOUT:1" -- /nothing
	cubby stop -q -C gone --here || true # it may have ended
	rmdir gone
	cubby prune -q --yes
	run ! cubby rmi -q --all # the box has it
	cubby rm -q
	[ "$(cubby ls --json)" = '[]' ]
	[ ! -e "$LIB_DIR/ran" ]
	# elsewhere they are run
	rm .venv/bin/newuidmap # an ordinary user's are made by it, also here, now that no box has been
	cubby rmi -q --all
	cubby pull -q "oci:$LAYOUT:1"
	cd "$HOME"
	run -1 cubby pull -q "$AT/it/x:1"
	[ -e "$LIB_DIR/ran" ]
	rm "$LIB_DIR/ran"
	run -1 cubby push -q "oci:$LAYOUT:1" "$AT/it/x:1"
	rm "$HOME/.docker/config.json"
	[ -e "$LIB_DIR/ran" ]
}

# bats test_tags=long
@test "registry: and those of any box's project, of a box with a name and from elsewhere" {
	fake_maker "$LIB_DIR/bin" "exit 3" # which is found then
	fake_maker .venv/bin "touch '$LIB_DIR/ran'; exit 3"
	cp .venv/bin/mmdebstrap .venv/bin/docker-credential-x
	mkdir -p "$HOME/.docker" sub
	rm -f "$LIB_DIR/ran"
	serve basic=me:word
	echo "{\"credsStore\":\"x\"}" >"$HOME/.docker/config.json"
	cubby pull -q "oci:$LAYOUT:1"
	run -127 cubby exec -b dev --image "oci:$LAYOUT:1" -- /nothing
	PATH=$PWD/.venv/bin:$LIB_DIR/bin:$PATH
	for at in sub "$HOME"; do
		run -1 --separate-stderr cubby pull -q -C "$at" "$AT/it/x:1"
		[ ! -e "$LIB_DIR/ran" ] || { echo "in $at"; return 1; }
		cd "$at"
		run -1 cubby pull -q $ID:latest
		cd "$LIB_PROJECT"
		[ ! -e "$LIB_DIR/ran" ] || { echo "mmdebstrap in $at"; return 1; }
	done
	rm "$HOME/.docker/config.json"
	cubby stop -q -b dev || true # it may have ended
	cubby rm -q -b dev
}

# bats test_tags=long
@test "registry: a command of one box passes over those of other boxes, and of volumes that they write" {
	local at
	fake_maker "$LIB_DIR/bin" "exit 3" # which is found then
	fake_maker .venv/bin "touch '$LIB_DIR/ran'; exit 3"
	mkdir -p "$LIB_DIR/vol" "$LIB_DIR/late" "$LIB_DIR/else"
	cp .venv/bin/mmdebstrap "$LIB_DIR/vol/"
	cp .venv/bin/mmdebstrap "$LIB_DIR/late/"
	rm -f "$LIB_DIR/ran"
	cubby pull -q "oci:$LAYOUT:1"
	run -127 cubby exec -b dev --image "oci:$LAYOUT:1" -v "$LIB_DIR/vol:/v:rw" -- /nothing
	cubby stop -q -b dev || true # it may have ended
	for at in .venv/bin "$LIB_DIR/vol"; do
		at=$(realpath "$at")
		PATH=$at:$LIB_DIR/bin:$PATH run -125 --separate-stderr cubby exec -C "$LIB_DIR/else" \
			--image $ID:latest -- true
		[[ $stderr == *mmdebstrap* ]]
		[ ! -e "$LIB_DIR/ran" ] || { echo "in $at"; return 1; }
	done
	# the box's own, before its image is made; and one that the settings have got since
	at=$(realpath "$LIB_DIR/late")
	PATH=$at:$LIB_DIR/bin:$PATH run -125 cubby exec -C "$LIB_DIR/else" -v "$at:/v:rw" --image $ID:latest -- true
	[ ! -e "$LIB_DIR/ran" ]
	mkdir -p "$HOME/.config/cubby"
	echo "{\"volume\": [\"$at:/v:rw\"]}" >"$HOME/.config/cubby/config.json"
	run -127 cubby exec -b dev -- /nothing
	rm "$HOME/.config/cubby/config.json"
	cubby stop -q -b dev || true
	PATH=$at:$LIB_DIR/bin:$PATH run -125 cubby exec -C "$LIB_DIR/else" --image $ID:latest -- true
	[ ! -e "$LIB_DIR/ran" ]
	cubby rm -q -b dev
}

@test "registry: distribution's own" {
	command -v docker-registry skopeo >/dev/null || skip "no docker-registry or skopeo"
	local port tries
	for tries in 1 2 3; do # somebody else may have that port
		port=$((20000 + RANDOM % 12000))
		printf 'version: 0.1\nstorage: {filesystem: {rootdirectory: %s/reg}}\nhttp: {addr: "127.0.0.1:%s"}\n' "$LIB_PROJECT" "$port" >reg.yml
		docker-registry serve reg.yml >reg.log 2>&1 3>&- &
		SERVER=$!
		until curl -fs "http://127.0.0.1:$port/v2/" >/dev/null; do
			kill -0 "$SERVER" 2>/dev/null || continue 2
		done
		break
	done
	curl -fs "http://127.0.0.1:$port/v2/" >/dev/null
	AT=127.0.0.1:$port
	skopeo copy -q --dest-tls-verify=false "oci:$LAYOUT:1" "docker://$AT/it/x:1"
	pulls
	conf '[[registry]]' 'prefix = "reg.example"' '[[registry.mirror]]' "location = '$AT'"
	run -0 cubby pull -q reg.example/it/x:1
	run -0 cubby rmi -q reg.example/it/x:1
	unset CONTAINERS_REGISTRIES_CONF
	run -0 --separate-stderr cubby push "$AT/it/x:1" "$AT/back/x:1"
	[ "$(skopeo inspect --tls-verify=false --format '{{.Digest}}' "docker://$AT/back/x:1")" = "${output##*@}" ]
	skopeo copy -q --src-tls-verify=false "docker://$AT/back/x:1" "oci:copied:1"
	cubby rmi -q --all
	cubby pull -q "$AT/back/x:1"
	[ "sha256:$(cubby images --json | jq -r '.[0].digest')" = "${output##*@}" ]
	run -0 cubby pull -q oci:copied:1
	run -0 cubby save "$AT/back/x:1" docker-archive:d.tar:it/x:9
	[ "$(skopeo inspect --config docker-archive:d.tar:it/x:9 | jq -c .rootfs.diff_ids)" = "$(skopeo inspect --config oci:copied:1 | jq -c .rootfs.diff_ids)" ]
	skopeo copy -q docker-archive:d.tar oci:fromdocker:1
	run -0 cubby pull -q docker-archive:d.tar:it/x:9
	run -0 cubby save "$AT/back/x:1" oci-archive:o.tar:7
	skopeo copy -q oci-archive:o.tar:7 oci:fromoci:1
	run -1 --separate-stderr cubby save "$AT/back/x:1" oci-archive:o.tar
	[[ $stderr == *"cannot make 'o.tar': File exists; remove it, or name a new file" ]]
}

@test "registry: an archive has its name when it is whole" {
	command -v strace >/dev/null || skip "no strace"
	mkdir to
	python3 -c 'import os; os.open("to", os.O_TMPFILE | os.O_WRONLY)' 2>/dev/null ||
		skip "the filesystem has no files without a name"
	cubby pull -q "oci:$LAYOUT:1"
	local form
	for form in docker-archive oci-archive; do
		run -137 strace -qq -o trace -e trace=linkat -e inject=linkat:signal=KILL cubby save -q 1 "$form:to/o.tar"
		grep -q '"o.tar"' trace
		[ -z "$(ls -A to)" ]
	done
	(umask 027 && cubby save -q 1 docker-archive:to/o.tar:it/x:9)
	[ "$(ls -A to)" = o.tar ]
	[ "$(stat -c %a to/o.tar)" = 640 ]
	tar -tf to/o.tar >/dev/null
	cd to
	run -0 cubby save -q 1 oci-archive:here.tar
	[ -s here.tar ]
	run -0 cubby save -q -o with:colon.tar 1 # as docker has it
	tar --force-local -tf with:colon.tar | grep -x manifest.json
	run -1 --separate-stderr cubby save -q 1 oci-archive:none/o.tar
	[[ $stderr == *"cannot open 'none/o.tar': No such file or directory" ]]
}

@test "registry: an archive is on the disk before it has its name" {
	command -v strace >/dev/null || skip "no strace"
	cubby pull -q "oci:$LAYOUT:1"
	run -1 --separate-stderr strace -qq -o trace -e trace=fdatasync -e inject=fdatasync:error=EDQUOT cubby save -q 1 oci-archive:o.tar
	[[ $stderr == *"cannot make 'o.tar': Disk quota exceeded"* ]] || { echo "$stderr"; return 1; }
	[ ! -e o.tar ]
}

# bats test_tags=long
@test "registry: where files need a name an archive replaces none either" {
	command -v strace >/dev/null || skip "no strace"
	cubby pull -q "oci:$LAYOUT:1"
	mkdir to
	strace -qq -o trace -e trace=openat cubby save -q 1 oci-archive:to/o.tar
	rm to/o.tar
	local n way pid
	n=$(grep -nm 1 O_TMPFILE trace | cut -d: -f1)
	named() { # OPTION...
		strace -qq -o trace -e trace=openat,fdatasync,renameat2,linkat -e "inject=openat:error=EOPNOTSUPP:when=$n" \
			"$@" cubby save -q 1 oci-archive:to/o.tar
	}
	for way in renameat2:error=EINVAL:when=2 renameat2:error=EINVAL linkat:error=EPERM; do
		set -- -e "inject=$way"
		[ "$way" != linkat:error=EPERM ] || set -- -e inject=renameat2:error=EINVAL -e "inject=$way"
		named "$@"
		[ "$(ls -A to)" = o.tar ]
		tar -tf to/o.tar >/dev/null
		rm to/o.tar
		named "$@" -e inject=fdatasync:delay_enter=3000000 2>err 3>&- &
		pid=$!
		until compgen -G "to/.tmp-*" >/dev/null; do
			kill -0 "$pid"
			read -rt 0.02 <> <(:) || true
		done
		echo mine >to/o.tar
		! wait "$pid" || return 1
		grep -q "cannot make 'to/o.tar': File exists" err
		[ "$(ls -A to)" = o.tar ]
		[ "$(cat to/o.tar)" = mine ]
		rm to/o.tar
	done
}
