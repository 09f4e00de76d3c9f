# The Python of a box (agent/python/python.h has the other end). Run as
#   python3 /proc/self/fd/N QUESTIONS ANSWERS [files] [merge] [join=NAME]
#   python3 /proc/self/fd/N - - serve=NAME | stop=NAME
# It reads cells from the socket QUESTIONS and answers in the pipe ANSWERS, in frames: four
# bytes of length, little-endian, then JSON (message.h lists them). What cells print is no
# message: it goes to descriptors 1 and 2, so children and C code are heard too. Both are
# flushed before a message is sent, so whoever reads a message has all that was printed
# before it.
#
# With serve=NAME it stays and takes clients, a cell of one after a cell of another; join=NAME is
# such a client's process: it hands its descriptors over and passes interrupts on. stop=NAME ends one.
#
# The standard library alone; Python 3.6 and later. With `files`, pictures are written to
# /tmp/cubby-out and their names sent instead; with `merge`, standard error is standard output.
import _thread
import ast
import base64
import builtins
import json
import linecache
import os
import re
import select
import signal
import stat
import struct
import sys
import time
import traceback
import types

HERE = __file__
TEXT_MAX = 64 << 10  # of text/plain and of a traceback
MIME_MAX = 4 << 20  # of other forms; what is longer goes to a file
FRAME_MAX = 16 << 20
FORMS_MAX = 64  # of a value, as its reader takes them
DEPTH_MAX = 32  # of metadata
CLIENTS_MAX = 64  # of a context
SEEN_S = 5  # for a client of a context
LINES_MAX = 1000  # of a traceback
FRAMES_SHOWN = 20  # of a traceback
OUT_DIR = "/tmp/cubby-out"
AWAIT = getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0)  # 3.8


class Shim:  # all that lasts; a class so that the module of the cells has none of it
    questions = answers = -1
    client = None  # of a context: whose cell it is, or was
    name = mode = ""  # of a context that is served, and what is done about it
    files = merge = False
    pid, ident = os.getpid(), _thread.get_ident()
    cell = 0  # the id of the request
    count = 0
    flags = 0  # of `from __future__`
    shown = 0  # files written
    ipython = None  # its shell, once it was needed
    loop = None
    kept = ()  # copies of descriptors 1 and 2
    main = types.ModuleType("__main__")
    silent = False
    lock = _thread.allocate_lock()  # threads of a cell may show things, too


# ---- the channel ---------------------------------------------------------------------


def clean(text):
    """As JSON of any reader may have it: no NUL, no half of a pair."""
    return text.replace("\0", "\ufffd").encode("utf-8", "backslashreplace").decode()


def cut(text, limit=TEXT_MAX):
    if len(text) <= limit:
        return text
    return "%s\n… (%d characters left out)" % (text[:limit], len(text) - limit)


def cut_lines(text, limit=LINES_MAX):
    """As many lines at most, the first and the last."""
    lines = text.rstrip("\n").split("\n")
    if len(lines) > limit:
        lines[limit // 2:-limit // 2] = ["… (%d lines left out)" % (len(lines) - limit)]
    return lines


def flush():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except Exception:  # whatever a cell put there
            pass


class Whole:
    """A frame is not cut by an interrupt: it comes before or after."""

    def __enter__(self):
        self.old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})

    def __exit__(self, *_):
        signal.pthread_sigmask(signal.SIG_SETMASK, self.old)


def send(kind, **members):
    if os.getpid() != Shim.pid:
        return
    members["t"] = kind
    data = json.dumps(members, ensure_ascii=False).encode("utf-8", "replace")
    if len(data) > FRAME_MAX:
        raise ValueError("this is too large to be shown (%d bytes)" % len(data))
    flush()
    with Whole(), Shim.lock:
        put(struct.pack("<I", len(data)) + data)


class Gone(BaseException):
    """The client has left, and another one may come."""


def gone(status):
    if Shim.mode != "serve":
        os._exit(status)
    raise Gone()


def put(data):
    while data:
        try:
            data = data[os.write(Shim.answers, data):]
        except OSError:  # nobody is there any more
            gone(1)


def read_all(size):
    parts = []
    while size:
        try:
            part = os.read(Shim.questions, min(size, 1 << 20))
        except OSError:
            part = b""
        if not part:
            gone(0)
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def keep_ends():
    """Not for children."""
    for fd in (Shim.questions, Shim.answers):
        if fd >= 0:
            os.set_inheritable(fd, False)


def receive(limit=None):
    if not select.select([Shim.questions], [], [], limit)[0]:
        return None
    with Whole():
        size = struct.unpack("<I", read_all(4))[0]
        if size > FRAME_MAX:
            gone(1)
        return json.loads(read_all(size).decode())


# ---- what a value looks like ---------------------------------------------------------

FORMS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"),
    ("_repr_javascript_", "application/javascript"),
)
SUFFIX = {"image/png": "png", "image/jpeg": "jpg", "image/svg+xml": "svg", "image/gif": "gif",
          "application/pdf": "pdf", "text/html": "html", "application/json": "json"}
PLAIN = (dict, list, tuple, set, frozenset)


def call(obj, name, *args, **kwargs):
    """What a method of the value's class returns; None where it has none or fails."""
    try:
        method = getattr(type(obj), name, None) and getattr(obj, name)
        return method(*args, **kwargs) if callable(method) else None
    except Exception:
        return None


def plain(obj):
    try:
        if "pandas" in sys.modules and type(obj).__module__.startswith("pandas."):
            with sys.modules["pandas"].option_context("display.max_rows", 60):
                return repr(obj)
        text = repr(obj)
        ordered = sys.version_info >= (3, 8) or not isinstance(obj, dict)
        if 80 < len(text) <= TEXT_MAX and type(obj) in PLAIN and ordered:
            import pprint
            more = {"sort_dicts": False} if sys.version_info >= (3, 8) else {}
            text = pprint.pformat(obj, width=100, compact=True, **more)
        return text
    except Exception as e:
        return "<%s whose repr() failed: %s>" % (type(obj).__name__, type(e).__name__)


