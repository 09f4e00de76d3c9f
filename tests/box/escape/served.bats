# What a program of a box writes to the descriptors that the server reads: K07, K13.
# shellcheck disable=SC2016 # Python's, not the shell's
load ../../lib
load ../../serve

setup_file() {
	lib_env
	lib_image
	lib_python
}
setup() {
	lib_skipped
	lib_project
	serve_start
}
teardown() { serve_end; }

# Runs a hostile cell in a kernel of its own, and does not wait for it. $1: Python
begin_cell() {
	serve_json POST /contexts '{}'
	context=$(jq -r .id <<<"$output")
	jq -nc --arg c "$1" --arg i "$context" '{code: $c, context_id: $i}' >cell.json
	curl -sS -m 60 -H "Authorization: Bearer $SERVE_KEY" -H 'Content-Type: application/json' -d @cell.json \
		"$SERVE_URL/execute" >cell.out 3>&- &
	cell=$!
	for ((tries = 0; tries < 1000; tries++)); do
		[ ! -e began ] || return 0
		read -rt 0.02 <> <(:) || true
	done
	cat cell.out
	return 1
}

# The server is there for the others: N times, in two seconds each.
serves() {
	for ((times = 0; times < $1; times++)); do
		run -0 curl -sS -m 2 "$SERVE_URL/health"
		[ "$output" = '{"status":"ok"}' ]
		read -rt 0.05 <> <(:) || true
	done
}

end_cell() {
	kill "$cell" 2>/dev/null || true
	wait "$cell" 2>/dev/null || true
	serve DELETE "/contexts/$context"
}

# The most that the server had in memory, in KiB.
peak() { if [ "${CUBBY_TEST_SANITIZED-}" ]; then echo 0; else awk '/VmHWM/ { print $2 }' "/proc/$SERVE_PID/status"; fi; }

# What a box can write to, it can also read, or leave empty behind the question how much there
# is. So nothing that the server shares with a box may be waited for.
# It is busy, or has a hostile process 1: then what is sent to it lies in its socket.
@test "K07: a monitor that takes nothing holds up its own box alone" {
	serve_end
	mkdir boxes
	serve_start --boxes "$PWD/boxes"
	serve_json POST /execute '{"command":"true"}' -H 'X-User-Id: a'
	serve_json POST /execute '{"command":"true"}' -H 'X-User-Id: b'
	monitor=$(cubby info --json -C boxes/a-* | jq .monitor_pid)
	printf '{"command":"true %06000d"}' 0 >body
	kill -STOP "$monitor"
	curl -sS -m 5 -Z --parallel-immediate --parallel-max 100 -o /dev/null -H "Authorization: Bearer $SERVE_KEY" -H 'X-User-Id: a' \
		-H 'Content-Type: application/json' -d @body "$SERVE_URL/execute#[1-400]" 2>/dev/null 3>&- &
	flood=$!
	held=
	for ((times = 0; times < 40; times++)); do
		curl -sS -m 2 "$SERVE_URL/health" -o /dev/null || { held=1; break; }
		read -rt 0.05 <> <(:) || true
	done
	run curl -sS -m 2 -H "Authorization: Bearer $SERVE_KEY" -H 'X-User-Id: b' -H 'Content-Type: application/json' \
		-d '{"command":"echo b"}' "$SERVE_URL/execute?wait=1"
	kill -CONT "$monitor"
	wait $flood || true
	[ ! "$held" ]
	[[ $output == *'"b\r\n"'* ]]
	serve_json POST '/execute?wait=10' '{"command":"echo again"}' -H 'X-User-Id: a'
	[[ $output == *'"again\r\n"'* ]]
	serve GET /ports -H 'X-User-Id: a'
	[ "$output" = '{"ports":[]}' ]
}

@test "K07: no descriptor that the server reads of a box can hold it up" {
	own=" $(cd "/proc/$SERVE_PID/fd" && echo *) "
	begin_cell 'open("began", "w").close(); import time; time.sleep(60)'
	serve_json POST /execute '{"command":"sleep 60"}'
	serve POST /api/terminals
	shared=0
	for fd in "/proc/$SERVE_PID/fd"/*; do
		[[ $own != *" ${fd##*/} "* ]] || continue
		what=$(readlink "$fd") || continue
		flags=0$(sed -n 's/^flags:[[:space:]]*//p' "/proc/$SERVE_PID/fdinfo/${fd##*/}")
		case $what in
		pipe:* | /dev/pts/ptmx | /dev/ptmx) shared=$((shared + 1)) ;;
		*) continue ;;
		esac
		((flags & 04000)) || { echo "$fd $what waits: $flags"; return 1; }
	done
	[ "$shared" -ge 5 ] # a cell's output, a command and where it is, two terminals
	end_cell
}

