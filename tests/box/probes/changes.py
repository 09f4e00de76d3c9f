"""changes - changes of a directory that anybody may make, by a seed; and what it looks like.

usage: changes change SEED COUNT DIR   the same changes for the same seed and directory, wherever
       changes list DIR                a line for each entry: what an apply is to take over,
                                      which attributes are not

Runs in a box and on the host; nothing depends on the order in which a directory is listed.
"""
import hashlib
import os
import random
import shutil
import stat
import sys

NAMES = [b'a', b'b', b'c', b'A', b'sub', b'dir', b'x y', b'n\nl', b'\xff\xfe', b'\xc3\xa4', b'-dash',
         b'e' * 255, b'back\\slash', b'tab\t', b'.hid', b'q"q']
DEEPEST = 900


def is_dir(path):
    return os.path.isdir(path) and not os.path.islink(path)


def entries(root):
    """Each entry and each directory below root, by names from there, in their order."""
    found, dirs = [], [b'']
    for at, below, files in os.walk(root):
        rel = os.path.relpath(at, root)
        for name in below + files:
            path = name if rel == b'.' else os.path.join(rel, name)
            found.append(path)
            if is_dir(os.path.join(at, name)):
                dirs.append(path)
    return sorted(found), sorted(dirs)


def remove(path):
    if is_dir(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def write(path, data, how='wb'):
    with open(path, how) as f:
        f.write(data)


class Change:
    """One of them: each method may fail, here as there."""

    def __init__(self, rnd, root):
        self.rnd = rnd
        self.root = root
        found, dirs = entries(root)
        self.at = lambda path: os.path.join(root, path)
        self.new = self.at(os.path.join(rnd.choice(dirs), rnd.choice(NAMES)))
        self.old = self.at(rnd.choice(found)) if found else self.new
        self.other = self.at(rnd.choice(found)) if found else self.new

    def file(self):
        data = self.rnd.randbytes(self.rnd.randint(0, 3000))
        if len(self.new) < DEEPEST and not os.path.lexists(self.new):
            write(self.new, data)

    def append(self):
        if os.path.isfile(self.old) and not os.path.islink(self.old):
            write(self.old, b'more %d\n' % self.rnd.randint(0, 99), 'ab')

    def rewrite(self):
        if os.path.isfile(self.old) and not os.path.islink(self.old):
            with open(self.old, 'rb') as f:
                data = f.read()
            write(self.old, data)

    def truncate(self):
        if os.path.isfile(self.old) and not os.path.islink(self.old):
            os.truncate(self.old, self.rnd.randint(0, 10))

    def sparse(self):
        if len(self.new) < DEEPEST and not os.path.lexists(self.new):
            with open(self.new, 'wb') as f:
                f.seek(1 << 20)
                f.write(b'e')

    def directory(self):
        if len(self.new) < DEEPEST:
            os.mkdir(self.new)

    def remove(self):
        remove(self.old)

    def move(self):
        if len(self.new) < DEEPEST:
            os.rename(self.old, self.new)

    def swap(self):
        aside = self.at(b'swap.tmp')
        os.rename(self.old, aside)
        try:
            os.rename(self.other, self.old)
            os.rename(aside, self.other)
        except OSError:  # one was below the other
            os.rename(aside, self.new if os.path.lexists(self.old) else self.old)

    def symlink(self):
        os.symlink(self.rnd.choice([b'a', b'sub', b'nowhere', b'.']), self.new)

    def link(self):
        if not os.path.islink(self.old):
            os.link(self.old, self.new)

    def mode(self):
        if not os.path.islink(self.old):
            modes = [0o755, 0o700, 0o711] if is_dir(self.old) else [0o644, 0o600, 0o755, 0o640]
            os.chmod(self.old, self.rnd.choice(modes))

    def attribute(self):
        if os.path.isfile(self.old) and not os.path.islink(self.old):
            os.setxattr(self.old, b'user.me', b'%d' % self.rnd.randint(0, 9))

    def to_directory(self):
        remove(self.old)
        os.mkdir(self.old)
        write(os.path.join(self.old, b'in'), b'x')

    def to_file(self):
        remove(self.old)
        write(self.old, b'was another')

    def emptied(self):
        if is_dir(self.old):
            shutil.rmtree(self.old)
            os.mkdir(self.old)


KINDS = ('file file file append append rewrite truncate sparse directory directory remove move move move '
         'swap symlink link mode mode attribute to_directory to_file emptied').split()


def change(seed, count, root):
    rnd = random.Random(seed)
    os.umask(0o022)
    for _ in range(count):
        kind = rnd.choice(KINDS)
        one = Change(rnd, root)
        try:
            getattr(one, kind)()
        except OSError:
            pass


def show(root):
    for path in entries(root)[0]:
        at = os.path.join(root, path)
        st = os.lstat(at)
        what = stat.filemode(st.st_mode)
        if stat.S_ISLNK(st.st_mode):
            what += ' ' + repr(os.readlink(at))
        elif stat.S_ISREG(st.st_mode):
            with open(at, 'rb') as f:
                what += f' {st.st_size} {hashlib.sha256(f.read()).hexdigest()[:16]}'
        print(repr(path), what)


if __name__ == '__main__':
    if sys.argv[1] == 'change':
        change(int(sys.argv[2]), int(sys.argv[3]), os.fsencode(sys.argv[4]))
    else:
        show(os.fsencode(sys.argv[2]))