def forms(obj):
    """All the forms of a value: {mime type: str or bytes, or what JSON has}."""
    data, metadata = {}, {}
    if not isinstance(obj, type):
        for name, mime in FORMS:
            add_form(data, metadata, mime, call(obj, name))
        bundle = call(obj, "_repr_mimebundle_", include=None, exclude=None)
        if bundle is None:
            bundle = call(obj, "_repr_mimebundle_")
        pair = isinstance(bundle, tuple) and len(bundle) == 2
        if pair and isinstance(bundle[1], dict):
            metadata.update(bundle[1])
        bundle = bundle[0] if pair else bundle
        for mime, value in (bundle.items() if isinstance(bundle, dict) else ()):
            add_form(data, metadata, mime, value)
    if not isinstance(data.get("text/plain"), str):
        data["text/plain"] = plain(obj)
    return data, metadata


def add_form(data, metadata, mime, value):
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], dict):
        metadata[mime], value = value[1], value[0]
    if value is not None and isinstance(mime, str):
        data[mime] = value


def binary(mime, value):
    """The bytes of a picture, which objects give as such or in base64."""
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if mime.startswith("image/") and not mime.endswith("xml") and isinstance(value, str):
        try:
            return base64.b64decode(value, validate=False)
        except ValueError:
            return None
    return None


def picture_size(data):
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return struct.unpack(">II", data[16:24])
    return None


def store(mime, data):
    """Into a file of its own, for what does not fit into a message."""
    import tempfile
    global OUT_DIR
    suffix = SUFFIX.get(mime, "txt" if mime.startswith("text/") else "bin")
    try:
        os.makedirs(OUT_DIR, exist_ok=True)
        Shim.shown += 1
        path = "%s/%d-%d.%s" % (OUT_DIR, Shim.pid, Shim.shown, suffix)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    except OSError:  # somebody else's directory
        OUT_DIR = tempfile.mkdtemp(prefix="cubby-out-")
        path = "%s/%d-%d.%s" % (OUT_DIR, Shim.pid, Shim.shown, suffix)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    with os.fdopen(fd, "wb") as f:
        f.write(data)
    facts = {"path": path, "bytes": len(data)}
    size = picture_size(data)
    if size:
        facts["width"], facts["height"] = size
    return facts