@test "K07: a socket that is handed to the server and lingers holds nobody up" {
	begin_cell 'import os, socket, struct
there = socket.socket()
there.bind(("127.0.0.1", 0))
there.listen()
s = socket.socket()
s.connect(there.getsockname())
s.setblocking(False)
try:
    while True:
        s.send(b"x" * 65536)
except BlockingIOError:
    pass
s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 30))
control = socket.socket(fileno=os.dup(4))
try:
    control.sendmsg([b"\x05\0\0\0"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", s.fileno()))])
except OSError:  # else it would hold us up here
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 0, 0))
s.close()
open("began", "w").close()
import time; time.sleep(60)'
	serves 10
	end_cell
	serves 1
}

@test "K07: messages of more values than there is memory for end their cell alone" {
	begin_cell 'import os, struct, threading
def frame(text):
    data = struct.pack("<I", len(text)) + text
    while data:
        data = data[os.write(5, data):]
many = b"[" + b"0," * (7 << 20) + b"0]"
open("began", "w").close()
frame(b"{\"t\":\"result\",\"id\":1,\"data\":{},\"files\":{},\"metadata\":{\"a\":" + many + b"}}")
import time; time.sleep(60)'
	wait "$cell" || true
	grep -q 'it sent what is no message' cell.out
	[ "$(peak)" -lt 120000 ]
	# A form of a value is JSON, too, and there may be many of them.
	rm began
	begin_cell 'class Many:
    def _repr_mimebundle_(self, **_):
        return {"application/json+%d" % i + "+json": "[" + "0," * (100 << 10) + "0]" for i in range(40)}
open("began", "w").close()
display(Many())'
	wait "$cell"
	grep -q end_of_execution cell.out
	[ "$(peak)" -lt 200000 ]
	serves 1
}

# bats test_tags=long
@test "K07: what is said to a cell that does not listen is not kept for ever" {
	before=$(peak)
	begin_cell 'import json, os, struct
one = json.dumps({"t": "display", "id": 0, "data": {}, "files": {}, "metadata": {}}).encode()
many = (struct.pack("<I", len(one)) + one) * 1000
open("began", "w").close()
for _ in range(1000):
    data = many
    while data:
        data = data[os.write(5, data):]'
	wait "$cell"
	grep -q end_of_execution cell.out
	[ $(($(peak) - before)) -lt 8000 ]
	serves 1
}

# What an object says of itself is no message of a forger: who shows it keeps what was defined.
@test "K07: values that say odd things of themselves end no interpreter" {
	begin_cell 'import json
class Odd:
    def __init__(self, data, metadata={}):
        self.both = dict({"text/plain": "shown"}, **data), metadata
    def _repr_mimebundle_(self, **_):
        return self.both
deep, deeper, kept = {}, [], 42
for _ in range(200): deep = {"a": deep}
for _ in range(100000): deeper = [deeper]
for odd in [({"text/html; charset=utf-8": "x"},), ({"té": "x", "": "x", " ": "x"},),
            ({"a/%d" % i: "x" for i in range(1000)},), ({}, {"a": "\0"}), ({}, {"a": float("nan")}),
            ({}, deep), ({}, {"a": deeper}), ({}, {str(i): i for i in range(100000)}),
            ({}, {"a": "x" * (30 << 20)}), ({"application/json": deeper},)]:
    display(Odd(*odd))
open("began", "w").close()'
	wait "$cell"
	[ "$(grep -c '"text":"shown"' cell.out)" = 10 ]
	grep -q end_of_execution cell.out
	run_cell() {
		jq -nc --arg c "$1" --arg i "$context" '{code: $c, context_id: $i}' >cell.json
		serve POST /execute -H 'Content-Type: application/json' -d @cell.json
	}
	run_cell 'raise type("S", (SyntaxError,), {})("\n" * 100000)'
	[[ $output == *'"name":"S"'*'lines left out'* ]]
	run_cell 'raise type("E" * (20 << 20), (Exception,), {})("x")'
	[[ $output == *'"name":"EEEE'*'characters left out'* ]]
	run_cell '"a" * (5 << 20)'
	[[ $output == *'(5177346 characters left out)'* ]]
	run_cell 'import threading
t = threading.Thread(target=lambda: display("x", display_id="x" * (17 << 20)), daemon=True); t.start(); t.join(20)
t.is_alive()'
	[[ $output == *'too large to be shown'*'"text":"False"'* ]]
	run_cell kept
	[[ $output == *'"text":"42"'* ]]
	[ "$(peak)" -lt 120000 ]
}

# Processor time of the server, in hundredths of a second.
spent() { awk '{ print $14 + $15 }' "/proc/$SERVE_PID/stat"; }

# times N TARGET WITH: one text becomes another, and that the first, and so on
to_and_fro() {
	jq -nc --argjson n "$1" --arg a "$2" --arg b "$3" '{path: "large", replacements:
		[range($n) | if . % 2 == 0 then [$a, $b] else [$b, $a] end | {target: .[0], replacement: .[1]}]}' >replace.json
}

