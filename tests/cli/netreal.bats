# shellcheck disable=SC2016 # programs in single quotes
# Real programs behind the gate: what people run in a box, from the distribution's mirror
# that this host is configured for, and resolvers of every kind. Servers are on this
# machine's loopback; npm's is the registry that this host is configured for.
load ../lib

PACKAGES="curl wget git python3 iputils-ping openssh-client openssh-server"

# A box with programs, made once; the tests use it one after the other.
setup_file() {
	lib_env
	lib_image
	lib_project
	export REAL_DIR=$LIB_PROJECT
	REAL_WHY=''
	if ! cubby exec -q -- apt-get -qq update >"$LIB_DIR/apt.log" 2>&1 ||
		grep -q '^[WE]:' "$LIB_DIR/apt.log"; then
		REAL_WHY="the image's package mirror cannot be reached from here"
	else # shellcheck disable=SC2086 # a list of packages
		cubby exec -q -- env DEBIAN_FRONTEND=noninteractive \
			apt-get -qq install -y --no-install-recommends $PACKAGES \
			>"$LIB_DIR/apt.log" 2>&1 || { cat "$LIB_DIR/apt.log"; return 1; }
	fi
	export REAL_WHY
	# Asked while the box runs: a box that has ended has no network to ask about.
	cubby exec -q --keep -- true
	REAL_CAUGHT=$(cubby net --json | jq -r .gate.caught)
	export REAL_CAUGHT
	cubby stop -q
	mkdir www
	echo hello >www/file
	exec {fd}< <(exec python3 -u -c '
import functools, http.server as h
s = h.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(h.SimpleHTTPRequestHandler, directory="www"))
print(s.server_port); s.serve_forever()' 2>/dev/null 3>&-)
	export REAL_PID=$!
	read -r REAL_PORT <&"$fd"
	export REAL_PORT URL=http://host.cubby.internal:$REAL_PORT
}

teardown_file() {
	[ -z "${REAL_PID-}" ] || kill "$REAL_PID" || true
	lib_done
}

setup() {
	[ -z "$REAL_WHY" ] || skip "$REAL_WHY"
	cd "$REAL_DIR" || return 1
}

teardown() { cubby stop -q 2>/dev/null || true; }

# A program that only reaches what is allowed here and now; the rules stay with the box.
inside() { cubby exec -q --allow '*' --allow "host.cubby.internal:$REAL_PORT" -- "$@"; }

held() { [ "$REAL_CAUGHT" = held ]; }