def bundle_of(data, metadata):
    """The members of a message: every form is text there, or a file."""
    texts, files = {}, {}
    for mime, value in data.items():
        mime = "".join(c for c in mime[:200] if "!" <= c <= "~")[:100]
        if not mime or len(texts) + len(files) >= FORMS_MAX - 1:  # one is for an error
            continue
        raw = binary(mime, value)
        if raw is None and not isinstance(value, str):
            try:
                value = json.dumps(value)
            except (TypeError, ValueError, RecursionError):
                continue
        try:
            if raw is not None and (Shim.files or len(raw) > MIME_MAX * 3 // 4):
                files[mime] = store(mime, raw)
            elif raw is not None:
                texts[mime] = base64.b64encode(raw).decode()
            elif len(value) > MIME_MAX and mime != "text/plain":
                files[mime] = store(mime, value.encode("utf-8", "replace"))
            else:
                texts[mime] = clean(cut(value) if mime == "text/plain" else value)
        except OSError as e:
            texts.setdefault("text/plain", "<%s: %s>" % (mime, e))
    return {"data": texts, "files": files, "metadata": checked(metadata)}


def is_deep(value, most):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not most or any(is_deep(each, most - 1) for each in inner)


def checked(metadata):
    """As its reader takes it, or nothing: who sends what is no message is ended."""
    try:
        text = json.dumps(metadata, allow_nan=False)
        metadata = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    few = len(text) <= TEXT_MAX and "\\u0000" not in text
    return metadata if few and not is_deep(metadata, DEPTH_MAX) else {}


def show(kind, data, metadata=None, **more):
    send(kind, id=Shim.cell, **dict(bundle_of(data, metadata or {}), **more))
    if kind == "display":
        wait_until_seen()


def wait_until_seen():
    # What is printed next must not be read before this. A thread does not wait, for what
    # comes back is read by one alone. Nor do the others of a context for one that is stopped.
    limit = SEEN_S if Shim.mode == "serve" else None
    if os.getpid() == Shim.pid and _thread.get_ident() == Shim.ident:
        while (receive(limit) or {"t": "seen"}).get("t") != "seen":
            pass


class DisplayHandle:
    def __init__(self, name):
        self.display_id = name

    def display(self, obj):
        display(obj, display_id=self.display_id)

    def update(self, obj):
        show("display", *forms(obj), display_id=self.display_id, update=True)


def display(*objs, **kwargs):
    """Show values with all their forms: display(obj, …, display_id=None, raw=False)."""
    name = kwargs.get("display_id")
    if name is True:
        name = os.urandom(8).hex()
    for obj in objs:
        both = (obj, {}) if kwargs.get("raw") else forms(obj)
        more = {"display_id": clean(str(name))} if name else {}
        if kwargs.get("update"):
            more["update"] = True
        show("display", *both, **more)
    return DisplayHandle(name) if name else None


def clear_output(wait=False):
    send("clear", id=Shim.cell, wait=bool(wait))
    wait_until_seen()


def ask(prompt, password):
    if os.getpid() != Shim.pid:
        raise EOFError("a child of the interpreter cannot ask")
    send("ask", id=Shim.cell, prompt=cut(clean(str(prompt)), 4096), password=password)
    while True:
        message = receive()
        if message.get("t") == "input":
            if message.get("eof"):
                raise EOFError("nobody answers")
            return str(message.get("value", ""))


# ---- modules that a cell may import ----------------------------------------------------


def emit_figures(*_args, **_kwargs):
    """matplotlib: each open figure becomes a picture, and is closed."""
    import io
    pyplot = sys.modules["matplotlib.pyplot"]
    try:
        for number in pyplot.get_fignums():
            figure, file = pyplot.figure(number), io.BytesIO()
            figure.savefig(file, format="png", bbox_inches="tight")
            show("display", {"image/png": file.getvalue(), "text/plain": clean(repr(figure))})
    finally:
        pyplot.close("all")


def fill_backend(module):
    from matplotlib.backend_bases import FigureManagerBase
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    module.FigureCanvas = FigureCanvasAgg
    module.FigureManager = FigureManagerBase
    module.show = emit_figures


def patch_pil(module):  # a viewer does not exist here
    module.Image.show = lambda self, *_args, **_kwargs: display(self)


def patch_ipython(module):
    module.display, module.clear_output = display, clear_output


def patch_plotly(module):  # nor a browser; its script is 3 MB and stays where it is
    figure = module.BaseFigure
    figure._repr_html_ = lambda self: self.to_html(include_plotlyjs="cdn", full_html=False)
    figure.show = lambda self, *_args, **_kwargs: display(self)


AFTER = {"PIL.Image": patch_pil, "IPython.display": patch_ipython,
         "plotly.basedatatypes": patch_plotly}


class Finder:
    """The backend of matplotlib, and a look at some modules when they have been loaded."""

    busy = ()

    @classmethod
    def find_spec(cls, name, _path=None, _target=None):
        if name not in AFTER and name != "_cubby_mpl" or name in cls.busy:
            return None
        from importlib import machinery, util
        if name == "_cubby_mpl":
            return machinery.ModuleSpec(name, cls)
        cls.busy = (name,)
        try:
            spec = util.find_spec(name)
        finally:
            cls.busy = ()
        if spec and spec.loader and not isinstance(spec.loader, type):
            run = spec.loader.exec_module

            def run_and_patch(module):
                run(module)
                AFTER[name](module)

            spec.loader.exec_module = run_and_patch
        return spec

    @staticmethod
    def create_module(_spec):
        return None

    @staticmethod
    def exec_module(module):
        fill_backend(module)


def show_what_is_open():
    if "matplotlib.pyplot" in sys.modules:
        matplotlib = sys.modules["matplotlib"]
        if matplotlib.get_backend().lower() == "module://_cubby_mpl":
            emit_figures()


# ---- names, and what is known of them ------------------------------------------------------
# No code of a cell's is run for it: names are those that dictionaries have, of an object, its
# class and the classes above, never what getattr() and dir() would say. So what a property, a
# __getattr__ or a __dir__ makes up is not seen. What C has instead of a property is read.

MATCHES_MAX, VARS_MAX = 500, 1000
NAME_MAX, SHORT_MAX, LINE_MAX = 200, 100, 1000
NAME = re.compile(r"(?:[^\W\d]\w*\.)*(?:[^\W\d]\w*)?\Z")
IMPORT = re.compile(r"\s*(?:from\s+([\w.]+)\s+import\s|(?:from|import)\s)[\w.,\s]*\Z")
MRO, DICT, NAME_OF = (type.__dict__[n].__get__ for n in ("__mro__", "__dict__", "__name__"))
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type(str.join), type(object.__init__),
             type(dict.__dict__["fromkeys"]))
INERT = (types.GetSetDescriptorType, types.MemberDescriptorType)
ATOMS = (int, float, complex, bool, type(None), str, bytes, range)
BRACKETS = {list: "[]", tuple: "()", dict: "{}", set: "{}", frozenset: "{}"}


def held(obj):
    """The names of an object, and those of its classes: a list of dictionaries."""
    kind = type(obj)
    classes = [dict(DICT(each)) for each in MRO(kind)]
    if issubclass(kind, type):
        return [dict(DICT(each)) for each in MRO(obj)] + classes
    where = next((names["__dict__"] for names in classes if "__dict__" in names), None)
    own = where.__get__(obj) if type(where) in INERT else None
    return ([dict.copy(own)] if issubclass(type(own), dict) else []) + classes


def value_of(obj, name):
    """As getattr() has it, or LookupError."""
    for names in held(obj):
        if name in names:
            value = names[name]
            kind = type(value)
            if kind in (staticmethod, classmethod):
                return value.__func__
            if kind in INERT:
                return value.__get__(obj, type(obj))
            if kind not in FUNCTIONS and any("__get__" in DICT(each) for each in MRO(kind)):
                break
            return value
    raise LookupError(name)


def value_at(path):
    first, *rest = path.split(".")
    names = held(Shim.main)[0]
    value = names[first] if first in names else builtins.__dict__[first]
    for name in rest:
        value = value_of(value, name)
    return value


def short(obj, depth=2):
    """Its repr(), but for what a class of a cell has to say."""
    kind = type(obj)
    text = "<%s>" % NAME_OF(kind)
    if kind is int and obj.bit_length() > 1000:
        text = "<int of %d bits>" % obj.bit_length()
    elif kind in (str, bytes):
        text = repr(obj[:SHORT_MAX + 1])
    elif kind in ATOMS:
        text = repr(obj)
    elif kind in BRACKETS and (depth or not obj):
        begin, end = BRACKETS[kind]
        parts = []
        for each in obj.items() if kind is dict else obj:
            if len(parts) == 8:
                parts.append("…")
                break
            parts.append("%s: %s" % tuple(short(x, depth - 1) for x in each) if kind is dict
                         else short(each, depth - 1))
        comma = "," if kind is tuple and len(parts) == 1 else ""
        text = begin + ", ".join(parts) + comma + end
        if kind is frozenset or kind is set and not obj:
            text = "%s(%s)" % (NAME_OF(kind), text if obj else "")
    elif issubclass(kind, type):
        text = "<class %s>" % NAME_OF(obj)
    return clean(text if len(text) <= SHORT_MAX else text[:SHORT_MAX] + "…")


