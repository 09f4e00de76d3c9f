# Python in a box: the tool, `cubby python`, and what docs/python.md promises of cells. What
# needs no box is in tests/unit/agent/python/test_python.c, with the host's python3.
# shellcheck disable=SC2016 # the box expands what is in single quotes
load ../lib
load toolkit

setup_file() {
	lib_env
	lib_image
	lib_python
}
setup() {
	lib_skipped
	lib_project
}
teardown() { unserve; }

# ---- the tool --------------------------------------------------------------------------

@test "tool: what one cell defines the next one has, and a result tells all" {
	serve
	call python code 'import os, sys
x = 20
print("out"); print("err", file=sys.stderr)
os.getcwd()'
	is "out
err
'$PWD'
[cell 1: ok]"
	call python code 'x + 1'
	is '21
[cell 2: ok]'
	call python code 'def f():
    return 1 / 0
f()'
	has 'File "<cell 3>", line 2, in f
    return 1 / 0'
	has 'ZeroDivisionError: division by zero
[cell 3: error]'
}

@test "tool: contexts share nothing and run side by side" {
	serve
	call python code 'x = 1'
	call python code 'x' context other
	has "NameError: name 'x' is not defined"
	call python code 'x = 2' context other
	call python code 'x'
	is '1
[cell 2: ok]'
	call python code 'x' context 'no/name'
	is "not run: a context's name has up to 31 letters, digits, - and _"
}

@test "tool: a cell that asks is answered with input" {
	serve
	call python code 'name = input("who? ")
name.upper()'
	is 'who? 
[waiting for a line]
[answer with input, session python:default; C-c interrupts]'
	call python code '0+1'
	has 'not run: an earlier cell waits for a line'
	call input text bob session python:default
	is "'BOB'
[cell 1: ok]"
	call input text bob session python:default
	is "not sent: no cell waits in 'python:default'"
	call python code 'input()'
	call input keys C-c session python:default
	has 'KeyboardInterrupt
[cell 2: interrupted]'
	call python code 'input()'
	call input keys C-d session python:default
	has 'EOFError: nobody answers'
}

# bats test_tags=long
@test "tool: a limit interrupts the cell and its children, and the state stays" {
	serve
	call python code 'x = 1
import subprocess, time'
	call python code 'subprocess.run(["sleep", "600"])' timeout 1
	has '[cell 2: interrupted]
[interrupted at its limit of 1s]'
	call python code 'time.sleep(600)' timeout 1
	has '[cell 3: interrupted]'
	call python code 'x'
	is '1
[cell 4: ok]'
}

@test "tool: what takes no interrupt is killed, and that its state is lost is told" {
	serve
	call python code 'import signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])'
	call python code 'time.sleep(600)' timeout 1
	is '[Python was killed: an interrupt had no effect; what was defined in it is lost, the next call starts another]
[interrupted at its limit of 1s]'
	call python code 'time'
	has '[a new Python was started: nothing is defined in it]'
	has "NameError: name 'time' is not defined"
}

# bats test_tags=long
@test "tool: an interpreter that ends is told of, and another one started" {
	serve
	call python code 'import os; print("last words", flush=True); os._exit(3)'
	is 'last words
[Python ended: exit 3; what was defined in it is lost, the next call starts another]'
	call python code '0+1'
	is '[a new Python was started: nothing is defined in it]
1
[cell 1: ok]'
	call python code 'import os; pid = os.getpid(); pid'
	call shell command "kill -9 ${text%%$'\n'*}"
	call python code '0+2'
	has '2
[cell 1: ok]'
	has '[a new Python was started: nothing is defined in it]'
	call python code '' restart true
	is '[Python has ended; the next call starts another]'
	call python code '0+3' restart true
	has '3
[cell 1: ok]'
}

