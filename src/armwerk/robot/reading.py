"""What every file reader needs: safe reading of text, XML, and TOML that knows its lines.

A file comes in; a text, an element tree or a `TomlDocument` goes out. Whatever is wrong becomes a
`DescriptionError` with file, line, element, value and what is allowed.
"""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from armwerk.errors import DescriptionError
from armwerk.robot.dimension import decimal_comma_hint

if TYPE_CHECKING:
    from lxml import etree

MOST_BYTES = 5_000_000  # an arm takes a few kilobytes; more is a mistake or an attack
KeyPath: TypeAlias = tuple[str | int, ...]
Fields: TypeAlias = dict[str, Any]
"""A table as `tomllib` returns it, or fields for a class that checks each of them itself: the
file decides their types, so no checker can know them."""

_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)$")
_AT_END = " (at end of document)"
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SPACES = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SCALAR = re.compile(r"[^,\]}#\n]*")
_BASIC = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_LITERAL = re.compile(r"'([^'\n]*)'")
_LONG_BASIC = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}', re.DOTALL)
_LONG_LITERAL = re.compile(r"'''.*?'{3,5}", re.DOTALL)
_MARKUP = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<!DOCTYPE|<!ENTITY", re.DOTALL)


def read_text(path: str | Path) -> str:
    """Return the text of a file, or say why it cannot be one.

    Raises:
        DescriptionError: When the file is missing, a folder, unreadable, empty, larger than
            `MOST_BYTES`, not UTF-8, or holds zero bytes as binary files do.
    """
    path = Path(path)
    if path.is_dir():
        raise DescriptionError("is a folder", element="file", allowed="a text file", file=path)
    if (
        path.exists() and not path.is_file()
    ):  # a pipe would wait for its writer, /dev/zero never ends
        raise DescriptionError("is no file", element="file", allowed="a text file", file=path)
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES) if size <= MOST_BYTES else b""
    except FileNotFoundError:
        raise DescriptionError(
            "does not exist", element="file", allowed="an existing file", file=path
        ) from None
    except (OSError, ValueError) as error:
        raise DescriptionError(
            f"cannot be read ({error})", element="file", allowed="a readable file", file=path
        ) from None
    if size > MOST_BYTES:
        raise _too_large(size, path)
    return check_text(content, path)


