"""What each word is, for colours that a grammar alone cannot know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from armwerk.editors.analysis import Analysis, DeclaredKind, is_name
from armwerk.editors.positions import units
from armwerk.language.checking.symbols import PROCEDURES, SYSTEM_VARIABLES, TRUTHS, WORLD_VALUES
from armwerk.language.keywords import KEYWORDS, OPERATOR_WORDS
from armwerk.language.operators import FUNCTIONS
from armwerk.language.types import PREDEFINED

TOKEN_TYPES = [
    "keyword", "variable", "parameter", "property", "function", "type", "number", "string",
    "comment", "operator", "label", "namespace",
]  # fmt: skip
TOKEN_MODIFIERS = ["declaration", "readonly", "defaultLibrary"]
_DECLARATION, _READONLY, _LIBRARY = 1, 2, 4
_KINDS: dict[DeclaredKind, tuple[str, int]] = {
    "variable": ("variable", 0),
    "constant": ("variable", _READONLY),
    "type": ("type", 0),
    "signal": ("variable", 0),
    "parameter": ("parameter", 0),
    "procedure": ("function", 0),
    "function": ("function", 0),
    "process": ("function", 0),
    "field": ("property", 0),
    "label": ("label", 0),
    "program": ("namespace", 0),
}
_NUMBERS = {name: index for index, name in enumerate(TOKEN_TYPES)}


class ColouredWord(NamedTuple):
    """A word, or a line of a comment.

    Attributes:
        start: Offset of its first letter.
        text: As it is written.
        kind: Index in `TOKEN_TYPES`.
        modifiers: Bits, by the order of `TOKEN_MODIFIERS`.
    """

    start: int
    text: str
    kind: int
    modifiers: int


def coloured(analysis: Analysis) -> list[ColouredWord]:
    """Return all words in the order of the text."""
    found = [*_words(analysis), *_comments(analysis)]
    found.sort()
    return found


def encoded(analysis: Analysis) -> list[int]:
    """Return all words as the protocol has them: five numbers each, relative to the one before."""
    text = analysis.text
    data: list[int] = []
    line, begin, end, plain = 0, 0, text.find("\n"), text.isascii()
    told_line = told_column = 0
    for start, word, kind, modifiers in coloured(analysis):
        while 0 <= end < start:
            line, begin, end = line + 1, end + 1, text.find("\n", end + 1)
        column = start - begin if plain else units(text[begin:start])
        length = len(word) if plain else units(word)
        right = column - told_column if line == told_line else column
        data += (line - told_line, right, length, kind, modifiers)
        told_line, told_column = line, column
    return data


def _comments(analysis: Analysis) -> Iterator[ColouredWord]:
    for comment in analysis.source.comments:
        start = comment.start
        for part in comment.text.split("\n"):
            if part:
                yield ColouredWord(start, part, _NUMBERS["comment"], 0)
            start += len(part) + 1


def _words(analysis: Analysis) -> Iterator[ColouredWord]:
    source = analysis.source
    text, words = source.text, source.words
    known: dict[tuple[str, str], tuple[int, int]] = {}  # of names, by the routine they stand in
    own, property_kind = analysis.own, _NUMBERS["property"]
    special = analysis.special_words
    before = ""
    for at, (word, start) in enumerate(zip(words, source.starts, strict=True)):
        if before == "." and is_name(word):
            kind, modifiers = property_kind, 0
        elif at in special or not word:
            kind, modifiers = _kind(analysis, at, word) if word else (-1, 0)
        else:
            key = (word, analysis.routine_at(own, at) if is_name(word) else "")
            found = known.get(key)
            if found is None:
                found = known[key] = _kind(analysis, at, word)
            kind, modifiers = found
        before = word
        if kind >= 0:
            yield ColouredWord(start, text[start : start + len(word)], kind, modifiers)


def _kind(analysis: Analysis, at: int, word: str) -> tuple[int, int]:
    name, modifiers = _name(analysis, at, word)
    return _NUMBERS.get(name, -1), modifiers


def _name(analysis: Analysis, at: int, word: str) -> tuple[str, int]:
    first = word[0]
    if not is_name(word):
        if first.isdigit():
            return "number", 0
        if first in "'\"" and len(word) > 1:
            return "string", 0
        return ("operator", 0) if first in "+-*/=<>@:" and word != ":" else ("", 0)
    if word in KEYWORDS:
        return ("operator" if word in OPERATOR_WORDS else "keyword"), 0
    one = analysis.declared(analysis.own, at)
    if one is not None:
        kind, modifiers = _KINDS[one.kind]
        here = (one.unit, one.at) == (analysis.own, at)
        return kind, modifiers | (_DECLARATION if here else 0)
    if word in FUNCTIONS or word in PROCEDURES or word == "running":
        return "function", _LIBRARY
    if word in PREDEFINED:
        return "type", _LIBRARY
    if word in WORLD_VALUES or word in TRUTHS:
        return "variable", _LIBRARY | _READONLY
    return ("variable", _LIBRARY) if word in SYSTEM_VARIABLES else ("", 0)
