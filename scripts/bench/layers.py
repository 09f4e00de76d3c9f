"""layers - parts of `make bench`: images in layers, snapshots, a project under review.

Each takes the Bench of `run`, whose rows and notes it fills."""

import os
import shutil
import socket
import subprocess
import time

CHANGED, DIRS, FILES, TRACKED = 2, 500, 100, 20000  # a directory's; of a project


def make_layout(b, name, tars):
    layout = b.path("layout")
    b.run(os.path.join(b.top, "tests/mklayout"), layout, name, *tars)
    return f"oci:{layout}:{name}"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def bench_layers(b):
    """Starts on one layer and on ten; snapshots of a box that has little, and much."""
    tars = [b.path("whole.tar")]
    b.run("tar", "-C", b.path("root"), "-cf", tars[0], ".")
    for i in range(9):
        write(b.path(f"layer{i}/opt/{i}"), "x\n")
        tars.append(b.path(f"layer{i}.tar"))
        b.run("tar", "-C", b.path(f"layer{i}"), "-cf", tars[-1], "opt")
    rows = []
    for name, some in (("one", tars[:1]), ("ten", tars)):
        at = b.path("on-" + name)
        os.mkdir(at)
        b.run(b.cubby, "pull", "-q", "--name", "bench-" + name, make_layout(b, name, some))
        run = f"{b.cubby} exec -C {at} --image bench-{name} true"
        rows.append((name, run, f"{run} ;; {b.cubby} stop -q -C {at}"))
    for name, prepare, _ in rows:
        b.run("sh", "-c", prepare, stderr=subprocess.DEVNULL)
    rows = [(name, f"{b.cubby} stop -q -C {b.path('on-' + name)} || :", command)
            for name, _, command in rows]
    m = b.measure(rows)
    b.row("start on 10 layers, run true, stop", m["ten"], "on one layer", m["one"],
          bar="≤ 1.1×", most=1.1)

    much = "mkdir /opt/x && cd /opt/x && seq 20000 | xargs touch && head -c 100M /dev/zero >zero"
    for name, script in (("small", "touch /opt/x"), ("big", much)):
        at = b.path(name)
        os.mkdir(at)
        b.run(b.cubby, "exec", "-q", "-C", at, "sh", "-c", script)
        m = b.measure([("snapshot", "", f"{b.cubby} snapshot -q -C {at} s@"),
                       ("branch", "", f"{b.cubby} branch -q -C {at} b@"),
                       ("restore", "", f"{b.cubby} restore -q -C {at} s@")],
                      rounds=min(b.rounds, 20))
        for what, us in m.items():
            b.row(f"{what} of a stopped box, {name}", us / 1000, unit="ms", bar="≤ 10 ms",
                  most=10)


def bench_review(b):
    """A project under review beside one that is live."""
    at = b.path("reviewed")
    for d in range(DIRS):
        for f in range(FILES):
            write(f"{at}/{d}/{f}", f"{f}\n")
    stop = f"{b.cubby} stop -q -C {at} || :"
    rows = [(mode, stop, f"{b.cubby} exec -C {at} --project {mode} true ;; "
             f"{b.cubby} stop -q -C {at}") for mode in ("review", "live")]
    b.run(b.cubby, "exec", "-q", "-C", at, "true")
    m = b.measure(rows)
    b.row("start under review, run true, stop; 50,000 files", m["review"], "live", m["live"],
          bar="≤ 1.15×", most=1.15)

    change = (f"cd {at} && {b.cubby} exec -q --project review sh -c "
              f"'for d in *; do for f in $(seq {CHANGED}); do echo @ >>$d/$f; done; done'; {stop}")
    m = b.measure([("diff", change, f"{b.cubby} diff -C {at} --stat"),
                   ("apply", "", f"{b.cubby} apply -C {at} --all -q"),
                   ("undo", "", f"{b.cubby} undo -C {at} -q")], rounds=min(b.rounds, 10))
    for what, bar in (("diff", 50), ("apply", 1000), ("undo", 1000)):
        b.row(f"{what}{' --stat' if what == 'diff' else ''} of 1,000 changes in 50,000 files",
              m[what] / 1000, unit="ms", bar=f"≤ {bar} ms", most=bar)
    bench_git(b)