def size_of(obj):
    """How long it is, or its shape; None where it has none."""
    if type(obj) in BRACKETS or type(obj) in (str, bytes, bytearray, range):
        return str(len(obj))
    try:
        theirs = str(DICT(type(obj)).get("__module__")).startswith("pandas.")
        shape = obj.shape if theirs else value_of(obj, "shape")
    except Exception:
        return None
    whole = type(shape) is tuple and len(shape) < 32 and all(type(n) is int for n in shape)
    return "x".join(map(str, shape)) if whole and shape else None


def variables(_message=None):
    names = {name: value for name, value in held(Shim.main)[0].items()
             if type(name) is str and not name.startswith("_") and len(name) <= NAME_MAX}
    rows = []
    for name in list(names)[:VARS_MAX]:
        value = names[name]
        row = {"name": clean(name), "type": clean(NAME_OF(type(value))[:NAME_MAX])}
        try:
            row["repr"], row["size"] = short(value), size_of(value)
        except RuntimeError:  # a thread has just changed it
            row["repr"] = "<%s>" % row["type"]
        if row.get("size") is None:
            row.pop("size", None)
        rows.append(row)
    return {"vars": rows, "more": len(names) - len(rows)}


def modules(path):
    """Those that could be imported: of a package, or of all."""
    import itertools
    import pkgutil
    found = (each[1] for each in pkgutil.iter_modules(path))
    return list(itertools.islice(found, 10000)) + ([] if path else list(sys.builtin_module_names))


def names_for(line, head):
    """What may stand behind `head` and a dot, or alone."""
    import keyword
    imports = IMPORT.match(line)
    if imports and imports.group(1):
        return held(sys.modules[imports.group(1)])[0]
    if imports:
        path = value_of(sys.modules[head], "__path__") if head else None
        return modules(path) if path is None or type(path) is list else ()
    if not head:
        return set(held(Shim.main)[0]) | set(builtins.__dict__) | set(keyword.kwlist)
    value = value_at(head)
    below = held(value)
    if issubclass(type(value), type):  # as dir() has it: without those of its own class
        below = below[:len(MRO(value))]
    return set().union(*below)


def place(message):
    """The line that ends at a place of the code, with the name that ends there."""
    code, at = message["code"], message["pos"]
    at = at if 0 <= at <= len(code) else len(code)
    line = code[max(at - LINE_MAX, 0):at].rpartition("\n")[2]
    return code, at, line, NAME.search(line).group()


def complete(message):
    _code, at, line, path = place(message)
    head, _, part = path.rpartition(".")
    names = ()
    if not line[:len(line) - len(path)].endswith("."):  # of what would have to be computed
        try:
            names = names_for(line, head)
        except (LookupError, AttributeError, TypeError, OSError):
            pass
    names = sorted(name for name in names if type(name) is str and name.startswith(part)
                   and len(name) <= NAME_MAX and name.isidentifier()
                   and (part.startswith("_") or not name.startswith("_")))
    return {"matches": names[:MATCHES_MAX], "start": at - len(part), "end": at}


def signature(obj):
    """The parameters of what can be called, or None."""
    first = 0
    if issubclass(type(obj), type):
        obj, first = value_of(obj, "__init__"), 1
    elif type(obj) is types.MethodType:
        obj, first = obj.__func__, 1
    if type(obj) is not types.FunctionType:
        text = obj.__text_signature__ if type(obj) in FUNCTIONS else None
        return re.sub(r"\$\w+(, )?", "", text) if type(text) is str else None
    code, given = obj.__code__, obj.__kwdefaults__ or {}
    n, k, names = code.co_argcount, code.co_kwonlyargcount, code.co_varnames
    words, rest = list(names[:n]), names[n + k:]
    for i, value in enumerate(reversed(obj.__defaults__ or ())):
        words[n - 1 - i] += "=" + short(value)
    star = bool(code.co_flags & 4)  # CO_VARARGS
    if star or k:
        words.append("*" + (rest[0] if star else ""))
    words += [name + ("=" + short(given[name]) if name in given else "") for name in names[n:n + k]]
    if code.co_flags & 8:  # CO_VARKEYWORDS
        words.append("**" + rest[star])
    return "(%s)" % ", ".join(words[first:])