@test "a port that is closed outside is closed inside, and one that is open is open" {
	held || skip "this kernel cannot hold a connection until the other end is there"
	run -0 inside bash -c "exec 3<>/dev/tcp/host.cubby.internal/$REAL_PORT"
	kept=$REAL_PORT
	REAL_PORT=$(python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	run -1 inside bash -c "exec 3<>/dev/tcp/host.cubby.internal/$REAL_PORT"
	[[ $output == *"Connection refused"* ]]
	REAL_PORT=$kept
}

@test "the record names a program of another user of the box" {
	cubby log --net --json | jq -r '.process.name? // empty' | grep -qx http # apt's, as _apt
}

@test "curl, wget and python's urllib fetch by name" {
	run -0 inside curl -sS --max-time 20 "$URL/file"
	[ "$output" = hello ]
	run -0 inside wget -qO- --timeout=20 "$URL/file"
	[ "$output" = hello ]
	run -0 inside python3 -c 'import sys, urllib.request as u
print(u.urlopen(sys.argv[1], timeout=20).read().decode().strip())' "$URL/file"
	[ "$output" = hello ]
}

@test "what is refused ends at once, with an error that says so" {
	run -6 inside curl -sS --max-time 20 http://no-such-host.invalid/
	[[ $output == *"Could not resolve host"* ]]
	if held; then
		run -7 inside curl -sS --max-time 20 http://10.1.2.3/
	else
		run -56 inside curl -sS --max-time 20 http://10.1.2.3/
	fi
	run -7 inside curl -sS --max-time 20 'http://[2001:db8::1]/'
	run -1 inside python3 -c 'import urllib.request as u; u.urlopen("http://10.1.2.3/", timeout=20)'
	[[ $output == *"ConnectionRe"* ]]
}

@test "git clones over HTTP" {
	git init -q --bare www/repo.git
	git init -q src
	echo text >src/file
	git -C src add file
	git -C src -c user.name=n -c user.email=e commit -qm first
	git -C src push -q ../www/repo.git HEAD:refs/heads/main
	git -C www/repo.git symbolic-ref HEAD refs/heads/main
	git -C www/repo.git update-server-info
	run -0 inside git clone -q "$URL/repo.git" /root/clone
	run -0 inside cat /root/clone/file
	[ "$output" = text ]
}

@test "ssh by name: out through the gate, and in again at a published port" {
	lib_needs_users # sshd makes sure that it cannot get its rights back
	local port i
	cubby exec -q -d --publish 0:2222 -- sh -c '
		mkdir -p /run/sshd /root/.ssh
		[ -e /root/.ssh/id_ed25519 ] || ssh-keygen -q -t ed25519 -N "" -f /root/.ssh/id_ed25519
		cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
		exec /usr/sbin/sshd -D -e -p 2222 -o StrictModes=no'
	for ((i = 0; i < 500; i++)); do
		port=$(cubby ports --json | jq -r '.[] | select(.port == 2222 and .address) | .host' | head -n 1)
		port=${port##*:}
		[ -z "$port" ] || break
		read -rt 0.02 <> <(:) || true
	done
	cubby net --allow '*' --allow "host.cubby.internal:$port" >/dev/null
	run -0 --separate-stderr cubby exec -q -- ssh -o StrictHostKeyChecking=no -o ConnectTimeout=60 \
		-p "$port" host.cubby.internal echo through
	[ "$output" = through ]
}

# The host's node as ./node, which is /workspace/node inside.
host_node() {
	[ ! -e node ] || return 0
	command -v node >/dev/null || skip "node is not installed on this host"
	cp "$(readlink -f "$(command -v node)")" node
	inside ./node --version || { rm node; skip "this host's node does not run in the box"; }
}

@test "node looks names up, and connects while it tries one family beside the other" {
	host_node
	run -0 inside ./node -e '
		const [host, port] = process.argv.slice(1);
		require("dns").lookup(host, { all: true }, (e, list) => {
			if (e) throw e;
			console.log("lookup", list.map((a) => a.family).join());
		});
		const s = require("net").connect({ host, port, autoSelectFamily: true }, () =>
			s.end("GET /file HTTP/1.0\r\n\r\n"));
		let got = "";
		s.on("data", (d) => (got += d));
		s.on("close", (broken) => console.log("socket", broken, got.split("\r\n\r\n")[1].trim()));
		fetch(`http://${host}:${port}/file`).then((r) => r.text()).then((t) => console.log("fetch", t.trim()));
	' host.cubby.internal "$REAL_PORT"
	[ "$(LC_ALL=C sort <<<"$output")" = "fetch hello"$'\n'"lookup 4"$'\n'"socket false hello" ]
	run -0 inside ./node -e '
		require("net").connect({ host: "no-such-host.invalid", port: 80, autoSelectFamily: true })
			.on("error", (e) => console.log(e.code))'
	[ "$output" = ENOTFOUND ]
}

# bats test_tags=long
@test "npm installs from the registry that this host is configured for" {
	local registry ca npm
	command -v npm >/dev/null || skip "npm is not installed on this host"
	npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
	[ -e "$npm/bin/npm-cli.js" ] || skip "npm is not where its program says"
	registry=$(npm config get registry 2>/dev/null)
	npm view --registry "$registry" is-number version >"$LIB_DIR/npm.log" 2>&1 ||
		skip "this host's npm registry cannot be reached"
	host_node
	cp -r "$npm" npm
	ca=$(npm config get cafile 2>/dev/null)
	cp "$ca" ca.pem 2>/dev/null || cp /etc/ssl/certs/ca-certificates.crt ca.pem
	run -0 inside env NODE_EXTRA_CA_CERTS=ca.pem ./node npm/bin/npm-cli.js install --prefix m \
		--cafile ca.pem --no-audit --no-fund --registry "$registry" is-number
	[ -e m/node_modules/is-number/package.json ]
}

# A static program brings its own resolver; ./fetch is one linked with musl.
static_fetch() {
	local cc=musl-gcc
	[ ! -e fetch ] || return 0
	command -v "$cc" >/dev/null || cc=gcc
	[ "$cc" = musl-gcc ] || [[ $("$cc" -dumpmachine) == *musl* ]] || skip "musl-gcc is not installed"
	"$cc" -static -O2 -o fetch "$CUBBY_TEST_TOP/tests/cli/fetch.c"
}

@test "a static program with musl's resolver fetches by name" {
	static_fetch
	run -0 inside ./fetch host.cubby.internal "$REAL_PORT" /file
	[ "$output" = hello ]
	run -6 inside ./fetch no-such-host.invalid 80 /
	[ "$output" = "lookup: Name does not resolve" ]
	run -0 inside sh -c 'echo search cubby.internal >>/etc/resolv.conf; exec "$@"' sh \
		./fetch host "$REAL_PORT" /file
	[ "$output" = hello ]
}

@test "a static program with Go's resolver fetches by name" {
	command -v go >/dev/null || skip "go is not installed on this host"
	CGO_ENABLED=0 GO111MODULE=off GOTOOLCHAIN=local GOFLAGS='' GOCACHE=$LIB_DIR/go GOPATH=$LIB_DIR/go \
		go build -o gofetch "$CUBBY_TEST_TOP/tests/cli/fetch.go"
	run -0 inside ./gofetch "$URL/file"
	[ "$output" = hello ]
	run -6 inside ./gofetch http://no-such-host.invalid/
	[ "$output" = "lookup: no such host" ]
	run -0 inside sh -c 'echo search cubby.internal >>/etc/resolv.conf; exec "$@"' sh \
		./gofetch "http://host:$REAL_PORT/file"
	[ "$output" = hello ]
}

# Resolvers that read /etc/resolv.conf themselves. "go": A and AAAA at once, each from a
# socket of its own, with EDNS. "musl": both from one socket, unconnected, answers taken in
# any order by their id. "tcp": both at once in one conversation.
RESOLVER='
import random, select, socket, struct, sys
server = [l.split()[1] for l in open("/etc/resolv.conf") if l.startswith("nameserver")][0]
how, name = sys.argv[1:3]

def question(qtype, edns):
    ident = random.randrange(65536)
    q = struct.pack("!6H", ident, 0x100, 1, 0, 0, 1 if edns else 0)
    for label in name.rstrip(".").split("."):
        q += bytes([len(label)]) + label.encode()
    q += b"\0" + struct.pack("!2H", qtype, 1)
    if edns:
        q += b"\0" + struct.pack("!HHIH", 41, 1232, 0, 0)
    return ident, q

def show(kinds, answer):
    ident, flags, _, count = struct.unpack("!4H", answer[:8])
    print(kinds[ident], "rcode", flags & 15, "answers", count)

kinds, socks = {}, {}
pair = [("A", 1), ("AAAA", 28)]
if how == "tcp":
    s = socket.create_connection((server, 53), 20)
    for kind, qtype in pair:
        ident, q = question(qtype, False)
        kinds[ident] = kind
        s.sendall(struct.pack("!H", len(q)) + q)
    f = s.makefile("rb")
    for _ in pair:
        show(kinds, f.read(struct.unpack("!H", f.read(2))[0]))
    sys.exit(0)
shared = socket.socket(socket.AF_INET, socket.SOCK_DGRAM) if how == "musl" else None
for kind, qtype in pair:
    s = shared or socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ident, q = question(qtype, how == "go")
    kinds[ident] = kind
    if shared:
        s.sendto(q, (server, 53))
    else:
        s.connect((server, 53))
        s.send(q)
    socks[s] = True
left = 2
while left:
    ready = select.select(list(socks), [], [], 20)[0]
    if not ready:
        sys.exit("no answer")
    for s in ready:
        answer, peer = s.recvfrom(4096)
        if peer != (server, 53):
            sys.exit("an answer from " + repr(peer))
        show(kinds, answer)
        left -= 1
'

@test "resolvers of Go's and musl's kind, and by TCP, get both answers" {
	local how
	for how in go musl tcp; do
		run -0 inside python3 -c "$RESOLVER" $how host.cubby.internal
		[ "$(sort <<<"$output")" = "A rcode 0 answers 1"$'\n'"AAAA rcode 0 answers 0" ]
		run -0 inside python3 -c "$RESOLVER" $how no-such-host.invalid
		[ "$(sort <<<"$output")" = "A rcode 3 answers 0"$'\n'"AAAA rcode 3 answers 0" ]
	done
}

@test "ping is refused at once, but for the box itself" {
	run -0 inside ping -c 1 -W 20 127.0.0.1
	run inside timeout 20 ping -c 1 -W 30 203.0.113.1
	[ "$status" != 0 ]
	[ "$status" != 124 ]
	[ "$(cubby info --json | jq -r .gate.caught)" = ports ] || [[ $output == *"Packet filtered"* ]]
}
