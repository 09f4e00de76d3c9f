# The text of an office document, a book or a message, for /files/read: run in the box by the box's
# Python (3.6 or newer) with the path, as the box's user. What a document says of its own
# size is not believed: MOST bytes of a part are unpacked, OUT are said, which is more than
# the server takes.
import posixpath
import re
import sys
import zipfile
from html.parser import HTMLParser
from urllib.parse import unquote
from xml.parsers import expat

MOST, OUT, COLUMNS, REPEATS = 256 << 20, 17 << 20, 16384, 100
WHOLE, DEEP, PARTS = 64 << 20, 1000, 10000  # of what is no archive: it is in memory, with what is made of it
said = 0


def say(text):
    global said
    data = text.encode("utf-8", "replace").replace(b"\0", b"")
    said += len(data)
    if said > OUT:
        raise SystemExit("the text is too long")
    sys.stdout.buffer.write(data)


class Reader:
    """Calls start_NAME, end_NAME and chars of a subclass; names without namespaces."""

    def read(self, archive, name):
        p = expat.ParserCreate(namespace_separator=" ")
        p.buffer_text = True
        p.StartElementHandler = lambda n, a: self.start(
            n.rsplit(" ", 1)[-1], {k.rsplit(" ", 1)[-1]: v for k, v in a.items()})
        p.EndElementHandler = lambda n: self.end(n.rsplit(" ", 1)[-1])
        p.CharacterDataHandler = self.chars
        with archive.open(name) as f:
            left = MOST
            while left > 0:
                data = f.read(min(left, 1 << 16))
                if not data:
                    p.Parse(b"", True)
                    return self
                left -= len(data)
                p.Parse(data, False)
        raise SystemExit("a part of the document is too large")

    def start(self, name, attributes):
        pass

    def end(self, name):
        pass

    def chars(self, text):
        pass


class Paragraphs(Reader):
    """Text in one of `inside`, a line for each of `lines`; a row of a table is one."""

    def __init__(self, inside, lines):
        self.inside, self.lines = inside, lines
        self.depth = self.cells = self.skipped = 0
        self.row = []

    def put(self, text):
        if self.cells:
            self.row.append(text)
        else:
            say(text)

    def start(self, name, a):
        if name in ("Fallback", "tracked-changes"):
            self.skipped += 1
        elif name in self.inside:
            self.depth += 1
        elif name in ("tc", "table-cell"):
            self.cells += 1
        elif name == "tab" and not self.skipped:
            self.put("\t")
        elif name in ("br", "cr", "line-break") and not self.skipped:
            self.put(" " if self.cells else "\n")
        elif name == "s" and self.depth:
            self.put(" " * min(int(a.get("c", "1")), REPEATS))

    def end(self, name):
        if name in ("Fallback", "tracked-changes"):
            self.skipped -= 1
        if name in self.inside:
            self.depth -= 1
        if name in self.lines and not self.skipped:
            self.put(" " if self.cells else "\n")
        elif name in ("tc", "table-cell"):
            self.cells -= 1
            if not self.cells:
                say("".join(self.row).strip() + "\t")
                self.row = []
        elif name in ("tr", "table-row") and not self.cells:
            say("\n")

    def chars(self, text):
        if self.depth and not self.skipped:
            self.put(text)


class Strings(Reader):
    """The texts of cells that several have."""

    def __init__(self):
        self.list, self.on = [], False

    def start(self, name, a):
        if name == "si":
            self.list.append("")
        self.on = name == "t"

    def end(self, name):
        self.on = False

    def chars(self, text):
        if self.on and self.list:
            self.list[-1] += text


class Links(Reader):
    """Elements of one name, with their attributes."""

    def __init__(self, *names):
        self.names, self.found = names, []

    def start(self, name, a):
        if name in self.names:
            self.found.append((name, a))


class Sheet(Reader):
    def __init__(self, strings):
        self.strings, self.on, self.at = strings, False, 0

    def start(self, name, a):
        if name == "row":
            self.at = 0
        elif name == "c":
            column = 0
            for letter in re.match("[A-Za-z]*", a.get("r", "")).group():
                column = column * 26 + ord(letter.upper()) - 64
            column = min(column, COLUMNS)
            say("\t" * max(column - 1 - self.at, 0))
            self.at = max(column - 1, self.at)
            self.kind, self.value = a.get("t", "n"), ""
        self.on = name in ("v", "t")

    def end(self, name):
        self.on = False
        if name == "row":
            say("\n")
        elif name == "c":
            value = self.value
            if self.kind == "s" and value.isdigit() and int(value) < len(self.strings):
                value = self.strings[int(value)]
            elif self.kind == "b":
                value = "TRUE" if value == "1" else "FALSE"
            say(re.sub(r"\s+", " ", value) + "\t")
            self.at += 1

    def chars(self, text):
        if self.on:
            self.value += text