def calling(line):
    """The name of what is called, where its arguments are being written."""
    depth = 0
    for at in range(len(line) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(line[at], 0)
        if depth < 0:
            return NAME.search(line[:at]).group()
    return ""


def explain(path):
    value = value_at(path)
    try:
        head = signature(value)
    except (LookupError, AttributeError, TypeError):
        head = None
    head = path + (head or ": " + short(value))
    try:
        doc = value.__doc__ if type(value) in FUNCTIONS else value_of(value, "__doc__")
    except LookupError:
        doc = None
    if type(doc) is not str:
        return clean(head)
    import inspect
    return clean(cut("%s\n\n%s" % (head, inspect.cleandoc(doc))))


def inspect_name(message):
    code, at, line, path = place(message)
    path += re.match(r"\w*", code[at:at + NAME_MAX]).group()
    for each in (path.strip("."), calling(line)):
        try:
            if each:
                return {"text": explain(each)}
        except (LookupError, AttributeError, TypeError):
            pass
    return {}


LOOKS = {"complete": complete, "inspect": inspect_name, "vars": variables}


# ---- what IPython's cells may have, as text --------------------------------------------

IGNORED = ("matplotlib", "autoreload", "colors", "config")
SHELL = re.compile(r"^(\s*)(?:([\w, ]+?)\s*=\s*)?([!%])(.*)$")
TRANSLATED_MAX = 100  # one by one, of a cell
HELP = re.compile(r"^\s*([A-Za-z_][\w.]*)\?{1,2}\s*$")


class UsageError(Exception):
    pass


def ipython():
    """Its shell, for what is not done here; None where there is none. It is made when it is asked
    for, which takes a second and 50 MiB, and runs no cells: they stay ours."""
    try:
        from IPython.core.displaypub import DisplayPublisher
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config
    except ImportError:
        return None

    class Publisher(DisplayPublisher):
        def publish(self, data, metadata=None, source=None, transient=None, update=False, **_more):
            name = (transient or {}).get("display_id")
            more = {"display_id": clean(str(name))} if name else {}
            show("display", data, metadata, **dict(more, **({"update": True} if update else {})))

        def clear_output(self, wait=False):
            clear_output(wait)

    if Shim.ipython is None:
        config, names, ours = Config(), Shim.main.__dict__, dict(Shim.main.__dict__)
        own = {name: builtins.__dict__[name] for name in ("display", "input")}
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "NoColor"
        Shim.ipython = InteractiveShell.instance(
            config=config, user_module=Shim.main, user_ns=names, display_pub_class=Publisher)
        builtins.__dict__.update(own)
        for name in ("In", "Out", "exit", "quit", "open"):
            names.pop(name, None)
        names.update(ours)
    return Shim.ipython


class Magics:
    """The functions that such lines become; one instance is `__cubby__` in the cells."""

    @staticmethod
    def expand(text):
        names = Shim.main.__dict__

        def value(match):
            try:
                return str(eval(match.group(1), names))
            except Exception:
                return match.group(0)

        text = re.sub(r"\{([A-Za-z_][\w.]*(?:\[[^\]{}]*\])?)\}", value, text)
        return re.sub(r"\$([A-Za-z_]\w*)",
                      lambda m: str(names.get(m.group(1), m.group(0))), text)

    def sh(self, text, capture=False, program=None):
        import shutil
        import subprocess
        flush()
        shell = program or shutil.which("bash") or "sh"
        done = subprocess.run([shell, "-c", text if program else self.expand(text)],
                              stdout=subprocess.PIPE if capture else None)
        Shim.main.__dict__["_exit_code"] = done.returncode
        if capture:
            return done.stdout.decode("utf-8", "replace").splitlines()
        return None

    def script(self, program, body):
        import subprocess
        self.sh(body, program=program)
        status = Shim.main.__dict__["_exit_code"]
        if status:  # as IPython: the cell has failed
            raise subprocess.CalledProcessError(status, program)

    def line(self, text):
        name, _, rest = text.strip().partition(" ")
        rest = rest.strip()
        if name in IGNORED:
            return None
        method = getattr(self, "do_" + name, None)
        if not method or method == self.do_load_ext and rest != "autoreload":
            theirs = ipython()
            if theirs and theirs.find_line_magic(name):
                return theirs.run_line_magic(name, rest)
        if not method:
            raise UsageError("there is no magic '%%%s' here; known are: %s" % (name, ", ".join(
                "%" + n[3:] for n in sorted(dir(self)) if n.startswith("do_"))))
        return method(rest)

    def do_load_ext(self, rest):
        if rest != "autoreload":  # which no cell misses before it edits a module
            raise UsageError("there are no extensions here: '%s' is IPython's" % rest)

    do_reload_ext = do_load_ext

    def do_cd(self, rest):
        os.chdir(os.path.expanduser(self.expand(rest.strip("'\"")) or "~"))
        print(os.getcwd())

    def do_pwd(self, _rest):
        return os.getcwd()

    def do_ls(self, rest):
        self.sh("ls " + rest)

    def do_pip(self, rest):
        self.sh("'%s' -m pip %s" % (sys.executable, rest))

    def do_env(self, rest):
        name, mark, value = re.match(r"([^\s=]*)(\s*=\s*|\s+)?(.*)", rest, re.S).groups()
        if mark:  # as IPython: NAME=VALUE or NAME VALUE
            os.environ[name] = self.expand(value)
            return None
        return os.environ.get(rest) if rest else dict(os.environ)

    do_set_env = do_env

    def do_whos(self, _rest):
        for row in variables()["vars"]:
            print("%-20s %-14s %-10s %s" % (row["name"], row["type"], row.get("size", ""),
                                            row["repr"]))

    def do_time(self, rest):
        began, cpu = time.perf_counter(), time.process_time()
        value = run(rest, "<time>")
        print("CPU times: %.3f s\nWall time: %.3f s" % (
            time.process_time() - cpu, time.perf_counter() - began))
        return value

    def do_timeit(self, rest):
        import timeit
        no_options("%timeit", rest)
        timer = timeit.Timer(rest or "pass", globals=Shim.main.__dict__)
        n, took = timer.autorange()
        print("%.3g s per loop (%d loops)" % (took / n, n))

    def do_run(self, rest):
        import shlex
        no_options("%run", rest)
        words = shlex.split(self.expand(rest)) or [""]
        with open(os.path.expanduser(words[0]), encoding="utf-8") as f:
            text = f.read()
        before = sys.argv[:]
        sys.argv[:] = words
        try:
            run(text, words[0])
        finally:
            sys.argv[:] = before

    def cell(self, first, body):
        name, _, rest = first[2:].strip().partition(" ")
        if name in ("bash", "sh", "!"):
            if rest:
                raise UsageError("%%%%%s takes no options here" % name)
            self.script("bash" if name == "bash" else "sh", body)
        elif name == "time":
            return self.do_time(rest + "\n" + body if rest else body)
        elif name == "timeit":
            self.do_timeit(rest + "\n" + body if rest else body)
        elif name in ("writefile", "file"):
            more = re.match(r"(-a|--append)\s+", rest)
            path = os.path.expanduser(self.expand(rest[more.end() if more else 0:].strip("'\"")))
            with open(path, "a" if more else "w", encoding="utf-8") as f:
                f.write(body if body.endswith("\n") else body + "\n")
            print("Appending to" if more else "Writing", path)
        else:
            theirs = ipython()
            if theirs and theirs.find_cell_magic(name):
                return theirs.run_cell_magic(name, rest, body)
            raise UsageError("there is no magic '%%%%%s' here; known are: "
                             "%%%%bash, %%%%sh, %%%%time, %%%%timeit, %%%%writefile" % name)
        return None


def no_options(name, rest):
    if rest.startswith("-"):
        raise UsageError("%s takes no options here" % name)


def translate(lines, at):
    """A line that is no Python but IPython's, as a call, with the lines that go on with it; what
    follows keeps its number. False where it is none."""
    text, more = lines[at], at + 1
    while SHELL.match(text) and text.endswith("\\") and more < len(lines):
        text = text[:-1] + " " + lines[more].lstrip()
        more += 1
    shell, wants = SHELL.match(text), HELP.match(text)
    if not shell and not wants:
        return False
    if wants:
        made = "help(%s)" % wants.group(1)
    else:
        indent, name, mark, rest = shell.groups()
        made = "__cubby__.sh(%r%s)" % (rest.lstrip("!"), ", True" if name else "")
        if mark == "%":
            made = "__cubby__.line(%r)" % rest
        made = indent + (name + " = " if name else "") + made
    lines[at:more] = [made] + [""] * (more - at - 1)
    return True


# ---- running a cell ----------------------------------------------------------------------


def parse(code, name):
    # A line becomes a call where it is what is wrong: one that looks so in a text of several
    # lines is left as it is. Where Python does not say which, all of them are.
    flags, lines, first = Shim.flags | ast.PyCF_ONLY_AST | AWAIT, code.split("\n"), None
    for _ in range(TRANSLATED_MAX):
        try:
            return compile("\n".join(lines), name, "exec", flags, True)
        except SyntaxError as e:
            first = first or e
            at = (e.lineno or 0) - 1
            if not (0 <= at < len(lines) and translate(lines, at)):
                break
    if not [at for at in range(len(lines)) if translate(lines, at)] and lines == code.split("\n"):
        raise first
    return compile("\n".join(lines), name, "exec", flags, True)


def evaluate(node, name, mode):
    code = compile(node, name, mode, Shim.flags | AWAIT, True)
    Shim.flags |= code.co_flags & Shim.futures
    value = eval(code, Shim.main.__dict__)
    if code.co_flags & 0x80 and isinstance(value, types.CoroutineType):  # CO_COROUTINE
        value = wait_for(value)
    return value


def wait_for(coroutine):
    import asyncio
    if Shim.loop is None or Shim.loop.is_closed():
        Shim.loop = asyncio.new_event_loop()
    asyncio.set_event_loop(Shim.loop)
    task = Shim.loop.create_task(coroutine)
    try:
        return Shim.loop.run_until_complete(task)
    except KeyboardInterrupt:
        task.cancel()
        try:
            Shim.loop.run_until_complete(task)
        except BaseException:
            pass
        raise


def run(code, name):
    """One text; the value of its last expression, if it ends in one."""
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    if code.lstrip().startswith("%%"):
        first, _, body = code.lstrip().partition("\n")
        return Shim.main.__cubby__.cell(first, body)
    tree = parse(code, name)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not code.rstrip().endswith(";"):
        last = ast.Expression(tree.body.pop().value)
    if tree.body:
        evaluate(tree, name, "exec")
    return evaluate(last, name, "eval") if last else None


class Shortened(traceback.StackSummary):
    def format(self, **kwargs):
        lines = list(super().format(**kwargs))
        if len(lines) > FRAMES_SHOWN:
            head, tail = FRAMES_SHOWN // 4, FRAMES_SHOWN - FRAMES_SHOWN // 4
            lines[head:-tail] = ["  [… %d frames left out …]\n" % (len(lines) - FRAMES_SHOWN)]
        return lines


def only_theirs(what):
    """Of each of them, and of those that they came from: there may be thousands."""
    left, seen = [what], set()
    while left:
        each = left.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        each.stack = Shortened(f for f in each.stack if f.filename != HERE)
        left += [each.__cause__, each.__context__]
        left += getattr(each, "exceptions", None) or ()


def trace(error):
    try:
        what = traceback.TracebackException(type(error), error, error.__traceback__)
        only_theirs(what)
        syntax = isinstance(error, SyntaxError)
        return "".join(what.format_exception_only() if syntax else what.format())
    except BaseException as e:  # theirs may fail in any way, and that does not end us
        return "%s, of which no more can be said: %s" % (type(error).__name__, type(e).__name__)


def describe(error):
    """An exception as the members of a message."""
    exits = isinstance(error, SystemExit)
    try:
        text = str(error.code if exits else error)
        text = "0" if exits and error.code is None else text
    except BaseException:
        text = ""
    lines = ["SystemExit: " + text] if exits else cut_lines(cut(trace(error)))
    return {"ename": cut(clean(type(error).__name__), 4096), "evalue": cut(clean(text), 4096),
            "tb": [clean(line) for line in lines]}


def mend_streams():
    """A cell may have closed what the next one prints to."""
    for fd in (1, 2):
        try:
            same = os.path.samestat(os.fstat(fd), os.fstat(Shim.kept[fd]))
        except OSError:
            same = False
        if not same:
            os.dup2(Shim.kept[fd], fd)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name, None)
        if stream is None or getattr(stream, "closed", False):
            open_streams()
            break


