# cubby serve against clients and boxes that mean it ill: special files, floods, held answers,
# names that are tricks, and clients that leave in the middle.
# shellcheck disable=SC2016 # the box's, not the shell's
load ../lib
load ../serve

setup_file() {
	lib_env
	lib_image
	lib_python
}
setup() {
	lib_skipped
	lib_project
}
teardown() { serve_end; }

# Runs the command $1 to its end; its text in $text.
execute() {
	serve_json POST '/execute?wait=60' "$(jq -nc --arg c "$1" '{command: $c}')" "${@:2}"
	text=$(jq -r '[.output[].data] | add // ""' <<<"$output" | tr -d '\r')
}

detail() { jq -r .detail "$LIB_PROJECT/serve.body"; }

@test "attack: what is no file has no content, and is said to be none" {
	serve_start
	execute 'cd /tmp; mkfifo f; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\"/tmp/s\")"'
	for path in /tmp/s /tmp/f /dev/tty /dev/zero /dev/ptmx; do
		for way in view read; do
			serve_status GET "/files/$way?path=$path" 400
			[ "$(detail)" = "'$path' is not a regular file" ]
		done
	done
}

@test "attack: what the kernel makes up is in no archive" {
	serve_start
	for path in /proc /proc/cpuinfo /sys /proc/self/fd; do
		serve_status POST /files/archive 400 -H 'Content-Type: application/json' -d "{\"paths\":[\"$path\"]}"
		[ "$(detail)" = "'$path' is made up by the kernel: it cannot be packed" ]
	done
	execute 'mkdir /tmp/d; ln -s /proc /tmp/d/p; echo x >/tmp/d/x'
	serve_status POST /files/archive 200 -H 'Content-Type: application/json' -d '{"paths":["/tmp/d"]}'
	[ "$(python3 -c 'import sys, zipfile; print(*sorted(zipfile.ZipFile(sys.argv[1]).namelist()))' "$LIB_PROJECT/serve.body")" = 'd/ d/x' ]
}

# A client in Python with the helpers of tests/fake/ws_client.py; its words behind address and key.
talk() {
	run timeout 150 env PYTHONPATH="$CUBBY_TEST_TOP/tests/fake" python3 -B - "$SERVE_ADDR" "$SERVE_KEY" "$SERVE_PID" "$@"
	[ "$status" = 0 ] || { tail -n 5 <<<"$output"; return 1; }
}

# What the clients of the rows below share: requests, kernels, what the server holds.
prelude='
import http.client, json, os, struct, sys, time, uuid
from ws_client import WS
addr, key, pid = sys.argv[1:4]
def ask(method, path, body=None, **more):
    c = http.client.HTTPConnection(addr, timeout=60)
    c.request(method, path, json.dumps(body) if body is not None else None,
              {"Authorization": "Bearer " + key, "Content-Type": "application/json", **more})
    r = c.getresponse()
    return r.status, r.read()
def held(): # as lib_memory
    return 0 if os.environ.get("CUBBY_TEST_SANITIZED") else next(int(l.split()[1]) for l in open(f"/proc/{pid}/status") if l.startswith("RssAnon"))
def kernel():
    return json.loads(ask("POST", "/api/kernels", {})[1])["id"]
def channel(id):
    return WS(addr, f"/api/kernels/{id}/channels?token={key}")
def message(type, content, **header):
    return json.dumps({"header": {"msg_id": str(uuid.uuid4()), "msg_type": type, **header}, "channel": "shell",
                       "content": content, "parent_header": {}, "metadata": {}})
def cell(code):
    return message("execute_request", {"code": code, "silent": False})
'

# bats test_tags=long
@test "attack: halves of large messages of Python are held up to a bound" {
	serve_start
	talk <<END
$prelude
before = held()
ws = [channel(kernel()) for _ in range(8)]
for w in ws: # a message that is announced, and comes but for its end
    w.json(**json.loads(cell("import os, struct, time\nos.write(5, struct.pack('<I', 15 << 20) + b'{' * (14 << 20))\ntime.sleep(1000)")))
deadline = time.time() + 40
dead = 0
for w in ws:
    seen = b""
    while time.time() < deadline:
        w.s.settimeout(3)
        try: op, data = w.message()
        except TimeoutError: break
        if b'"KernelDied"' in data and b"execute_reply" in data:
            assert b"more than Python" in data, data
            dead += 1
            break
assert dead == 7, dead # each but the first that had it all
grown = held() - before
assert grown < 45000, grown
END
}