def bench_git(b):
    """git status where each file was looked up before; ours of this host, as the image has none."""
    git = shutil.which("git")
    if not git:
        b.left_out("git status (no git)")
        return
    at = b.path("tracked")
    for i in range(TRACKED):
        write(f"{at}/{i // 100}/{i}", f"{i}\n")
    write(f"{at}/.gitignore", "tools\n")
    libs = [w for line in b.run("ldd", git).stdout.splitlines() for w in line.split()
            if w.startswith("/")]
    os.mkdir(f"{at}/tools")
    b.run("cp", "-L", git, *libs, f"{at}/tools")
    loader = next(os.path.basename(p) for p in libs if os.path.basename(p).startswith("ld-"))
    write(f"{at}/tools/status", f"for i in $(seq 10); do tools/{loader} --library-path tools tools/git "
          "-c safe.directory='*' status >/dev/null || exit; done\n")
    b.run("sh", "-c", f"cd {at} && git init -q . && git config gc.auto 0 && git add . && git -c user.name=b -c user.email=b@x "
          "commit -qm b && git status")
    copy = b.path("tracked-live")
    b.run("cp", "-a", at, copy)
    b.run("git", "-C", copy, "status")
    places = {"review": at, "live": copy}
    for mode, where in places.items():
        b.run(b.cubby, "exec", "-q", "-C", where, "--project", mode, "--keep", "sh", "tools/status")
    m = b.measure([(mode, "", f"{b.cubby} exec -C {where} --project {mode} sh tools/status")
                   for mode, where in places.items()], rounds=min(b.rounds, 30))
    b.row("git status of 20,000 files under review, warm", m["review"] / 10, "live", m["live"] / 10,
          bar="≤ 1.3×", most=1.3)
    for where in places.values():
        b.run(b.cubby, "stop", "-q", "-C", where)


def descendants(pid):
    found = [pid]
    for p in found:
        try:
            for task in os.listdir(f"/proc/{p}/task"):
                with open(f"/proc/{p}/task/{task}/children") as f:
                    found += [int(c) for c in f.read().split()]
        except OSError:
            pass  # it has ended
    return found


def pss_kib(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup") as f:
            return sum(int(line.split()[1]) for line in f if line.startswith("Pss:"))
    except OSError:
        return 0


def most_memory(b, command):
    p = subprocess.Popen(["sh", "-c", "exec " + command], env=b.env, cwd=b.project,
                         stdout=subprocess.DEVNULL)
    most = 0
    while p.poll() is None:
        most = max(most, sum(map(pss_kib, descendants(p.pid))))
        time.sleep(0.005)
    if p.returncode:
        raise RuntimeError(f"{command}: status {p.returncode}")
    return most


def parents(path):
    """./usr of ./usr/bin; . and what is in it have none that count."""
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(2, len(parts))]


def five_layers(b):
    """The tree in five parts, each a layer."""
    parts = [["./usr/share"], ["./usr/bin", "./usr/sbin"], ["./usr/lib/x86_64-linux-gnu"]]
    parts = [p for p in ([d for d in part if os.path.isdir(b.path("root/" + d))]
                         for part in parts) if p]
    parts.append(["./var", "./etc"])
    parts.insert(0, ["."])  # what the others leave
    tars = []
    for i, part in enumerate(parts):
        tars.append(b.path(f"part{i}.tar"))
        rest = [f"--exclude={d}" for p in parts[1:] for d in p] if not i else []
        # With the directories above it, as engines write a layer: one without them means
        # something only with those below, and is unpacked into one tree with them.
        above = sorted({up for d in part for up in parents(d)})
        b.run("tar", "-C", b.path("root"), *rest, "-cf", tars[-1], "--no-recursion", *above,
              "--recursion", *part)
    return tars


