# cubby serve by HTTP/2, without a box: what is agreed on, what is the same as by HTTP/1.1, and
# what hostile clients get. The rest of what is served: tests/box/serve.bats.
load ../lib
load ../serve

setup_file() { lib_env; }
setup() {
	command -v openssl >/dev/null || skip 'no openssl to make a certificate'
	curl --version | grep -q HTTP2 || skip 'this curl does not speak HTTP/2'
	lib_project
	serve_certificate
}
teardown() { serve_end; }

# start [OPTION]...: a server by TLS; skipped where it was built without the library
start() {
	serve_start --tls-cert s.pem --tls-key s.key "$@"
	port=${SERVE_URL##*:}
	url=https://localhost:$port
	ask /health -w '%{http_version}' -o out
	[ "$output" != 1.1 ] || skip 'built or run without libnghttp2'
}

# ask PATH [CURL ARGUMENT]...
ask() {
	run -0 curl -sS -m 30 --http2 --cacert ca.pem -H "Authorization: Bearer $SERVE_KEY" "${@:2}" "$url$1"
}

@test "http2: it is agreed on with who offers it, and HTTP/1.1 with who does not" {
	start
	for how in '--http2 2' '--http2-prior-knowledge 2' '--http1.1 1.1' '--http1.0 1.1' '--no-alpn 1.1'; do
		run -0 curl -sS -m 20 --cacert ca.pem "${how% *}" -o out -w '%{http_code} %{http_version}' "$url/health"
		[ "$output" = "200 ${how#* }" ]
	done
	run -0 python3 - "$port" <<-'END' || { echo "$output"; return 1; }
		import socket, ssl, sys
		def agreed(*offer):
		    c = ssl.create_default_context(cafile="ca.pem")
		    c.set_alpn_protocols(offer)
		    return c.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1]))), server_hostname="localhost").selected_alpn_protocol()
		assert agreed("h2", "http/1.1") == agreed("http/1.1", "h2") == agreed("h2") == "h2"
		assert agreed("http/1.1", "smtp") == "http/1.1"
		for other in ("smtp", "http/1.2", "h2c"):
		    try:
		        raise AssertionError(agreed(other))
		    except ssl.SSLError as e:
		        assert "no application protocol" in str(e).lower().replace("_", " "), e
	END
}

# bats test_tags=long
@test "http2: routes, keys, refusals and lengths are those of HTTP/1.1" {
	start --access-log
	[ "$(curl -sS --http2 --cacert ca.pem "$url/execute" -w ' %{http_code}')" = '{"detail":"Invalid API key"} 401' ]
	ask /nothing -o out -w '%{http_code}'
	[ "$output" = 404 ]
	ask /execute/%zz/status -o out -w '%{http_code}'
	[ "$output" = 400 ]
	ask /health -X POST -o out -w '%{http_code}'
	[ "$output" = 405 ]
	ask /v1/boxes -H 'X-User-Id: a' -o out -w '%{http_code}'
	[ "$output" = 403 ]
	ask /execute -H 'Content-Type: application/json' -d '[' -o out -w '%{http_code}'
	[ "$output" = 422 ]
	head -c 34000000 /dev/zero >big
	ask /execute -H 'Content-Type: application/json' --data-binary @big -o out -w '%{http_code}'
	[ "$output" = 413 ]
	ask /execute -H 'Content-Type: application/json' -T - -X POST -o out -w '%{http_code}' <big
	[ "$output" = 413 ]
	for how in --http1.1 --http2; do
		ask /openapi.json "$how" -o "doc$how" -D "head$how"
		ask /openapi.json "$how" -I -o "nothing$how"
		tr -d '\r' <"head$how" | sed 1d | tr '[:upper:]' '[:lower:]' | sort >"fields$how"
	done
	cmp doc--http1.1 doc--http2
	grep -qi 'content-length: [1-9]' nothing--http2
	diff fields--http1.1 fields--http2
	# each is a line of the log, and none has the key
	grep -q 'POST /execute 413 ' serve.err
	run ! grep -q "$SERVE_KEY" serve.err
	ask /metrics
	grep -qE 'cubby_answers_total\{class="2xx"\} [0-9]+' <<<"$output"
}

@test "http2: many requests of one connection at once" {
	start
	for _ in {1..80}; do printf 'url=%s/openapi.json\noutput=many\nurl=%s/nothing\noutput=none\n' "$url" "$url"; done >list
	run -0 curl -sS -m 60 --http2 --cacert ca.pem --parallel --parallel-max 90 -K list -w '%{http_code} %{http_version}\n'
	[ "$(sort <<<"$output" | grep -E '^[0-9]' | uniq -c | tr -s ' ')" = $' 80 200 2\n 80 404 2' ]
	ask /metrics
	grep -qE '^cubby_connections_total [1-9]$' <<<"$output"
}

# bats test_tags=long
@test "http2: frames that no honest client sends, and floods of each kind" {
	start
	run "$CUBBY_TEST_TOP/tests/fake/frames_hostile" "$port" ca.pem "$SERVE_KEY"
	echo "$output"
	[ "$status" = 0 ]
	[ "$(grep -c '^ok ' <<<"$output")" -ge 30 ]
	[ "$(lib_memory "$SERVE_PID")" -lt 45000 ]
	[ ! -s serve.err ]
}