@test "tool: more memory than the box may have is told as that" {
	serve --memory 200M
	call python code 'a = []
while True: a.append(bytearray(1 << 20))' timeout 60
	[[ $text == *'killed for the box'* || $text == *MemoryError* ]] || { echo "$text"; return 1; }
	call shell command 'test -e /none' # it is told once
	[[ $text == '[exit 1,'* ]]
	lacks 'memory limit'
	call python code '0+1'
	has '1
[cell '
}

@test "tool: a fork that falls out of its cell is no second interpreter" {
	serve
	call python code 'import os
pid = os.fork()
if pid: os.waitpid(pid, 0)
else: print("child")'
	is 'child
[cell 1: ok]'
	call python code 'import multiprocessing
def square(x): return x * x
with multiprocessing.get_context("fork").Pool(2) as p: print(p.map(square, [1, 2, 3]))'
	is '[1, 4, 9]
[cell 2: ok]'
}

# bats test_tags=long
@test "tool: long output is cut, and the whole of it is in a file of the box" {
	serve
	call python code 'for i in range(200000): print("line", i)'
	has 'line 0
'
	has 'line 199999
[cell 1: ok]
[the whole output is in /tmp/cubby-output/python-default-0.txt]'
	[ ${#text} -lt 40000 ]
	call shell command 'wc -l </tmp/cubby-output/python-default-0.txt'
	has '200000
[exit 0'
	call python code 'import os
for i in range(1600): os.write(1, b"x" * 65535 + b"\n")'
	has '[cell 2: ok]'
}

@test "tool: what threads print between cells is told apart" {
	serve
	call python code 'import threading, time
go = threading.Event()
threading.Thread(target=lambda: (go.wait(), print("late")), daemon=True).start()'
	is '[cell 1: ok]'
	call python code 'threading.Timer(0.2, go.set).start()'
	call shell command 'sleep 1'
	call python code '0+1'
	is '[printed since the last result:]
late
[output of this cell:]
1
[cell 3: ok]'
}

@test "tool: a picture is a file, and the facts of it a line" {
	serve
	call python code 'class P:
    def _repr_png_(self): return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x05\0\0\0\x06"
    def __repr__(self): return "P"
P()'
	has 'P
[image/png, 5 × 6 pixels, 24 B: /tmp/cubby-out/'
	file=${text#*: } file=${file%%]*}
	[ "$(jq -r '.result.content[1] | .type, .mimeType' <<<"$frame" | tr '\n' ' ')" = 'image image/png ' ]
	[ "$(jq -r '.result.content[1].data' <<<"$frame" | base64 -d | od -An -tx1 -N8)" = ' 89 50 4e 47 0d 0a 1a 0a' ]
	call shell command "wc -c <'$file'"
	has '24
[exit 0'
}

@test "tool: forged messages deceive nobody but their own cell" {
	serve
	call python code 'import os, struct, json
def forge(**m):
    m = json.dumps(m).encode()
    os.write(5, struct.pack("<I", len(m)) + m)
forge(t="done", id=7, status="ok")
forge(t="result", id=1, data={"text/plain": "forged\x1b]0;x\x07"}, files={}, metadata={})'
	is 'forged
[cell 1: ok]'
	call python code 'os.write(5, b"\xff" * 4)
import time; time.sleep(600)'
	has '[Python was killed: it sent what is no message; what was defined'
	call python code '0+1'
	has '1
[cell 1: ok]'
}

@test "tool: secrets are stars" {
	export OPENAI_API_KEY=sk-secret-of-the-test
	serve
	call python code 'print("sk-secret" + "-of-the-test")
"sk-secret" + "-of-the-test"'
	is "***
'***'
[cell 1: ok]"
}

@test "tool: a user of the box" {
	chmod 777 .
	serve --user nobody
	call python code 'import os; os.getuid() != 0'
	[[ $text != *'no user but root'* ]] || skip "one id only in this box"
	is 'True
[cell 1: ok]'
}

@test "tool: a box without python3 says what to do" {
	export CUBBY_IMAGE=test
	serve
	call python code '0+1'
	is 'there is no python3 in this box; install it in the box: apt-get update && apt-get install -y python3 (apk add python3, dnf install -y python3)'
}

# ---- the command -------------------------------------------------------------------------

@test "python: the value of a last expression, output, and both streams" {
	run -0 --separate-stderr cubby python -c 'import sys
print("err", file=sys.stderr); print("out", end="")
6 * 7'
	[ "$output" = "out
42" ]
	[ "$stderr" = err ]
}

@test "python: a file with arguments, and a script on standard input" {
	printf 'import sys\nprint(sys.argv, __name__)\n1 / 0\n' >s.py
	run -1 --separate-stderr cubby python s.py a -c
	[ "$output" = "['s.py', 'a', '-c'] __main__" ]
	[[ $stderr == *'File "s.py", line 3, in <module>'*'ZeroDivisionError: division by zero' ]]
	run -0 bash -c 'echo "print(1)" | cubby python'
	[ "$output" = 1 ]
}

@test "python: the status of sys.exit(), of a signal, of an interrupt" {
	run -7 cubby python -c 'import sys; sys.exit(7)'
	run -0 cubby python -c 'raise SystemExit'
	run -1 cubby python -c 'import sys; sys.exit("why")'
	[ "$output" = why ]
	run -0 --separate-stderr cubby python -c 'open(".envrc", "w"); open("plain", "w")'
	[ "$stderr" = "cubby: new '.envrc' acts on this machine: a shell reads it when it starts or enters the directory" ]
	run -137 cubby python -c 'import os; os.kill(os.getpid(), 9)'
	[ "$output" = 'cubby python: Python died: signal KILL' ]
	cubby python -c 'print("ready", flush=True)
import time; time.sleep(600)' >out 2>err &
	pid=$!
	timeout "$(lib_longer 60)" bash -c "until grep -q ready out; do sleep 0.02; done"
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ $status -eq 130 ]
	grep -q KeyboardInterrupt err
}

@test "python: it asks for a line of ours" {
	run -0 bash -c 'echo bob | cubby python -c "x = input(\"who? \"); x"'
	[ "$output" = "who? 'bob'" ]
	run -1 bash -c 'cubby python -c "input()" </dev/null'
	[[ $output == *'EOFError: nobody answers' ]]
}

@test "python: what it has to do at its end is done" {
	run -0 cubby python -c 'import atexit, threading, time
atexit.register(print, "at exit")
threading.Thread(target=lambda: (time.sleep(0.2), print("thread"))).start()
print("cell")'
	[ "$output" = "cell
thread
at exit" ]
}

@test "python --json: an object for each thing that happens" {
	cubby python --json -c 'import sys
print("é"); print("e", file=sys.stderr)
display(1)
x = input("? ")
{x: 2}' <<<'a' >out
	[ "$(jq -c 'del(.ms)' out)" = '{"name":"stdout","text":"é\n","event":"stream"}
{"name":"stderr","text":"e\n","event":"stream"}
{"data":{"text/plain":"1"},"files":{},"metadata":{},"event":"display"}
{"prompt":"? ","password":false,"event":"ask"}
{"count":1,"data":{"text/plain":"{'"'a'"': 2}"},"files":{},"metadata":{},"event":"result"}
{"status":"ok","count":1,"event":"done"}' ]
	run -1 cubby python --json -c '1/0'
	[ "$(jq -r .ename <<<"$output")" = ZeroDivisionError ]
}

@test "python: what is wrong is told in a line" {
	run -125 cubby python nosuch.py
	[ "$output" = "cubby python: cannot open 'nosuch.py': No such file or directory" ]
	printf 'a\0b' >binary
	run -125 cubby python binary
	[ "$output" = "cubby python: 'binary' is no text: it has a NUL" ]
	mkdir bare && cd bare
	CUBBY_IMAGE=test run -127 cubby python -c 1
	[[ $output == 'cubby python: there is no python3 in this box; install it in the box: '* ]]
	run -127 cubby python --context work -c 1
	[[ $output == 'cubby python: there is no python3 in this box; install it in the box: '* ]]
}

@test "python: a prompt at a terminal, where a block ends with an empty line" {
	cubby exec -q -- true
	printf '%s\n' 'def f(x):' '    return x * 2' '' 'f(21)' '1 / 0' 'input("who? ")' bob 'exit(3)' >lines
	run -3 timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" 'cubby python' <lines
	text=$(tr -d '\r' <<<"$output")
	has '... '
	has '42
'
	has 'ZeroDivisionError: division by zero
'
	has "'bob'
>>> "
	printf 'x = 5\nx\n\004' >lines
	run -0 timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" 'cubby python' <lines
	[[ $output == *5* ]]
}

# ---- contexts that stay ------------------------------------------------------------------

@test "context: what one command defines the next one has, until it is restarted" {
	run -0 cubby python --context work -c 'x = 5; import os; os.getpid()'
	pid=$output
	run -0 cubby python --context work -c 'print("out"); x, os.getpid()'
	[ "$output" = "out
(5, $pid)" ]
	run -1 cubby python --context other -c x
	run -0 bash -c 'echo bob | cubby python --context work -c "input(\"who? \")"'
	[ "$output" = "who? 'bob'" ]
	run -0 --separate-stderr cubby python --context work --json -c 'display(1)'
	[ "$(jq -rc '.event' <<<"$output" | tr '\n' ' ')" = 'display done ' ]
	run -0 cubby python --context work --restart -c '"x" in globals()'
	[ "$output" = False ]
}

@test "context: --vars lists what is defined, and runs nothing of it" {
	cubby python --context work -c 'class A:
    def __repr__(self): print("RAN"); return "a"
x, a, text = [1, 2], A(), "one"'
	run -0 --separate-stderr cubby python --context work --vars
	[ "$output" = $'NAME  TYPE  SIZE  VALUE\nA     type  -     <class A>\nx     list  2     [1, 2]\na     A     -     <A>\ntext  str   3     \'one\'' ]
	run -0 --separate-stderr cubby python --context work --vars --json
	[ "$(jq -c '.[1], .[2]' <<<"$output")" = '{"name":"x","type":"list","size":"2","repr":"[1, 2]"}
{"name":"a","type":"A","size":null,"repr":"<A>"}' ]
	run -0 --separate-stderr cubby python --context new --vars
	[ "$output$stderr" = 'cubby: nothing is defined' ]
	run -125 cubby python --vars
	[[ $output == 'cubby python: --vars needs a --context'* ]]
	run -125 cubby python --context work --vars -c 1
	[[ $output == 'cubby python: --vars runs no code'* ]]
}

@test "context: an interrupt keeps the state, what takes none is killed" {
	cubby python --context work -c 'x = 5
import signal, time'
	cubby python --context work -c 'print("ready", flush=True); time.sleep(600)' >out 2>err &
	pid=$!
	timeout "$(lib_longer 60)" bash -c "until grep -q ready out; do sleep 0.02; done"
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ $status -eq 130 ]
	run -0 cubby python --context work -c x
	[ "$output" = 5 ]
	cubby python --context work -c 'signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
print("ready", flush=True); time.sleep(600)' >out 2>err &
	pid=$!
	timeout "$(lib_longer 60)" bash -c "until grep -q ready out; do sleep 0.02; done"
	kill -INT $pid
	sleep 4 # a second before it is killed, who stands for it has no processor
	joined='for p in /proc/[0-9]*; do ! grep -qs "join=wor[k]" $p/cmdline || kill'
	cubby exec -- sh -c "$joined -STOP \${p##*/}; done"
	sleep 2
	cubby exec -- sh -c "$joined -CONT \${p##*/}; done"
	wait $pid || true
	[[ $(cat err) == *'Python was killed: an interrupt had no effect' ]]
	run -0 timeout "$(lib_longer 20)" cubby python --context work -c '"x" in globals()'
	[ "$output" = False ]
}

@test "context: an interrupt reaches a cell that began before who stands for it went on" {
	cubby exec -q -- sh -c 'cd /usr/local/lib/python3*/dist-packages && cat >slow.py && echo import slow >slow.pth' <<-'EOF'
		import signal, sys, time
		plain = signal.signal
		def slow(number, handler):
		    if any(word.startswith("join=") for word in getattr(sys, "argv", ())) and handler is not signal.SIG_DFL:
		        time.sleep(4)
		    return plain(number, handler)
		signal.signal = slow
	EOF
	cubby python --context work -c 'x = 5; import time'
	cubby python --context work -c 'print("ready", flush=True); time.sleep(600)' >out 2>err &
	pid=$!
	timeout "$(lib_longer 60)" bash -c "until grep -q ready out; do sleep 0.02; done"
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ $status -eq 130 ]
	[[ $(cat err) == *KeyboardInterrupt ]]
	run -0 timeout "$(lib_longer 20)" cubby python --context work -c x
	[ "$output" = 5 ]
}

@test "context: who waits for its turn is interrupted at once, and who says nothing harms nobody" {
	cubby python --context work -c 'x = 5; import time'
	cubby exec -- python3 -c 'import socket
socket.socket(socket.AF_UNIX).connect("/run/cubby-python/work.socket")'
	cubby python --context work -c 'print("ready", flush=True); time.sleep(600)' >out 2>err &
	first=$!
	timeout "$(lib_longer 60)" bash -c "until grep -q ready out; do sleep 0.02; done"
	cubby python --context work -c 'x = 6' >waits 2>&1 &
	second=$!
	# who listens, who has its turn, and who waits for one
	timeout "$(lib_longer 60)" bash -c "until cubby exec -- grep -c work.socket /proc/net/unix | grep -qx 3; do sleep 0.1; done"
	kill -INT $second
	status=0
	wait $second || status=$?
	[ $status -eq 130 ]
	[ "$(cat waits)" = 'cubby python: Python died: signal INT' ]
	kill -INT $first
	wait $first || true
	run -0 cubby python --context work -c x
	[ "$output" = 5 ]
}

@test "context: who is stopped, or sends half of a request, holds up nobody" {
	cubby python --context work -c 'x = 5; import os, time'
	cubby exec -- python3 -c 'import array, os, socket, struct, time
def join(fds=()):
    s = socket.socket(socket.AF_UNIX)
    s.connect("/run/cubby-python/work.socket")
    s.recv(4)
    s.sendmsg([b"-"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else [])
    return s
left, right = socket.socketpair()
token, back = os.pipe()
null = os.open("/dev/null", os.O_RDWR)
all = [join((right.fileno(), null, null, null, token, back)), join((null, null)), socket.socket(socket.AF_UNIX)]
all[2].connect("/run/cubby-python/work.socket")
left.send(struct.pack("<I", 1000) + b"{")
print("ready", flush=True)
time.sleep(600)' >half 2>&1 3>&- &
	half=$!
	timeout "$(lib_longer 60)" bash -c "until grep -q ready half; do sleep 0.02; done"
	run -0 timeout "$(lib_longer 20)" cubby python --context work -c x
	[ "$output" = 5 ]
	cubby python --context work -c 'print("ready", flush=True)
while not os.path.exists("go"): time.sleep(0.01)
display(1); x = 6' >out 2>err &
	stopped=$!
	timeout "$(lib_longer 60)" bash -c "until grep -q ready out; do sleep 0.02; done"
	kill -STOP $stopped
	touch go
	run -0 timeout "$(lib_longer 30)" cubby python --context work -c x
	[ "$output" = 6 ]
	kill -CONT $stopped
	wait $stopped
	[ "$(cat out)" = $'ready\n1' ]
	kill $half
}

@test "python: no exception ends it, whatever it is" {
	run -1 --separate-stderr cubby python -c 'e = None
for i in range(3000):
    n = ValueError(i)
    n.__context__, e = e, n
raise e'
	[[ $stderr == *'ValueError: 0'* ]]
	run -1 --separate-stderr cubby python -c 'class E(Exception):
    def __str__(self): raise SystemExit(5)
raise E'
	[[ $stderr == *'E: <exception str() failed>'* ]]
	printf '%s\n' "$(printf '%03500d' 0 | tr 0 -)1" 'exit(3)' >lines
	run -3 timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" 'cubby python' <lines
}

@test "context: one that has just begun is restarted, too" {
	cubby exec -q -- sh -c 'cd /usr/local/lib/python3*/dist-packages && cat >slow.py && echo import slow >slow.pth' <<-'EOF'
		import socket, sys, time
		plain = socket.socket.listen
		def slow(*args):
		    open("/tmp/listens", "w").close()
		    time.sleep(3)
		    return plain(*args)
		socket.socket.listen = slow
	EOF
	cubby python --context work -c 'x = 5' >/dev/null 2>&1 &
	pid=$!
	timeout "$(lib_longer 60)" bash -c "until cubby exec -q -- test -e /tmp/listens; do sleep 0.1; done"
	run -0 cubby python --context work --restart -c 7 # the other one's cell may be first in the new one, too
	[ "$output" = 7 ]
	wait $pid || true
}

@test "context: a client that is killed leaves it to the next one" {
	cubby python --context work -c 'x = 5; import time'
	cubby python --context work -c 'print("ready", flush=True); time.sleep(1); x = 6' >out 2>&1 &
	pid=$!
	timeout "$(lib_longer 60)" bash -c "until grep -q ready out; do sleep 0.02; done"
	kill -KILL $pid
	run -0 cubby python --context work -c x
	[ "$output" = 6 ]
	run -1 cubby python --context work -c 'import os; os._exit(3)'
	[ "$output" = 'cubby python: Python ended within the cell: exit 1' ]
	run -0 cubby python --context work -c '"x" in globals()'
	[ "$output" = False ]
}

@test "context: nobody else of the box can reach it" {
	cubby python --context work -c '1'
	run -0 cubby exec -- stat -c %a /run/cubby-python
	[ "$output" = 700 ]
	run cubby exec --user nobody -- ls /run/cubby-python
	[[ $output == *'no user but root'* ]] || [[ $output == *'Permission denied'* ]]
	run -125 cubby python --context ../x -c 1
	[[ $output == "cubby python: --context: bad name '../x'; "* ]]
	run -125 cubby python --restart -c 1
	[[ $output == 'cubby python: --restart needs a --context'* ]]
}

@test "command: what it leaves keeps no box, also where something ran on before" {
	stopped() { [ "$(cubby info --json | jq -r .state)" = stopped ]; }
	leaving=(cubby python -c 'import subprocess as s; s.Popen(["sleep", "1000"], stdin=-3, stdout=-3, stderr=-3, start_new_session=True)')
	run -0 --separate-stderr "${leaving[@]}"
	stopped
	run -0 cubby exec -q -d -- true
	lib_until stopped
	run -0 --separate-stderr "${leaving[@]}"
	stopped
}
