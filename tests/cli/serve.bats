# cubby serve as a client sees it before a box is needed: the key, limits, hostile HTTP.
load ../lib
load ../serve

setup_file() { lib_env; }
teardown() { serve_end; }

# What a server on one connection says to the bytes $1: statuses, and how it ended.
talk() {
	run -0 "$CUBBY_TEST_TOP/tests/fake/http_talk" ${2:+-s "$2"} "$SERVE_ADDR" <<<"$1"
	statuses=$(grep -aoE 'HTTP/1\.1 [0-9]+' <<<"$output" | cut -d' ' -f2 | tr '\n' ' ')
	ended=${lines[-1]##*<}
}

host='Host: h\r\n'

@test "serve: health and configuration without a key, all else with it" {
	serve_start
	[ "$(curl -sS "$SERVE_URL/health")" = '{"status":"ok"}' ]
	[ "$(curl -sS "$SERVE_URL/api/config" | jq .features.terminal)" = true ]
	[ "$(curl -sS -o /dev/null -w '%{http_code}' "$SERVE_URL/metrics")" = 401 ]
	[ "$(curl -sS "$SERVE_URL/execute")" = '{"detail":"Invalid API key"}' ]
	for key in '' x "${SERVE_KEY}x" "${SERVE_KEY%?}" "$SERVE_KEY$SERVE_KEY"; do
		[ "$(curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $key" "$SERVE_URL/metrics")" = 401 ]
	done
	serve GET /metrics
	grep -qx 'cubby_requests_total 10' <<<"$output"
}

@test "serve: unknown paths and methods, bad bodies and arguments are told apart" {
	serve_start
	serve_status GET /nothing 404
	serve_status POST /health 405
	serve_status GET /a%00b 404
	serve_status GET /execute/%zz/status 400
	serve_status OPTIONS /health 405
}

@test "serve: a key is made up and shown once, and never logged" {
	serve_start --access-log
	[ ${#SERVE_KEY} -eq 64 ]
	serve GET "/metrics?secret=1"
	serve_end
	grep -q 'GET /metrics 200 ' "$LIB_PROJECT/serve.err"
	run -1 grep -e "$SERVE_KEY" -e secret "$LIB_PROJECT/serve.err"
	[ "$(grep -c -e "$SERVE_KEY" "$LIB_PROJECT/serve.out")" = 1 ]
}

@test "serve: a key file, a Unix socket for this user alone, --json" {
	echo 0123456789abcdef0123 >key
	serve_start --key-file key --listen "unix:$LIB_PROJECT/s"
	[ "$(stat -c %a s)" = 600 ]
	[ "$(curl -sS --unix-socket s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer 0123456789abcdef0123' http://h/metrics)" = 200 ]
	run ! grep key: serve.out
	serve_end
	[ ! -e s ]
	serve_start --json
	[ "$(jq -r .url serve.out)" = "$SERVE_URL" ]
}

@test "serve: several addresses at once, each of which is looked at" {
	serve_start --listen "unix:$LIB_PROJECT/s" --listen 127.0.0.1:0 --listen "unix:$LIB_PROJECT/a\"b" --json
	jq -e --arg at "unix:$LIB_PROJECT/" '.url == $at + "s" and (.urls | length == 3 and .[1] != "http://127.0.0.1:0" and .[2] == $at + "a\"b")' serve.out
	[ "$(curl -sS "$(jq -r '.urls[1]' serve.out)/health")" = '{"status":"ok"}' ]
	for at in s 'a"b'; do [ "$(curl -sS --unix-socket "$at" http://h/health)" = '{"status":"ok"}' ]; done
	serve_end
	[ ! -e s ]
	[ ! -e 'a"b' ]
	serve_start --listen "unix:$LIB_PROJECT/s" --listen 127.0.0.1:0
	[ "$(head -2 serve.out)" = "listening on unix:$LIB_PROJECT/s
listening on $SERVE_URL" ]
	# all of them, or none; what others listen on is left
	run -1 --separate-stderr cubby serve --listen "unix:$LIB_PROJECT/t" --listen "$SERVE_ADDR"
	[ "$stderr" = "cubby serve: cannot listen on $SERVE_URL: Address already in use" ]
	[ ! -e t ]
	run -1 --separate-stderr cubby serve --listen "unix:$LIB_PROJECT/t" --listen "unix:$LIB_PROJECT/s"
	[ "$(curl -sS --unix-socket s http://h/health)" = '{"status":"ok"}' ]
	run -2 --separate-stderr cubby serve --listen "unix:$LIB_PROJECT/t" --listen 0.0.0.0:0 --listen 127.0.0.1:0
	[[ $stderr == *"others could reach this address"* ]]
	run -2 --separate-stderr cubby serve $(printf -- '--listen 127.0.0.1:0 %.0s' {1..9})
	[ "$stderr" = "cubby serve: --listen: more than 8 addresses" ]
}

@test "serve: a file of keys that makes no sense is refused with its line" {
	printf 'a 0123456789abcdef all\nb 0123456789abcdeX read,write\n' >keys
	run -2 --separate-stderr cubby serve --keys keys
	[ "$stderr" = "cubby serve: --keys 'keys': line 2: the rights are all, read, run, network" ]
	run -2 --separate-stderr cubby serve --keys none
	[[ $stderr == *"--keys 'none'"*'No such file'* ]]
	run -2 --separate-stderr cubby serve --keys keys --key-file keys
}

@test "serve: what would be open to others, or makes no sense, is refused with the remedy" {
	run -2 --separate-stderr cubby serve --listen 0.0.0.0:0
	[[ $stderr == *"others could reach this address"*"--tls-cert"*"--front-proxy"* ]]
	run -2 --separate-stderr cubby serve --listen here
	[ "$stderr" = "cubby serve: --listen: bad address 'here'; such as 127.0.0.1:8000, [::1]:8000 or unix:/run/x.sock" ]
	echo short >key
	run -2 --separate-stderr cubby serve --key-file key
	[[ $stderr == *"a key of at least 16 characters is needed" ]]
	run -2 --separate-stderr cubby serve --rm
	run -2 --separate-stderr cubby serve --idle soon
	[ "$stderr" = "cubby serve: --idle: bad time 'soon'; it is such as 90s, 10m or 2h" ]
}

@test "serve: TLS with a certificate of one's own, also where others can listen" {
	command -v openssl >/dev/null || skip 'no openssl to make a certificate'
	serve_certificate
	serve_start --listen 0.0.0.0:0 --tls-cert s.pem --tls-key s.key
	[[ $SERVE_URL == https://0.0.0.0:* ]]
	url=https://localhost:${SERVE_URL##*:}
	run -0 curl -sS -m 20 --cacert ca.pem "$url/health"
	[ "$output" = '{"status":"ok"}' ]
	run -60 curl -sS -m 20 "$url/health" # nobody that it knows has signed it
	run -0 curl -sS -m 20 --cacert ca.pem --tlsv1.2 --tls-max 1.2 -o out -w '%{http_code}' "$url/metrics"
	[ "$output" = 401 ]
	run ! curl -sS -m 20 --cacert ca.pem --tls-max 1.1 "$url/health"
	run ! curl -sS -m 20 "http://localhost:${SERVE_URL##*:}/health"
	# many requests of one connection, in one record
	run -0 python3 - "${SERVE_URL##*:}" <<-'END'
		import socket, ssl, sys
		c = ssl.create_default_context(cafile="ca.pem")
		s = c.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1]))), server_hostname="localhost")
		s.settimeout(20)
		s.sendall(b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n" * 300 + b"GET /health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
		data = b""
		while got := s.recv(65536):
		    data += got
		assert data.count(b"HTTP/1.1 200") == 301, data.count(b"HTTP/1.1 200")
		s.unwrap() # it said that this is the end
	END
}

# bats test_tags=long
@test "serve: a client that changes its keys for ever holds nobody up" {
	command -v openssl >/dev/null || skip 'no openssl to make a certificate'
	serve_certificate
	serve_start --tls-cert s.pem --tls-key s.key
	run -0 timeout 120 "$CUBBY_TEST_TOP/tests/fake/tls_updates" "$SERVE_ADDR" "https://localhost:${SERVE_ADDR##*:}/health" ca.pem ||
		{ echo "$output"; return 1; }
}

# bats test_tags=long
@test "serve: handshakes that are garbage, half or slow hold nobody up" {
	command -v openssl >/dev/null || skip 'no openssl to make a certificate'
	serve_certificate
	serve_start --tls-cert s.pem --tls-key s.key --max-connections 32
	run -0 timeout 120 python3 - "$SERVE_ADDR" <<-'END' || { echo "$output"; return 1; }
		import os, socket, ssl, sys, time
		host, port = sys.argv[1].rsplit(":", 1)
		def plain():
		    s = socket.create_connection((host, int(port)))
		    s.settimeout(30)
		    return s
		def ended(s):
		    try:
		        while s.recv(65536): pass
		    except ConnectionError:
		        pass
		c = ssl.create_default_context(cafile="ca.pem")
		def well():
		    s = c.wrap_socket(plain(), server_hostname="localhost")
		    s.sendall(b"GET /health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
		    data = b""
		    while got := s.recv(65536): data += got
		    assert data.endswith(b'{"status":"ok"}'), data
		into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
		try:
		    c.wrap_bio(into, out, server_hostname="localhost").do_handshake()
		except ssl.SSLWantReadError:
		    hello = out.read()
		for garbage in (b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", os.urandom(4096), b"\x16\x03\x01\xff\xff" + os.urandom(65535),
		        b"\x16\x03\x01\x00\x00" * 100, b"\x80\x2e\x01\x00\x02", hello[:5] + os.urandom(len(hello) - 5), hello + os.urandom(500),
		        b"\x15\x03\x03\x00\x02\x02\x28"):
		    s = plain()
		    try: # it may end while the rest is sent
		        s.sendall(garbage)
		        if len(garbage) > 65536: s.shutdown(socket.SHUT_WR)
		    except OSError:
		        pass
		    ended(s)
		    well()
		half = []
		for n in (0, 1, 5, len(hello) // 2, len(hello)):
		    half.append(plain())
		    half[-1].sendall(hello[:n])
		well()
		slow, began = plain(), time.monotonic()
		try: # a byte a second, for longer than a head may take
		    for i in range(len(hello)):
		        slow.sendall(hello[i:i + 1])
		        time.sleep(0.3)
		    assert False, "it waited on"
		except OSError:
		    assert time.monotonic() - began < 60
		for s in half: ended(s)
		crowd = [plain() for i in range(200)] # more than there are places
		for s in crowd: s.sendall(hello[:7])
		time.sleep(1)
		well()
	END
}

@test "serve: a certificate that is none, or not the key's, is refused" {
	command -v openssl >/dev/null || skip 'no openssl to make a certificate'
	serve_certificate
	run -2 --separate-stderr cubby serve --tls-cert s.pem
	[ "$stderr" = 'cubby serve: --tls-cert and --tls-key go together' ]
	run -2 --separate-stderr cubby serve --tls-cert none --tls-key s.key
	[[ $stderr == "cubby serve: cannot open 'none': No such file or directory"* ]]
	run -2 --separate-stderr cubby serve --tls-cert s.key --tls-key s.key
	[[ $stderr == "cubby serve: cannot use 's.key' as a certificate: "* ]]
	run -2 --separate-stderr cubby serve --tls-cert s.pem --tls-key ca.key
	[[ $stderr == "cubby serve: cannot use 'ca.key' as its key: "* ]]
	openssl rsa -aes128 -passout pass:secret -in s.key -out locked.key 2>/dev/null
	run -2 --separate-stderr cubby serve --tls-cert s.pem --tls-key locked.key </dev/null # and it asks for nothing
	[[ $stderr == "cubby serve: cannot use 'locked.key' as its key: "* ]]
}

# bats test_tags=long
@test "serve: where requests end is never a matter of opinion" {
	local bad
	serve_start
	for bad in 'Content-Length: 5\r\nContent-Length: 6' 'Content-Length: 5\r\nTransfer-Encoding: chunked' \
		'Content-Length : 5' 'Content-Length: +5' 'Content-Length: 5, 5' 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x' \
		'X: a\r\n b' 'X: a\rb' 'X-User-Id: a\r\nX-User-Id: b'; do
		talk "GET /health HTTP/1.1\r\n$host$bad\r\n\r\nhelloGET /health HTTP/1.1\r\n$host\r\n"
		[ "$statuses" = '400 ' ]
		[ "$ended" = 'closed>' ]
	done
	talk "GET /health HTTP/1.1\nHost: h\n\n\r\n\r\n"
	[ "$statuses" = '400 ' ]
	[ "$ended" = 'closed>' ]
	talk "GET /health HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n"
	[ "$statuses" = '501 ' ]
	talk 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
	[ "$statuses" = '505 ' ]
	talk "GET /health HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
	[ "$statuses" = '200 ' ]
}

@test "serve: sixty requests that nobody sends by mistake" {
	serve_start
	run -0 timeout 300 "$CUBBY_TEST_TOP/tests/fake/http_hostile" "$SERVE_ADDR" "$SERVE_KEY"
	[[ $output =~ ^[0-9]+\ rows$ ]]
}

# bats test_tags=long
@test "serve: floods end where they began: connections, slow bodies, frames that nobody reads" {
	serve_start --max-connections 64
	run -0 timeout 300 "$CUBBY_TEST_TOP/tests/fake/http_flood" "$SERVE_ADDR" "$SERVE_PID" || { echo "$output"; return 1; }
	[ "$output" = well ] || skip "$output"
}

@test "serve: who has closed its side is answered, and costs nothing while its answers wait" {
	serve_start
	python3 - "$SERVE_ADDR" "$SERVE_PID" <<-'END'
		import os, socket, sys, time
		def begin(data):
		    host, port = sys.argv[1].rsplit(":", 1)
		    s = socket.socket()
		    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
		    s.settimeout(20)
		    s.connect((host, int(port)))
		    s.sendall(data)
		    s.shutdown(socket.SHUT_WR)
		    return s
		def rest(s):
		    got = bytearray()
		    while data := s.recv(65536): got += data
		    return got
		def used():
		    return sum(map(int, open(f"/proc/{sys.argv[2]}/stat").read().rsplit(")", 1)[1].split()[11:13]))
		health = b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n"
		assert rest(begin(health)).count(b'{"status":"ok"}') == 1
		assert rest(begin(health * 20)).count(b'{"status":"ok"}') == 20
		s = begin(b"GET /openapi.json HTTP/1.1\r\nHost: h\r\n\r\n" * 1000)
		time.sleep(1) # the server's side of the socket is full
		before = used()
		time.sleep(2)
		assert used() - before < 40, (before, used())
		got = rest(s)
		assert got.count(b"HTTP/1.1 200 OK") == 1000, got.count(b"HTTP/1.1 200 OK")
	END
}

# bats test_tags=long
@test "serve: requests in one packet are answered in order, bodies are not requests" {
	serve_start
	talk "GET /health HTTP/1.1\r\n$host\r\nGET /nothing HTTP/1.1\r\n${host}Content-Length: 4\r\n\r\nGET GET /health HTTP/1.1\r\n${host}Connection: close\r\n\r\n"
	[ "$statuses" = '200 404 ' ]
	[ "$ended" = 'closed>' ]
	talk "GET /health HTTP/1.1\r\n${host}Content-Length: 4\r\n\r\nGET GET /health HTTP/1.1\r\n${host}Connection: close\r\n\r\n"
	[ "$statuses" = '200 200 ' ]
	[ "$ended" = 'closed>' ]
	talk "GET /health HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nHEAD /health HTTP/1.1\r\n${host}Connection: close\r\n\r\n"
	[ "$statuses" = '200 200 ' ]
	[ "$ended" = 'closed>' ]
	talk "GET /health HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nxyz\r\n"
	[ "$statuses" = '400 ' ]
	[ "$ended" = 'closed>' ]
}

@test "serve: heads and bodies that are too large are refused" {
	local many
	serve_start
	many=$(printf 'A%d: b\\r\\n' $(seq 80))
	talk "GET /health HTTP/1.1\r\n$host$many\r\n"
	[ "$statuses" = '431 ' ]
	many=$(head -c 40000 /dev/zero | tr '\0' a)
	talk "GET /health HTTP/1.1\r\n${host}X: $many\r\n\r\n"
	[ "$statuses" = '431 ' ]
	talk "POST /execute HTTP/1.1\r\n${host}Authorization: Bearer $SERVE_KEY\r\nContent-Length: 99999999999\r\n\r\n"
	[ "$statuses" = '413 ' ]
	talk "GET /health HTTP/1.1\r\n${host}Content-Length: 200000\r\n\r\n$(head -c 200000 /dev/zero | tr '\0' a)"
	[ "$statuses" = '413 ' ]
}

@test "serve: many connections wait for a place, idle ones make it" {
	serve_start --max-connections 8
	python3 - "$SERVE_ADDR" <<-'END'
		import socket, sys
		host, port = sys.argv[1].rsplit(":", 1)
		all = []
		for i in range(300):
		    s = socket.create_connection((host, int(port)))
		    s.sendall(b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
		    all.append(s)
		got = 0
		for s in all:
		    s.settimeout(20)
		    got += b'"ok"' in s.recv(4096)
		assert got == 300, got
	END
	[ "$(curl -sS "$SERVE_URL/health")" = '{"status":"ok"}' ]
}

# bats test_tags=long
@test "serve: slow heads hold no place for long" {
	serve_start --max-connections 4
	python3 - "$SERVE_ADDR" <<-'END'
		import socket, sys
		host, port = sys.argv[1].rsplit(":", 1)
		slow = [socket.create_connection((host, int(port))) for i in range(8)]
		for s in slow:
		    s.sendall(b"GET /health HTTP/1.1\r\nHost: h\r\nX-A: ")
		s = socket.create_connection((host, int(port)))
		s.sendall(b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
		s.settimeout(60)
		assert b'"ok"' in s.recv(4096)
		# One of them had to go for it, long before its time was up: that is told.
		def went(s):
		    s.setblocking(False)
		    try:
		        return s.recv(4096) == b""
		    except BlockingIOError:
		        return False
		    except ConnectionResetError:
		        return True
		assert any([went(s) for s in slow])
		for s in slow:
		    s.close()
		s = socket.create_connection((host, int(port)))
		s.sendall(b"GET /health HTTP/1.1\r\nHost: h\r\nX-A: ")
		s.settimeout(60)
		assert s.recv(4096).startswith(b"HTTP/1.1 408 ")
	END
}

@test "serve: a service manager passes its sockets" {
	python3 - "$CUBBY_TEST_BIN" <<-'END'
		import os, socket, subprocess, sys, urllib.request
		def listener():
		    s = socket.socket()
		    s.bind(("127.0.0.1", 0))
		    s.listen()
		    return s
		def start(sockets, said):
		    pid = os.fork()
		    if pid == 0:
		        for i, s in enumerate(sockets):
		            os.dup2(s.fileno(), 100 + i)
		        for i in range(len(sockets)):
		            os.dup2(100 + i, 3 + i)
		            os.set_inheritable(3 + i, True)
		        os.dup2(said, 1)
		        os.dup2(said, 2)
		        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(sockets)))
		        os.execv(sys.argv[1], ["cubby", "serve"])
		    return pid
		all = [listener() for _ in range(8)]
		r, w = os.pipe()
		pid = start(all, w)
		said = os.read(r, 4096).decode()
		assert said.startswith("listening on the sockets of the service manager\nkey: "), said
		for s in all:
		    assert urllib.request.urlopen(f"http://127.0.0.1:{s.getsockname()[1]}/health").read() == b'{"status":"ok"}'
		os.kill(pid, 15)
		assert os.waitpid(pid, 0)[1] == 0
		# what cannot be served is not passed over for the usual address
		for wrong, why in ((all + [listener()], "the service manager passes more than 8 sockets"),
		                   ([socket.create_connection(all[0].getsockname())], "descriptor 3 from the service manager is no socket that listens")):
		    pid = start(wrong, w)
		    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
		    assert os.read(r, 4096).decode() == f"cubby serve: {why}\n"
	END
}