# bats test_tags=long
@test "attack: large cells that wait are held up to a bound, and those above it are answered" {
	serve_start
	talk <<END
$prelude
before = held()
ws = [channel(kernel()) for _ in range(8)]
late = 0
for w in ws:
    w.json(**json.loads(cell("import time; time.sleep(1000)")))
    for _ in range(20):
        w.send(cell("x = 1 #" + "x" * 900000))
for w in ws:
    w.s.settimeout(3)
    try:
        while True:
            op, data = w.message()
            if b'"execute_reply"' in data:
                assert b"too many cells wait" in data, data[:500]
                late += 1
    except TimeoutError: pass
assert late > 130, late
grown = held() - before
assert grown < 50000, grown
# what is about a message is small, too
w = ws[0]
w.send(message("execute_request", {"code": "1"}, deep=[0] * 8000))
w.send(message("kernel_info_request", {}))
assert "kernel_info_reply" in w.until("kernel_info_reply")
END
}

# bats test_tags=long
@test "attack: a channel that is not read does not grow by what another one asks" {
	printf '%s %s all\n' a aaaaaaaaaaaaaaaaaaaaaaaa b bbbbbbbbbbbbbbbbbbbbbbbb >keys
	serve_start --keys keys
	SERVE_KEY=aaaaaaaaaaaaaaaaaaaaaaaa talk <<END
$prelude
before = held()
id = kernel()
deaf = [channel(id) for _ in range(30)]
w = channel(id)
asked = message("kernel_info_request", {}, word="x" * 15000)
grown = 0
for i in range(300):
    w.send(asked)
    w.until('"kernel_info_reply"')
    grown = max(grown, held() - before)
assert ask("GET", "/health")[0] == 200
assert grown < 100000, grown # half of what there is for all, and 256 KiB each
END
}

@test "attack: floods of comms, whose answers are read or not, hold up who sends them alone" {
	serve_start
	talk <<END
$prelude
id = kernel()
before = held()
grown = 0
def look():
    global grown
    grown = max(grown, held() - before)
    assert ask("GET", "/health")[0] == 200
for kind, content in [("comm_open", {"comm_id": "c", "target_name": "t", "data": {"d": "x" * 1000}}),
                      ("comm_msg", {"comm_id": "c", "data": {"d": "x" * 1000}}),
                      ("comm_close", {"comm_id": "c", "data": {"d": "x" * 1000}})]:
    w = channel(id) # to nothing: a kernel of this kind has none, so it says nothing
    for i in range(2000):
        w.send(message(kind, content))
        if i % 100 == 0: look()
    w.send(message("kernel_info_request", {}))
    w.until('"kernel_info_reply"')
# who asks and does not read is not read any more
w = channel(id)
w.s.settimeout(2)
sent = 0
try:
    while sent < 20000:
        w.send(message("comm_info_request", {"target_name": "x" * 1000}))
        sent += 1
        if sent % 500 == 0: look()
except TimeoutError:
    pass
look()
assert 0 < sent < 20000, sent
assert grown < 8000, grown
w = channel(id)
w.send(message("comm_info_request", {}))
w.until('"comm_info_reply"')
END
}

@test "attack: forty programs that write for ever leave others their answers" {
	serve_start
	execute true
	python3 - "$SERVE_ADDR" "$SERVE_KEY" "$(lib_longer 50)" <<-'END'
		import http.client, json, statistics, sys, time
		addr, key, most = sys.argv[1:]
		c = http.client.HTTPConnection(addr)
		def ask(method, path, body=None):
		    c.request(method, path, json.dumps(body) if body else None,
		        {"Authorization": "Bearer " + key, "Content-Type": "application/json"})
		    return json.loads(c.getresponse().read())
		ids = [ask("POST", "/execute?wait=0", {"command": "yes"})["id"] for _ in range(40)]
		while not all(ask("GET", f"/execute/{id}/status?tail=1")["next_offset"] > 8 for id in ids):
		    time.sleep(0.02)
		took = []
		for _ in range(40):
		    start = time.perf_counter()
		    ask("GET", "/health")
		    took.append((time.perf_counter() - start) * 1000)
		# a round of all of them takes a server that reads whatever is there 100 ms and more
		assert statistics.median(took) < int(most), sorted(took)
	END
}

