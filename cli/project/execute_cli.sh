cat >/usr/local/bin/execute_cli <<'CUBBY_END' && chmod 755 /usr/local/bin/execute_cli && echo '1 + 1' | /usr/local/bin/execute_cli && exec /usr/local/bin/execute_cli --stop
#!/usr/bin/python3
"""execute_cli - run the code of standard input in a Jupyter kernel that stays.

	echo "import math" | execute_cli
	echo "math.pi" | execute_cli

What one call defines the next one has. --context NAME is another kernel, --restart ends
it first, --stop ends it, --timeout SECONDS interrupts the code (default: 120). Pictures
become files below /tmp. The status is 1 after an exception, and 124 at the time limit."""
import argparse, base64, fcntl, os, re, signal, subprocess, sys, tempfile, threading, time

from jupyter_client import BlockingKernelClient
from jupyter_client.connect import write_connection_file

ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def arguments():
	p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	p.add_argument("--context", default="default")
	p.add_argument("--timeout", type=float, default=120)
	p.add_argument("--restart", action="store_true")
	p.add_argument("--stop", action="store_true")
	a = p.parse_args()
	if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", a.context):
		p.error("a context's name has letters, digits, '-' and '_'")
	return a


def place(context):
	base = f"/tmp/execute_cli-{os.getuid()}"
	os.makedirs(base, mode=0o700, exist_ok=True)
	st = os.lstat(base)
	if st.st_uid != os.getuid() or st.st_mode & 0o077 or not os.path.isdir(base) or os.path.islink(base):
		sys.exit(f"execute_cli: '{base}' is another's")
	return os.path.join(base, context)


def running(path):
	"""The pid of its kernel: the process that has our connection file in its words."""
	try:
		pid = int(open(path + ".pid").read())
		words = open(f"/proc/{pid}/cmdline").read().split("\0")
	except (OSError, ValueError):
		return None
	return pid if path + ".json" in words else None


def stop(path):
	pid = running(path)
	if pid:
		try:
			os.killpg(pid, signal.SIGKILL)
		except ProcessLookupError:
			pass


def start(path):
	if running(path):
		return
	if os.path.exists(path + ".json"):
		os.unlink(path + ".json")
	write_connection_file(path + ".json", transport="ipc", ip=path)
	kernel = subprocess.Popen(
		[sys.executable, "-m", "ipykernel_launcher", "-f", path + ".json"], start_new_session=True,
		stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
	with open(path + ".pid", "w") as f:
		f.write(str(kernel.pid))


def show(message):
	kind, content = message["msg_type"], message["content"]
	if kind == "stream":
		out = sys.stderr if content["name"] == "stderr" else sys.stdout
		out.write(content["text"])
		out.flush()
	elif kind in ("execute_result", "display_data"):
		for mime, end in (("image/png", ".png"), ("image/jpeg", ".jpg")):
			if mime in content["data"]:
				fd, name = tempfile.mkstemp(suffix=end, prefix="picture-", dir="/tmp")
				os.write(fd, base64.b64decode(content["data"][mime]))
				print(f"[picture: {name}]")
				return
		print(content["data"].get("text/plain", ""))
	elif kind == "error":
		print(ANSI.sub("", "\n".join(content["traceback"])), file=sys.stderr)


def connect(path):
	"""A client of the kernel, which may be at its start."""
	end = time.monotonic() + 60
	while True:
		client = BlockingKernelClient(connection_file=path + ".json")
		client.load_connection_file()
		client.start_channels()
		try:
			client.wait_for_ready(timeout=5)
			return client
		except RuntimeError as e:
			client.stop_channels()
			if not running(path) or time.monotonic() > end:
				sys.exit(f"execute_cli: the kernel does not answer: {e}; --restart begins another")
			time.sleep(0.1)


def watch(path):
	"""A kernel that has ended answers nothing more: nobody waits for that."""
	while running(path):
		time.sleep(0.2)
	sys.stdout.flush()
	print("execute_cli: the kernel has ended; what was defined is lost", file=sys.stderr, flush=True)
	os._exit(1)


def run(path, code, timeout):
	client = connect(path)
	threading.Thread(target=watch, args=(path,), daemon=True).start()
	try:
		reply = client.execute_interactive(code, allow_stdin=False, timeout=timeout, output_hook=show)
		return 0 if reply["content"]["status"] == "ok" else 1
	except TimeoutError:
		pid = running(path)
		if pid:  # else watch() is about to say so
			os.killpg(pid, signal.SIGINT)
		print(f"execute_cli: interrupted after {timeout:g} s; what was defined stays", file=sys.stderr)
		return 124
	finally:
		client.stop_channels()


def main():
	a = arguments()
	path = place(a.context)
	with open(path + ".lock", "w") as lock:
		fcntl.flock(lock, fcntl.LOCK_EX)  # one cell at a time
		if a.restart or a.stop:
			stop(path)
		if a.stop:
			return 0
		start(path)
		return run(path, sys.stdin.read(), a.timeout)


sys.exit(main())
CUBBY_END