def bench_pull(b):
    """An image from a registry on loopback, until it is on the disk."""
    if not all(map(shutil.which, ("docker-registry", "skopeo"))):
        b.left_out("pull (no docker-registry or skopeo)")
        return
    if os.sched_getscheduler(0) != os.SCHED_OTHER:
        b.left_out("pull (skopeo and podman spin in the real-time class)")
        return
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        at = "127.0.0.1:%d" % s.getsockname()[1]
    write(b.path("reg.yml"), "version: 0.1\nstorage: {filesystem: {rootdirectory: "
          f"{b.path('reg')}}}}}\nhttp: {{addr: \"{at}\"}}\n")
    registry = subprocess.Popen(["docker-registry", "serve", b.path("reg.yml")],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while registry.poll() is None:
            with socket.socket() as s:
                if s.connect_ex(tuple([at.split(":")[0], int(at.split(":")[1])])) == 0:
                    break
            time.sleep(0.02)
        pull_rows(b, f"{at}/b/five:1")
    finally:
        registry.terminate()
        registry.wait()


def pull_rows(b, image):
    data, out = b.path("pulled"), b.path("peer")
    b.run("skopeo", "copy", "-q", "--dest-tls-verify=false",
          make_layout(b, "five", five_layers(b)), "docker://" + image)
    copy = f"skopeo copy -q --src-tls-verify=false docker://{image} oci:{out}/l:x"
    unpack = (f"#!/bin/sh\nset -e\n{copy}\nmkdir {out}/r\nfor l in $(python3 -c 'import glob, json\n"
              f"for f in glob.glob(\"{out}/l/blobs/sha256/*\"):\n    try: m = json.load(open(f))\n"
              "    except ValueError: continue\n    for l in m.get(\"layers\", []): print(l[\"digest\"][7:])\n')\n"
              f"do tar -C {out}/r -xzf {out}/l/blobs/sha256/$l; done\nsync -f {out}\n")
    write(b.path("by-tar"), unpack)
    ours = f"env XDG_DATA_HOME={data} {b.cubby} pull -q {image}"
    fresh = f"chmod -R u+rwX {out} 2>/dev/null; rm -rf {out}; mkdir {out}; sync -f {out}"
    fresh_ours = f"rm -rf {data}; mkdir -m 700 {data}; sync -f {data}"
    rows = [("cubby", fresh_ours, ours), ("tar", fresh, f"sh {b.path('by-tar')}")]
    umoci = "umoci unpack" + ("" if os.geteuid() == 0 else " --rootless")
    if shutil.which("umoci"):
        rows.append(("umoci", fresh, f"{copy} ;; {umoci} --image {out}/l:x {out}/b ;; sync -f {out}"))
    podman = f"podman --root {out}/p --runroot {out}/pr"
    if b.works("sh", "-c", f"{fresh}; {podman} pull -q --tls-verify=false {image}"):
        rows.append(("podman", f"{podman} rmi -af >/dev/null 2>&1; {fresh}",
                     f"{podman} pull -q --tls-verify=false {image} ;; sync -f {out}"))
    for name in ("umoci", "podman"):
        if name not in [row[0] for row in rows]:
            b.left_out(f"pull by {name} (it does not work here)")
    m = b.measure(rows, rounds=min(b.rounds, 5))
    for name, of, least in (("umoci", "skopeo copy, umoci unpack, sync", 2),
                            ("tar", "skopeo copy, tar -xzf, sync", 2),
                            ("podman", "podman pull, sync", 1)):
        if name in m:
            b.row("pull 5 layers from a registry on loopback", m["cubby"] / 1000, of,
                  m[name] / 1000, unit="ms", bar=f"≥ {least}× faster", least=least)
    b.run("sh", "-c", fresh_ours)
    b.row("  memory of all processes of it (PSS)", most_memory(b, ours) / 1024, unit="MiB",
          bar="≤ 64 MiB", most=64)
    b.run("sh", "-c", f"env XDG_DATA_HOME={data} {b.cubby} rmi --all -q; {podman} rmi -af",
          check=False, stderr=subprocess.DEVNULL)
    b.run("sh", "-c", fresh, check=False)