def check_text(content: str | bytes, file: str | Path | None = None) -> str:
    """Return ``content`` as text after the checks of `read_text` that need no file system."""
    data = content if isinstance(content, bytes) else content.encode(errors="surrogatepass")
    if len(data) > MOST_BYTES:
        raise _too_large(len(data), file)
    if not data.strip():
        raise DescriptionError(
            "is empty",
            element="file",
            value=f"{len(data)} bytes",
            allowed="a description",
            file=file,
            line=1,
        )
    zero = data.find(b"\0")
    if zero >= 0:
        raise DescriptionError(
            "is binary",
            element=f"byte {zero}",
            value=data[max(zero - 8, 0) : zero + 8],
            allowed="UTF-8 text",
            file=file,
            line=data.count(b"\n", 0, zero) + 1,
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DescriptionError(
            "not UTF-8",
            element=f"byte {error.start}",
            value=data[error.start : error.start + 8],
            allowed="UTF-8 text",
            file=file,
            line=data.count(b"\n", 0, error.start) + 1,
        ) from None


def _too_large(size: int, file: str | Path | None) -> DescriptionError:
    return DescriptionError(
        "is too large",
        element="file",
        value=f"{size} bytes",
        allowed=f"at most {MOST_BYTES} bytes",
        file=file,
        line=1,
    )


@dataclass(frozen=True, slots=True)
class TomlDocument:
    """A parsed TOML text that remembers where everything stands.

    Args:
        table: What `tomllib` makes of the text.
        lines: Line of every table and key by its path, such as ("joint", 1, "limits");
            arrays of tables count from 0.
        file: Where the text is from; None: not from a file.
    """

    table: Fields
    lines: Mapping[KeyPath, int]
    file: str | None = None

    def line(self, *path: str | int) -> int:
        """Return the line of a key, or of the nearest table around it when it is missing."""
        while path:
            if path in self.lines:
                return self.lines[path]
            path = path[:-1]
        return 1

    def error(
        self, problem: str, path: KeyPath, element: str, value: object = None, allowed: str = ""
    ) -> DescriptionError:
        """Return an error that stands at ``path``."""
        return DescriptionError(
            problem,
            element=element,
            value=value,
            allowed=allowed,
            file=self.file,
            line=self.line(*path),
        )

    def place(self, error: DescriptionError, path: KeyPath, within: str = "") -> DescriptionError:
        """Return ``error`` with file and line of ``path``, of its own key where it names one."""
        words = re.findall(r"\w+", error.element)
        for word in words:
            if (*path, word) in self.lines:
                path = (*path, word)
                break
        return error.at(self.file, self.line(*path), within=within)

    def only(self, path: KeyPath, table: object, known: Iterable[str], within: str = "") -> None:
        """Refuse anything that is no table, and any key that is not in ``known``."""
        known = tuple(known)
        if not isinstance(table, dict):
            raise self.error(
                "not a table", path, within or str(path[-1]), table, f"keys {', '.join(known)}"
            )
        for key in table:
            if key not in known:
                element = f"{within}, {key}" if within else key
                close = get_close_matches(key, known, n=1)
                problem = f"unknown key; did you mean '{close[0]}'?" if close else "unknown key"
                raise self.error(problem, (*path, key), element, key, ", ".join(known))


def read_toml(path: str | Path) -> TomlDocument:
    """Return the TOML file at ``path``, with its line numbers."""
    return parse_toml(read_text(path), path)


def parse_toml(text: str, file: str | Path | None = None) -> TomlDocument:
    """Return a TOML text with its line numbers.

    Raises:
        DescriptionError: When the text is no TOML; with the line where it stops being so.
    """
    text = check_text(text, file)
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError is a ValueError
        problem, line = _decode_place(str(error), text)
        lines = text.splitlines() or [""]
        written = lines[min(line, len(lines)) - 1].strip()
        hint = decimal_comma_hint(written)
        raise DescriptionError(
            f"not TOML ({problem})" + (f"; {hint}" if hint else ""),
            element=f"line {line}",
            value=written,
            allowed="TOML 1.0",
            file=file,
            line=line,
        ) from None
    return TomlDocument(table, key_lines(text), None if file is None else str(file))


def _decode_place(message: str, text: str) -> tuple[str, int]:
    found = _AT_LINE.search(message)
    if found:
        return message[: found.start()], int(found.group(1))
    if message.endswith(_AT_END):
        return "the text ends too early", text.rstrip("\n").count("\n") + 1
    return message or "nested too deeply", 1


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line of every table and key of a valid TOML text, by path.

    `tomllib` drops the places; this walks the text once more and keeps nothing else.
    """
    scanner = _Scanner(text)
    # where it gets lost, the lines found so far still serve: `line` falls back to tables
    with contextlib.suppress(RecursionError, _LostError):
        scanner.document()
    return scanner.lines


def key_spans(text: str) -> dict[KeyPath, tuple[int, int]]:
    """Return where every value of a valid TOML text stands, and every header, by path.

    Of a key it is the value, of a table its header in brackets: first character and one past the
    last. Lines must end as in Unix.
    """
    scanner = _Scanner(text)
    with contextlib.suppress(RecursionError, _LostError):
        scanner.document()
    return scanner.spans


class _LostError(Exception):
    """The scanner met syntax it does not know."""


class _Scanner:
    """Walk a TOML text that `tomllib` has accepted, noting the line of each key."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")  # as tomllib does
        self.at = 0
        self.lines: dict[KeyPath, int] = {}
        self.spans: dict[KeyPath, tuple[int, int]] = {}
        self._counts: dict[KeyPath, int] = {}  # how many tables an array of tables has so far
        self._line_at = (0, 1)

    def document(self) -> None:
        table: KeyPath = ()
        while True:
            self.match(_BLANK)
            if self.at >= len(self.text):
                return
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)

    def header(self) -> KeyPath:
        line, start = self.line(), self.at
        several = self.text.startswith("[[", self.at)
        self.at += 2 if several else 1
        *outer, last = self.key()
        self.at += 2 if several else 1
        path: KeyPath = ()
        for part in outer:
            path = self.inside((*path, part))
        path = (*path, last)
        if several:
            count = self._counts.get(path, 0)
            self._counts[path] = count + 1
            self.lines.setdefault(path, line)
            path = (*path, count)
        self.lines.setdefault(path, line)
        self.spans.setdefault(path, (start, self.at))
        return path

    def inside(self, path: KeyPath) -> KeyPath:
        """Return the path of the latest table where ``path`` is an array of tables."""
        count = self._counts.get(path, 0)
        return (*path, count - 1) if count else path

    def pair(self, table: KeyPath) -> None:
        line = self.line()
        path = table
        for part in self.key():
            path = (*path, part)
            self.lines.setdefault(path, line)
        if not self.text.startswith("=", self.at):
            raise _LostError
        self.at += 1
        self.match(_SPACES)
        start = self.at
        self.value(path)
        self.spans[path] = (start, start + len(self.text[start : self.at].rstrip()))

    def key(self) -> list[str]:
        parts: list[str] = []
        while True:
            self.match(_SPACES)
            parts.append(self.key_part())
            self.match(_SPACES)
            if not self.text.startswith(".", self.at):
                return parts
            self.at += 1

    def key_part(self) -> str:
        quote = self.text[self.at : self.at + 1]
        if quote == '"':
            # tomllib knows the escapes; a key is short, so let it read this one alone
            return next(iter(tomllib.loads(f"{self.match(_BASIC)} = 0")))
        if quote == "'":
            return self.match(_LITERAL)[1:-1]
        return self.match(_BARE_KEY)

    def value(self, path: KeyPath) -> None:
        text, at = self.text, self.at
        if text.startswith('"""', at):
            self.match(_LONG_BASIC)
        elif text.startswith("'''", at):
            self.match(_LONG_LITERAL)
        elif text.startswith('"', at):
            self.match(_BASIC)
        elif text.startswith("'", at):
            self.match(_LITERAL)
        elif text.startswith("[", at):
            self.array(path)
        elif text.startswith("{", at):
            self.inline_table(path)
        else:
            self.match(_SCALAR)

    def array(self, path: KeyPath) -> None:
        self.at += 1
        for position in range(len(self.text)):
            self.match(_BLANK)
            if self.text.startswith("]", self.at):
                break
            self.lines.setdefault((*path, position), self.line())
            self.value((*path, position))
            self.match(_BLANK)
            if self.text.startswith(",", self.at):
                self.at += 1
            elif not self.text.startswith("]", self.at):
                raise _LostError
        self.at += 1

    def inline_table(self, path: KeyPath) -> None:
        self.at += 1
        while True:
            self.match(_BLANK)
            if self.text.startswith("}", self.at):
                self.at += 1
                return
            self.pair(path)
            self.match(_BLANK)
            if self.text.startswith(",", self.at):
                self.at += 1
            elif not self.text.startswith("}", self.at):
                raise _LostError

    def match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise _LostError
        self.at = found.end()
        return found.group()

    def line(self) -> int:
        """Return the line of the current place, counting on from the last one asked for."""
        before, line = self._line_at
        line += self.text.count("\n", before, self.at)
        self._line_at = (self.at, line)
        return line


