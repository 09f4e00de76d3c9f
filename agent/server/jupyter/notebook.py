# The file of a notebook, for /notebooks: read and changed in the box by the box's Python (3.6
# or newer), as the box's user, so that a large one takes the box's time and memory.
#   open PATH               what it is written for: {"kernel": NAME, "language": NAME or null}
#   cell PATH INDEX         "=" and the source of a cell; nothing: it is text, and not code
#   keep PATH INDEX COUNT   all of it, with the cell's {"outputs": [], "source": TEXT} that
#                           standard input has; source may be missing
# A failure is said on standard error, and its errno is the status.
import errno
import json
import os
import stat
import sys

BOOK_MAX, SOURCE_MAX, NAME_MAX = 64 << 20, 4 << 20, 200


def fail(code, text):
    sys.stderr.buffer.write(text.encode("utf-8", "replace"))
    sys.stderr.buffer.flush()
    os._exit(code)


def read(path):
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as f:
        if not stat.S_ISREG(os.fstat(f.fileno()).st_mode):
            fail(errno.EINVAL, "Invalid notebook: it is not a regular file")
        data = f.read(BOOK_MAX + 1)
    if len(data) > BOOK_MAX:
        fail(errno.EMSGSIZE, "the notebook has more than 64 MiB")
    try:
        book = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as e:
        fail(errno.EINVAL, "Invalid notebook: %s" % e)
    if not isinstance(book, dict) or not isinstance(book.get("cells"), list):
        fail(errno.EINVAL, "Invalid notebook: it has no cells")
    return book


def cell_of(book, index):
    cells = book["cells"]
    if not 0 <= index < len(cells):
        fail(errno.EINVAL, "cell_index is out of range")
    if not isinstance(cells[index], dict):
        fail(errno.EINVAL, "Invalid notebook: this is no cell")
    return cells[index]


def say(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def member(value, *names):
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, str) and value:
        return value[:NAME_MAX].replace("\0", "").encode("utf-8", "replace").decode()
    return None


def describe(book):
    about = book.get("metadata")
    kernel = member(about, "kernelspec", "name")
    language = member(about, "kernelspec", "language") or member(about, "language_info", "name")
    say(json.dumps({"kernel": kernel or "python3", "language": language}).encode())


def source_of(cell):
    if cell.get("cell_type", "code") != "code":
        return b""
    source = cell.get("source")
    lines = source if isinstance(source, list) else [source]
    data = "".join(s for s in lines if isinstance(s, str)).encode("utf-8", "replace")
    if len(data) > SOURCE_MAX:
        fail(errno.EMSGSIZE, "the cell is too large")
    return b"=" + data.replace(b"\0", b"")


def keep(book, cell, count):
    said = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    cell["outputs"] = said["outputs"]
    if "source" in said:
        cell["source"] = said["source"].splitlines(True)
    cell["execution_count"] = count
    try:
        data = json.dumps(book, ensure_ascii=False, indent=1).encode("utf-8")
    except UnicodeEncodeError:  # half of a pair
        data = json.dumps(book, indent=1).encode("utf-8")
    if len(data) >= BOOK_MAX:  # it could not be read again
        fail(errno.EMSGSIZE, "with these outputs the notebook has more than 64 MiB")
    say(data + b"\n")


def main(what, path, *numbers):
    book = read(path)
    if what == "open":
        return describe(book)
    cell = cell_of(book, int(numbers[0]))
    return say(source_of(cell)) if what == "cell" else keep(book, cell, int(numbers[1]))


try:
    main(*sys.argv[1:])
except FileNotFoundError:
    fail(errno.ENOENT, "Notebook not found")
except MemoryError:
    fail(errno.ENOMEM, "the notebook takes more memory than there is")
except OSError as e:
    fail(e.errno or errno.EIO, "cannot work on the notebook: %s" % e.strerror)