# bats test_tags=long
@test "attack: messages of WebSockets that do not end are bytes that are held, like any" {
	printf '%s %s all\n' a aaaaaaaaaaaaaaaaaaaaaaaa b bbbbbbbbbbbbbbbbbbbbbbbb >keys
	serve_start --keys keys
	SERVE_KEY=aaaaaaaaaaaaaaaaaaaaaaaa talk <<END
$prelude
id = kernel()
before = held()
ws = [channel(id) for _ in range(120)]
part = b"\x01\xff" + struct.pack(">Q", 1 << 20) + b"abcd" + b"x" * ((1 << 20) - 1)
for w in ws:
    w.s.sendall(part)
    w.s.settimeout(0.2)
def is_kept(w):
    try: assert w.closed() == 1013
    except TimeoutError: return True
kept = ws
for _ in range(10): # a busy machine has its time
    time.sleep(1)
    kept = [w for w in kept if is_kept(w)]
    if len(kept) <= 64: break
assert 30 < len(kept) <= 64, len(kept)
grown = held() - before
assert grown < 90000, grown
# what has ended is not held
for w in ws: w.s.close()
w = channel(id)
w.s.sendall(b"\x81" + part[1:] + b"x")
w.send(message("kernel_info_request", {}))
w.until('"kernel_info_reply"')
END
}

# What a client that leaves takes along: programs of the box, descriptors of the server.
@test "attack: a client that leaves in the middle leaves nothing running but its command" {
	serve_start
	execute 'mkdir big; head -c 200000000 /dev/zero >big/file; mkdir empty'
	talk <<END
$prelude
import os, socket
def fds():
    return len(os.listdir(f"/proc/{pid}/fd"))
def commands():
    return sorted(p["command"] for p in json.loads(ask("GET", "/v1/boxes/here/processes")[1]) if p["pid"] != 1)
def settles(test):
    for _ in range(200):
        if test(): return
        time.sleep(0.05)
    raise AssertionError((fds(), before, commands()))
def leave(method, path, body=b"", more="", read=0):
    host, port = addr.rsplit(":", 1)
    s = socket.create_connection((host, int(port)), 20)
    s.sendall(f"{method} {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {key}\r\n{more}\r\n".encode() + body)
    got = b""
    while len(got) < read:
        got += s.recv(65536)
    return s
ask("GET", "/files/list")
settles(lambda: commands() == [])
before = fds()
json_of = lambda b: f"Content-Type: application/json\r\nContent-Length: {len(b)}\r\n"

# what it started is a command, and goes on; its answer is no more
b = b'{"command":"exec sleep 1000"}'
s = leave("POST", "/execute?wait=60", b, json_of(b))
settles(lambda: "sleep 1000" in commands())
s.close()
time.sleep(0.3)
assert "sleep 1000" in commands()
[one] = json.loads(ask("GET", "/execute")[1])[:1]
assert one["status"] == "running", one
ask("DELETE", f"/execute/{one['id']}?force=true")
settles(lambda: commands() == [])

# half of an upload, of an archive, of a file, of a body with JSON; an expression that takes its time
part = b'--B\r\nContent-Disposition: form-data; name="file"; filename="half"\r\n\r\n' + b"x" * 300000
for _ in range(8): # it may see the end of its input before it is killed
    s = leave("POST", "/files/upload?directory=empty", part, "Content-Type: multipart/form-data; boundary=B\r\nContent-Length: 9000000\r\n")
    settles(lambda: commands() != [])
    time.sleep(0.2) # until it has begun to write
    s.close()
    settles(lambda: commands() == [])
assert json.loads(ask("GET", "/files/list?directory=empty")[1])["entries"] == []
b = b'{"paths":["big"]}'
s = leave("POST", "/files/archive", b, json_of(b), 100000)
assert commands() != [], (len(open("/proc/self/stat").read()), json.loads(ask("GET", "/v1/boxes/here/processes")[1]))
s.close()
settles(lambda: commands() == [])
s = leave("GET", "/files/view?path=big/file", read=100000)
assert commands() != [], (len(open("/proc/self/stat").read()), json.loads(ask("GET", "/v1/boxes/here/processes")[1]))
s.close()
settles(lambda: commands() == [])
leave("POST", "/execute", b'{"command":', "Content-Type: application/json\r\nContent-Length: 90\r\n").close()

# a stream of the box's own, through the server
b = b'{"command":"exec python3 -c \\\\"import socket; s = socket.create_server((\'127.0.0.1\', 7070)); c = s.accept()[0]; c.recv(99); c.sendall(b\'HTTP/1.0 200 OK\\\\\\\\r\\\\\\\\n\\\\\\\\r\\\\\\\\n\');\\\\nwhile 1: c.sendall(b\'x\' * 9999)\\\\""}'
leave("POST", "/execute", b, json_of(b), 100)
settles(lambda: any(p["port"] == 7070 for p in json.loads(ask("GET", "/ports")[1])["ports"]))
s = leave("GET", "/proxy/7070/", read=500000)
s.close()
settles(lambda: commands() == []) # its pipe is broken
settles(lambda: fds() <= before + 2)
END
}

