"""The text of a program in one form: blocks two blanks in, one statement a line, comments kept."""

from __future__ import annotations

import re

from armwerk.errors import ProgramError
from armwerk.language.keywords import CLOSERS, KEYWORDS
from armwerk.language.parsing.units import ParsedUnit, parse
from armwerk.language.source import Comment, SourceText

_INDENT = "  "
_NO_BLANK_BEFORE = frozenset({";", ",", ")", "]", ".", ":", ".."})
_NO_BLANK_AFTER = frozenset({"(", "[", ".", "..", ""})
_SIGNS = frozenset({"+", "-"})
_OPERATORS = frozenset(
    {"+", "-", "*", "/", "**", "@", "=", "<>", "<", "<=", ">", ">=", ":=", "(", "[", ",", ".."}
)


def formatted(text: str, file: str = "") -> str:
    """Return a program in one form; its meaning and its comments stay as they are.

    Args:
        text: The program.
        file: Where it is from, for messages; empty: no file.

    Raises:
        ProgramError: With every problem of the text.
    """
    parsed = parse(text, file)
    if parsed.source.problems:
        raise ProgramError(parsed.source.problems, file or None)
    return write(parsed)


def write(parsed: ParsedUnit) -> str:
    """Return the text of a program that was read without a problem."""
    source, layout = parsed.source, parsed.layout
    lines: list[str] = []
    line = ""
    depth = 0
    comments: dict[int, list[Comment]] = {}
    for one in source.comments:
        comments.setdefault(one.before, []).append(one)
    before = ""
    is_sign = False
    lines += [one.text for one in comments.pop(0, [])]
    for at, word in enumerate(source.words):
        begins = at in layout or not word
        if begins and at:
            depth_here = layout.get(at, 0)
            trailing, own = _comments(source, comments.pop(at, []), at)
            lines.append(line + "".join(f" {text}" for text in trailing))
            depth = depth_here
            inner = depth + (word in _CLOSING)
            if word or own:
                lines += _gap(source, at)
            lines += [_INDENT * inner + text for text in own]
            line, before, is_sign = "", "", False
        elif at in comments:
            line += "".join(f" {one.text}" for one in comments.pop(at))
        if not word:
            break
        if not line:
            line = _INDENT * depth
        elif not _joined(before, word, is_sign):
            line += " "
        line += source.spelling(at) if word not in KEYWORDS else word
        is_sign = word in _SIGNS and (before in _OPERATORS or before in KEYWORDS)
        before = word
    return "\n".join(text.rstrip() for text in lines).strip("\n") + "\n"


_CLOSING = frozenset({*CLOSERS, "else", "elsif", "when", "begin"})


def _joined(before: str, word: str, is_sign: bool) -> bool:
    """Return whether no blank stands between two words."""
    if word in _NO_BLANK_BEFORE or before in _NO_BLANK_AFTER or is_sign:
        return True
    if word in ("(", "["):
        name = before[-1:].isalnum() or before[-1:] == "_" or before in (")", "]")
        return name and (before not in KEYWORDS or before in ("write", "writeln", "array"))
    return False


def _comments(source: SourceText, found: list[Comment], at: int) -> tuple[list[str], list[str]]:
    """Return the comments behind the line above, and those on lines of their own."""
    trailing: list[str] = []
    own: list[str] = []
    last = source.starts[at - 1] + len(source.words[at - 1])
    for one in found:
        same = not own and "\n" not in source.text[last : one.start]
        (trailing if same else own).append(one.text)
        last = one.start if same else last
    return trailing, own


def _gap(source: SourceText, at: int) -> list[str]:
    """Return an empty line where the text has one before a word or its comments."""
    start = source.starts[at - 1] + len(source.words[at - 1])
    between = source.text[start : source.starts[at]]
    for one in source.comments:
        if one.before == at:
            between = between.replace(one.text, "x", 1)
    return [""] if re.search(r"\n[ \t]*\n", between) else []