def open_streams():
    import io
    for fd, name in ((1, "stdout"), (2, "stderr")):
        raw = io.open(fd, "wb", closefd=False)
        stream = io.TextIOWrapper(raw, "utf-8", "backslashreplace", line_buffering=True)
        stream.mode = "w"
        setattr(sys, name, stream)
        setattr(sys, "__%s__" % name, stream)


def left_behind():
    """A child that a cell forked must not go on as the interpreter."""
    if os.getpid() != Shim.pid:
        flush()
        os._exit(0)


def perform(message):
    name = message.get("name") or "<cell %d>" % Shim.count
    os.environ.update(message.get("env", {}))
    if "argv" in message:
        sys.argv[:] = message["argv"] or [""]
    value = run(message["code"], name)
    if value is not None and not Shim.silent:
        Shim.main.__dict__["_"] = value
        show("result", *forms(value), n=Shim.count)
    show_what_is_open()


def incomplete(code):
    """As a prompt has it: a block ends with an empty line."""
    import codeop
    if code.lstrip().startswith("%%"):
        return not code.endswith("\n")
    try:
        return codeop.compile_command(code, "<cell>", "single") is None
    except Exception:  # also of a line that is nested too deep
        return False  # run, it says what is wrong


def attempt(do, message):
    """How it ended, as the members of a message."""
    try:
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            do(message)
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except Gone:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise
    except BaseException as e:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if os.getpid() != Shim.pid and not isinstance(e, SystemExit):
            traceback.print_exc()
        left_behind()
        done = describe(e)
        done["status"] = "interrupted" if isinstance(e, KeyboardInterrupt) else "error"
        return done
    return {"status": "ok"}


