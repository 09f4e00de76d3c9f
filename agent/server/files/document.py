# The text of an office document or a book, for /files/read: run in the box by the box's
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


KINDS = {"docx": docx, "docm": docx, "pptx": pptx, "xlsx": xlsx, "xlsm": xlsx, "odt": opendocument,
         "ods": opendocument, "odp": opendocument, "epub": epub}

try:
    with zipfile.ZipFile(sys.argv[1]) as whole:
        KINDS[sys.argv[2]](whole)
    sys.stdout.flush()
except (zipfile.BadZipFile, zipfile.LargeZipFile, expat.ExpatError, KeyError, IndexError, ValueError,
        NotImplementedError, RuntimeError, OSError, EOFError) as e:
    sys.exit("%s: %s" % (type(e).__name__, e))