# bats test_tags=long
@test "attack: streams of MCP that are not read are large answers that are held, like any" {
	printf '%s %s all\n' a aaaaaaaaaaaaaaaaaaaaaaaa b bbbbbbbbbbbbbbbbbbbbbbbb >keys
	serve_start --memory 1G --keys keys --listen "unix:$LIB_PROJECT/s" # whose kernel keeps little
	SERVE_KEY=aaaaaaaaaaaaaaaaaaaaaaaa talk <<END
$prelude
import socket, zlib
part = lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
rows = b"".join(b"\0" + os.urandom(580 * 3) for _ in range(560))
open("big.png", "wb").write(b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", 580, 560, 8, 2, 0, 0, 0))
                            + part(b"IDAT", zlib.compress(rows, 0)) + part(b"IEND", b""))
def post(body, session=None):
    text = json.dumps(body).encode()
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect("s")
    s.sendall(b"POST /mcp HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer " + key.encode() + b"\r\nContent-Type: application/json\r\n"
              + b"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n" % len(text)
              + (b"Mcp-Session-Id: " + session + b"\r\n" if session else b"") + b"\r\n" + text)
    return s
def begin():
    s = post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
              {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
    got = s.makefile("rb").read() # all of it: before its end the revision is not settled
    return next(l.split()[1] for l in got.split(b"\r\n") if l.startswith(b"Mcp-Session-Id"))
def views(n, first):
    return [{"jsonrpc": "2.0", "id": first + i, "method": "tools/call", "params":
             {"name": "view_image", "arguments": {"path": "big.png"}}} for i in range(n)]
sessions = [begin() for _ in range(5)]
before = held()
held_up = [post(views(11, first), s) for first in (0, 20, 40) for s in sessions]
for s in sessions: # its calls come one after the other: this one is the last
    post({"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": {"name": "shell", "arguments": {"command": "true"}}}, s).makefile("rb").read(400)
grown = held() - before
def rest(s):
    got = b""
    try:
        while data := s.recv(1 << 20): got += data
    except ConnectionResetError: pass
    return got
all = [rest(s) for s in held_up]
images = sum(got.count(b'"type":"image"') for got in all)
whole = sum(got.endswith(b"0\r\n\r\n") for got in all)
assert 2 <= whole <= 9, (whole, images, grown) # half of what is held at once is for one user
assert grown < 140000, grown
END
	[ "$(curl -sS --unix-socket s http://h/health)" = '{"status":"ok"}' ]
}

@test "attack: who has closed its side has a command's answer, and holds nothing else" {
	serve_start
	serve_json POST /execute '{"command":"exec python3 -c \"import socket; s = socket.create_server((\\\"127.0.0.1\\\", 7071)); c = [s.accept() for _ in range(9)]\""}'
	talk <<END
$prelude
import socket
def half(method, path, body=b""):
    host, port = addr.rsplit(":", 1)
    s = socket.create_connection((host, int(port)), 30)
    s.sendall(f"{method} {path} HTTP/1.1\\r\\nHost: h\\r\\nAuthorization: Bearer {key}\\r\\nContent-Type: application/json\\r\\n"
              f"Content-Length: {len(body)}\\r\\n\\r\\n".encode() + body)
    s.shutdown(socket.SHUT_WR)
    got = b""
    while data := s.recv(65536): got += data
    return got
assert b'"hi\\\\r' in half("POST", "/execute?wait=30", b'{"command":"sleep 4; echo hi"}')
assert b'"entries"' in half("GET", "/files/list")
while not any(p["port"] == 7071 for p in json.loads(ask("GET", "/ports")[1])["ports"]): time.sleep(0.05)
began = time.monotonic()
assert half("GET", "/proxy/7071/") == b""
assert 1 < time.monotonic() - began < 10
END
}

# bats test_tags=long
@test "attack: a document that takes its time has a minute" {
	serve_start
	execute 'printf "#!/bin/sh\nexec sleep 1000\n" >/usr/local/bin/pdftotext; chmod +x /usr/local/bin/pdftotext; printf "%%PDF-\\377" >a.pdf'
	SECONDS=0
	run -0 curl -sS -m 100 -w ' %{http_code}' -H "Authorization: Bearer $SERVE_KEY" "$SERVE_URL/files/read?path=a.pdf"
	[ "$output" = '{"detail":"the document takes too long to read"} 504' ]
	[ "$SECONDS" -ge 55 ]
	serve GET /v1/boxes/here/processes
	[[ $output != *sleep* ]]
}

@test "attack: who somebody is can be said in one way alone" {
	mkdir boxes
	serve_start --boxes boxes
	serve PUT /v1/boxes/mine
	talk <<END
$prelude
import os, socket
host, port = addr.rsplit(":", 1)
def raw(line, *fields):
    s = socket.create_connection((host, int(port)), 20)
    s.settimeout(20)
    s.sendall(line + b" HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + key.encode() + b"\r\n" +
              b"".join(f + b"\r\n" for f in fields) + b"\r\n")
    got = b""
    try:
        while b" 101 " not in got[:15] and (more := s.recv(65536)): got += more
    except OSError: pass
    return got
def home(*fields):
    got = raw(b"GET /files/cwd", b"Connection: close", *fields)
    return os.path.relpath(json.loads(got.partition(b"\r\n\r\n")[2])["home"], "$LIB_PROJECT/boxes") if b" 200 " in got[:15] else int(got[9:12])
U, C = b"X-User-Id: ", b"X-Terminal-Context-Id: "
# others, whatever they look like
names = [home(), home(U + b"alice"), home(U + b"Alice"), home(U + "\u0430lice".encode()), home(U + "alice\u200b".encode()),
         home(U + b"../../etc"), home(U + b"a/b", C + b"c"), home(U + b"a", C + b"b/c"), home(U + b"1:a", C + b""), home(U + b"\xff\xfe")]
assert all(isinstance(n, str) and "/" not in n and n[0] != "." for n in names), names
assert len(set(names)) == len(names), names
assert home(U + b"  alice \t") == home(U + b"alice")
# nobody
for fields in ((U + b"a", U + b"b"), (U + b"a", b"x-uSer-iD: b"), (U + b"a\0b",), (U + b"a\rb",), (U + b"a\nb",), (U + b"a\x1bb",),
               (U + b"a" * 257,), (C + b"a" * 257,), (U + b"a\r\n b",), (b"X-Cubby-Box: ../mine",), (b"X-Cubby-Box: mi\xc3\xb1e",)):
    assert home(*fields) == 400, (fields, home(*fields))
assert home(U + b"a" * 65000) in (400, 431)
assert home(U + b"alice", b"X-Cubby-Box: mine") == 403
assert sorted(os.listdir("boxes")) == sorted({*names, "mine"})
# a proxy puts its user into the query of a WebSocket: what makes no sense there is nobody, not the holder
def upgrade(query):
    return int(raw(b"GET /api/terminals/00000000?" + query, b"Upgrade: websocket", b"Connection: Upgrade", b"Sec-WebSocket-Version: 13",
                   b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")[9:12])
for query in (b"user_id=%00", b"user_id=alice%00", b"user_id=%", b"user_id=%0a", b"user_id=NULL", b"user_id", b"user_id=a&user_id=b",
              b"user_id=a&user_id=%", b"box=mine&user_id=%zz"):
    assert upgrade(query) == 400, (query, upgrade(query))
END
}

@test "attack: a call of MCP that was cancelled is over, and one whose id is none is refused" {
	serve_start
	talk <<END
$prelude
import threading
def post(body, session=None, **more):
    c = http.client.HTTPConnection(addr, timeout=20)
    c.request("POST", "/mcp", json.dumps(body) if not isinstance(body, str) else body,
              {"Authorization": "Bearer " + key, "Content-Type": "application/json", **({"Mcp-Session-Id": session} if session else {}), **more})
    return c.getresponse()
r = post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
          "clientInfo": {"name": "x", "version": "1"}}})
r.read()
session = r.headers["Mcp-Session-Id"]
post({"jsonrpc": "2.0", "method": "notifications/initialized"}, session).read()
for id in ('{"a":1}', "[]", "1e400", "1.5", "null", "true"):
    r = post('{"jsonrpc":"2.0","id":%s,"method":"tools/list"}' % id, session)
    assert r.status == 400 and b"id" in r.read(), (id, r.status)
def call(id, accept):
    return post({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "shell", "arguments": {"command": "sleep 1000"}}}, session, Accept=accept)