def execute(message):
    began = time.perf_counter()
    Shim.cell, Shim.silent = message["id"], bool(message.get("silent"))
    if message.get("partial") and incomplete(message["code"]):
        send("done", id=Shim.cell, n=Shim.count, ms=0, status="incomplete")
        return
    if not Shim.silent:
        Shim.count += 1
    before = {name: os.environ.get(name) for name in message.get("env", {})}
    done = attempt(perform, message)
    left_behind()
    for name, value in before.items():  # what the cell itself has set stays
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    mend_streams()
    ms = (time.perf_counter() - began) * 1000
    send("done", id=Shim.cell, n=Shim.count, ms=round(ms, 3), **done)


def look(message):
    kind, Shim.cell = message["t"], message["id"]
    done = attempt(lambda message: send(kind, id=Shim.cell, **LOOKS[kind](message)), message)
    send("done", id=Shim.cell, n=Shim.count, ms=0, **done)


def begin():
    import __future__
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Shim.futures = 0
    for name in __future__.all_feature_names:
        Shim.futures |= getattr(__future__, name).compiler_flag
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    if HERE.startswith("/proc/self/fd/"):
        # It stays what that name is, for a traceback is looked up in it: a pipe in its place
        # would be waited for. Children need not have it.
        os.set_inheritable(int(HERE[len("/proc/self/fd/"):]), False)
    linecache.cache[HERE] = (0, None, [], HERE)
    if Shim.merge:
        os.dup2(1, 2)
    Shim.kept = {fd: os.dup(fd) for fd in (1, 2)}  # not for children: PEP 446
    keep_ends()
    open_streams()
    sys.path[0] = ""
    sys.argv[:] = [""]
    sys.meta_path.insert(0, Finder)
    os.environ.setdefault("MPLBACKEND", "module://_cubby_mpl")
    sys.modules["__main__"] = Shim.main
    Shim.main.__builtins__ = builtins
    Shim.main.__cubby__ = Magics()
    builtins.display, builtins.clear_output = display, clear_output
    builtins.input = lambda prompt="": ask(prompt, False)
    AFTER["getpass"] = lambda module: setattr(
        module, "getpass", lambda prompt="Password: ", stream=None: ask(prompt, True))


# ---- contexts that outlive their clients ---------------------------------------------------


def context_file(suffix):
    """Below a directory that nobody else of the box can write."""
    uid = os.geteuid()
    directory = "/run/cubby-python" if uid == 0 else "/tmp/cubby-python-%d" % uid
    os.makedirs(directory, 0o700, exist_ok=True)
    facts = os.lstat(directory)
    if facts.st_uid != uid or facts.st_mode & 0o77 or not stat.S_ISDIR(facts.st_mode):
        sys.exit("'%s' is somebody else's" % directory)
    return "%s/%s.%s" % (directory, Shim.name, suffix)


def context_lock():
    """The file that says who serves a context, and its number; None: it is served."""
    import fcntl
    file = open(context_file("lock"), "a+")
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    return file