def parse_xml(text: str, file: str | Path | None = None) -> etree._Element:
    """Return the root of an XML text; comments are dropped, lines are kept as ``sourceline``.

    Document types and entities are refused outright: no description needs them, and they are
    how an XML file reads other files or grows without bound.

    Raises:
        DescriptionError: When the text is no such XML; with the line.
    """
    from lxml import etree

    text = check_text(text, file)
    for found in _MARKUP.finditer(text):
        if found.group() in ("<!DOCTYPE", "<!ENTITY"):
            line = text.count("\n", 0, found.start()) + 1
            raise DescriptionError(
                "document types and entities are refused",
                element=found.group()[2:],
                value=text[found.start() : found.start() + 60],
                allowed="elements, attributes and text",
                file=file,
                line=line,
            )
    parser = etree.XMLParser(
        encoding="utf-8",  # whatever the declaration says: the text was decoded from UTF-8
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(text.encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        lines = text.splitlines() or [""]
        problem = str(error).split(", line ")[0] or "syntax"
        raise DescriptionError(
            f"not XML ({problem})",
            element=f"line {line}",
            value=lines[min(line, len(lines)) - 1].strip(),
            allowed="well-formed XML",
            file=file,
            line=line,
        ) from None


def line_of(node: etree._Element) -> int:
    """Return the line of an element."""
    line = node.sourceline  # the stub of lxml types it as an ellipsis
    return line if isinstance(line, int) else 1