def cancelled(id):
    time.sleep(1)
    assert post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}, session).status == 202
for id, accept, status in ((7, "application/json, text/event-stream", 200), ("b", "application/json", 409)):
    t = threading.Thread(target=cancelled, args=(id,))
    t.start()
    r = call(id, accept)
    assert r.status == status, r.status
    assert b'"result"' not in r.read()
    t.join()
r = post({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "shell", "arguments": {"command": "echo wel''l"}}}, session)
assert b"well" in r.read()
END
}

@test "attack: forms that are none are answered, and names lead nowhere else" {
	serve_start
	form=(-H 'Content-Type: multipart/form-data; boundary=B')
	serve_status POST '/files/upload?directory=up' 400 "${form[@]}" -m 10
	serve_status POST '/files/upload?directory=up' 400 "${form[@]}" -m 10 -H 'Transfer-Encoding: chunked' -d ''
	serve_status POST '/files/upload?directory=up' 400 "${form[@]}" -d nothing
	talk <<END
$prelude
import os
def upload(name, directory="up"):
    c = http.client.HTTPConnection(addr, timeout=20)
    c.request("POST", "/files/upload?directory=" + directory, b'--B\r\nContent-Disposition: form-data; name="file"; filename="' + name + b'"\r\n\r\nx\r\n--B--\r\n',
              {"Authorization": "Bearer " + key, "Content-Type": "multipart/form-data; boundary=B"})
    r = c.getresponse()
    got = json.loads(r.read())
    return r.status, os.path.relpath(got.get("path", "/"), "$LIB_PROJECT")
for name in (b"../x", b"/etc/x", b"a/../../x", b"up/x"):
    assert upload(name) == (200, "up/x"), (name, upload(name))
for name in (b"", b".", b"..", b"/", b"a/", b"a/..", b"a\0b", b"n" * 256, b"d/" * 3000 + b"x"):
    assert upload(name)[0] == 400, (name, upload(name))
# half of an argument is none of another
for directory in ("%00", "up%00x", "up%2f%00", "%zz", "up%", "up%2"):
    assert upload(b"y", directory)[0] == 400, directory
assert ask("DELETE", "/files/delete?path=up%00")[0] == 400
assert sorted(os.listdir(".")) == ["serve.body", "serve.err", "serve.out", "up"], os.listdir(".")
assert os.listdir("up") == ["x"]
END
}