class Client:
    """Who has joined. No message of it is waited for: one that is stopped, or sent half of a
    request, has no turn, and the others have theirs."""

    def __init__(self, listener):
        self.connection, self.fds, self.data = listener.accept()[0], (), bytearray()
        self.files = self.greeted = False
        self.connection.setblocking(False)
        self.connection.send(struct.pack("i", os.getpid()))

    def take_ends(self):
        """What join() hands over: where it asks, is answered and printed to, and its token."""
        data, extra, _, _ = self.connection.recvmsg(16, 64)
        raw = extra[0][2] if extra else b""
        self.fds = struct.unpack("%di" % (len(raw) // 4), raw)
        if len(self.fds) != 6:
            raise ValueError("it has left, or is no client")
        self.files = b"f" in data
        os.set_blocking(self.fds[4], False)
        os.set_blocking(self.fds[5], False)

    def take_message(self):
        """What has come of one: None until it is whole."""
        data = self.data
        size = struct.unpack("<I", data[:4])[0] if len(data) >= 4 else 0
        if size > FRAME_MAX:
            gone(1)
        data += os.read(self.fds[0], min(4 + size - len(data), 1 << 20)) or gone(0)
        if len(data) < 4 or len(data) - 4 < struct.unpack("<I", data[:4])[0]:
            return None
        self.data = bytearray()
        return json.loads(data[4:].decode())

    def begin(self):
        """A cell of its begins, unless join() has the token: then it was interrupted before."""
        if readable([self.connection], 0) or not os.read(self.fds[4], 1):
            gone(0)
        flush()
        Shim.client, Shim.files = self, self.files
        Shim.questions, Shim.answers = self.fds[:2]
        for fd in (1, 2):
            os.dup2(self.fds[fd + 1], Shim.kept[fd], False)
            os.dup2(self.fds[fd + 1], fd)
        if not self.greeted:
            greet()
        self.greeted = True

    def end(self):
        os.write(self.fds[5], b".")

    def leave(self):
        if Shim.client is self:
            null = os.open(os.devnull, os.O_WRONLY)
            flush()
            for fd in (1, 2):
                os.dup2(null, Shim.kept[fd], False)
                os.dup2(null, fd)
            os.close(null)
            Shim.client, Shim.questions, Shim.answers = None, -1, -1
        self.close()

    def close(self):
        self.connection.close()
        for fd in self.fds:
            os.close(fd)


def readable(what, limit_ms=None):
    poll = select.poll()
    for each in what:
        poll.register(each, select.POLLIN)
    return {fd for fd, _ in poll.poll(limit_ms)}


def serve():
    import socket
    Shim.served = context_lock()
    if Shim.served is None:
        return
    Shim.served.truncate(0)  # of the one before
    path = context_file("socket")
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(16)
    Shim.served.write(str(os.getpid()))
    Shim.served.flush()
    begin()
    clients = []
    if hasattr(os, "register_at_fork"):  # 3.7; no child of one client's cell keeps another
        os.register_at_fork(after_in_child=lambda: [each.close() for each in clients])
    while True:
        attend(listener, clients)


def attend(listener, clients):
    ends = [each.fds[0] for each in clients if each.fds]
    doors = [listener] if len(clients) < CLIENTS_MAX else []
    heard = readable(doors + [each.connection for each in clients] + ends)
    for client in list(clients):
        try:
            if client.connection.fileno() in heard:
                if client.fds:  # then it has nothing to say there but its end
                    gone(0)
                client.take_ends()
            elif client.fds and client.fds[0] in heard:
                take_turn(client, client.take_message() or {})
        except (Gone, Exception):
            clients.remove(client)
            client.leave()
    if listener.fileno() in heard:
        try:
            clients.append(Client(listener))
        except OSError:  # it has left, or cells have all descriptors
            time.sleep(0.01)


def take_turn(client, message):
    if message.get("t") == "exit":
        gone(0)
    if message.get("t") not in ("exec", *LOOKS):  # a part of one, or a late "seen"
        return
    client.begin()
    answer(message)
    client.end()


def join():
    """Hand our descriptors over, and stand for the other one in all that concerns signals while a
    cell of ours runs. When none does, there is a token in a pipe: the other one takes it before
    it begins one. If we can take it, there will be no cell any more, and a signal ends us."""
    import socket
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    connection, until = None, time.monotonic() + 20
    while connection is None:
        try:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(context_file("socket"))
        except OSError:  # it is being started
            connection = None
            if time.monotonic() > until:
                sys.exit("the context '%s' does not answer" % Shim.name)
            time.sleep(0.005)
    data = connection.recv(4)
    if len(data) < 4:
        os._exit(1)
    pid = struct.unpack("i", data)[0]
    token, back = os.pipe()
    os.write(back, b".")
    # One that comes between a look at what there is and the wait for more is not lost.
    signals, told = socket.socketpair()
    told.setblocking(False)
    signal.set_wakeup_fd(told.fileno())
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: None)
    ends = (Shim.questions, Shim.answers, 1, 2, token, back)
    connection.sendmsg([b"f" if Shim.files else b"-"],
                       [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("6i", *ends))])
    os.set_blocking(token, False)
    for fd in ends:  # their end is the other one's
        if fd != token:
            os.close(fd)
    while connection not in select.select([connection, signals], [], [])[0]:
        for each in signals.recv(16):
            if take_token(token):
                signal.signal(each, signal.SIG_DFL)
                os.kill(os.getpid(), each)
            os.killpg(pid, signal.SIGINT if each == signal.SIGINT else signal.SIGKILL)
    os._exit(1)  # it has let go, or has ended


def take_token(token):
    try:
        return os.read(token, 1)
    except OSError:
        return b""


def stop():
    while context_lock() is None:
        try:  # one that has just begun has not said its number yet
            with open(context_file("lock")) as f:
                os.killpg(int(f.read()), signal.SIGKILL)
        except (OSError, ValueError):
            pass
        time.sleep(0.005)


def greet():
    send("ready", python=sys.version.split()[0], pid=os.getpid())


def answer(message):
    if message.get("t") == "exec":
        execute(message)
    elif message.get("t") in LOOKS:
        look(message)


def talk():
    greet()
    message = receive()
    while message.get("t") != "exit":
        answer(message)
        message = receive()
    flush()


def main():
    for word in sys.argv[3:]:
        mode, _, name = word.partition("=")
        if name:
            Shim.mode, Shim.name = mode, name
    Shim.files, Shim.merge = "files" in sys.argv[3:], "merge" in sys.argv[3:]
    if Shim.mode in ("serve", "stop"):
        return serve() if Shim.mode == "serve" else stop()
    Shim.questions, Shim.answers = map(int, sys.argv[1:3])
    if Shim.mode == "join":
        return join()
    begin()
    return talk()


main()