class Page(HTMLParser):
    LINES = set("p div li tr h1 h2 h3 h4 h5 h6 br blockquote section pre dt dd".split())
    SILENT = ("script", "style", "head")

    def __init__(self):
        super().__init__()
        self.silent = 0

    def handle_starttag(self, tag, attrs):
        if tag in self.SILENT:
            self.silent += 1
        elif tag in self.LINES:
            say("\n")

    def handle_endtag(self, tag):
        if tag in self.SILENT:
            self.silent = max(self.silent - 1, 0)
        elif tag in self.LINES:
            say("\n")

    def handle_data(self, data):
        if not self.silent and data.strip():
            say(re.sub(r"\s+", " ", data))


def numbered(archive, pattern):
    names = [(int(m.group(1)), m.group()) for m in (re.fullmatch(pattern, n) for n in archive.namelist()) if m]
    return [n for _, n in sorted(names)]


def links(archive, part):
    """Where the ids in a part lead to: of a relationship."""
    base = posixpath.dirname(part)
    rels = "%s/_rels/%s.rels" % (base, posixpath.basename(part))
    if rels not in archive.namelist():
        return {}
    return {a.get("Id"): posixpath.normpath(posixpath.join("/" + base, a.get("Target", ""))).lstrip("/")
            for _, a in Links("Relationship").read(archive, rels).found}


def docx(archive):
    for name in ("document", "footnotes", "endnotes", "comments"):
        if "word/%s.xml" % name in archive.namelist():
            Paragraphs({"t"}, {"p"}).read(archive, "word/%s.xml" % name)


def pptx(archive):
    for i, name in enumerate(numbered(archive, r"ppt/slides/slide(\d+)\.xml"), 1):
        say("--- Slide %d ---\n" % i)
        Paragraphs({"t"}, {"p"}).read(archive, name)


def xlsx(archive):
    names, strings = archive.namelist(), []
    if "xl/sharedStrings.xml" in names:
        strings = Strings().read(archive, "xl/sharedStrings.xml").list
    to = links(archive, "xl/workbook.xml")
    for _, a in Links("sheet").read(archive, "xl/workbook.xml").found:
        part = to.get(a.get("id"))
        say("--- Sheet: %s ---\n" % a.get("name", ""))
        if part in names:
            Sheet(strings).read(archive, part)


def opendocument(archive):
    Paragraphs({"p", "h"}, {"p", "h"}).read(archive, "content.xml")


def epub(archive):
    book = Links("rootfile").read(archive, "META-INF/container.xml").found[0][1]["full-path"]
    base, where = posixpath.dirname(book), {}
    for name, a in Links("item", "itemref").read(archive, book).found:
        if name == "item":
            where[a.get("id")] = posixpath.normpath(posixpath.join(base, unquote(a.get("href", ""))))
            continue
        part = where.get(a.get("idref"))
        if part in archive.namelist():
            with archive.open(part) as f:
                page = Page()
                page.feed(f.read(MOST).decode("utf-8", "replace"))
                page.close()


def whole(path):
    with open(path, "rb") as f:
        data = f.read(WHOLE + 1)
    if len(data) > WHOLE:
        raise SystemExit("the document is too large")
    return data


def words_of(value):
    """A field of a message's head, whose other characters are encoded."""
    from email.header import decode_header, make_header
    try:
        return re.sub(r"\s+", " ", str(make_header(decode_header(value))))
    except Exception:  # as it stands there
        return re.sub(r"\s+", " ", str(value))


def mail(part, depth=0):
    if depth > 20:
        raise ValueError("messages in messages")
    if not part.is_multipart():
        return leaf(part)
    parts = part.get_payload()
    if part.get_content_type() == "multipart/alternative":  # the same in several forms
        plain = [p for p in parts if p.get_content_type() == "text/plain"]
        parts = plain[:1] or parts[-1:]
    for each in parts:
        if part.get_content_type() == "message/rfc822":
            head(each)
        mail(each, depth + 1)
    return None


def head(message):
    for name in ("From", "To", "Cc", "Date", "Subject"):
        if message[name]:
            say("%s: %s\n" % (name, words_of(message[name])))
    say("\n")


def leaf(part):
    kind, name = part.get_content_type(), part.get_filename()
    if name or not kind.startswith("text/"):
        return say("[attachment: %s%s]\n" % (words_of(name) + ", " if name else "", kind))
    data = part.get_payload(decode=True) or b""
    try:
        text = data.decode(part.get_content_charset() or "utf-8", "replace")
    except LookupError:
        text = data.decode("utf-8", "replace")
    if kind == "text/html":
        page = Page()
        page.feed(text)
        page.close()
    else:
        say(text.replace("\r\n", "\n"))
    return say("\n")