# bats test_tags=long
@test "http2: a head that does not end, and a connection that asks for nothing, have ten seconds" {
	start
	run -0 python3 - "$port" <<-'END' || { echo "$output"; return 1; }
		import socket, ssl, sys, time
		c = ssl.create_default_context(cafile="ca.pem")
		c.set_alpn_protocols(["h2"])
		def conn():
		    s = c.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1]))), server_hostname="localhost")
		    s.settimeout(30)
		    s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5))
		    return s
		half, announced, idle = conn(), conn(), conn()
		half.sendall(b"\0\0\x01\x01\0\0\0\0\x01\x82") # :method GET, and more would follow
		announced.sendall(b"\0\0\x64\x01\x05\0\0\0\x01\x82") # all of it in a frame, of which this comes
		began = time.monotonic()
		for s in half, announced, idle:
		    try:
		        while s.recv(65536):
		            pass
		    except OSError:
		        pass
		    assert 8 < time.monotonic() - began < 20, time.monotonic() - began
	END
}

@test "http2: its requests are connections, of which there are only so many" {
	start --max-connections 8
	run -0 python3 - "$port" "$SERVE_KEY" "$CUBBY_TEST_TOP/tests/fake/frames_hostile" <<-'END' || { echo "$output"; return 1; }
		import sys
		sys.argv = ["", sys.argv[1], "ca.pem", sys.argv[2], "interim", *sys.argv[3:]]
		source = open(sys.argv[5]).read().rsplit("\nmain()", 1)[0]
		exec(source)
		c = Conn()
		for i in range(12):
		    c.ask(2 * i + 1, "POST", "/execute", ("content-length", "2"), ("content-type", "application/json"), end=False)
		refused = set()
		while len(refused) < 5:
		    f = c.until(lambda k, fl, i, b: k in (RST, GOAWAY))
		    assert f and f[0] == RST and int.from_bytes(f[3], "big") == 7, f
		    refused.add(f[2])
		assert min(refused) == 15, refused # the connection, and seven requests of it
		c.frame(DATA, END_STREAM, 1, b"x{") # those that were taken are answered
		assert c.answer(1)[0] == 422
	END
}

@test "http2: a server that ends says so, and answers what it has taken" {
	start
	run -0 python3 - "$port" "$SERVE_KEY" "$CUBBY_TEST_TOP/tests/fake/frames_hostile" "$SERVE_PID" <<-'END' || { echo "$output"; return 1; }
		import os, signal, sys
		pid = int(sys.argv[4])
		sys.argv = ["", sys.argv[1], "ca.pem", sys.argv[2], sys.argv[3]]
		exec(open(sys.argv[4]).read().rsplit("\nmain()", 1)[0])
		idle, busy = Conn(), Conn()
		idle.ask(1)
		assert idle.answer(1)[0] == 200
		busy.ask(1, "POST", "/execute", ("content-type", "application/json"), end=False)
		os.kill(pid, signal.SIGTERM)
		assert idle.goaway() == 0
		assert busy.goaway() == 0
	END
	wait "$SERVE_PID"
	SERVE_PID=
}

# bats test_tags=long
@test "http2: an answer that is taken slowly is whole although the server has ended its part of it" {
	head -c 15000 /dev/zero | tr '\0' '\1' >info # six bytes each in JSON
	start --info info
	run -0 python3 - "$port" "$SERVE_KEY" "$CUBBY_TEST_TOP/tests/fake/frames_hostile" "$SERVE_PID" <<-'END' || { echo "$output"; return 1; }
		import os, signal, struct, sys, time
		pid = int(sys.argv[4])
		sys.argv = ["", sys.argv[1], "ca.pem", sys.argv[2], sys.argv[3]]
		exec(open(sys.argv[4]).read().rsplit("\nmain()", 1)[0])
		c = Conn(settings=struct.pack(">HI", 4, 0))
		c.frame(WINDOW, 0, 0, struct.pack(">I", 1 << 20))
		c.ask(1, "GET", "/info")
		time.sleep(1)
		os.kill(pid, signal.SIGTERM)
		time.sleep(1)
		c.frame(WINDOW, 0, 1, struct.pack(">I", 1 << 20))
		f = c.until(lambda k, fl, i, b: i == 1 and (k == RST or fl & END_STREAM))
		got = sum(len(b) for k, fl, i, b in c.frames if k == DATA)
		assert f and f[0] == DATA and got >= 90000, (f and f[0], got)
	END
	wait "$SERVE_PID"
	SERVE_PID=
}

@test "http2: who has no key and takes no answer keeps no place from who has one" {
	start --max-connections 16
	run -0 timeout 60 python3 - "$port" "$SERVE_KEY" "$CUBBY_TEST_TOP/tests/fake/frames_hostile" <<-'END' || { echo "$output"; return 1; }
		import struct, sys, time
		sys.argv = ["", sys.argv[1], "ca.pem", sys.argv[2], sys.argv[3]]
		exec(open(sys.argv[4]).read().rsplit("\nmain()", 1)[0])
		def flood(n, **more):
		    c = Conn(settings=struct.pack(">HI", 4, 0)) # a window of nothing
		    for i in range(n):
		        c.ask(2 * i + 1, "POST" if i % 2 else "GET", "/execute" if i % 2 else "/health", end=not i % 2, key=False)
		    return c
		conns = [flood(20) for _ in range(12)]
		time.sleep(1)
		for _ in range(10):
		    began = time.monotonic()
		    assert plain("GET", "/metrics")[0] == 200
		    assert time.monotonic() - began < 5, time.monotonic() - began
		    conns.append(flood(20))
		# and one that opens its windows by single bytes
		for c in conns:
		    for i in range(20):
		        c.frame(WINDOW, 0, 2 * i + 1, struct.pack(">I", 1))
		assert plain("GET", "/metrics")[0] == 200
	END
	[ "$(lib_memory "$SERVE_PID")" -lt 45000 ]
}
