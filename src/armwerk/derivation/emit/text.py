"""Lines of source that stay within a width."""

from __future__ import annotations

import re
import textwrap

WIDTH = 96
NESTED = 84  # of statements, which stand up to three loops deep
_BREAKS = re.compile(r" (?=[-+] )|(?<=,) ")


def broken(text: str, indent: str, width: int = NESTED) -> list[str]:
    """Break a long line before + and -, else before *; the rest is indented by ``indent``."""
    if len(text) <= width:
        return [text]
    pieces: list[str] = []
    for piece in _BREAKS.split(text):
        if len(piece) > width - len(indent):
            pieces += re.split(r" (?=\* )", piece)
        else:
            pieces.append(piece)
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) <= width:
            lines[-1] += " " + piece
        else:
            lines.append(indent + piece)
    return lines


def comment(text: str, prefix: str, width: int = WIDTH) -> list[str]:
    """Return a text as lines that start with ``prefix``."""
    return [prefix + line for line in textwrap.wrap(text, width - len(prefix))] or [prefix.rstrip()]