def eml(path):
    import email
    data = whole(path)
    if data.count(b"\n--") > PARTS:
        raise ValueError("too many parts")
    message = email.message_from_bytes(data)
    head(message)
    mail(message)


TOKEN = re.compile(r"\\([A-Za-z]{1,32})(-?\d{1,9})? ?|\\'([0-9A-Fa-f]{2})|\\(.)|([{}])|([^\\{}\r\n]+)|[\r\n]+", re.S)
SIGNS = {"par": "\n", "line": "\n", "sect": "\n", "page": "\n", "row": "\n", "tab": "\t", "cell": "\t",
         "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022", "lquote": "\u2018", "rquote": "\u2019",
         "ldblquote": "\u201c", "rdblquote": "\u201d", "~": "\xa0", "_": "-", "\n": "\n", "\r": "\n",
         "\\": "\\", "{": "{", "}": "}"}
SILENT = set("fonttbl colortbl stylesheet info pict object fldinst header headerl headerr headerf footer footerl "
             "footerr footerf listtable listoverridetable rsidtbl generator themedata datastore latentstyles "
             "xmlnstbl filetbl revtbl private".split())


class Rich:
    """The text of RTF: what groups say of themselves is left out."""

    def __init__(self):
        self.silent, self.fallback, self.left = False, 1, 0  # left: of what repeats a character
        self.groups, self.page, self.raw, self.high = [], "cp1252", bytearray(), 0

    def flush(self):
        if self.raw:
            say(self.raw.decode(self.page, "replace"))
            self.raw.clear()

    def put(self, text):
        drop = min(self.left, len(text))
        self.left -= drop
        if not self.silent and text[drop:]:
            self.flush()
            say(text[drop:])

    def add(self, data):
        drop = min(self.left, len(data))
        self.left -= drop
        if not self.silent:
            self.raw += data[drop:]
        if len(self.raw) > OUT:
            raise SystemExit("the text is too long")

    def word(self, name, number):
        if name in SILENT:
            self.silent = True
        elif name == "uc":
            self.fallback = max(number, 0)
        elif name == "u":
            self.left, number = 0, number & 0xffff
            if 0xdc00 <= number < 0xe000 and self.high:
                self.put(chr(0x10000 + ((self.high & 0x3ff) << 10) + (number & 0x3ff)))
            elif not 0xd800 <= number < 0xdc00:
                self.put(chr(number))
            self.high = number if 0xd800 <= number < 0xdc00 else 0
            self.left = self.fallback
        elif name == "ansicpg":
            try:
                "".encode("cp%d" % number)
                self.page = "cp%d" % number
            except LookupError:
                pass
        elif name in SIGNS:
            self.left = 0
            self.put(SIGNS[name])

    def group(self, mark):
        self.left = 0
        if mark == "{":
            if len(self.groups) >= DEEP:
                raise ValueError("groups in groups")
            self.groups.append((self.silent, self.fallback))
        elif self.groups:
            self.silent, self.fallback = self.groups.pop()

    def read(self, text):
        at = 0
        while at < len(text):
            m = TOKEN.match(text, at)
            if not m:
                break
            at = m.end()
            name, number, byte, sign, mark, plain = m.groups()
            if name == "bin":
                at += max(int(number or 0), 0)
            elif name:
                self.word(name, int(number or 0))
            elif byte:
                self.add(bytes((int(byte, 16),)))
            elif sign == "*":
                self.silent = True
            elif sign:
                self.put(SIGNS.get(sign, ""))
            elif mark:
                self.group(mark)
            elif plain:
                self.add(plain.encode("latin-1"))
        self.flush()


def rtf(path):
    data = whole(path)
    if not data.startswith(b"{\\rtf"):
        raise ValueError("it is no RTF")
    Rich().read(data.decode("latin-1"))


BARE = {"eml": eml, "rtf": rtf}
KINDS = {"docx": docx, "docm": docx, "pptx": pptx, "xlsx": xlsx, "xlsm": xlsx, "odt": opendocument,
         "ods": opendocument, "odp": opendocument, "epub": epub}

try:
    if sys.argv[2] in BARE:
        BARE[sys.argv[2]](sys.argv[1])
    else:
        with zipfile.ZipFile(sys.argv[1]) as archive:
            KINDS[sys.argv[2]](archive)
    sys.stdout.flush()
except (zipfile.BadZipFile, zipfile.LargeZipFile, expat.ExpatError, KeyError, IndexError, ValueError,
        NotImplementedError, RuntimeError, OSError, EOFError) as e:
    sys.exit("%s: %s" % (type(e).__name__, e))