# bats test_tags=long
@test "K07: what is replaced in a file is the box's work, and nobody else waits for it" {
	{ head -c $((16777216 - 4)) /dev/zero | tr '\0' a; echo end; } >large
	sum=$(sha256sum <large)
	to_and_fro 200 end fin
	serve GET /files/cwd
	before=$(spent)
	serve_status POST /files/replace 200 -H 'Content-Type: application/json' -d @replace.json
	[ "$(jq -r .size serve.body)" = 16777216 ]
	[ "$(sha256sum <large)" = "$sum" ]
	[ $(($(spent) - before)) -lt "$(lib_longer 50)" ]
	[ "$(peak)" -lt 100000 ]
	# more than anybody waits for; who asked leaves, and it ends
	to_and_fro 30000 end fin
	curl -sS -m 60 -H "Authorization: Bearer $SERVE_KEY" -H 'Content-Type: application/json' -d @replace.json \
		"$SERVE_URL/files/replace" >replace.out 3>&- &
	cell=$!
	serves 20
	kill -0 "$cell"
	kill "$cell"
	for ((tries = 0; tries < 200; tries++)); do
		serve GET /v1/boxes/here/processes
		[[ $output == *'"pid":1,'* && $output != *'"pid":'*'"pid":'* ]] && break
		[[ $output != *"the box is not running"* ]] || break # it ended with its last program
		read -rt 0.05 <> <(:) || true
	done
	[ "$tries" -lt 200 ]
	[ "$(sha256sum <large)" = "$sum" ]
	[ -z "$(find . -name '*.cubby-*')" ]
}

@test "K07: what a document says is made an answer in the box, and nobody else waits for it" {
	serve_json POST /execute?wait=20 '{"command":"head -c 5000000 /dev/zero | tr \"\\0\" \"\\1\" >/root/said; printf \"#!/bin/sh\\nexec cat /root/said\\n\" >/usr/local/bin/pdftotext; chmod 755 /usr/local/bin/pdftotext"}'
	printf '%%PDF-1.4\n\377\0' >a.pdf
	before=$(spent)
	serve_status GET '/files/read?path=a.pdf' 200
	[ $(($(spent) - before)) -lt "$(lib_longer 30)" ]
	[ "$(wc -c <serve.body)" -gt 30000000 ]
	[ "$(jq -r '.total_lines, (.content | length)' serve.body | tr '\n' ' ')" = '1 5000000 ' ]
	[ "$(peak)" -lt 100000 ]
}

@test "K07: a file that becomes a link, a pipe or a directory while a text in it is replaced" {
	serve_json POST /execute?wait=20 '{"command":"mkdir -p /root/out; printf two >/root/out/other"}'
	serve_json POST /execute "$(jq -nc --arg c ': >on; while [ ! -e off ]; do
		printf one >new; mv -fT new at; ln -s /root/out/other new; mv -fT new at; ln -s none new; mv -fT new at
		mkfifo new; mv -fT new at; rm -f at; mkdir at; rmdir at; done; : >done' '{command: $c}')"
	until [ -e on ]; do read -rt 0.02 <> <(:) || true; done
	for ((n = 0; n < 100; n++)); do
		serve_json POST /files/replace '{"path":"at","replacements":[{"target":"o","replacement":"o"}]}' -o answer -w '%{http_code}'
		[[ $output =~ ^(200|400|403|404|409)$ ]] || { echo "$output"; cat answer; return 1; }
	done
	: >off
	until [ -e done ]; do read -rt 0.02 <> <(:) || true; done
	serves 3
	serve_json POST /execute?wait=20 '{"command":"cat /root/out/other; find . /root/out -name \"*.cubby-*\""}'
	[[ $(jq -r '[.output[].data] | add' <<<"$output") =~ ^(two|one)$ ]]
}

# bats test_tags=long
@test "K07: a notebook is read and written in the box, and nobody else waits for it" {
	{ printf '{"cells":[{"cell_type":"code","source":"6*7","metadata":{},"outputs":[]}],"nbformat":4,"metadata":{"pictures":"'
		head -c 48000000 /dev/zero | tr '\0' a
		printf '","numbers":['
		head -c 600000 /dev/zero | sed 's/\x0/0,/g'
		printf '1.0]}}\n'; } >large.ipynb
	serve GET /files/cwd
	before=$(spent)
	serve_json POST /notebooks '{"path":"large.ipynb"}'
	id=$(jq -r .id <<<"$output")
	serve_json POST "/notebooks/$id/execute" '{"cell_index":0}'
	[ "$(jq -r '.outputs[0].data["text/plain"]' <<<"$output")" = 42 ]
	[ $(($(spent) - before)) -lt "$(lib_longer 30)" ]
	[ "$(peak)" -lt 60000 ]
	[ "$(jq -r '.cells[0].outputs[0].data["text/plain"], (.metadata.numbers | length), (.metadata.pictures | length)' large.ipynb | tr '\n' ' ')" = '42 600001 48000000 ' ]
	grep -q '1\.0$' large.ipynb # what it does not know it does not change
	# what a cell says is text here: of many values no more than their text
	serve_json POST "/notebooks/$id/execute" '{"cell_index":0,"source":"class Many:\n    def _repr_json_(self):\n        return [0] * 250000\nfor _ in range(20): display(Many())"}'
	[ "$(jq -r '.outputs[-1].ename // .outputs[-1].text' <<<"$output")" = '[more than 8 MiB of output: interrupted]' ]
	[ "$(peak)" -lt 150000 ]
}
